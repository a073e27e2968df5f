//! What queues, events and the host's waits put in order, known from the calls alone: no memory is looked at.

use std::collections::BTreeMap;

/// A queue: the number of its device, and its own number there. The one that a device has anyway is the first.
pub type QueueId = (usize, usize);

/// What was called on a queue. Events are known by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A launch or a copy.
    Work,
    HostWaits,
    Record(usize),
    Wait(usize),
}

/// Of each queue, how many of its launches and copies come before something.
pub type Before = BTreeMap<QueueId, usize>;

fn join(one: &mut Before, other: &Before) {
    for (queue, count) in other {
        let own = one.entry(*queue).or_default();
        *own = (*own).max(*count);
    }
}

/// One wait for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub queue: QueueId,
    /// Where the event was recorded last; the queue itself where it was nowhere.
    pub other: QueueId,
    /// How much work the other had been given by then.
    pub behind: usize,
}

/// All calls, in the host's order.
#[derive(Debug, Default)]
pub struct Log(pub Vec<(QueueId, Step)>);

impl Log {
    pub fn waits(&self) -> Vec<Wait> {
        self.replay(None).1
    }

    /// Of each launch and copy, its queue and what comes before it, with the wait of this number left out.
    pub fn order_without(&self, left_out: Option<usize>) -> Vec<(QueueId, Before)> {
        self.replay(left_out).0
    }

    fn replay(&self, left_out: Option<usize>) -> (Vec<(QueueId, Before)>, Vec<Wait>) {
        let mut queues: BTreeMap<QueueId, Before> = BTreeMap::new();
        let mut host = Before::new();
        let mut events: BTreeMap<usize, (QueueId, Before)> = BTreeMap::new();
        let (mut works, mut waits) = (Vec::new(), Vec::new());
        for (queue, step) in &self.0 {
            let own = queues.entry(*queue).or_default();
            match step {
                Step::Work => {
                    join(own, &host);
                    works.push((*queue, own.clone()));
                    *own.entry(*queue).or_default() += 1;
                }
                Step::HostWaits => join(&mut host, own),
                Step::Record(event) => {
                    events.insert(*event, (*queue, own.clone()));
                }
                Step::Wait(event) => {
                    let (other, before) = events.get(event).cloned().unwrap_or((*queue, Before::new()));
                    let behind = before.get(&other).copied().unwrap_or(0);
                    if left_out != Some(waits.len()) {
                        join(own, &before);
                    }
                    waits.push(Wait { queue: *queue, other, behind });
                }
            }
        }
        (works, waits)
    }
}
