//! An implementation whose matrix is sharded over the devices of one process, in host memory: it solves row by row.

use repro::device::{Device, DeviceError, HostBuffer, Queue};
use repro::graph::Blocks;
use repro::implementation::{
    Block, BlockSink, Capabilities, Clock, Cost, DeviceTimes, Devices, Implementation, Parameter, Parameters,
    PreparedSolve, Problem, Scope, ShardedSolve, Solver, TimingPoint, register_unlisted,
};
use std::rc::Rc;
use std::sync::Once;

/// What no solve takes less than, as it says of itself.
pub const FLOOR_S: f64 = 1.0;
const NAME: &str = "double-sharded";

const DEVICES: Parameter = Parameter::new("devices", "how many share the matrix", 1, 1..=8);
const FAULT: Parameter = Parameter::new("fault", "what goes wrong, as numbered below", 0, 0..=4);

/// One number is wrong, in a row that is compared.
const WRONG_ROW: u32 = 1;
/// One number is wrong where nobody looks.
const WRONG_ELSEWHERE: u32 = 2;
/// Half of the last row is on no device.
const LACKING: u32 = 3;
/// No device has so much memory.
const TOO_LARGE: u32 = 4;

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
        let bytes = if FAULT.value_in(parameters) == TOO_LARGE { u64::MAX } else { part };
        Cost { floor_seconds: FLOOR_S, ..Cost::new(problem, bytes) }
    }

    fn prepare(
        &self,
        problem: &Problem,
        devices: &Devices,
        parameters: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        assert_eq!(devices.len(), DEVICES.value_in(parameters) as usize);
        let (devices, fault) = (devices.to_vec(), FAULT.value_in(parameters));
        Ok(Box::new(Parts { n: problem.n, devices, matrix: Vec::new(), fault }))
    }
}

struct Parts {
    n: usize,
    devices: Vec<Rc<dyn Device>>,
    matrix: Vec<f32>,
    fault: u32,
}

impl Parts {
    fn reached(&self, point: TimingPoint, clock: &mut dyn Clock) -> Result<(), DeviceError> {
        let queues: Vec<&dyn Queue> = self.devices.iter().map(|device| device.queue()).collect();
        clock.record_point(point, &queues)
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
        8
    }

    fn transport(&self) -> Option<String> {
        Some("nothing".into())
    }

    fn blocks(&self) -> Vec<Block> {
        vec![Block { rows: 0..self.n, columns: 0..self.n }]
    }

    fn load(&mut self, graph: &dyn Blocks) -> Result<(), DeviceError> {
        let n = self.n;
        self.matrix = vec![0.0; n * n];
        let read = graph.read(0..n, 0..n, n, bytemuck::cast_slice_mut(&mut self.matrix));
        read.map_err(|error| DeviceError::other(error.to_string()))
    }

    fn solve(&mut self, vertices: usize, clock: &mut dyn Clock) -> Result<Vec<DeviceTimes>, DeviceError> {
        self.reached(TimingPoint::Packed, clock)?;
        let n = self.n;
        for k in 0..vertices {
            let row_k = self.matrix[k * n..][..n].to_vec();
            for row in self.matrix.chunks_mut(n) {
                let to = row[k];
                row.iter_mut().zip(&row_k).for_each(|(entry, from)| *entry = entry.min(to + from));
            }
        }
        self.reached(TimingPoint::Solved, clock)?;
        if self.fault == WRONG_ROW {
            self.matrix[n - 1] += 1.0;
        }
        Ok(Vec::new())
    }

    fn row(&mut self, row: usize) -> Result<Vec<(usize, Vec<u8>)>, DeviceError> {
        let n = self.n;
        let first = if self.fault == LACKING && row == n - 1 { n / 2 } else { 0 };
        let numbers = &self.matrix[row * n..][..n];
        Ok(vec![(first, bytemuck::cast_slice(&numbers[first..]).to_vec())])
    }

    fn digest(&mut self) -> Result<u64, DeviceError> {
        // As of a number that is wrong in a row that nobody asks for.
        let is_wrong = self.fault == WRONG_ELSEWHERE;
        let mixed = self.matrix.iter().zip(1_u64..).map(|(number, place)| {
            let mixed = (place << 32 | u64::from(number.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        });
        Ok(mixed.fold(u64::from(is_wrong), u64::wrapping_add))
    }

    fn store(&mut self, take: &mut BlockSink) -> Result<(), DeviceError> {
        take(&Block { rows: 0..self.n, columns: 0..self.n }, bytemuck::cast_slice(&self.matrix))
    }
}
