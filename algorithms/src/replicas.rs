//! Which nodes hold the copies of a key: several distinct nodes, and distinct zones first.
//!
//! Every placement has an order of preference for each key ([`Placement::prefer`]); the copies are
//! its first distinct nodes. A ring walks on to the next points, rendezvous takes the next best
//! scores: there the list of a key is the owner, then who would own the key without the owner, and
//! so on, so that the loss of a node takes it out of the list and appends one. The others ask again
//! with a hash made from the key and the number of the attempt.

use std::ops::ControlFlow;

use crate::hash::mix;
use crate::membership::Membership;
use crate::placement::{NodeId, Placement};

/// Attempts by [`again`] before it goes through the nodes one by one. With up to ten copies on
/// twice as many nodes fewer than one key in a million needs more.
const ATTEMPTS: u64 = 64;

/// What [`Placement::prefer`] calls for each candidate.
pub type Visit<'a> = dyn FnMut(NodeId) -> ControlFlow<()> + 'a;

/// The order of preference of placements without one of their own: the owner, then the owners of
/// further hashes of the key, and in the end every eligible node by name, from one that the key
/// decides.
///
/// As each attempt moves with as few keys as a lookup does, so does the list; but a node that
/// joins or leaves may change the list anywhere and not only at its end.
pub(crate) fn again(
    placement: &(impl Placement + ?Sized),
    key: u64,
    visit: &mut Visit<'_>,
) -> ControlFlow<()> {
    for attempt in 0..ATTEMPTS {
        let key = match attempt {
            0 => key,
            _ => mix(key ^ mix(attempt)),
        };
        match placement.place(key) {
            Some(owner) => visit(owner)?,
            None => return ControlFlow::Continue(()),
        }
    }
    let membership = placement.membership();
    let start = (mix(key) % (membership.len() as u64).max(1)) as usize;
    let members = membership.by_name().skip(start);
    let members = members.chain(membership.by_name().take(start));
    members
        .filter(|member| member.weight > 0.0)
        .try_for_each(|member| visit(member.id))
}

/// Fills `owners` with the first distinct nodes of the key's order; returns how many there are.
pub fn distinct<P: Placement + ?Sized>(
    placement: &P,
    key: u64,
    owners: &mut [Option<NodeId>],
) -> usize {
    owners.fill(None);
    let wanted = owners.len().min(placement.membership().eligible());
    let mut count = 0;
    if wanted > 0 {
        let _ = placement.prefer(key, &mut |node| {
            if !owners[..count].contains(&Some(node)) {
                owners[count] = Some(node);
                count += 1;
            }
            match count == wanted {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
    }
    count
}

/// The same with the nodes of distinct zones first: the copies go round the zones, and a zone gets
/// a second copy only when every zone with a node to spare has one.
pub fn across_zones<P: Placement + ?Sized>(
    placement: &P,
    key: u64,
    owners: &mut [Option<NodeId>],
) -> usize {
    owners.fill(None);
    let membership = placement.membership();
    let wanted = owners.len().min(membership.eligible());
    let mut count = 0;
    // In round r a zone may have r copies.
    for round in 1.. {
        if count == wanted {
            break;
        }
        let mut room = membership.zones_of(round);
        let _ = placement.prefer(key, &mut |node| {
            let chosen = &owners[..count];
            if !chosen.contains(&Some(node)) && copies(membership, chosen, node) < round {
                owners[count] = Some(node);
                count += 1;
                room -= 1;
            }
            match count == wanted || room == 0 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
    }
    count
}

/// Copies that the zone of this node has already.
fn copies(membership: &Membership, chosen: &[Option<NodeId>], node: NodeId) -> usize {
    let zone = membership.zone(node);
    let same = |other: &&Option<NodeId>| {
        zone.is_some() && other.and_then(|other| membership.zone(other)) == zone
    };
    chosen.iter().filter(same).count()
}
