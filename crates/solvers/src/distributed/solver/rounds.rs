//! The rounds of a solve: which device does what, on which queue, and what waits for what. docs/several-gpus.md has a picture.
//!
//! A round's panels are made during the round before: on each device a queue of high priority updates the next round's columns and
//! rows first, closes their diagonal block and multiplies the rows with it; a queue of its own brings the panels to the others; and
//! the device's usual queue updates all other tiles meanwhile.

use super::device_shard::DeviceShard;
use super::plan::SLOTS;
use super::timeline::{Span, Timeline};
use super::transport::{BroadcastOp, GridLine, Transport};
use repro_device::{BufferSlice, DeviceError, FailureKind};
use std::time::{Duration, Instant};

/// Rounds that the host queues before the devices have done them: enough that no device waits for the host.
pub const AHEAD: usize = 2;

/// How often a device is asked whether it is done with a round.
const POLL: Duration = Duration::from_micros(50);

/// How long the devices may take for a round, the panels of other processes included; the slowest GPU takes a few seconds for the largest.
pub const LONGEST_ROUND: Duration = Duration::from_secs(20);

/// The devices of this process, and how they reach the others'.
pub struct RoundDriver<'a> {
    pub lanes: &'a [DeviceShard],
    pub transport: &'a mut dyn Transport,
    /// One for each lane.
    pub timelines: &'a mut [Timeline],
    /// How long is waited for a round.
    pub patience: Duration,
    /// Whether half of the tasks are done, as the matrix is symmetric and the grid has one column.
    pub halves: bool,
}

fn stands_still(device: usize, round: usize, limit: Duration) -> DeviceError {
    DeviceError::new(
        FailureKind::Lost,
        format!(
            "device {device} of this solve, counted from 0, did not end round {round} within {} s: look at it with nvidia-smi, and at the messages \
             of other processes, and continue with --resume on the others",
            limit.as_secs_f64()
        ),
    )
}

impl<'a> RoundDriver<'a> {
    /// Does the first `rounds` rounds.
    ///
    /// # Errors
    /// What a device or another process reports.
    pub fn run(&mut self, rounds: usize) -> Result<(), DeviceError> {
        if rounds == 0 {
            return Ok(());
        }
        for lane in self.lanes {
            // The matrix came to the device by its usual queue.
            lane.main().record(&lane.events.updated)?;
        }
        self.make_panels(None, 0)?;
        for round in 0..rounds {
            let next = round + 1;
            if next < rounds {
                self.make_panels(Some(round), next)?;
            }
            for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
                let queue = lane.main();
                queue.wait(&lane.events.right_ready[round % SLOTS])?;
                queue.wait(&lane.events.left_ready[round % SLOTS])?;
                timeline.time(Span::Compute, queue, || {
                    lane.update_rest(round, Some(next).filter(|next| *next < rounds), self.halves)
                })?;
                queue.record(&lane.events.updated)?;
                timeline.round_ends();
            }
            self.await_round(round.checked_sub(AHEAD))?;
        }
        for lane in self.lanes {
            let queue = lane.main();
            lane.high.record(&lane.events.begun)?;
            queue.wait(&lane.events.begun)?;
            lane.wire.record(&lane.events.made)?;
            queue.wait(&lane.events.made)?;
        }
        let last = rounds - 1;
        (last.saturating_sub(AHEAD)..=last).try_for_each(|round| self.await_round(Some(round)))?;
        if self.halves { self.mirror(rounds) } else { Ok(()) }
    }

    /// Queues the work that makes the panels of `next`, after the tiles' update of the round before `after`, with the panels of `after`.
    fn make_panels(&mut self, after: Option<usize>, next: usize) -> Result<(), DeviceError> {
        for lane in self.lanes {
            lane.high.wait(&lane.events.updated)?;
            if let Some(after) = after {
                lane.high.wait(&lane.events.right_ready[after % SLOTS])?;
                lane.high.wait(&lane.events.left_ready[after % SLOTS])?;
            }
            // From here on nobody reads what the next round's slots hold.
            lane.high.record(&lane.events.begun)?;
            lane.wire.wait(&lane.events.begun)?;
        }
        if self.halves {
            return self.make_half(after, next);
        }
        let goes_along_rows = self.lanes.first().is_some_and(|lane| lane.plan.grid.columns > 1);
        if goes_along_rows {
            self.make_left(after, next)?;
        }
        self.close(after, next, goes_along_rows)?;
        self.make_right(after, next)?;
        self.right_is_ready(next)?;
        if goes_along_rows { Ok(()) } else { self.make_left(after, next) }
    }

    /// The left panel, which each device needs for its own rows: made of its own tiles, or of those of the device in its row that has the
    /// next round's columns. No other device waits for one of its own tiles, which then comes last.
    fn make_left(&mut self, after: Option<usize>, next: usize) -> Result<(), DeviceError> {
        for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
            if lane.columns.has(next) {
                timeline.time(Span::Compute, &*lane.high, || lane.make_left(after, next, false))?;
            }
            lane.high.record(&lane.events.left_ready[next % SLOTS])?;
        }
        if self.lanes.first().is_none_or(|lane| lane.plan.grid.columns == 1) {
            return Ok(());
        }
        self.broadcast(
            |lane| GridLine::Row(lane.row),
            |lane| {
                lane.wire.wait(&lane.events.left_ready[next % SLOTS])?;
                Ok(Some((next % lane.plan.grid.columns, lane.left_panel(next))))
            },
        )?;
        self.lanes.iter().try_for_each(|lane| lane.wire.record(&lane.events.left_ready[next % SLOTS]))
    }

    /// The closure of the diagonal block, where the devices that have its rows need it.
    pub(super) fn close(
        &mut self,
        after: Option<usize>,
        next: usize,
        goes_along_rows: bool,
    ) -> Result<(), DeviceError> {
        for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
            if lane.rows.has(next) && lane.columns.has(next) {
                timeline.time(Span::Compute, &*lane.high, || lane.close(after, next, self.halves))?;
            }
            lane.high.record(&lane.events.made)?;
        }
        if !goes_along_rows {
            return Ok(());
        }
        self.broadcast(
            |lane| GridLine::Row(lane.row),
            |lane| {
                lane.wire.wait(&lane.events.made)?;
                let closed = (next % lane.plan.grid.columns, lane.closed());
                Ok(Some(closed).filter(|_| lane.rows.has(next)))
            },
        )?;
        self.lanes.iter().filter(|lane| lane.rows.has(next)).try_for_each(DeviceShard::await_arrival)
    }

    /// The right panel, some columns after the others, so that the first are on their way while the next are made. Where half of the tiles
    /// are done, only those right of the diagonal block.
    pub(super) fn make_right(&mut self, after: Option<usize>, next: usize) -> Result<(), DeviceError> {
        let Some(grid) = self.lanes.first().map(|lane| lane.plan.grid) else { return Ok(()) };
        let halves = self.halves;
        let chunks =
            |lane: &DeviceShard| lane.chunks(if halves { lane.columns.tiles_before(next + 1) } else { 0 });
        let most = self.lanes.iter().map(|lane| chunks(lane).count()).max().unwrap_or(0);
        for chunk in 0..most {
            for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
                if let Some(columns) = chunks(lane).nth(chunk).filter(|_| lane.rows.has(next)) {
                    timeline.time(Span::Compute, &*lane.high, || lane.make_right(after, next, columns))?;
                    lane.high.record(&lane.events.made)?;
                }
            }
            self.broadcast(
                |lane| GridLine::Column(lane.column),
                |lane| {
                    if lane.rows.has(next) {
                        lane.wire.wait(&lane.events.made)?;
                    }
                    let columns = chunks(lane).nth(chunk);
                    Ok(columns.map(|columns| (next % grid.rows, lane.right_panel(next, columns))))
                },
            )?;
        }
        Ok(())
    }

    /// Records that the right panel is ready: after its broadcasts, or, where there are none, after the work that makes it.
    pub(super) fn right_is_ready(&self, round: usize) -> Result<(), DeviceError> {
        self.lanes.iter().try_for_each(|lane| {
            let queue = if lane.plan.grid.rows > 1 { &*lane.wire } else { &*lane.high };
            queue.record(&lane.events.right_ready[round % SLOTS])
        })
    }

    /// Queues broadcasts along each lane's line, if that has other devices. `begin` has the lane's queue for broadcasts wait for the data,
    /// and gives each sender's place in the line with the region; nothing where the lane takes no part.
    pub(super) fn broadcast<I: IntoIterator<Item = (usize, BufferSlice<'a>)>>(
        &mut self,
        line: impl Fn(&DeviceShard) -> GridLine,
        begin: impl Fn(&'a DeviceShard) -> Result<I, DeviceError>,
    ) -> Result<(), DeviceError> {
        let mut calls = Vec::new();
        let lanes: &'a [DeviceShard] = self.lanes;
        for (lane, timeline) in lanes.iter().zip(&mut *self.timelines) {
            let line = line(lane);
            let devices = line.devices(lane.plan.grid);
            if devices.len() == 1 {
                continue;
            }
            let mut regions = begin(lane)?.into_iter().peekable();
            if regions.peek().is_none() {
                continue;
            }
            timeline.begin_span(Span::Communication, &*lane.wire)?;
            calls.extend(regions.map(|(root, region)| BroadcastOp {
                device: lane.number,
                line,
                root: devices[root],
                queue: &*lane.wire,
                region,
            }));
        }
        if calls.is_empty() {
            return Ok(());
        }
        self.transport.broadcast(&calls)?;
        for (lane, timeline) in lanes.iter().zip(&mut *self.timelines) {
            if calls.iter().any(|call| call.device == lane.number) {
                timeline.end_span(&*lane.wire)?;
            }
        }
        Ok(())
    }

    /// The number of a device of this process that has not done a round.
    fn first_pending(&self, round: usize) -> Result<Option<usize>, DeviceError> {
        for (lane, timeline) in self.lanes.iter().zip(&*self.timelines) {
            let is_done = timeline.is_done(round)?;
            #[cfg(feature = "fault-injection")]
            let is_done = is_done && !super::faults::is_silent(lane);
            if !is_done {
                return Ok(Some(lane.number));
            }
        }
        Ok(None)
    }

    /// Waits until all devices of this process have done a round, counted from the first of this solve.
    pub(super) fn await_round(&mut self, round: Option<usize>) -> Result<(), DeviceError> {
        let Some(round) = round else { return Ok(()) };
        let begun = Instant::now();
        while let Some(late) = self.first_pending(round)? {
            self.transport.check()?;
            if begun.elapsed() > self.patience {
                return Err(stands_still(late, round, self.patience));
            }
            std::thread::sleep(POLL);
        }
        self.transport.check()
    }
}
