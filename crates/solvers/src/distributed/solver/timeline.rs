//! When a device had tiles to work on, and when panels were on their way, by its own events.

use crate::DeviceTimes;
use repro_device::{Device, DeviceError, Event, Queue};
use std::rc::Rc;

/// What a device did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Compute,
    Communication,
}

/// The spans of a solve on one device. Events are made once and used again.
pub struct Timeline {
    device: Rc<dyn Device>,
    /// The start and the end of the solve, then those of each span.
    events: Vec<Event>,
    spans: Vec<Span>,
    /// For each round, the number of its last span.
    rounds: Vec<usize>,
}

impl Timeline {
    pub fn of(device: &Rc<dyn Device>) -> Self {
        Self { device: device.clone(), events: Vec::new(), spans: Vec::new(), rounds: Vec::new() }
    }

    fn event(&mut self, at: usize) -> Result<&Event, DeviceError> {
        while self.events.len() <= at {
            self.events.push(self.device.queue().event()?);
        }
        Ok(&self.events[at])
    }

    /// Forgets the last solve; this one begins here.
    pub fn begin(&mut self) -> Result<(), DeviceError> {
        self.spans.clear();
        self.rounds.clear();
        let device = self.device.clone();
        device.queue().record(self.event(0)?)
    }

    /// The solve ends here.
    pub fn end(&mut self) -> Result<(), DeviceError> {
        let device = self.device.clone();
        device.queue().record(self.event(1)?)
    }

    /// Records when the work that `work` queues on `queue` begins and ends.
    pub fn time(
        &mut self,
        span: Span,
        queue: &dyn Queue,
        work: impl FnOnce() -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.begin_span(span, queue)?;
        work()?;
        self.end_span(queue)
    }

    pub fn begin_span(&mut self, span: Span, queue: &dyn Queue) -> Result<(), DeviceError> {
        self.spans.push(span);
        queue.record(self.event(2 * self.spans.len())?)
    }

    /// Ends the span that was begun last.
    pub fn end_span(&mut self, queue: &dyn Queue) -> Result<(), DeviceError> {
        queue.record(self.event(2 * self.spans.len() + 1)?)
    }

    /// Marks the last span so far as the last of its round.
    pub fn round_ends(&mut self) {
        self.rounds.push(self.spans.len() - 1);
    }

    /// Whether a round, counted from the first of this solve, is done.
    pub fn is_done(&self, round: usize) -> Result<bool, DeviceError> {
        self.device.is_complete(&self.events[2 * self.rounds[round] + 3])
    }

    /// Where the time went, once all work is done; None on a device without a clock.
    pub fn times(&self, number: usize) -> Option<DeviceTimes> {
        let at = |event: usize| self.device.seconds_between(&self.events[0], &self.events[event]).ok();
        let solve = at(1)?;
        let mut busy = Vec::new();
        let mut communication = 0.0;
        for (span, kind) in self.spans.iter().enumerate() {
            let (begin, end) = (at(2 * span + 2)?, at(2 * span + 3)?);
            match kind {
                Span::Compute => busy.push((begin, end)),
                Span::Communication => communication += end - begin,
            }
        }
        let compute = length_of_union(busy);
        Some(DeviceTimes {
            device: number,
            solve,
            compute,
            waiting: (solve - compute).max(0.0),
            communication,
        })
    }
}

/// The seconds that are in at least one of these spans.
fn length_of_union(mut spans: Vec<(f64, f64)>) -> f64 {
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut covered = f64::NEG_INFINITY;
    let mut length = 0.0;
    for (begin, end) in spans {
        length += (end - begin.max(covered)).max(0.0);
        covered = covered.max(end);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_two_queues_work_is_counted_once() {
        assert_eq!(length_of_union(vec![]), 0.0);
        assert_eq!(length_of_union(vec![(4.0, 5.0), (0.0, 2.0), (1.0, 3.0), (1.5, 1.75)]), 4.0);
    }
}
