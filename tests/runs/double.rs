//! An implementation whose matrix is sharded over the devices of one process, in host memory: it solves row by row.

use repro::device::{Device, DeviceError, HostBuffer, Queue};
use repro::graph::Blocks;
use repro::implementation::{
    Block, BlockSink, Capabilities, Clock, Cost, DeviceTimes, Devices, Implementation, Parameter, Parameters,
    PreparedSolve, Problem, Scope, ShardedSolve, Solver, TimingPoint, register_unlisted,
};
use std::rc::Rc;
use std::sync::Once;

pub const NAME: &str = "double-sharded";
/// Rows that a device has before the next one has some.
const ROWS: usize = 8;

const DEVICES: Parameter = Parameter::new("devices", "how many share the matrix", 1, 1..=8);
const FAULT: Parameter = Parameter::new("fault", "what goes wrong", 0, 0..=9);

/// One number is wrong, in a row that is compared.
pub const WRONG_ROW: u32 = 1;
/// One number is wrong where nobody looks.
pub const WRONG_ELSEWHERE: u32 = 2;
/// Half of the last row is on no device.
pub const LACKING: u32 = 3;
/// No device has so much memory.
pub const TOO_LARGE: u32 = 4;
/// One number is wrong where nobody looks, on several devices and not on one.
pub const WRONG_ON_SEVERAL: u32 = 7;

/// Makes it known by its name, and to nobody who lists all.
pub fn register_double() {
    static REGISTERED: Once = Once::new();
    repro::distributed::register();
    REGISTERED.call_once(|| {
        let implementation = Implementation {
            parameters: vec![DEVICES, FAULT].into(),
            ..Implementation::new(NAME, "a sharded matrix, for tests", "a test", Double)
        };
        register_unlisted(implementation).unwrap();
    });
}

struct Double;

impl Solver for Double {
    fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        let devices = DEVICES.value_in(parameters) as usize;
        Capabilities {
            devices: devices..=devices,
            scopes: (&[Scope::Kernel]).into(),
            ..Capabilities::on_device()
        }
    }

    fn cost(&self, problem: &Problem, parameters: &Parameters) -> Cost {
        let part = (problem.matrix_bytes() as u64).div_ceil(u64::from(DEVICES.value_in(parameters)));
        Cost::new(problem, if FAULT.value_in(parameters) == TOO_LARGE { u64::MAX } else { part })
    }

    fn prepare(
        &self,
        problem: &Problem,
        devices: &Devices,
        parameters: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        assert_eq!(devices.len(), DEVICES.value_in(parameters) as usize);
        let (devices, fault) = (devices.to_vec(), FAULT.value_in(parameters));
        Ok(Box::new(Parts { n: problem.n, devices, rows: Vec::new(), fault }))
    }
}

struct Parts {
    n: usize,
    devices: Vec<Rc<dyn Device>>,
    /// Its rows with their numbers.
    rows: Vec<(usize, Vec<f32>)>,
    fault: u32,
}

impl Parts {
    fn row_of(&mut self, row: usize) -> Option<&mut Vec<f32>> {
        self.rows.iter_mut().find(|(known, _)| *known == row).map(|(_, numbers)| numbers)
    }

    fn reached(&self, point: TimingPoint, clock: &mut dyn Clock) -> Result<(), DeviceError> {
        let queues: Vec<&dyn Queue> = self.devices.iter().map(|device| device.queue()).collect();
        if queues.is_empty() { Ok(()) } else { clock.record_point(point, &queues) }
    }
}

impl PreparedSolve for Parts {
    fn run(&mut self, _: &HostBuffer, _: &mut HostBuffer, _: &mut dyn Clock) -> Result<(), DeviceError> {
        Err(DeviceError::other("the double solves sharded matrices alone"))
    }

    fn sharded(&mut self) -> Option<&mut dyn ShardedSolve> {
        Some(self)
    }
}

impl ShardedSolve for Parts {
    fn round(&self) -> usize {
        ROWS
    }

    fn transport(&self) -> Option<String> {
        Some("nothing".into())
    }

    fn blocks(&self) -> Vec<Block> {
        let offsets = (0..self.n).step_by(ROWS);
        offsets.map(|row| Block { rows: row..(row + ROWS).min(self.n), columns: 0..self.n }).collect()
    }

    fn load(&mut self, graph: &dyn Blocks) -> Result<(), DeviceError> {
        self.rows.clear();
        for block in self.blocks() {
            for row in block.rows {
                let mut numbers = vec![0_f32; self.n];
                let into = bytemuck::cast_slice_mut(&mut numbers);
                graph
                    .read(row..row + 1, 0..self.n, self.n, into)
                    .map_err(|error| DeviceError::other(error.to_string()))?;
                self.rows.push((row, numbers));
            }
        }
        Ok(())
    }

    fn solve(&mut self, vertices: usize, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>, DeviceError> {
        self.reached(TimingPoint::Packed, clock)?;
        for k in 0..vertices {
            let row_k = self.row_of(k).cloned().unwrap_or_default();
            for (_, row) in &mut self.rows {
                let to = row[k];
                row.iter_mut().zip(&row_k).for_each(|(entry, from)| *entry = entry.min(to + from));
            }
        }
        self.reached(TimingPoint::Solved, clock)?;
        let n = self.n;
        if self.fault == WRONG_ROW {
            self.row_of(0).into_iter().for_each(|row| row[n - 1] += 1.0);
        }
        Ok(Vec::new())
    }

    fn row(&mut self, row: usize) -> Result<Vec<(usize, Vec<u8>)>, DeviceError> {
        let (n, fault) = (self.n, self.fault);
        let Some(numbers) = self.row_of(row) else { return Ok(Vec::new()) };
        let first = if fault == LACKING && row == n - 1 { n / 2 } else { 0 };
        Ok(vec![(first, bytemuck::cast_slice(&numbers[first..]).to_vec())])
    }

    fn digest(&mut self) -> Result<u64, DeviceError> {
        // A number that is wrong in a row that nobody asks for.
        let is_wrong =
            self.fault == WRONG_ELSEWHERE || (self.fault == WRONG_ON_SEVERAL && self.devices.len() > 1);
        let mut sum = u64::from(is_wrong);
        for (row, numbers) in &self.rows {
            for (column, number) in numbers.iter().enumerate() {
                let place = (row * self.n + column) as u64;
                let mixed = (place << 32 | u64::from(number.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                sum = sum.wrapping_add(mixed ^ (mixed >> 29));
            }
        }
        Ok(sum)
    }

    fn store(&mut self, take: &mut BlockSink) -> Result<(), DeviceError> {
        for (row, numbers) in &self.rows {
            let block = Block { rows: *row..row + 1, columns: 0..self.n };
            take(&block, bytemuck::cast_slice(numbers))?;
        }
        Ok(())
    }
}
