//! Lists in whole blocks, so that vectors read them without a rest.

/// A list in blocks of `L`. The places behind its end hold an entry that never wins: the first one
/// again, which whoever looks for the first of the best ones never finds there, or another one.
#[derive(Clone, Debug)]
pub struct Lanes<T, const L: usize> {
    blocks: Vec<[T; L]>,
    len: usize,
    filler: Option<T>,
}

impl<T, const L: usize> Default for Lanes<T, L> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            len: 0,
            filler: None,
        }
    }
}

impl<T: Copy, const L: usize> Lanes<T, L> {
    /// Without entries, and with this one behind the end.
    pub(crate) fn filled_with(filler: T) -> Self {
        Self {
            filler: Some(filler),
            ..Self::default()
        }
    }

    pub(crate) fn insert(&mut self, at: usize, entry: T) {
        if self.len == self.blocks.len() * L {
            self.blocks.push([entry; L]);
        }
        let list = self.blocks.as_flattened_mut();
        list.copy_within(at..self.len, at + 1);
        list[at] = entry;
        self.len += 1;
        self.pad();
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.blocks
            .as_flattened_mut()
            .copy_within(at + 1..self.len, at);
        self.len -= 1;
        self.blocks.truncate(self.len.div_ceil(L));
        self.pad();
    }

    pub(crate) fn set(&mut self, at: usize, entry: T) {
        self.blocks.as_flattened_mut()[at] = entry;
        self.pad();
    }

    fn pad(&mut self) {
        let list = self.blocks.as_flattened_mut();
        if let Some(filler) = self.filler.or(list.first().copied()) {
            list[self.len..].fill(filler);
        }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.blocks.as_flattened()[..self.len]
    }

    pub(crate) fn blocks(&self) -> &[[T; L]] {
        &self.blocks
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<[T; L]>()
    }
}
