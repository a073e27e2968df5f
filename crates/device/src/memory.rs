//! Handles to memory: what a device gives out and takes back.

use std::any::Any;
use std::ops::{Deref, DerefMut};

/// Memory on the device that allocated it; freed when dropped.
pub struct Buffer {
    pub(super) address: u64,
    pub(super) bytes: usize,
    // Frees the memory when dropped, in whatever way its device does.
    pub(super) _owner: Box<dyn Any>,
}

impl Buffer {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Storage behind a [`HostBuffer`]: a slice of floats that its device can copy from and to.
pub(super) trait HostStorage {
    fn floats(&self) -> &[f32];
    fn floats_mut(&mut self) -> &mut [f32];
}

/// Floats in host memory that a device copies from and to; read and written as a slice.
///
/// A queued copy may still be using it: synchronize before touching it.
pub struct HostBuffer {
    pub(super) storage: Box<dyn HostStorage>,
}

impl HostBuffer {
    /// Ordinary memory for `entries` floats, for work without a device; none when there is not enough.
    pub fn pageable(entries: usize) -> Option<Self> {
        let mut floats = Vec::new();
        floats.try_reserve_exact(entries).ok()?;
        floats.resize(entries, 0.0);
        Some(Self { storage: Box::new(floats) })
    }
}

impl HostStorage for Vec<f32> {
    fn floats(&self) -> &[f32] {
        self
    }

    fn floats_mut(&mut self) -> &mut [f32] {
        self
    }
}

impl Deref for HostBuffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        self.storage.floats()
    }
}

impl DerefMut for HostBuffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        self.storage.floats_mut()
    }
}
