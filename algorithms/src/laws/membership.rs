//! Laws of the membership: versions, ids and names.

use crate::laws::Subject;
use crate::laws::view::{Checked, ensure, extend, id_of, owners, remove, same_owners};
use crate::membership::Membership;
use crate::placement::Placement;

/// The version goes up by one with each change, whatever it is.
pub(super) fn the_version_counts_every_change(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    let mut placement = few.build_of(&[])?;
    let mut version = placement.membership().version();
    let mut counted = |placement: &dyn Placement, what: &str| {
        version += 1;
        let seen = placement.membership().version();
        ensure!(
            seen == version,
            "version {seen} after {what}, not {version}"
        );
        Ok(())
    };
    for node in few.nodes {
        extend(&mut *placement, std::slice::from_ref(node))?;
        counted(&*placement, "a node joined")?;
        let id = id_of(&*placement, &node.name)?;
        let reweighed = placement.reweigh(id, node.weight);
        reweighed.map_err(|error| format!("its own weight is refused: {error}"))?;
        counted(&*placement, "a weight was set")?;
    }
    for node in few.nodes.iter().rev() {
        remove(&mut *placement, &node.name)?;
        counted(&*placement, "a node left")?;
    }
    if few.nodes.is_empty() {
        return Ok(());
    }
    extend(&mut *placement, few.nodes)?;
    counted(&*placement, "several nodes joined at once")
}

/// A member keeps its id while others come and go. A node that returns has a new one, and the old
/// one means nobody.
pub(super) fn ids_are_stable_and_never_given_again(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    let mut placement = few.build()?;
    let mut given: Vec<_> = placement.membership().members().to_vec();
    for _ in 0..3 {
        let Some(&at) = few.removable().last() else {
            break;
        };
        let node = &few.nodes[at];
        let old = id_of(&*placement, &node.name)?;
        let others = owners_elsewhere(&*placement, few.keys, &node.name)?;
        remove(&mut *placement, &node.name)?;
        ensure!(
            placement.membership().get(old).is_err(),
            "{old:?} is still known after its node left"
        );
        let ids = extend(&mut *placement, std::slice::from_ref(node))?;
        let new = id_of(&*placement, &node.name)?;
        ensure!(
            ids == [new] && given.iter().all(|member| member.id != new),
            "{:?} joined as {ids:?} and is found as {new:?}; {old:?} was its id before",
            node.name
        );
        for member in placement.membership().members() {
            let before = given.iter().find(|other| other.name == member.name);
            ensure!(
                *member.name == *node.name || before.is_some_and(|other| other.id == member.id),
                "{:?} has the id {:?}, and had another one before",
                member.name,
                member.id
            );
        }
        let newcomer = placement.membership().get(new).cloned();
        given.extend(newcomer);
        if subject.algorithm.traits.history_free {
            let after = owners_elsewhere(&*placement, few.keys, &node.name)?;
            ensure!(others == after, "ids of owners changed with another node");
        }
        let joined = placement.membership().joined();
        ensure!(
            placement
                .membership()
                .members()
                .iter()
                .all(|m| m.id.index() < joined),
            "an id lies beyond the {joined} nodes that ever joined"
        );
    }
    Ok(())
}

/// Owners by id of all keys that do not belong to the node of this name.
fn owners_elsewhere(
    placement: &dyn Placement,
    keys: &[u64],
    name: &str,
) -> Result<Vec<Option<crate::NodeId>>, String> {
    let id = id_of(placement, name)?;
    let owners = keys.iter().map(|&key| placement.place(key));
    Ok(owners.filter(|&owner| owner != Some(id)).collect())
}

/// Members are listed in joining order and, by name, in the order of names; each is found by both.
pub(super) fn every_member_is_found_by_name_and_by_id(subject: &Subject<'_>) -> Checked {
    let mut placement = subject.build()?;
    found(placement.membership(), subject)?;
    let before = owners(&*placement, subject.keys)?
        .into_iter()
        .map(|owner| owner.map(str::to_owned))
        .collect::<Vec<_>>();
    let stranger = subject.strange_name(0);
    ensure!(
        placement.membership().find(&stranger).is_err(),
        "a name that no node has is found"
    );
    // Leaving shifts positions: the lists must agree after it as well.
    let Some(last) = subject.nodes.last() else {
        return Ok(());
    };
    remove(&mut *placement, &last.name)?;
    extend(&mut *placement, std::slice::from_ref(last))?;
    found(placement.membership(), subject)?;
    let before: Vec<_> = before.iter().map(Option::as_deref).collect();
    match subject.algorithm.traits.history_free {
        true => same_owners(
            "after the last node returned",
            subject.keys,
            &before,
            &owners(&*placement, subject.keys)?,
        ),
        false => Ok(()),
    }
}

fn found(membership: &Membership, subject: &Subject<'_>) -> Checked {
    let members = membership.members();
    let nodes = subject.nodes.iter().map(|node| (&*node.name, node.weight));
    ensure!(
        nodes.eq(members.iter().map(|member| (&*member.name, member.weight))),
        "the members are not the nodes in joining order"
    );
    ensure!(
        members.is_sorted_by(|a, b| a.id < b.id),
        "ids do not ascend in joining order"
    );
    let names: Vec<_> = membership.by_name().map(|member| &member.name).collect();
    ensure!(
        names.len() == members.len() && names.is_sorted_by(|a, b| a < b),
        "the members are not listed in the order of names"
    );
    for member in members {
        ensure!(
            membership.find(&member.name) == Ok(member.id)
                && membership.get(member.id) == Ok(member)
                && membership.name(member.id) == &*member.name,
            "{:?} is not found by its name and by its id",
            member.name
        );
    }
    Ok(())
}
