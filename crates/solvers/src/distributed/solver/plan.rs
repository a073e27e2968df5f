//! How a matrix is shared among devices: blocks of rows and columns, dealt out in turn over a grid of devices; how much memory a device needs
//! for its part; and what a solve should take, by which the fastest grid is found.

use super::kernels::target_of_closure;
use super::{DEPTH, TILE};
use crate::register_blocked::{operand_words, scratch_bytes, usual_tile};
use crate::{Block, Parameters, Target};
use repro_graph::ElementType;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// Devices in rows and columns; device number `row * columns + column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
}

impl Grid {
    pub fn devices(self) -> usize {
        self.rows * self.columns
    }

    /// The row and the column of a device.
    pub fn place(self, device: usize) -> (usize, usize) {
        (device / self.columns, device % self.columns)
    }
}

/// A solve's blocks. A round takes the paths through the vertices of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub n: usize,
    /// Vertices a side of a tile, 64 or 128.
    pub tile: usize,
    /// Tiles a side of a block.
    pub depth: usize,
    pub grid: Grid,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { tile, depth, grid: Grid { rows, columns }, .. } = self;
        write!(f, "tile = {tile}, depth = {depth}, grid {rows}x{columns}")
    }
}

impl Plan {
    /// Tile and depth depend on n and not on the number of devices, so that a solve can be continued on another number of devices.
    pub fn new(n: usize, grid: Grid, target: Target, parameters: &Parameters) -> Self {
        let tile = match TILE.value_in(parameters) {
            0 => usual_tile(n, target),
            given => given as usize,
        };
        let depth = match DEPTH.value_in(parameters) {
            0 if tile == 64 => 1,
            0 => match n {
                ..8_192 => 1,
                8_192..16_384 => 2,
                _ => 4,
            },
            given => given as usize,
        };
        Self { n, tile, depth: depth.min(n.div_ceil(tile)), grid }
    }

    /// Vertices of a block.
    pub fn block(&self) -> usize {
        self.tile * self.depth
    }

    pub fn rounds(&self) -> usize {
        self.n.div_ceil(self.block())
    }

    /// Tiles a side of the matrix.
    fn tiles(&self) -> usize {
        self.n.div_ceil(self.tile)
    }

    /// Tiles a side of a block; the last block may have fewer.
    pub fn tiles_of(&self, block: usize) -> usize {
        self.depth.min(self.tiles() - block * self.depth)
    }

    /// The share of device number `own` in a line, a row or a column of the grid, of `devices` devices.
    pub fn side(&self, devices: usize, own: usize) -> AxisShare {
        AxisShare { plan: *self, devices, own }
    }

    pub fn rows_of(&self, row: usize) -> AxisShare {
        self.side(self.grid.rows, row)
    }

    pub fn columns_of(&self, column: usize) -> AxisShare {
        self.side(self.grid.columns, column)
    }
}

/// The rows, or the columns, of the matrix that a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisShare {
    plan: Plan,
    pub devices: usize,
    pub own: usize,
}

impl AxisShare {
    /// Its blocks, by their numbers in the matrix.
    pub fn blocks(self) -> impl Iterator<Item = usize> {
        (self.own..self.plan.rounds()).step_by(self.devices)
    }

    pub fn tiles(self) -> usize {
        self.blocks().map(|block| self.plan.tiles_of(block)).sum()
    }

    /// Vertices, those included that fill up its last tile.
    pub fn padded(self) -> usize {
        self.tiles() * self.plan.tile
    }

    /// Vertices without those of padding.
    pub fn vertices(self) -> usize {
        self.blocks().map(|block| self.in_matrix(block).len()).sum()
    }

    /// The vertices of a block in the matrix.
    pub fn in_matrix(self, block: usize) -> Range<usize> {
        let first = block * self.plan.block();
        first..self.plan.n.min(first + self.plan.block())
    }

    /// The first vertex of a block on the device.
    pub fn on_device(self, block: usize) -> usize {
        block / self.devices * self.plan.block()
    }

    /// Its contiguous pieces: the vertices of each in the matrix, and the first of them on the device. A single piece where it has all.
    pub fn pieces(self) -> Vec<(Range<usize>, usize)> {
        if self.devices == 1 {
            return std::iter::once((0..self.plan.n, 0)).collect();
        }
        self.blocks().map(|block| (self.in_matrix(block), self.on_device(block))).collect()
    }

    pub fn has(self, block: usize) -> bool {
        block % self.devices == self.own
    }

    /// Tiles on the device of blocks before this one.
    pub fn tiles_before(self, block: usize) -> usize {
        let blocks = (block + self.devices - 1 - self.own) / self.devices;
        self.tiles().min(blocks * self.plan.depth)
    }

    /// The tiles of a block on the device; none when it is another's.
    pub fn tiles_of(self, block: usize) -> Range<usize> {
        if !self.has(block) {
            return 0..0;
        }
        let first = block / self.devices * self.plan.depth;
        first..first + self.plan.tiles_of(block)
    }
}

/// The blocks of the device at a row and a column of the grid: whole rows where it has all columns.
pub fn blocks_of(rows: AxisShare, columns: AxisShare) -> Vec<Block> {
    let across = columns.pieces();
    let down = rows.blocks().map(|block| rows.in_matrix(block));
    down.flat_map(|rows| {
        across.iter().map(move |(columns, _)| Block { rows: rows.clone(), columns: columns.clone() })
    })
    .collect()
}

/// Panels that a device has at once: of the round that its tiles are in, and of the next.
pub const SLOTS: usize = 2;

/// Tasks of the panel's columns that are done at a time: each time about as many tiles as a GPU has at work.
const TILES_AT_A_TIME: usize = 512;

/// Sizes of a device's buffers, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub matrix: usize,
    /// Bytes of one slot; of `left`, too.
    pub right: usize,
    pub left: usize,
    /// The rows of the next round before they are multiplied, some columns at a time.
    pub old: usize,
    pub diagonal: usize,
    pub closed: usize,
    /// The closure as right operands too, where half of the tasks may be done.
    pub closed_right: usize,
    pub closure: usize,
}

impl Sizes {
    pub fn new(plan: &Plan, rows: AxisShare, columns: AxisShare, target: Target) -> Self {
        let (left, right) = operand_words(plan.tile, target.element);
        let depth = plan.depth;
        let columns_at_a_time = chunk_of(columns.tiles(), depth);
        Self {
            matrix: rows.padded() * columns.padded() * target.element.bytes(),
            right: columns.tiles() * depth * right * 4,
            left: rows.tiles() * depth * left * 4,
            old: columns_at_a_time * depth * right * 4,
            diagonal: plan.block() * plan.block() * target.element.bytes(),
            closed: depth * depth * left * 4,
            closed_right: if target.symmetric { depth * depth * right * 4 } else { 0 },
            closure: scratch_bytes(plan.block(), target_of_closure(target), &Parameters::default()),
        }
    }

    pub fn all(&self) -> usize {
        let panels = SLOTS * (self.right + self.left) + self.old;
        self.matrix + panels + self.diagonal + self.closed + self.closed_right + self.closure
    }
}

/// Tile columns that a panel is made of at a time.
pub fn chunk_of(tiles: usize, depth: usize) -> usize {
    let chunks = (tiles * depth / TILES_AT_A_TIME).clamp(1, 8);
    tiles.div_ceil(chunks).max(1)
}

/// What the model knows of devices and of what joins them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MachineModel {
    /// Tasks a second of one device.
    pub tasks_per_s: f64,
    /// Devices that are joined directly: those of one host.
    pub devices_a_host: usize,
    /// Bytes a second of a broadcast to devices of one host, and seconds that it takes to begin.
    pub inside: (f64, f64),
    /// Bytes a second of a broadcast that leaves the host, and seconds that it takes to begin.
    pub between: (f64, f64),
}

impl Default for MachineModel {
    /// An H200 among eight of a host: rates measured on two and four of them, and 50 GB/s for each between hosts.
    fn default() -> Self {
        Self { tasks_per_s: 16.7e12, devices_a_host: 8, inside: (340e9, 25e-6), between: (50e9, 50e-6) }
    }
}

/// Seconds of a solve and of what it consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeEstimate {
    pub seconds: f64,
    /// Time in which a device has tiles to work on.
    pub compute: f64,
    /// Time that its broadcasts take.
    pub communication: f64,
    /// Tasks that are done.
    pub tasks: f64,
}

impl MachineModel {
    /// A solve of `n` vertices on a grid. In each round a device updates its part. It receives the right panel, its columns of the round's
    /// block, from a device of its grid column, and the left panel, its rows of that block, from one of its grid row. Broadcasts run during
    /// the update, one after the other; a round takes the longer of the two. Before the first round nothing hides its panels. Of a
    /// symmetric matrix, a column of devices of one host does half of the tasks, and then broadcasts what is on the other side of the
    /// diagonal. The model leaves out that panels then come in more pieces.
    pub fn estimate(&self, n: usize, grid: Grid, element: ElementType, symmetric: bool) -> TimeEstimate {
        let target = Target { element, ..Target::default() };
        let block = Plan::new(n, grid, target, &Parameters::default()).block() as f64;
        let (n, devices) = (n as f64, grid.devices() as f64);
        let rounds = (n / block).ceil();
        // Left operands have a word for each distance.
        let right =
            self.broadcast(grid.rows, grid.columns, block * n / grid.columns as f64 * element.bytes() as f64);
        let left = self.broadcast(grid.columns, 1, block * n / grid.rows as f64 * 4.0);
        let halves = symmetric && grid.columns == 1 && grid.rows <= self.devices_a_host;
        let share = if halves { 0.5 } else { 1.0 };
        let update = share * block * n * n / devices / self.tasks_per_s;
        let across = if halves { rounds * right / 2.0 } else { 0.0 };
        let seconds = rounds * update.max(right + left) + right + left + across;
        let communication = rounds * (right + left) + across;
        TimeEstimate { seconds, compute: rounds * update, communication, tasks: share * n.powi(3) }
    }

    /// Seconds of a broadcast to `devices` devices whose numbers lie `apart` from each other.
    fn broadcast(&self, devices: usize, apart: usize, bytes: f64) -> f64 {
        if devices == 1 {
            return 0.0;
        }
        let stays = (devices - 1) * apart < self.devices_a_host;
        let (rate, latency) = if stays { self.inside } else { self.between };
        latency + bytes / rate
    }

    /// The grid of `devices` devices on which a solve takes least; of equals, the one with most rows.
    pub fn fastest_grid(&self, n: usize, devices: usize, element: ElementType, symmetric: bool) -> Grid {
        let grids = (1..=devices)
            .rev()
            .filter(|rows| devices.is_multiple_of(*rows))
            .map(|rows| Grid { rows, columns: devices / rows });
        let seconds = |grid: &Grid| self.estimate(n, *grid, element, symmetric).seconds;
        let fastest = grids.min_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        fastest.unwrap_or(Grid { rows: devices, columns: 1 })
    }
}

/// The fastest grid by the model of the usual machine, on which all tasks are done.
pub fn fastest_grid(n: usize, devices: usize, element: ElementType) -> Grid {
    MachineModel::default().fastest_grid(n, devices, element, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(n: usize, rows: usize, columns: usize, depth: u32) -> Plan {
        let parameters = Parameters::from([("tile", 64), ("depth", depth)]);
        Plan::new(n, Grid { rows, columns }, Target::default(), &parameters)
    }

    #[test]
    fn blocks_depend_on_n_and_not_on_the_devices() {
        let of = |n, devices| {
            let plan =
                Plan::new(n, Grid { rows: devices, columns: 1 }, Target::default(), &Parameters::default());
            (plan.tile, plan.depth)
        };
        for devices in [1, 2, 4] {
            assert_eq!(of(1000, devices), (64, 1));
            assert_eq!(of(4096, devices), (128, 1));
            assert_eq!(of(8192, devices), (128, 2));
            assert_eq!(of(65_536, devices), (128, 4));
        }
        assert_eq!(plan(65, 2, 2, 8).depth, 2);
    }

    proptest! {
        #[test]
        fn every_entry_is_on_one_device(
            n in 1usize..700, rows in 1usize..5, columns in 1usize..5, depth in 1u32..4,
        ) {
            let plan = plan(n, rows, columns, depth);
            let mut owners = vec![0_u8; n * n];
            for device in 0..plan.grid.devices() {
                let (row, column) = plan.grid.place(device);
                let (down, across) = (plan.rows_of(row), plan.columns_of(column));
                let mut entries = 0;
                for block in blocks_of(down, across) {
                    entries += block.entries().unwrap();
                    for i in block.rows {
                        owners[i * n + block.columns.start..i * n + block.columns.end].iter_mut().for_each(|owner| *owner += 1);
                    }
                }
                prop_assert_eq!(entries, down.vertices() * across.vertices());
            }
            prop_assert!(owners.iter().all(|owners| *owners == 1));
        }
    }

    #[test]
    fn one_dimension_suffices_inside_a_host_and_not_between_many() {
        let grid = |n, devices| {
            let grid = fastest_grid(n, devices, ElementType::F32);
            (grid.rows, grid.columns)
        };
        for n in [16_384, 65_536, 131_072] {
            assert_eq!([grid(n, 1), grid(n, 2), grid(n, 4)], [(1, 1), (2, 1), (4, 1)]);
            // So it is for half of the tasks.
            let half = MachineModel::default().fastest_grid(n, 4, ElementType::F32, true);
            assert_eq!(half, Grid { rows: 4, columns: 1 });
        }
        let (rows, columns) = grid(131_072, 1024);
        assert!(columns > 1 && rows * columns == 1024, "{rows} x {columns}");
    }

    #[test]
    fn a_solve_takes_no_less_than_its_tasks_do() {
        let machine = MachineModel::default();
        let one = machine.estimate(65_536, Grid { rows: 1, columns: 1 }, ElementType::F32, false);
        let least = 65_536_f64.powi(3) / machine.tasks_per_s;
        assert!((one.seconds / least - 1.0).abs() < 1e-9 && one.communication == 0.0);
        let of_four =
            |symmetric| machine.estimate(65_536, Grid { rows: 4, columns: 1 }, ElementType::F32, symmetric);
        let four = of_four(false);
        assert!(four.seconds > least / 4.0 && four.seconds < least / 3.9);
        let half = of_four(true);
        assert!(half.seconds > least / 8.0 && half.seconds < least / 7.8);
        assert_eq!((half.tasks, four.tasks), (65_536_f64.powi(3) / 2.0, 65_536_f64.powi(3)));
        // More devices than a host has do all tasks, unless they are asked for a column.
        let many = machine.estimate(65_536, Grid { rows: 64, columns: 1 }, ElementType::F32, true);
        assert_eq!(many.tasks, four.tasks);
    }
}
