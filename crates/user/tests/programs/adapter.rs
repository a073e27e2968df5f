//! An adapter in plain Python, and the graph that it solves.

use repro_device::{DeviceError, HostBuffer};
use repro_graph::{ElementType, WeightRange};
use repro_solvers::{Clock, Implementation, ImplementationFile, Parameters, Problem, TimingPoint};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// An adapter in plain Python: what each function does is replaced in hostile ones.
pub const RIGHT: &str = include_str!("adapter.py");

pub const SERVE: &str = r#"
for line in sys.stdin:
    (name, about), = json.loads(line).items()
    if name == "solve": solve()
    else: {"load": load, "store": store}[name](about)
"#;

/// A right adapter but for what `change` defines again.
pub fn adapter(change: &str) -> (TempDir, Implementation) {
    with_program(&format!("{RIGHT}{change}{SERVE}"), "")
}

pub fn with_program(script: &str, more: &str) -> (TempDir, Implementation) {
    let command = r#"command = ["python3", "{adapters}/adapter.py"]"#;
    of_table(script, &format!("{command}\nprotocol = true\n{more}"))
}

pub fn of_table(script: &str, table: &str) -> (TempDir, Implementation) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("adapter.py"), script).unwrap();
    let text = format!("name = \"a\"\nsummary = \"b\"\nfrom = \"c\"\n[program]\n{table}");
    let found = described(text, folder.path());
    (folder, found)
}

/// What a file of this text in this folder describes.
pub fn described(text: String, folder: &Path) -> Implementation {
    let (file, name, sources) = ("own.toml".to_string(), String::new(), Vec::new());
    let given = ImplementationFile { file, folder: folder.into(), name, text, sources, cubin: None };
    repro_user::implementation(&given).unwrap()
}

/// Writes down what it is called with.
#[derive(Default)]
pub struct Noted {
    pub points: Vec<TimingPoint>,
    pub at: Vec<Instant>,
    pub own: Option<f64>,
    /// How long it takes to start.
    pub slow_to_start: Duration,
}

impl Noted {
    /// From the first point to the last.
    pub fn whole(&self) -> Duration {
        self.at[self.at.len() - 1] - self.at[0]
    }
}

impl Clock for Noted {
    fn record_point(
        &mut self,
        point: TimingPoint,
        _: &[&dyn repro_device::Queue],
    ) -> Result<(), DeviceError> {
        if point == TimingPoint::Start {
            std::thread::sleep(self.slow_to_start);
        }
        self.points.push(point);
        self.at.push(Instant::now());
        Ok(())
    }

    fn own_seconds(&mut self, seconds: f64) {
        self.own = Some(seconds);
    }
}

pub const NO_EDGE: f32 = f32::INFINITY;
/// With an edge of no weight and a vertex that nothing leads to.
pub const GRAPH: [f32; 16] = [
    0.0, 0.0, 7.0, NO_EDGE, //
    NO_EDGE, 0.0, 2.0, NO_EDGE, //
    1.0, NO_EDGE, 0.0, NO_EDGE, //
    NO_EDGE, 5.0, NO_EDGE, 0.0,
];
pub const DISTANCES: [f32; 16] =
    [0.0, 0.0, 2.0, NO_EDGE, 3.0, 0.0, 2.0, NO_EDGE, 1.0, 1.0, 0.0, NO_EDGE, 8.0, 5.0, 7.0, 0.0];

pub fn problem(element: ElementType) -> Problem {
    let weights =
        WeightRange { largest: 7.0, negative: false, complete: false, grain: 1.0, symmetric: false };
    Problem::one(4, element, weights)
}

pub fn solve(found: &Implementation) -> Result<(Vec<f32>, Noted), DeviceError> {
    solve_graph(found, &GRAPH)
}

pub fn solve_graph(found: &Implementation, weights: &[f32; 16]) -> Result<(Vec<f32>, Noted), DeviceError> {
    solve_under(found, weights, Noted::default())
}

pub fn solve_under(
    found: &Implementation,
    weights: &[f32; 16],
    mut clock: Noted,
) -> Result<(Vec<f32>, Noted), DeviceError> {
    let problem = problem(ElementType::F32);
    let mut prepared = found.solver.prepare(&problem, &[], &Parameters::default())?;
    let mut graph = HostBuffer::pageable(64).unwrap();
    graph.numbers_mut::<f32>().copy_from_slice(weights);
    let mut distances = HostBuffer::pageable(64).unwrap();
    distances.numbers_mut::<f32>().fill(f32::NAN);
    prepared.run(&graph, &mut distances, &mut clock)?;
    prepared.collect()?;
    Ok((distances.numbers::<f32>().to_vec(), clock))
}

pub fn failure(found: &Implementation) -> String {
    let begin = Instant::now();
    let error = solve(found).err().expect("it did not fail").to_string();
    assert!(begin.elapsed() < Duration::from_secs(10), "{error}");
    assert!(!error.contains('\n'), "{error}");
    error
}
