//! What a device has for its part: memory, queues, kernels, and the products that it does.

use super::RUN;
use super::kernels::{Kernels, MirrorArguments, Operands, Product, TileGrid, target_of_closure};
use super::plan::{AxisShare, Plan, SLOTS, Sizes, blocks_of, chunk_of};
use crate::register_blocked::{RegisterBlocked, operand_words};
use crate::{Block, LaunchList, LaunchSite, Parameters, Problem, Solver, Target};
use repro_device::{Buffer, BufferSlice, Device, DeviceError, Event, HostBuffer, Priority, Queue};
use repro_graph::WeightRange;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// A device with its part of the matrix.
pub struct DeviceShard {
    /// Its number among all.
    pub number: usize,
    /// Its place in the grid.
    pub row: usize,
    pub column: usize,
    pub rows: AxisShare,
    pub columns: AxisShare,
    pub plan: Plan,
    target: Target,
    run: i32,
    pub(super) kernels: Kernels,
    pub memory: ShardMemory,
    /// The launches that close a diagonal block, by its number of tiles a side, from 1.
    closures: Vec<LaunchList>,
    pub high: Box<dyn Queue>,
    /// The queue of broadcasts.
    pub wire: Box<dyn Queue>,
    pub events: ShardEvents,
    pub device: Rc<dyn Device>,
}

/// The memory of a shard, as [`Sizes`] has it.
pub struct ShardMemory {
    pub matrix: Buffer,
    pub(super) right: [Buffer; SLOTS],
    pub(super) left: [Buffer; SLOTS],
    old: Buffer,
    diagonal: Buffer,
    closed: Buffer,
    pub(super) closed_right: Buffer,
    closure: Buffer,
    pub(super) sum: Buffer,
    pub(super) host_sum: RefCell<HostBuffer>,
}

impl ShardMemory {
    fn allocate(device: &dyn Device, sizes: &Sizes) -> Result<Self, DeviceError> {
        // A device may have no tile at all, and no buffer is allocated with no bytes.
        let some = |bytes: usize| device.allocate(bytes.max(16));
        Ok(Self {
            matrix: some(sizes.matrix)?,
            right: [some(sizes.right)?, some(sizes.right)?],
            left: [some(sizes.left)?, some(sizes.left)?],
            old: some(sizes.old)?,
            diagonal: some(sizes.diagonal)?,
            closed: some(sizes.closed)?,
            closed_right: some(sizes.closed_right)?,
            closure: some(sizes.closure)?,
            sum: device.allocate(size_of::<u64>())?,
            host_sum: RefCell::new(device.allocate_host(size_of::<u64>())?),
        })
    }
}

/// What the queues of a shard wait for.
pub struct ShardEvents {
    pub right_ready: [Event; SLOTS],
    pub left_ready: [Event; SLOTS],
    /// A round's [`DeviceShard::update_rest`] has ended; before the first round, the matrix has arrived.
    pub updated: Event,
    /// The queue of high priority has waited for all that it needs.
    pub begun: Event,
    /// All that was queued so far has ended: a closure or panel piece on `high`, or broadcasts on `wire`.
    pub made: Event,
}

impl ShardEvents {
    fn new(queue: &dyn Queue) -> Result<Self, DeviceError> {
        Ok(Self {
            right_ready: [queue.event()?, queue.event()?],
            left_ready: [queue.event()?, queue.event()?],
            updated: queue.event()?,
            begun: queue.event()?,
            made: queue.event()?,
        })
    }
}

/// The launches that close a diagonal block of `side` vertices a side.
fn closure_of(
    side: usize,
    device: &dyn Device,
    target: Target,
    kernels: &Kernels,
) -> Result<LaunchList, DeviceError> {
    // The kernels are compiled for the weights by now, so that their range does not matter.
    let range = WeightRange { largest: 0.0, negative: false, complete: false, grain: 0.0, symmetric: false };
    let on = LaunchSite {
        problem: &Problem::one(side, target.element, range),
        graph: 0,
        graphs: 1,
        matrix_bytes: side * side * target.element.bytes(),
        pitch: side,
        parameters: &Parameters::default(),
        target: target_of_closure(target),
        multiprocessors: device.info().multiprocessors,
        resident_blocks: &kernels.resident,
    };
    RegisterBlocked.launches(&on, &kernels.closure)
}

impl DeviceShard {
    /// Makes everything that a device needs.
    ///
    /// # Errors
    /// When there is no room for it, or a kernel does not compile.
    pub fn new(
        device: &Rc<dyn Device>,
        number: usize,
        plan: Plan,
        target: Target,
        parameters: &Parameters,
    ) -> Result<Self, DeviceError> {
        let (row, column) = plan.grid.place(number);
        let (rows, columns) = (plan.rows_of(row), plan.columns_of(column));
        let kernels = Kernels::load(&**device, plan.tile, target, parameters)?;
        let sizes = Sizes::new(&plan, rows, columns, target);
        // Asked first: the driver may take very long to refuse.
        let (needed, free) = (sizes.all() as u64, device.memory()?.free);
        if needed > free {
            return Err(DeviceError::out_of_memory(&format!("the part of n = {}", plan.n), needed, free));
        }
        let memory = ShardMemory::allocate(&**device, &sizes)?;
        let closures = (1..=plan.depth).map(|tiles| {
            let side = tiles * plan.tile;
            let mut launches = closure_of(side, &**device, target, &kernels)?;
            launches.bind(&memory.diagonal, Some(&memory.closure)).map(|()| launches)
        });
        Ok(Self {
            number,
            row,
            column,
            rows,
            columns,
            plan,
            target,
            run: RUN.value_in(parameters) as i32,
            closures: closures.collect::<Result<_, _>>()?,
            kernels,
            memory,
            high: device.new_queue(Priority::High)?,
            wire: device.new_queue(Priority::High)?,
            events: ShardEvents::new(device.queue())?,
            device: device.clone(),
        })
    }

    pub fn main(&self) -> &dyn Queue {
        self.device.queue()
    }

    pub fn blocks(&self) -> Vec<Block> {
        blocks_of(self.rows, self.columns)
    }

    /// Bytes from one row of the part to the next.
    pub fn pitch_bytes(&self) -> usize {
        self.columns.padded() * self.target.element.bytes()
    }

    pub(super) fn words_of_operands(&self) -> (usize, usize) {
        operand_words(self.plan.tile, self.target.element)
    }

    /// Has the queue of high priority wait for all broadcasts that are queued so far.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn await_arrival(&self) -> Result<(), DeviceError> {
        self.wire.record(&self.events.made)?;
        self.high.wait(&self.events.made)
    }

    /// The whole left panel of a round.
    pub fn left_panel(&self, round: usize) -> BufferSlice<'_> {
        self.memory.left[round % SLOTS].whole()
    }

    /// Some tile columns of the right panel of a round.
    pub fn right_panel(&self, round: usize, columns: Range<usize>) -> BufferSlice<'_> {
        let bytes = self.plan.depth * self.words_of_operands().1 * 4;
        self.memory.right[round % SLOTS].part(columns.start * bytes..columns.end * bytes)
    }

    /// The closure of a round's diagonal block, as left operands.
    pub fn closed(&self) -> BufferSlice<'_> {
        self.memory.closed.whole()
    }

    /// Ranges of tile columns in which the right panel is made, one after the other, from column `first` on.
    pub fn chunks(&self, first: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let tiles = self.columns.tiles();
        let chunk = chunk_of(tiles, self.plan.depth);
        (first..tiles).step_by(chunk).map(move |first| first..(first + chunk).min(tiles))
    }

    /// The update of the tiles of `rows` and `columns` by a round's panels; without a round, the tiles as they are.
    pub(super) fn update(&self, round: Option<usize>, rows: Range<usize>, columns: Range<usize>) -> Product {
        let (left, right) = self.words_of_operands();
        let (tile, depth) = (self.plan.tile, self.plan.depth);
        let pitch = self.columns.padded();
        let entries = rows.start * tile * pitch + columns.start * tile;
        let at = self.memory.matrix.address() + (entries * self.target.element.bytes()) as u64;
        let operand = |panels: &[Buffer; SLOTS], words, tiles: &Range<usize>| {
            round
                .map_or(0, |round| panels[round % SLOTS].address() + (tiles.start * depth * words * 4) as u64)
        };
        Product {
            from: at,
            to: at,
            operands: Operands {
                left: operand(&self.memory.left, left, &rows),
                right: operand(&self.memory.right, right, &columns),
                ..Operands::default()
            },
            from_pitch: pitch as i32,
            to_pitch: pitch as i32,
            tiles: TileGrid { rows: rows.len() as i32, columns: columns.len() as i32, ..TileGrid::default() },
            steps: round.map_or(0, |round| self.plan.tiles_of(round)) as i32,
            depth: depth as i32,
            clears: 0,
            run: self.run,
            mirroring: MirrorArguments {
                first_row: rows.start as i32,
                block: depth as i32,
                devices: self.rows.devices as i32,
                own: self.rows.own as i32,
                first_column: columns.start as i32,
                ..MirrorArguments::default()
            },
        }
    }

    pub(super) fn launch(&self, queue: &dyn Queue, product: &Product) -> Result<(), DeviceError> {
        let Kernels { multiply, threads, stage_bytes, .. } = &self.kernels;
        // SAFETY: rectangles of this part, and operands in buffers that have room for all of its tile rows and columns.
        unsafe { product.launch(queue, multiply, *threads, *stage_bytes, self.target.symmetric) }
    }

    /// Updates all tiles but those that are updated elsewhere: the round's own rows, and the rows and columns of the next. Where only half
    /// of a symmetric matrix is computed, the round's own columns are left out, too.
    pub fn update_rest(&self, round: usize, next: Option<usize>, halves: bool) -> Result<(), DeviceError> {
        let of_next = |side: AxisShare| next.map_or(0..0, |next| side.tiles_of(next));
        let (own, next_columns) = (self.columns.tiles_of(round), of_next(self.columns));
        // In one column of devices the two ranges lie next to each other.
        let gap = if halves { own.start..own.end + next_columns.len() } else { next_columns };
        let mut product = self
            .update(Some(round), 0..self.rows.tiles(), 0..self.columns.tiles())
            .without_rows([self.rows.tiles_of(round), of_next(self.rows)])
            .without_columns(gap);
        product.mirroring.side = halves.into();
        self.launch(self.main(), &product)
    }

    /// Makes the left panel of `next`: of its columns in all rows but its own, updated by `after`, the round before, except in the rows of
    /// `after`, which are packed as they are. With `halves` only the rows above its own are taken.
    pub fn make_left(&self, after: Option<usize>, next: usize, halves: bool) -> Result<(), DeviceError> {
        let columns = self.columns.tiles_of(next);
        let gap = after.map_or(0..0, |round| self.rows.tiles_of(round));
        let (rows, own) = match halves {
            true => (self.rows.tiles_before(next), 0..0),
            false => (self.rows.tiles(), self.rows.tiles_of(next)),
        };
        let mut product = self.update(after, 0..rows, columns.clone()).without_rows([gap.clone(), own]);
        if after.is_none() {
            product.to = 0;
        }
        product.operands.to_left = self.memory.left[next % SLOTS].address();
        self.launch(&*self.high, &product)?;
        // Before the first round no rows are done: the launch above has packed all that its left panel needs.
        match after {
            // The rows of the round before are updated already, and only packed as operands of the next.
            Some(_) if !gap.is_empty() => {
                let mut as_is = self.update(None, gap.clone(), columns);
                as_is.operands.to_left = self.left_at(next, gap.start);
                as_is.to = 0;
                self.launch(&*self.high, &as_is)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn left_at(&self, round: usize, tile_row: usize) -> u64 {
        let bytes = self.plan.depth * self.words_of_operands().0 * 4;
        self.memory.left[round % SLOTS].address() + (tile_row * bytes) as u64
    }

    /// Updates and closes the next diagonal block, packed as left operands; with `halves` also stored, and packed as right operands.
    pub fn close(&self, after: Option<usize>, next: usize, halves: bool) -> Result<(), DeviceError> {
        let (rows, columns) = (self.rows.tiles_of(next), self.columns.tiles_of(next));
        let ShardMemory { diagonal, closed, closed_right, closure, .. } = &self.memory;
        let (tiles, side) = (rows.len(), rows.len() * self.plan.tile);
        let mut apart = self.update(after, rows.clone(), columns.clone());
        (apart.to, apart.to_pitch) = (diagonal.address(), side as i32);
        if halves {
            (apart.mirroring.side, apart.mirroring.to_turned) = (1, apart.to);
        }
        self.launch(&*self.high, &apart)?;
        for planned in self.closures[tiles - 1].launches() {
            let arguments = planned.arguments.iter().map(|one| one.on(diagonal, Some(closure)));
            let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            let kernel = &self.kernels.closure[planned.kernel];
            // SAFETY: the list promises what a launch asks for; the block and its scratch memory live as long as the shard.
            unsafe { self.high.launch(kernel, planned.launch, &arguments) }?;
        }
        let mut packed = self.update(None, rows, columns);
        (packed.from, packed.from_pitch) = (diagonal.address(), side as i32);
        packed.operands.to_left = closed.address();
        if halves {
            packed.operands.to_right = closed_right.address();
        } else {
            packed.to = 0;
        }
        self.launch(&*self.high, &packed)
    }

    /// Updates the rows of the next round in these tile columns, and multiplies them with the closure: the right panel.
    pub fn make_right(
        &self,
        after: Option<usize>,
        next: usize,
        columns: Range<usize>,
    ) -> Result<(), DeviceError> {
        let rows = self.rows.tiles_of(next);
        let mut old = self.update(after, rows.clone(), columns.clone());
        (old.to, old.operands.to_right) = (0, self.memory.old.address());
        self.launch(&*self.high, &old)?;
        let mut new = self.update(Some(next), rows, columns);
        new.operands = Operands {
            left: self.memory.closed.address(),
            right: self.memory.old.address(),
            to_right: new.operands.right,
            ..new.operands
        };
        new.clears = 1;
        self.launch(&*self.high, &new)
    }
}
