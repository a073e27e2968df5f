//! Asynchronous copies of a thread in groups, which it waits for together.

use std::collections::VecDeque;

/// Copies of one kind that a thread did not wait for, the oldest group first; the last one may be open.
#[derive(Debug, Default)]
pub struct CopyGroups(VecDeque<CopyGroup>);

/// Copies that end together.
#[derive(Debug, Default)]
struct CopyGroup {
    /// The tick of its first copy; None for an empty group.
    first: Option<u32>,
    committed: bool,
    /// Numbers of its copies, whether or not their bytes have moved.
    pending: Vec<u64>,
}

impl CopyGroups {
    /// Adds a copy to the open group.
    pub fn add(&mut self, time: u32, id: u64) {
        if self.0.back().is_none_or(|group| group.committed) {
            self.0.push_back(CopyGroup::default());
        }
        if let Some(group) = self.0.back_mut() {
            group.first.get_or_insert(time);
            group.pending.push(id);
        }
    }

    /// Ends the open group, or adds an empty one where none is open.
    pub fn commit(&mut self) {
        match self.0.back_mut() {
            Some(group) if !group.committed => group.committed = true,
            _ => self.0.push_back(CopyGroup { committed: true, ..CopyGroup::default() }),
        }
    }

    /// Removes all committed groups but the last `pending`, or with `u32::MAX` all groups. Returns their copies.
    pub fn take(&mut self, pending: u32) -> Vec<u64> {
        let committed = self.0.iter().filter(|group| group.committed).count();
        let count =
            if pending == u32::MAX { self.0.len() } else { committed.saturating_sub(pending as usize) };
        self.0.drain(..count).flat_map(|group| group.pending).collect()
    }

    /// The tick of the first copy; None without any.
    pub fn first(&self) -> Option<u32> {
        self.0.iter().find_map(|group| group.first)
    }

    /// The numbers of all copies.
    pub fn ids(&self) -> Vec<u64> {
        self.0.iter().flat_map(|group| group.pending.iter().copied()).collect()
    }
}
