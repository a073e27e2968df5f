//! What a solve on several devices should take, and the grid that is fastest by that.

use super::plan::{Grid, Plan};
use crate::{Parameters, Target};
use repro_graph::ElementType;

/// What the model knows of devices and of what joins them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Tasks a second of one device.
    pub tasks_per_s: f64,
    /// Devices that are joined directly: those of one host.
    pub devices_a_host: usize,
    /// Bytes a second of a broadcast to devices of one host, and seconds that it takes to begin.
    pub inside: (f64, f64),
    /// Bytes a second of a broadcast that leaves the host, and seconds that it takes to begin.
    pub between: (f64, f64),
}

impl Default for Machine {
    /// An H200 among eight of a host: rates measured on two and four of them, and 50 GB/s for each between hosts.
    fn default() -> Self {
        Self { tasks_per_s: 16.7e12, devices_a_host: 8, inside: (340e9, 25e-6), between: (50e9, 50e-6) }
    }
}

/// Seconds of a solve and of what it consists of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub seconds: f64,
    /// In which a device has tiles to work on.
    pub compute: f64,
    /// Which its broadcasts take.
    pub communication: f64,
    /// Tasks that are done.
    pub tasks: f64,
}

impl Machine {
    /// A solve of `n` vertices on a grid: in each round a device updates its part, receives the right panel, its columns of the round's
    /// block, from a device of its grid column, and the left panel, its rows of it, from one of its grid row. Broadcasts run during the
    /// update and one behind the other; a round takes the longer of the two. Before the first round nothing hides its panels. Of a symmetric
    /// matrix a column of one host does half of the tasks, and then broadcasts what is on the other side of the diagonal. That panels come in
    /// more pieces then is left out.
    pub fn estimate(&self, n: usize, grid: Grid, element: ElementType, symmetric: bool) -> Estimate {
        let target = Target { element, ..Target::default() };
        let block = Plan::of(n, grid, target, &Parameters::default()).block() as f64;
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
        Estimate { seconds, compute: rounds * update, communication, tasks: share * n.powi(3) }
    }

    /// Seconds of a broadcast to so many devices, whose numbers lie `apart` from each other.
    fn broadcast(&self, devices: usize, apart: usize, bytes: f64) -> f64 {
        if devices == 1 {
            return 0.0;
        }
        let stays = (devices - 1) * apart < self.devices_a_host;
        let (rate, latency) = if stays { self.inside } else { self.between };
        latency + bytes / rate
    }

    /// The grid of so many devices on which a solve takes least; of equals, the one with most rows.
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
    Machine::default().fastest_grid(n, devices, element, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_dimension_suffices_inside_a_host_and_not_between_many() {
        let grid = |n, devices| {
            let grid = fastest_grid(n, devices, ElementType::F32);
            (grid.rows, grid.columns)
        };
        for n in [16_384, 65_536, 131_072] {
            assert_eq!([grid(n, 1), grid(n, 2), grid(n, 4)], [(1, 1), (2, 1), (4, 1)]);
        }
        let (rows, columns) = grid(131_072, 1024);
        assert!(columns > 1 && rows * columns == 1024, "{rows} x {columns}");
    }

    #[test]
    fn a_solve_takes_no_less_than_its_tasks_do() {
        let machine = Machine::default();
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

    #[test]
    fn a_column_is_the_fastest_grid_of_a_host_for_half_of_the_tasks() {
        let machine = Machine::default();
        for n in [16_384, 65_536, 131_072] {
            for devices in 1..=machine.devices_a_host {
                let grid = machine.fastest_grid(n, devices, ElementType::F32, true);
                assert_eq!(grid, Grid { rows: devices, columns: 1 }, "n = {n}");
            }
        }
    }
}
