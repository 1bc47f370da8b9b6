//! Laws of shares: how much of the key space a node owns.

use crate::algorithm::{Spread, Table};
use crate::laws::Subject;
use crate::laws::view::{Checked, ensure, leeway_of_arcs, leeway_of_draws, probes};
use crate::layout::Layout;
use crate::membership::Member;
use crate::placement::{NodeId, Placement};

/// Every member has a share, in joining order; together they are everything, or nothing when
/// nobody is eligible.
pub(super) fn shares_add_up_to_one(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let shares = placement.shares();
    let members = placement.membership().members();
    let ids = shares.iter().map(|share| share.0);
    ensure!(
        ids.eq(members.iter().map(|member| member.id)),
        "the shares are not those of the members in joining order"
    );
    let odd = shares.iter().find(|share| !(0.0..=1.0).contains(&share.1));
    if let Some(odd) = odd {
        return Err(format!("{odd:?} is not a share"));
    }
    let total: f64 = shares.iter().map(|share| share.1).sum();
    let anyone = members.iter().any(|member| member.weight > 0.0);
    let expected = f64::from(u8::from(anyone));
    ensure!(
        (total - expected).abs() < 1e-9,
        "the shares add up to {total}, not to {expected}"
    );
    Ok(())
}

/// Even spread: exactly w/Σw. Slots: to within two slots, and for equal weights one; by quotas to
/// within less than one. Points: as many as the weight says, with arcs that chance can explain.
pub(super) fn shares_follow_the_weights_as_closely_as_declared(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let total = placement.membership().total_weight();
    if total == 0.0 {
        return Ok(());
    }
    let members = placement.membership().members().iter();
    let shares: Vec<(&Member, f64)> = members
        .zip(placement.shares())
        .map(|(member, share)| (member, share.1))
        .collect();
    match subject.algorithm.traits.spread {
        Spread::Even => even(&shares, total),
        Spread::Slots(table) => {
            let entries = placement.layout().entries();
            slots(&shares, total, entries)?;
            match table {
                Table::Turns => Ok(()),
                Table::Quotas => quotas(&shares, total, entries),
            }
        }
        Spread::Points(points) => {
            let points = points.unwrap_or(subject.settings.points);
            point_counts(&*placement, points)?;
            match subject.hash_is_whole() {
                true => arcs(&shares, points),
                false => Ok(()),
            }
        }
    }
}

fn even(shares: &[(&Member, f64)], total: f64) -> Checked {
    for (member, share) in shares {
        let expected = member.weight / total;
        ensure!(
            (share - expected).abs() < 1e-9,
            "{:?} has the share {share}, not {expected}",
            member.name
        );
    }
    Ok(())
}

/// A node of tiny weight gets one slot all the same, at the cost of all in proportion.
fn slots(shares: &[(&Member, f64)], total: f64, slots: usize) -> Checked {
    let eligible = || shares.iter().filter(|(member, _)| member.weight > 0.0);
    let nodes = eligible().count() as f64;
    let mut extremes = (f64::INFINITY, 0.0f64);
    for (member, share) in eligible() {
        let (count, fair) = (share * slots as f64, member.weight / total * slots as f64);
        extremes = (extremes.0.min(count), extremes.1.max(count));
        let short = 2.0 + nodes * member.weight / total;
        ensure!(
            count > 0.5 && count <= fair + 2.0 + 1e-6 && count >= fair - short - 1e-6,
            "{:?} has {count} of {slots} slots, where {fair} would be fair",
            member.name
        );
    }
    let mut weights = eligible().map(|(member, _)| member.weight);
    let first = weights.next();
    ensure!(
        weights.any(|weight| Some(weight) != first) || extremes.1 - extremes.0 < 1.5,
        "nodes of equal weight have between {} and {} slots",
        extremes.0,
        extremes.1
    );
    Ok(())
}

/// Each has its quota, rounded up or down, if none is less than a slot.
fn quotas(shares: &[(&Member, f64)], total: f64, slots: usize) -> Checked {
    let quota = |member: &Member| member.weight / total * slots as f64;
    let eligible = || shares.iter().filter(|(member, _)| member.weight > 0.0);
    // Weights count in 32 bits.
    let leeway = 1e-6 * slots as f64;
    let mut whole = eligible().filter(|(member, _)| quota(member) < 1.0 + leeway);
    if whole.next().is_some() {
        return Ok(());
    }
    for (member, share) in eligible() {
        let (count, quota) = ((share * slots as f64).round(), quota(member));
        ensure!(
            count >= (quota - leeway).floor() && count <= (quota + leeway).ceil(),
            "{:?} has {count} of {slots} slots, and its quota is {quota}",
            member.name
        );
    }
    Ok(())
}

fn points_of(member: &Member, points: u32) -> f64 {
    (member.weight * f64::from(points)).round()
}

fn point_counts(placement: &dyn Placement, points: u32) -> Checked {
    let Layout::Points(ring) = placement.layout() else {
        return Ok(());
    };
    let mut owners: Vec<NodeId> = ring.iter().map(|point| point.1).collect();
    owners.sort_unstable();
    for member in placement.membership().members() {
        let first = owners.partition_point(|&owner| owner < member.id);
        let past = owners.partition_point(|&owner| owner <= member.id);
        let expected = points_of(member, points);
        ensure!(
            (past - first) as f64 == expected,
            "{:?} of weight {} has {} points, not {expected}",
            member.name,
            member.weight,
            past - first
        );
    }
    Ok(())
}

/// The share of k among H random points is k/H in the mean, with the tails of a sum of k arcs.
fn arcs(shares: &[(&Member, f64)], points: u32) -> Checked {
    let counts = shares.iter().map(|(member, _)| points_of(member, points));
    let all: f64 = counts.sum();
    for (member, share) in shares {
        let (count, arc) = (points_of(member, points), share * all);
        ensure!(
            (arc - count).abs() <= leeway_of_arcs(count) && (arc > 0.0) == (count > 0.0),
            "{:?} has {count} of {all} points and the share {share}",
            member.name
        );
    }
    Ok(())
}

/// Many keys are counted: each node owns about as many as its share says.
pub(super) fn counted_keys_follow_the_shares(subject: &Subject<'_>) -> Checked {
    // Fewer where each lookup may ask every node.
    let count = match subject.nodes.len() {
        0..=100 => 1 << 15,
        _ => 1 << 12,
    };
    let placement = subject.build()?;
    if matches!(placement.layout(), Layout::Law(_)) && !subject.hash_is_whole() {
        // Two nodes of equal hash bid alike, and the second one never wins.
        return Ok(());
    }
    let mut owners = vec![None; count as usize];
    placement.place_many(&probes(count), &mut owners);
    owners.sort_unstable();
    for (id, share) in placement.shares() {
        let first = owners.partition_point(|&owner| owner < Some(id));
        let past = owners.partition_point(|&owner| owner <= Some(id));
        let (owned, mean) = ((past - first) as f64, share * count as f64);
        ensure!(
            (owned - mean).abs() <= leeway_of_draws(mean * (1.0 - share))
                && (share > 0.0 || owned == 0.0),
            "{id:?} owns {owned} of {count} keys with a share of {share}"
        );
    }
    Ok(())
}
