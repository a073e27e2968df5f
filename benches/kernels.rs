//! Every kernel by the GPU's own clock, in tasks a second, and changes of layout, in entries a second: `cargo bench --bench kernels`.
//!
//! criterion believes the host's clock, which for a GPU measures a queue: each iteration is handed what events enclosed. These
//! figures are for who works on a kernel; those of papers and reports come from `repro run`, which keeps every sample.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use repro::device::cuda::CudaDevice;
use repro::device::{Device, DeviceError, HostBuffer};
use repro::graph::{DistanceMatrix, ElementType, RandomGraph, generate};
use repro::implementation::{
    Implementation, Parameters, PreparedSolve, Problem, Target, catalogue, cpu_parallel,
};
use repro::timing::{EventClock, Scope, Seconds};
use std::rc::Rc;
use std::time::Duration;

type Clock = fn(&Seconds) -> Option<f64>;

/// What is timed: its name, its sizes, what it takes of a sample, and how many elements of work that is.
type Timed = (&'static str, [usize; 2], Clock, fn(u64) -> u64);

const TIMED: [Timed; 2] = [
    ("kernels", [1024, 2048], kernel, |n| n.pow(3)),
    // No multiples of a tile: every layout but the plain one is then a change.
    ("layouts", [1000, 2000], layout, |n| n.pow(2)),
];

/// One implementation at one size, ready to be timed.
struct Ready {
    clock: EventClock,
    prepared: Box<dyn PreparedSolve>,
    input: HostBuffer,
    output: HostBuffer,
}

impl Ready {
    /// Also solves once and compares with the CPU's result: what is wrong is not timed.
    fn new(
        device: &Rc<dyn Device>,
        implementation: &Implementation,
        n: usize,
    ) -> Result<Option<Self>, DeviceError> {
        let parameters = Parameters::default();
        if implementation.launched_kernels(Target::default(), &parameters).is_none()
            || implementation.fits(n, &parameters).is_err()
        {
            return Ok(None);
        }
        let graph: DistanceMatrix =
            generate(&RandomGraph::complete(1), n).expect("a small graph fits into memory");
        let weights = graph.survey().weights.range;
        let problem = Problem::one(n, ElementType::F32, weights);
        let prepared = implementation.solver.prepare(&problem, std::slice::from_ref(device), &parameters)?;
        let bytes = problem.matrix_bytes();
        let (mut input, output) = (device.allocate_host(bytes)?, device.allocate_host(bytes)?);
        input.numbers_mut().copy_from_slice(graph.as_slice());
        let mut ready = Self { clock: EventClock::new(device)?, prepared, input, output };
        ready.time()?;
        let mut expected = graph.as_slice().to_vec();
        cpu_parallel::solve(&mut expected, n);
        let is_right = ready.output.numbers::<f32>() == expected;
        assert!(is_right, "{} at n = {n}: not the CPU's result", implementation.name);
        Ok(Some(ready))
    }

    fn time(&mut self) -> Result<Seconds, DeviceError> {
        self.prepared.run(&self.input, &mut self.output, &mut self.clock)?;
        self.clock.read()
    }

    /// Seconds of so many solves.
    fn sum(&mut self, solves: u64, of: Clock) -> Duration {
        let mut sum = 0.0;
        for _ in 0..solves {
            let seconds = self.time().expect("a solve that was right fails no more");
            sum += of(&seconds).expect("a sample has the usual scopes");
        }
        Duration::from_secs_f64(sum)
    }
}

fn measure(group: &mut BenchmarkGroup<WallTime>, id: BenchmarkId, ready: &mut Ready, of: Clock) {
    group.bench_function(id, |bencher| bencher.iter_custom(|solves| ready.sum(solves, of)));
}

/// All launches of one solve.
fn kernel(seconds: &Seconds) -> Option<f64> {
    seconds.get(Scope::Kernel)
}

/// Into the layout of an implementation and back.
fn layout(seconds: &Seconds) -> Option<f64> {
    Some((seconds.get(Scope::Device)? - seconds.get(Scope::Kernel)?).max(0.0))
}

fn on_device(criterion: &mut Criterion, device: &Rc<dyn Device>) -> Result<(), DeviceError> {
    device.compiler()?;
    for (name, sizes, of, elements) in TIMED {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).measurement_time(Duration::from_secs(2));
        for n in sizes {
            group.throughput(Throughput::Elements(elements(n as u64)));
            let mut known = Vec::new();
            for implementation in catalogue() {
                let Some(mut ready) = Ready::new(device, &implementation, n)? else { continue };
                let its = implementation
                    .launched_kernels(Target::default(), &Parameters::default())
                    .map(|set| set.layout);
                // One implementation stands for a layout, and one that works in place changes none.
                if name == "layouts" && (its.is_none_or(|its| its.is_in_place(n)) || known.contains(&its)) {
                    continue;
                }
                known.push(its);
                measure(&mut group, BenchmarkId::new(&*implementation.name, n), &mut ready, of);
            }
        }
    }
    Ok(())
}

fn kernels(criterion: &mut Criterion) {
    let ran = CudaDevice::open(0).and_then(|device| {
        let device: Rc<dyn Device> = Rc::new(device);
        on_device(criterion, &device)
    });
    if let Err(error) = ran {
        eprintln!("kernels: not timed: {error}");
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
