//! Launches and copies that the host did not wait for, and which of them come before another: by their stream, or by events.

use crate::history::{AccessHistories, QueuePosition};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// For each stream, the serial number of the last of its launches and copies that is known to come before.
pub type StreamClock = FxHashMap<u32, u32>;

/// What a host thread has queued on all streams of its devices.
#[derive(Default)]
struct PendingWork {
    /// The first launch or copy of each epoch, ascending, and its stream.
    epochs: Vec<(u32, u32)>,
    /// For each stream, the epoch to which what is queued next belongs.
    open: FxHashMap<u32, u32>,
    histories: Arc<AccessHistories>,
}

/// Epochs that are kept at most. Of a stream that nobody else waits for, the last ones are enough.
const MOST: usize = 4096;

thread_local! {
    static OUTSTANDING: RefCell<PendingWork> = RefCell::default();
}

/// The place of the launch or copy `serial`, named `kernel`, of a stream that knows `known`.
pub fn place(serial: u32, stream: u32, known: &StreamClock, kernel: &str) -> QueuePosition {
    OUTSTANDING.with_borrow_mut(|all| {
        let epoch = all.epoch(serial, stream);
        let is_concurrent = |first: u32, of: u32| of != stream && !covers(known, first, of);
        QueuePosition {
            serial,
            epoch,
            kernel: all.histories.begin(serial, epoch, kernel),
            outstanding: all.epochs.iter().map(|(first, of)| (*first, is_concurrent(*first, *of))).collect(),
            overlapped: None,
            histories: all.histories.clone(),
        }
    })
}

/// Whether an epoch comes before what knows `known`: if its `first` launch or copy does, all of it does.
fn covers(known: &StreamClock, first: u32, stream: u32) -> bool {
    known.get(&stream).is_some_and(|last| *last >= first)
}

/// Ends the open epoch of a stream: somebody may wait for what was queued so far, and not for what follows.
pub fn end_epoch(stream: u32) {
    OUTSTANDING.with_borrow_mut(|all| all.open.remove(&stream));
}

/// Notes that the host waited for everything in `known`.
pub fn host_waits(known: &StreamClock) {
    OUTSTANDING.with_borrow_mut(|all| {
        all.epochs.retain(|(first, stream)| !covers(known, *first, *stream));
        all.open.clear();
        if all.epochs.is_empty() {
            all.histories.forget();
        }
    });
}

impl PendingWork {
    fn epoch(&mut self, serial: u32, stream: u32) -> u32 {
        if self.epochs.len() > MOST {
            self.epochs.drain(..MOST / 2);
            let first = self.epochs[0].0;
            self.open.retain(|_, epoch| *epoch >= first);
        }
        *self.open.entry(stream).or_insert_with(|| {
            self.epochs.push((serial, stream));
            serial
        })
    }
}
