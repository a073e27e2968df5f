//! Implementations from outside of the crate: a CPU solver that an example registers, and a fake one on two devices.

mod common;

use common::{column, csv, stderr, stdout};
use repro::device::emulated::Instruments;
use repro::device::{
    Argument, Buffer, Device, DeviceError, HostBuffer, Kernel, KernelSource, Launch, Priority, Queue,
    Selection,
};
use repro::graph::ElementType;
use repro::implementation::{
    Abilities, Clock, Implementation, Machine, Method, Parameters, Point, Prepared, Problem, Scope, Traffic,
    register,
};
use repro::measure::this_build;
use repro::measure::{
    Answer, Executor, NoReply, Observer, Outcome, Reply, Request, RightResult, Runner, Sampled, Session,
};
use repro::plan::{ExperimentFile, Overrides, resolve};
use repro::store::Journal;
use repro::store::cells;
use repro::store::{Manifest, SampleRow, Status, Verification};
use repro::timing::Seconds;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::sync::Once;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[test]
fn an_example_registers_an_implementation_and_has_it_run_verified_and_recorded() {
    let example =
        assert_cmd::cargo::cargo_bin!("repro").with_file_name("examples").join("own_implementation");
    assert!(example.exists(), "{} is missing: cargo build --examples", example.display());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = Command::new(&example);
    command.args([
        "run",
        "examples/own_implementation.toml",
        "--sizes",
        "1,33,64",
        "--device",
        "cpu",
        "--out",
    ]);
    let output = command.arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("min-plus-squaring"), "{}", stdout(&output));
    let samples = out.join("samples.csv");
    let (names, statuses) = (column(&samples, "implementation"), column(&samples, "status"));
    let verified = column(&samples, "verified");
    for own in (0..names.len()).filter(|&row| names[row] == "min-plus-squaring") {
        assert_eq!((statuses[own].as_str(), verified[own].as_str()), ("ok", "true"));
    }
    let graphs: std::collections::BTreeSet<String> = column(&samples, "graph").into_iter().collect();
    assert_eq!(graphs.into_iter().collect::<Vec<_>>(), ["", "i32", "u16"]);
    let listed = Command::new(&example).arg("list").output().unwrap();
    assert!(stdout(&listed).contains("min-plus-squaring"));
    let lines = std::fs::read_to_string("examples/own_implementation.rs").unwrap().lines().count();
    assert!(lines < 60, "{lines} lines");
}

const NAME: &str = "two-halves";
const FLOOR_S: f64 = 1.0;

/// Relaxes some rows through vertex k, whose row is given; their element k stays as it is, since d[k][k] is 0.
const KERNEL: &str = "extern \"C\" __global__ void relax_rows(float *rows, const float *row_k, int n, int k) {\n\
    const int i = blockIdx.x, j = threadIdx.x + blockIdx.y * blockDim.x;\n\
    const float to = rows[(size_t)i * n + k];\n\
    if (j < n && j != k) rows[(size_t)i * n + j] = fminf(rows[(size_t)i * n + j], to + row_k[j]);\n\
}\n";

/// Half of the rows on each of two devices; row k is sent to both before they are relaxed through it.
struct TwoHalves;

/// One device's share.
struct Half {
    rows: Buffer,
    row_k: Buffer,
    kernel: Kernel,
    /// The matrix's rows that it has.
    first: usize,
    count: usize,
    /// Sends rows, beside the queue that relaxes them.
    sender: Box<dyn Queue>,
    device: Rc<dyn Device>,
}

struct PreparedHalves {
    halves: [Half; 2],
    n: usize,
}

impl Method for TwoHalves {
    fn abilities(&self, _: &Parameters) -> Abilities {
        Abilities {
            elements: (&[ElementType::F32]).into(),
            devices: 2..=2,
            scopes: (&Scope::USUAL).into(),
            is_cubic: true,
        }
    }

    fn bytes(&self, problem: &Problem, _: &Parameters) -> u64 {
        (problem.matrix_bytes() / 2 + problem.n * problem.element.bytes()) as u64
    }

    fn floor_seconds(&self, _: &Problem, _: &Parameters) -> f64 {
        FLOOR_S
    }

    fn prepare(
        &self,
        problem: &Problem,
        machine: Machine,
        _: &Parameters,
    ) -> Result<Box<dyn Prepared>, DeviceError> {
        let [one, other] = machine.devices else { panic!("asked for two devices") };
        one.reach(&**other)?;
        other.reach(&**one)?;
        let n = problem.n;
        let half = |device: &Rc<dyn Device>, first: usize, count: usize| {
            let mut kernels =
                device.load(&KernelSource::embedded("two_halves.cu", KERNEL), &["relax_rows"])?;
            Ok(Half {
                rows: device.allocate((count * n * 4).max(4))?,
                row_k: device.allocate(n * 4)?,
                kernel: kernels.remove(0),
                first,
                count,
                sender: device.new_queue(Priority::High)?,
                device: device.clone(),
            })
        };
        let top = n.div_ceil(2);
        let halves: Result<[Half; 2], DeviceError> =
            half(one, 0, top).and_then(|first| Ok([first, half(other, top, n - top)?]));
        Ok(Box::new(PreparedHalves { halves: halves?, n }))
    }
}

impl PreparedHalves {
    /// Rows `first..` of the matrix as they lie in host memory, through a buffer of the half's size.
    fn copy(&self, host: &mut [f32], up: bool) -> Result<(), DeviceError> {
        for half in self.halves.iter().filter(|half| half.count > 0) {
            let part = &mut host[half.first * self.n..][..half.count * self.n];
            let mut buffer = half.device.allocate_host(part.len() * 4)?;
            if up {
                buffer.numbers_mut().copy_from_slice(part);
                half.device.queue().upload(&buffer, half.rows.whole())?;
            } else {
                half.device.queue().download(half.rows.whole(), &mut buffer)?;
                part.copy_from_slice(buffer.numbers());
            }
        }
        Ok(())
    }

    /// Sends row k to both halves and relaxes their rows through it.
    fn relax(&self, k: usize) -> Result<(), DeviceError> {
        let n = self.n;
        let owner =
            self.halves.iter().find(|half| (half.first..half.first + half.count).contains(&k)).unwrap();
        let row = owner.rows.part((k - owner.first) * n * 4..(k - owner.first + 1) * n * 4);
        // Nothing is sent while a row of before is read, nor before row k has been relaxed.
        for half in &self.halves {
            let idle = half.device.queue().event()?;
            half.device.queue().record(&idle)?;
            owner.sender.wait(&idle)?;
        }
        for half in &self.halves {
            owner.sender.copy(row.clone(), half.row_k.whole())?;
        }
        let sent = owner.sender.event()?;
        owner.sender.record(&sent)?;
        for half in self.halves.iter().filter(|half| half.count > 0) {
            let queue = half.device.queue();
            queue.wait(&sent)?;
            let [n, k] = [n, k].map(|integer| Argument::Int(integer as i32));
            let arguments = [Argument::Buffer(&half.rows), Argument::Buffer(&half.row_k), n, k];
            let launch = Launch::rows_of((half.count, self.n.div_ceil(64)), 64);
            // SAFETY: the kernel takes two buffers and two numbers, and stays within `count` rows of n.
            unsafe { queue.launch(&half.kernel, launch, &arguments)? };
        }
        Ok(())
    }
}

impl Prepared for PreparedHalves {
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let mut matrix = graph.numbers::<f32>()[..self.n * self.n].to_vec();
        let devices = [self.halves[0].device.clone(), self.halves[1].device.clone()];
        let queues = [devices[0].queue(), devices[1].queue()];
        clock.reached(Point::Start, &queues)?;
        self.copy(&mut matrix, true)?;
        clock.reached(Point::CopiedIn, &queues)?;
        clock.reached(Point::Packed, &queues)?;
        (0..self.n).try_for_each(|k| self.relax(k))?;
        clock.reached(Point::Solved, &queues)?;
        clock.reached(Point::Unpacked, &queues)?;
        self.copy(&mut matrix, false)?;
        distances.numbers_mut()[..self.n * self.n].copy_from_slice(&matrix);
        clock.reached(Point::CopiedOut, &queues)
    }

    fn collect(&mut self) -> Result<(), DeviceError> {
        self.halves.iter().try_for_each(|half| half.device.queue().synchronize())
    }
}

const EXPERIMENT: &str = "title = \"Two halves\"
graph = { density = 0.3, max_weight = 100, seed = 1 }
sampling = { min_samples = 3, max_samples = 3, precision = 0.1, budget_s = 9.0 }
limits = { warm_up_s = 0.0, sample_s = 60.0, full_cell_s = 60.0, whole_reference_n = 512, reference_rows = 8 }
emulated = { sizes = [1, 33, 70] }

[[cells]]
implementation = \"two-halves\"
sizes = [512]
";

/// A run of the experiment; how it ended and its samples.
fn run_with(executor: &mut dyn Executor, folder: &Path, device: Selection) -> (Outcome, Vec<SampleRow>) {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let implementation = Implementation {
            name: NAME.into(),
            summary: "half of the rows on each of two devices".into(),
            source: "a test".into(),
            traffic: Traffic::EVERY_TASK,
            parameters: (&[]).into(),
            method: Box::new(TwoHalves),
        };
        register(implementation).unwrap();
    });
    let file = ExperimentFile::parse("two-halves", "two-halves.toml", EXPERIMENT).unwrap();
    let manifest = Manifest::new(
        this_build(),
        resolve(&file, &Overrides::default(), device).unwrap(),
        Vec::new(),
        "2026-01-01T00:00:00Z".into(),
    );
    let mut journal = Journal::create(folder, manifest).unwrap();
    let outcome = Runner::new(executor, &mut journal, &mut Silent, &AtomicBool::new(false)).run().unwrap();
    assert!(!cells(journal.manifest()).is_empty());
    (outcome, journal.samples().to_vec())
}

struct Silent;

impl Observer for Silent {
    fn note(&mut self, _: &str) {}
    fn progress(&mut self, _: &str, _: usize, _: usize, _: Option<f64>) {}
}

/// A worker in this process.
#[derive(Default)]
struct Here(Session);

impl Executor for Here {
    fn ask(&mut self, request: &Request, _: Duration) -> Answer {
        self.0.answer(request).map_err(NoReply::Refused)
    }

    fn ask_fresh(&mut self, request: &Request, _: Duration) -> Answer {
        Session::default().answer(request).map_err(NoReply::Refused)
    }
}

#[test]
fn two_emulated_devices_with_rows_sent_between_them_are_run_verified_and_counted() {
    common::emulated(Instruments::NONE);
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let (outcome, samples) = run_with(&mut Here::default(), &run, Selection::Emulated(None));
    assert_eq!(outcome, Outcome::Finished { failed: 0 });
    let counted: Vec<_> = samples.iter().map(|row| (row.n, row.status, row.verified)).collect();
    assert_eq!(counted, [1, 33, 70].map(|n| (n, Status::Counted, true)));
    // A launch a vertex and device that has rows; of one vertex the second has none.
    let launches: Vec<String> = column(&run.join("counts.csv"), "launches");
    assert_eq!(launches, ["1", "66", "140"]);
    assert_eq!(csv(&run.join("samples.csv")).1.len(), 3);
}

#[test]
fn a_floor_of_its_own_makes_shorter_times_impossible_and_no_longer_ones() {
    for (seconds, status) in [(0.5 * FLOOR_S, Status::Impossible), (1.5 * FLOOR_S, Status::Ok)] {
        let folder = tempfile::tempdir().unwrap();
        let mut script = common::script::Script::new(|name, n, _| {
            assert_eq!((name, n), (NAME, 512));
            let result = RightResult { verification: Verification::EXACT, digest: "0".repeat(32) };
            Ok(Reply::Sampled(Box::new(Sampled {
                seconds: Seconds::same(seconds),
                result,
                ..Sampled::default()
            })))
        });
        let (_, samples) = run_with(&mut script, &folder.path().join("run"), Selection::Cuda(None));
        assert!(samples.iter().all(|row| row.status == status), "{seconds}: {:?}", samples[0]);
        let told = samples[0].message.contains("less than the 1.000e0 s");
        assert_eq!(told, status == Status::Impossible, "{}", samples[0].message);
    }
}

/// On one machine with two devices `REPRO_TEST_CUDA=0,1`; `0,0` stands for two on one.
#[test]
#[ignore = "needs the CUDA devices that REPRO_TEST_CUDA names"]
fn two_cuda_devices_find_the_cpus_distances_every_time() {
    use repro::device::cuda::CudaDevice;
    use repro::graph::{DistanceMatrix, RandomGraph, generate, weight_range};
    use repro::implementation::cpu_parallel;
    use repro::timing::EventClock;
    let named = std::env::var("REPRO_TEST_CUDA").expect("REPRO_TEST_CUDA=0,1");
    let open = |ordinal: &str| Rc::new(CudaDevice::open(ordinal.parse().unwrap()).unwrap()) as Rc<dyn Device>;
    let devices: Vec<Rc<dyn Device>> = named.split(',').map(open).collect();
    for n in [1, 33, 70, 257, 500] {
        let graph: DistanceMatrix = generate(&RandomGraph::complete(7), n).unwrap();
        let weights = weight_range(&graph);
        let problem = Problem::one(n, ElementType::F32, weights);
        let mut prepared =
            TwoHalves.prepare(&problem, Machine::of(&devices), &Parameters::default()).unwrap();
        let mut expected = graph.as_slice().to_vec();
        cpu_parallel::solve(&mut expected, n);
        let mut input = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
        input.numbers_mut().copy_from_slice(graph.as_slice());
        for _ in 0..3 {
            let mut output = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
            let mut clock = EventClock::new(&devices[0]).unwrap();
            prepared.run(&input, &mut output, &mut clock).unwrap();
            prepared.collect().unwrap();
            assert!(output.numbers::<f32>() == expected, "n = {n}");
            let seconds = clock.read().unwrap().get(Scope::Kernel).unwrap();
            assert!(seconds > 0.0, "n = {n}: {seconds} s");
            eprintln!("n = {n}: {:.3} ms", seconds * 1e3);
        }
    }
}
