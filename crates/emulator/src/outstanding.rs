//! Launches and copies that the host did not wait for, and which of them come before another: by their stream, or by events.

use crate::history::{Histories, Place};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Of each stream, the last of its launches and copies that is known to come before.
pub type Known = FxHashMap<u32, u32>;

/// What a host thread has queued on all streams of its devices.
#[derive(Default)]
struct Outstanding {
    /// The first launch or copy of each stretch, ascending, and its stream.
    stretches: Vec<(u32, u32)>,
    /// The stretch of each stream that what is queued next belongs to.
    open: FxHashMap<u32, u32>,
    histories: Arc<Histories>,
}

/// Stretches that are kept at most. Of a stream that nobody else waits for, the last ones are enough.
const MOST: usize = 4096;

thread_local! {
    static OUTSTANDING: RefCell<Outstanding> = RefCell::default();
}

/// The place of the launch or copy `serial` of a stream that knows this much; `kernel` names it.
pub fn place(serial: u32, stream: u32, known: &Known, kernel: &str) -> Place {
    OUTSTANDING.with_borrow_mut(|all| {
        let stretch = all.stretch(serial, stream);
        let is_beside = |first: u32, of: u32| of != stream && !covers(known, first, of);
        Place {
            serial,
            stretch,
            kernel: all.histories.begin(serial, stretch, kernel),
            outstanding: all.stretches.iter().map(|(first, of)| (*first, is_beside(*first, *of))).collect(),
            overlapped: None,
            histories: all.histories.clone(),
        }
    })
}

/// Whether a stretch comes before what knows this much: all of it then does.
fn covers(known: &Known, first: u32, stream: u32) -> bool {
    known.get(&stream).is_some_and(|last| *last >= first)
}

/// Somebody may wait for what was queued on this stream, and not for what follows.
pub fn end_stretch(stream: u32) {
    OUTSTANDING.with_borrow_mut(|all| all.open.remove(&stream));
}

/// The host waited for everything that is known so.
pub fn host_waits(known: &Known) {
    OUTSTANDING.with_borrow_mut(|all| {
        all.stretches.retain(|(first, stream)| !covers(known, *first, *stream));
        all.open.clear();
        if all.stretches.is_empty() {
            all.histories.forget();
        }
    });
}

/// Whether no other stream has anything that the host did not wait for.
pub fn is_alone(stream: u32) -> bool {
    OUTSTANDING.with_borrow(|all| all.stretches.iter().all(|(_, of)| *of == stream))
}

impl Outstanding {
    fn stretch(&mut self, serial: u32, stream: u32) -> u32 {
        if self.stretches.len() > MOST {
            self.stretches.drain(..MOST / 2);
            let first = self.stretches[0].0;
            self.open.retain(|_, stretch| *stretch >= first);
        }
        *self.open.entry(stream).or_insert_with(|| {
            self.stretches.push((serial, stream));
            serial
        })
    }
}
