//! Owners packed into as few bytes as the ids of a placement allow: two, as long as fewer than
//! 65,535 nodes ever joined, and four from then on.

use crate::placement::NodeId;
use crate::remainder::{BEHIND, Divisor};
use crate::simd::Level;
use crate::simd::places::places_at;
use crate::work::Tally;

/// Keys whose places are computed together.
const BLOCK: usize = 256;
/// From so many keys on, computing places together is faster than one key after another.
const MANY: usize = 32;

/// An owner or none in a few bytes, with one value to spare.
pub(crate) trait Packed: Copy + Eq + Send + Sync + From<u16> + Into<u32> {
    /// No owner.
    const NONE: Self;
    /// The value that stands for no owner and no absence either.
    const SPARE: Self;
    /// The owner, if there is one; of [`Packed::SPARE`] something that means nothing.
    fn unpack(self) -> Option<NodeId>;
    /// The node in these bytes.
    fn pack(node: NodeId) -> Self;

    /// The node or none in these bytes.
    fn of(node: Option<NodeId>) -> Self {
        node.map_or(Self::NONE, Self::pack)
    }
}

impl Packed for u16 {
    const NONE: Self = 0;
    const SPARE: Self = Self::MAX;

    #[inline]
    fn unpack(self) -> Option<NodeId> {
        NodeId::of_number(u32::from(self))
    }

    fn pack(node: NodeId) -> Self {
        debug_assert!(narrow(node.index() + 1), "{node:?} needs four bytes");
        node.number() as Self
    }
}

impl Packed for u32 {
    const NONE: Self = 0;
    const SPARE: Self = Self::MAX;

    #[inline]
    fn unpack(self) -> Option<NodeId> {
        NodeId::of_number(self)
    }

    fn pack(node: NodeId) -> Self {
        node.number()
    }
}

/// These nodes in so many bytes each.
pub(crate) fn packed<O: Packed>(nodes: &[NodeId]) -> Vec<O> {
    nodes.iter().copied().map(O::pack).collect()
}

/// Whether two bytes hold every id of a placement that so many nodes ever joined.
pub(crate) fn narrow(joined: usize) -> bool {
    joined < usize::from(u16::MAX)
}

/// A table whose slot `hash mod size` owns the key.
#[derive(Clone, Debug)]
pub(crate) struct SlotTable {
    /// The first ones stand behind the last one again, [`BEHIND`] of them: see [`Divisor::place`].
    slots: Slots,
    size: Divisor,
}

#[derive(Clone, Debug)]
enum Slots {
    /// In two bytes each.
    Narrow(Vec<u16>),
    /// In four bytes each.
    Wide(Vec<u32>),
}

/// The same for both widths.
macro_rules! either {
    ($slots:expr, $list:ident => $body:expr) => {
        match $slots {
            Slots::Narrow($list) => $body,
            Slots::Wide($list) => $body,
        }
    };
}

impl SlotTable {
    /// `size` slots without an owner, one at least.
    pub(crate) fn new(size: u32) -> Self {
        Self::narrow(vec![0; size as usize])
    }

    /// Of these owners.
    pub(crate) fn of(nodes: &[NodeId], joined: usize) -> Self {
        match narrow(joined) {
            true => Self::narrow(packed(nodes)),
            false => Self::wide(packed(nodes)),
        }
    }

    /// Of these owners in two bytes each, one at least.
    pub(crate) fn narrow(slots: Vec<u16>) -> Self {
        Self {
            size: Divisor::new(slots.len()),
            slots: Slots::Narrow(wound(slots)),
        }
    }

    /// Of these owners in four bytes each, one at least.
    pub(crate) fn wide(slots: Vec<u32>) -> Self {
        Self {
            size: Divisor::new(slots.len()),
            slots: Slots::Wide(wound(slots)),
        }
    }

    /// Makes room for the ids of a placement that so many nodes ever joined.
    pub(crate) fn widen(&mut self, joined: usize) {
        if let Slots::Narrow(slots) = &self.slots
            && !narrow(joined)
        {
            self.slots = Slots::Wide(slots.iter().copied().map(u32::from).collect());
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.size.divisor() as usize
    }

    /// The owner of a key.
    #[inline]
    pub(crate) fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        tally.read();
        let place = self.size.place(key) as usize;
        either!(&self.slots, slots => slots[place].unpack())
    }

    /// The owners of many keys.
    pub(crate) fn find_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        assert_eq!(keys.len(), owners.len(), "one owner per key");
        let level = Level::in_use();
        if level == Level::PORTABLE || keys.len() < MANY {
            let each = keys.iter().zip(owners);
            return each.for_each(|(&key, owner)| *owner = self.find(key, &mut ()));
        }
        let mut places = [0; BLOCK];
        for (keys, owners) in keys.chunks(BLOCK).zip(owners.chunks_mut(BLOCK)) {
            let places = &mut places[..keys.len()];
            let last = places_at(level, self.size, keys, places);
            // The width is decided once, and not again for each key.
            either!(&self.slots, slots => {
                assert!((last as usize) < slots.len(), "{last} lies behind the table");
                for (&place, owner) in places.iter().zip(owners) {
                    // SAFETY: the last place is in the table, and so are all.
                    *owner = unsafe { slots.get_unchecked(place as usize) }.unpack();
                }
            });
        }
    }

    /// Puts owners behind the last slot of a table that is wide enough for them.
    pub(crate) fn append(&mut self, owners: &[NodeId]) {
        let size = self.len();
        either!(&mut self.slots, slots => {
            slots.truncate(size);
            owners.iter().for_each(|&owner| slots.push(Packed::pack(owner)));
            wind(slots);
        });
        self.size = Divisor::new(size + owners.len());
    }

    pub(crate) fn set(&mut self, slot: usize, owner: NodeId) {
        let size = self.len();
        either!(&mut self.slots, slots => {
            slots[slot..].iter_mut().step_by(size).for_each(|slot| *slot = Packed::pack(owner));
        });
    }

    /// Leaves no slot with an owner.
    pub(crate) fn clear(&mut self) {
        either!(&mut self.slots, slots => slots.fill(0));
    }

    /// The owners of the slots that have one.
    pub(crate) fn owners(&self) -> Vec<NodeId> {
        let size = self.len();
        either!(&self.slots, slots => slots[..size].iter().filter_map(|slot| slot.unpack()).collect())
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        either!(&self.slots, slots => slots.capacity() * size_of_val(&slots[..1]))
    }
}

/// Puts the first entries of a list once more at its end.
fn wind<T: Copy>(list: &mut Vec<T>) {
    for at in 0..BEHIND {
        list.push(list[at]);
    }
}

/// A list with its first entries once more at its end.
fn wound<T: Copy>(mut list: Vec<T>) -> Vec<T> {
    list.reserve_exact(BEHIND);
    wind(&mut list);
    list
}
