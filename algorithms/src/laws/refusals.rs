//! Laws of refusals: what cannot be done is said by its error, and nothing changes.

use crate::algorithm::Removal;
use crate::error::PlacementError;
use crate::laws::Subject;
use crate::laws::view::{Checked, State, ensure, id_of};
use crate::membership::Node;
use crate::placement::NodeId;

/// A name that a member has, one that stands twice in a list, and one of several newcomers.
pub(super) fn names_that_are_taken_are_refused(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    let mut placement = few.build()?;
    let state = State::of(&*placement, few.keys);
    let new = few.strange_name(0);
    let mut lists = vec![(new.clone(), vec![Node::new(&*new), Node::new(&*new)])];
    if let Some(node) = few.nodes.first() {
        let name = node.name.clone();
        let again = Node::new(&*name);
        lists.push((name.clone(), vec![again.clone()]));
        lists.push((name, vec![Node::new(&*new), again]));
    }
    for (name, nodes) in lists {
        let seen = placement.extend(nodes);
        let expected = PlacementError::DuplicateName { name };
        ensure!(
            seen == Err(expected.clone()),
            "{expected:?} was expected, and {seen:?} came"
        );
        state.still(&*placement, few.keys, "a name that stands twice")?;
    }
    Ok(())
}

/// The id of a node that left, one that never was, and a name that nobody has.
pub(super) fn unknown_nodes_are_refused(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    let mut placement = few.build()?;
    let mut unknown = vec![
        NodeId::from_index(few.nodes.len() as u32),
        NodeId::from_index(u32::MAX - 2),
    ];
    if let Some(&at) = few.removable().first() {
        let id = id_of(&*placement, &few.nodes[at].name)?;
        let removed = placement.remove(id);
        removed.map_err(|error| format!("it cannot be removed: {error}"))?;
        unknown.push(id);
    }
    let state = State::of(&*placement, few.keys);
    for id in unknown {
        let expected = PlacementError::UnknownNode { id };
        let answers = [
            placement.remove(id),
            placement.reweigh(id, 1.0),
            placement.membership().get(id).map(drop),
        ];
        for seen in answers {
            ensure!(
                seen == Err(expected.clone()),
                "{expected:?} was expected, and {seen:?} came"
            );
        }
        state.still(&*placement, few.keys, "an unknown id")?;
    }
    let name = few.strange_name(0);
    let seen = placement.membership().find(&name);
    ensure!(
        seen == Err(PlacementError::UnknownName { name }),
        "a name that nobody has was answered: {seen:?}"
    );
    Ok(())
}

/// Who can only drop the newest node refuses all others; everyone else lets any node go.
pub(super) fn only_the_newest_leaves_exactly_if_declared(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    let mut placement = few.build()?;
    let state = State::of(&*placement, few.keys);
    let Some((newest, others)) = few.nodes.split_last() else {
        return Ok(());
    };
    for node in others {
        let id = id_of(&*placement, &node.name)?;
        match few.algorithm.traits.removal {
            Removal::Any => {
                let removed = placement.boxed_clone().remove(id);
                removed.map_err(|error| format!("{:?} may not leave: {error}", node.name))?;
            }
            Removal::Newest => {
                let refused = placement.remove(id);
                let expected = PlacementError::OnlyNewest {
                    algorithm: few.algorithm.name,
                    newest: newest.name.clone(),
                    asked: node.name.clone(),
                };
                ensure!(
                    refused == Err(expected),
                    "{:?} is not the newest, and its removal was answered: {refused:?}",
                    node.name
                );
                state.still(&*placement, few.keys, "a removal")?;
            }
        }
    }
    let id = id_of(&*placement, &newest.name)?;
    let removed = placement.remove(id);
    removed.map_err(|error| format!("the newest may not leave: {error}"))
}
