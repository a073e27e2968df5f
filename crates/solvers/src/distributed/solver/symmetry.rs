//! Solves with half of the tasks, for a symmetric matrix on a grid of one column: only blocks right of the diagonal are kept up to date,
//! and those left of it are written in the end.

use super::device_shard::DeviceShard;
use super::plan::SLOTS;
use super::rounds::{AHEAD, RoundDriver};
use super::timeline::Span;
use super::transport::GridLine;
use repro_device::{BufferSlice, DeviceError};

impl DeviceShard {
    /// Multiplies the columns of the next round above its diagonal block with the closure. Turned over (transposed), they are the right
    /// panel left of that block.
    fn make_right_of_columns(&self, next: usize) -> Result<(), DeviceError> {
        let rows = 0..self.rows.tiles_before(next);
        let mut product = self.update(Some(next), rows, self.columns.tiles_of(next));
        product.operands.right = self.memory.closed_right.address();
        product.mirroring.to_right_turned = self.memory.right[next % SLOTS].address();
        product.clears = 1;
        self.launch(&*self.high, &product)
    }

    /// The regions of the right panel that the lanes make of those columns, each with its lane's place in the column of devices.
    fn right_of_columns(&self, next: usize) -> impl Iterator<Item = (usize, BufferSlice<'_>)> {
        let depth = self.plan.depth;
        let part = move |block: usize| self.right_panel(next, block * depth..(block + 1) * depth);
        (0..next).map(move |block| (block % self.plan.grid.rows, part(block)))
    }

    /// The left panel of rows below the diagonal block: the right panel's columns, turned over.
    fn make_left_of_right(&self, next: usize) -> Result<(), DeviceError> {
        let (tile, depth) = (self.plan.tile as i32, self.plan.depth as i32);
        let first = self.rows.tiles_before(next + 1);
        // An operand is a tile whose rows lie next to each other, and the panel has `depth` below each other for each column.
        let mut product = self.update(None, 0..0, 0..0);
        (product.from, product.from_pitch) = (self.memory.right[next % SLOTS].address(), tile);
        product.to = 0;
        (product.tiles.rows, product.tiles.columns) = ((self.rows.tiles() - first) as i32 * depth, 1);
        product.depth = 1;
        let mirroring = &mut product.mirroring;
        mirroring.to_left_turned = self.left_at(next, first);
        (mirroring.first_row, mirroring.block) = (first as i32 * depth, depth * depth);
        mirroring.from_all = 1;
        self.launch(&*self.high, &product)
    }

    /// Writes rows of a block right of the diagonal, turned over, into the right panel's memory: the whole columns of that block.
    fn turn_rows(&self, block: usize) -> Result<(), DeviceError> {
        let own = self.columns.tiles_of(block);
        let columns = own.start..self.columns.tiles();
        let mut product = self.update(None, self.rows.tiles_of(block), columns);
        (product.to, product.to_pitch) = (0, self.plan.block() as i32);
        product.mirroring.to_turned = self.right_panel(block, own).address();
        product.mirroring.side = 1;
        self.launch(&*self.high, &product)
    }

    /// Copies what lies left of the diagonal in this lane's rows from the right panel's memory.
    fn take_columns(&self, block: usize) -> Result<(), DeviceError> {
        let rows = self.rows.tiles_before(block)..self.rows.tiles();
        let mut product = self.update(None, rows, self.columns.tiles_of(block));
        product.from = self.memory.right[block % SLOTS].address();
        product.from_pitch = self.plan.block() as i32;
        (product.mirroring.from_all, product.mirroring.side) = (1, -1);
        self.launch(self.main(), &product)
    }
}

impl RoundDriver<'_> {
    /// As [`Self::make_panels`]. The diagonal block's owner makes the right panel right of that block, all make what is left of it, and
    /// everyone has the left panel of both.
    pub(super) fn make_half(&mut self, after: Option<usize>, next: usize) -> Result<(), DeviceError> {
        self.close(after, next, false)?;
        for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
            timeline.time(Span::Compute, &*lane.high, || lane.make_left(after, next, true))?;
        }
        if next > 0 {
            self.broadcast(
                |lane| GridLine::Column(lane.column),
                |lane| {
                    lane.wire.wait(&lane.events.made)?;
                    Ok(Some((next % lane.plan.grid.rows, lane.memory.closed_right.whole())))
                },
            )?;
            let mut others = self.lanes.iter().filter(|lane| !lane.rows.has(next));
            others.try_for_each(DeviceShard::await_arrival)?;
        }
        self.make_right(after, next)?;
        for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
            timeline.time(Span::Compute, &*lane.high, || lane.make_right_of_columns(next))?;
            lane.high.record(&lane.events.made)?;
        }
        self.broadcast(
            |lane| GridLine::Column(lane.column),
            |lane| {
                lane.wire.wait(&lane.events.made)?;
                Ok(lane.right_of_columns(next))
            },
        )?;
        self.right_is_ready(next)?;
        for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
            lane.high.wait(&lane.events.right_ready[next % SLOTS])?;
            timeline.time(Span::Compute, &*lane.high, || lane.make_left_of_right(next))?;
            lane.high.record(&lane.events.left_ready[next % SLOTS])?;
        }
        Ok(())
    }

    /// Writes what lies left of the diagonal, once `done` rounds of this solve are done: block after block in the memory of the panels, whose
    /// slots are free when `left_ready` is reached.
    pub(super) fn mirror(&mut self, done: usize) -> Result<(), DeviceError> {
        let Some(plan) = self.lanes.first().map(|lane| lane.plan) else { return Ok(()) };
        for lane in self.lanes {
            lane.events.left_ready.iter().try_for_each(|free| lane.main().record(free))?;
        }
        for block in 0..plan.rounds() {
            for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
                lane.high.wait(&lane.events.left_ready[block % SLOTS])?;
                if lane.rows.has(block) {
                    timeline.time(Span::Compute, &*lane.high, || lane.turn_rows(block))?;
                }
                lane.high.record(&lane.events.made)?;
            }
            self.broadcast(
                |lane| GridLine::Column(lane.column),
                |lane| {
                    lane.wire.wait(&lane.events.made)?;
                    let columns = lane.columns.tiles_of(block).start..lane.columns.tiles();
                    Ok(Some((block % plan.grid.rows, lane.right_panel(block, columns))))
                },
            )?;
            self.right_is_ready(block)?;
            for (lane, timeline) in self.lanes.iter().zip(&mut *self.timelines) {
                lane.main().wait(&lane.events.right_ready[block % SLOTS])?;
                timeline.time(Span::Compute, lane.main(), || lane.take_columns(block))?;
                lane.main().record(&lane.events.left_ready[block % SLOTS])?;
                timeline.round_ends();
            }
            self.await_round(block.checked_sub(AHEAD).map(|block| done + block))?;
        }
        let blocks = plan.rounds().saturating_sub(AHEAD)..plan.rounds();
        blocks.into_iter().try_for_each(|block| self.await_round(Some(done + block)))
    }
}
