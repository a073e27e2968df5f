//! What threads of a launch published at places of memory, by atomics and volatile stores.

use crate::clock::{SharedClock, VectorClock};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The clocks that were released in one launch, by the address of the variable that they were released at.
#[derive(Default)]
pub struct SyncVarTable {
    any: AtomicBool,
    places: Mutex<FxHashMap<usize, ReleaseClock>>,
}

#[derive(Default)]
struct ReleaseClock {
    to_all: VectorClock,
    /// What was released to one block alone, the last such block.
    to_block: Option<(u32, VectorClock)>,
}

impl SyncVarTable {
    pub fn publish(&self, address: usize, known: &VectorClock, of_block: Option<u32>) {
        self.any.store(true, Ordering::Relaxed);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.entry(address).or_default();
        match of_block {
            None => place.to_all.join(known),
            Some(block) => match &mut place.to_block {
                Some((owner, so_far)) if *owner == block => so_far.join(known),
                other => *other = Some((block, known.clone())),
            },
        }
    }

    /// What a thread of `block` learns from a place, when it is more than `known`.
    pub fn acquire(&self, address: usize, block: u32, known: &SharedClock) -> SharedClock {
        if !self.any.load(Ordering::Relaxed) {
            return None;
        }
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let place = places.get(&address)?;
        let own = place.to_block.as_ref().filter(|(owner, _)| *owner == block).map(|(_, known)| known);
        let news = |news: &&VectorClock| {
            !news.is_empty() && known.as_ref().is_none_or(|known| !known.contains(news))
        };
        let mut learned: Option<VectorClock> = None;
        for part in [Some(&place.to_all), own].into_iter().flatten().filter(news) {
            learned.get_or_insert_with(|| known.as_deref().cloned().unwrap_or_default()).join(part);
        }
        learned.map(Arc::new)
    }
}
