//! What a device has for its part: memory, queues, kernels, and the products that it does.

use super::RUN;
use super::kernels::{Kernels, target_of_closure};
use super::plan::{Plan, Side, blocks_of};
use super::product::{Gap, Product};
use super::sizes::{SLOTS, Sizes, chunk_of};
use crate::register_blocked::{RegisterBlocked, operand_words};
use crate::{Block, LaunchList, LaunchSite, Parameters, Problem, Solver, Target};
use repro_device::{Buffer, Device, DeviceError, Event, HostBuffer, Priority, Queue, Region};
use repro_graph::WeightRange;
use std::cell::RefCell;
use std::rc::Rc;

/// A device with its part of the matrix.
pub struct Lane {
    /// Its number among all.
    pub number: usize,
    /// Its place in the grid.
    pub row: usize,
    pub column: usize,
    pub rows: Side,
    pub columns: Side,
    pub plan: Plan,
    target: Target,
    run: i32,
    pub(super) kernels: Kernels,
    pub matrix: Buffer,
    pub(super) right: [Buffer; SLOTS],
    pub(super) left: [Buffer; SLOTS],
    old: Buffer,
    diagonal: Buffer,
    closed: Buffer,
    pub(super) closed_right: Buffer,
    closure: Buffer,
    /// What closes a diagonal block of each number of tiles a side, from 1.
    closures: Vec<LaunchList>,
    pub(super) sum: Buffer,
    pub(super) host_sum: RefCell<HostBuffer>,
    pub high: Box<dyn Queue>,
    /// For broadcasts.
    pub wire: Box<dyn Queue>,
    pub right_ready: [Event; SLOTS],
    pub left_ready: [Event; SLOTS],
    /// The last update of all other tiles.
    pub updated: Event,
    /// What the queue of high priority has waited for.
    pub begun: Event,
    pub made: Event,
    pub device: Rc<dyn Device>,
}

/// What closes a diagonal block of so many vertices a side.
fn closure_of(
    side: usize,
    device: &dyn Device,
    target: Target,
    kernels: &Kernels,
) -> Result<LaunchList, DeviceError> {
    // Whatever the weights are, it is compiled for by now.
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

impl Lane {
    /// Everything that a device needs.
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
        let sizes = Sizes::of(&plan, rows, columns, target);
        // Asked first: the driver may take very long to refuse.
        let (needed, free) = (sizes.all() as u64, device.memory()?.free);
        if needed > free {
            return Err(DeviceError::out_of_memory(&format!("the part of n = {}", plan.n), needed, free));
        }
        // A device may have no tile at all, and no device has no memory.
        let some = |bytes: usize| device.allocate(bytes.max(16));
        let event = || device.queue().event();
        let (diagonal, closure) = (some(sizes.diagonal)?, some(sizes.closure)?);
        let closures = (1..=plan.depth).map(|tiles| {
            let side = tiles * plan.tile;
            let mut launches = closure_of(side, &**device, target, &kernels)?;
            launches.bind(&diagonal, Some(&closure)).map(|()| launches)
        });
        Ok(Self {
            number,
            row,
            column,
            rows,
            columns,
            plan,
            target,
            run: RUN.of(parameters) as i32,
            closures: closures.collect::<Result<_, _>>()?,
            kernels,
            matrix: some(sizes.matrix)?,
            right: [some(sizes.right)?, some(sizes.right)?],
            left: [some(sizes.left)?, some(sizes.left)?],
            old: some(sizes.old)?,
            diagonal,
            closed: some(sizes.closed)?,
            closed_right: some(sizes.closed_right)?,
            closure,
            sum: device.allocate(size_of::<u64>())?,
            host_sum: RefCell::new(device.allocate_host(size_of::<u64>())?),
            high: device.new_queue(Priority::High)?,
            wire: device.new_queue(Priority::High)?,
            right_ready: [event()?, event()?],
            left_ready: [event()?, event()?],
            updated: event()?,
            begun: event()?,
            made: event()?,
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

    /// Has the queue of high priority wait for what broadcasts bring until here.
    ///
    /// # Errors
    /// When the device refuses it.
    pub fn await_arrival(&self) -> Result<(), DeviceError> {
        self.wire.record(&self.made)?;
        self.high.wait(&self.made)
    }

    /// The whole left panel of a round.
    pub fn left_panel(&self, round: usize) -> Region<'_> {
        self.left[round % SLOTS].whole()
    }

    /// Some tile columns of the right panel of a round.
    pub fn right_panel(&self, round: usize, columns: std::ops::Range<usize>) -> Region<'_> {
        let bytes = self.plan.depth * self.words_of_operands().1 * 4;
        self.right[round % SLOTS].part(columns.start * bytes..columns.end * bytes)
    }

    /// The closure of a round's diagonal block, as left operands.
    pub fn closed(&self) -> Region<'_> {
        self.closed.whole()
    }

    /// Tile columns that the panel is made of at a time, from this one on.
    pub fn chunks(&self, first: usize) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let tiles = self.columns.tiles();
        let chunk = chunk_of(tiles, self.plan.depth);
        (first..tiles).step_by(chunk).map(move |first| first..(first + chunk).min(tiles))
    }

    /// The update of the tiles of `rows` and `columns`, each the first and how many, by a round's panels; with none, the tiles as they are.
    pub(super) fn update(
        &self,
        round: Option<usize>,
        rows: (usize, usize),
        columns: (usize, usize),
    ) -> Product {
        let (left, right) = self.words_of_operands();
        let (tile, depth) = (self.plan.tile, self.plan.depth);
        let pitch = self.columns.padded();
        let at = self.matrix.address()
            + ((rows.0 * tile * pitch + columns.0 * tile) * self.target.element.bytes()) as u64;
        let operand = |panel: &Buffer, words, first| panel.address() + (first * depth * words * 4) as u64;
        Product {
            from: at,
            to: at,
            left: round.map_or(0, |round| operand(&self.left[round % SLOTS], left, rows.0)),
            right: round.map_or(0, |round| operand(&self.right[round % SLOTS], right, columns.0)),
            from_pitch: pitch as i32,
            to_pitch: pitch as i32,
            rows: rows.1 as i32,
            columns: columns.1 as i32,
            row_gaps: [Gap::default(); 2],
            column_gap: Gap::default(),
            steps: round.map_or(0, |round| self.plan.tiles_of(round)) as i32,
            depth: depth as i32,
            run: self.run,
            first_row: rows.0 as i32,
            block: depth as i32,
            devices: self.rows.devices as i32,
            own: self.rows.own as i32,
            first_column: columns.0 as i32,
            ..Product::default()
        }
    }

    pub(super) fn launch(&self, queue: &dyn Queue, product: &Product) -> Result<(), DeviceError> {
        // SAFETY: rectangles of this part, and operands in buffers that have room for all of its tile rows and columns.
        unsafe { product.launch(queue, &self.kernels.multiply, self.kernels.block, self.target.symmetric) }
    }

    /// Updates all tiles but those that are updated elsewhere: the round's own rows, and the rows and columns of the next. Of half of the
    /// tiles the round's own columns, too.
    pub fn update_rest(&self, round: usize, next: Option<usize>, halves: bool) -> Result<(), DeviceError> {
        let of_next = |side: Side| next.map_or((0, 0), |next| side.tiles_of(next));
        let (own, next_columns) = (self.columns.tiles_of(round), of_next(self.columns));
        let product = self
            .update(Some(round), (0, self.rows.tiles()), (0, self.columns.tiles()))
            .without_rows([self.rows.tiles_of(round), of_next(self.rows)])
            // In one column of devices they lie next to each other.
            .without_columns(if halves { (own.0, own.1 + next_columns.1) } else { next_columns });
        self.launch(self.main(), &Product { side: halves.into(), ..product })
    }

    /// Updates the columns of the next round in all rows but those of both rounds, and makes its left panel of them. Of half of the tiles in
    /// rows above.
    pub fn make_left(&self, after: Option<usize>, next: usize, halves: bool) -> Result<(), DeviceError> {
        let columns = self.columns.tiles_of(next);
        let gap = after.map_or((0, 0), |round| self.rows.tiles_of(round));
        let (rows, own) = match halves {
            true => (self.rows.tiles_before(next), (0, 0)),
            false => (self.rows.tiles(), self.rows.tiles_of(next)),
        };
        let product = self.update(after, (0, rows), columns).without_rows([gap, own]);
        let to = if after.is_some() { product.to } else { 0 };
        let packed = Product { to_left: self.left[next % SLOTS].address(), to, ..product };
        self.launch(&*self.high, &packed)?;
        // A first round has no rows that are done: these are not operands of its products either.
        match after {
            // The rows of the round before are done, and operands of the next.
            Some(_) if gap.1 > 0 => {
                let as_is = self.update(None, gap, columns);
                let to_left = self.left_at(next, gap.0);
                self.launch(&*self.high, &Product { to_left, to: 0, ..as_is })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn left_at(&self, round: usize, tile_row: usize) -> u64 {
        let bytes = self.plan.depth * self.words_of_operands().0 * 4;
        self.left[round % SLOTS].address() + (tile_row * bytes) as u64
    }

    /// Updates the diagonal block of the next round and closes it, as left operands. Of half of the tiles it is stored, and as right operands.
    pub fn close(&self, after: Option<usize>, next: usize, halves: bool) -> Result<(), DeviceError> {
        let (rows, columns) = (self.rows.tiles_of(next), self.columns.tiles_of(next));
        let side = rows.1 * self.plan.tile;
        let apart = Product {
            to: self.diagonal.address(),
            to_pitch: side as i32,
            ..self.update(after, rows, columns)
        };
        let apart = if halves { Product { side: 1, to_turned: apart.to, ..apart } } else { apart };
        self.launch(&*self.high, &apart)?;
        for planned in self.closures[rows.1 - 1].launches() {
            let arguments = planned.arguments.iter().map(|one| one.on(&self.diagonal, Some(&self.closure)));
            let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
            let kernel = &self.kernels.closure[planned.kernel];
            // SAFETY: the list promises what a launch asks for; the block and its scratch memory live as long as the lane.
            unsafe { self.high.launch(kernel, planned.launch, &arguments) }?;
        }
        let as_is = self.update(None, rows, columns);
        let packed = Product {
            from: self.diagonal.address(),
            from_pitch: side as i32,
            to: if halves { as_is.to } else { 0 },
            to_left: self.closed.address(),
            to_right: if halves { self.closed_right.address() } else { 0 },
            ..as_is
        };
        self.launch(&*self.high, &packed)
    }

    /// Updates the rows of the next round in these tile columns, and multiplies them with the closure: the right panel.
    pub fn make_right(
        &self,
        after: Option<usize>,
        next: usize,
        columns: std::ops::Range<usize>,
    ) -> Result<(), DeviceError> {
        let rows = self.rows.tiles_of(next);
        let columns = (columns.start, columns.len());
        let old = Product { to: 0, to_right: self.old.address(), ..self.update(after, rows, columns) };
        self.launch(&*self.high, &old)?;
        let panel = self.update(Some(next), rows, columns);
        let new = Product {
            left: self.closed.address(),
            right: self.old.address(),
            to_right: panel.right,
            clears: 1,
            ..panel
        };
        self.launch(&*self.high, &new)
    }
}
