//! Collecting: every subject on the emulated device, every kernel file through NVRTC and the disassembler, some at a time.

use super::baseline::Baseline;
use super::figure::{Figure, KernelFigures, Tool};
use super::subject::Subject;
use super::{ARCHITECTURE, emulated, machine_code};
use crate::device::DeviceError;
use crate::device::cuda::{Disassembler, Nvrtc, find_nvrtc};
use crate::device::emulated::{Toolchain, toolchain};
use crate::measure::Observer;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// The version of each tool, or why it is not here, in one line.
pub type Tools = BTreeMap<Tool, Result<String, String>>;

/// What could not be collected although the tools are here: a kernel that does not compile, a wrong result.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    pub implementation: String,
    pub params: String,
    /// Whose figures are missing for it.
    pub tools: Vec<Tool>,
    /// One line.
    pub message: String,
}

/// What was collected.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    pub tools: Tools,
    pub figures: KernelFigures,
    pub failed: Vec<Failed>,
}

impl Collection {
    /// Whether `tool` reported anything.
    pub fn has(&self, tool: Tool) -> bool {
        self.tools.get(&tool).is_some_and(Result::is_ok)
    }
}

/// The tools of this machine.
struct Bench {
    nvrtc: Result<Nvrtc, DeviceError>,
    disassembler: Result<Disassembler, DeviceError>,
    toolchain: Result<Toolchain, DeviceError>,
}

impl Bench {
    fn find() -> Self {
        let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found)).and_then(|nvrtc| {
            let known = nvrtc.architectures().iter().any(|known| format!("sm_{known}") == ARCHITECTURE);
            if known {
                return Ok(nvrtc);
            }
            Err(DeviceError::unavailable(format!(
                "NVRTC {} does not compile for {ARCHITECTURE}: point REPRO_NVRTC to another, or run scripts/fetch nvrtc",
                nvrtc.version()
            )))
        });
        let disassembler = match &nvrtc {
            Ok(_) => Disassembler::find(),
            Err(_) => Err(DeviceError::unavailable("without NVRTC there is nothing to disassemble")),
        };
        Self { nvrtc, disassembler, toolchain: toolchain() }
    }

    fn versions(&self) -> Tools {
        let why = |error: &DeviceError| error.message.clone();
        [
            (Tool::Emulated, self.toolchain.as_ref().map(|it| it.version().to_string()).map_err(why)),
            (Tool::Nvrtc, self.nvrtc.as_ref().map(Nvrtc::version).map_err(why)),
            (Tool::Disassembler, self.disassembler.as_ref().map(|it| it.version().to_string()).map_err(why)),
        ]
        .into()
    }

    /// What `baseline` has of machine code that the tools here report too; nothing where its NVRTC is another, which gives other code
    /// anyway.
    fn known(&self, baseline: Option<&Baseline>) -> KernelFigures {
        let version = self.nvrtc.as_ref().ok().map(Nvrtc::version);
        let is_of_this = |baseline: &&Baseline| baseline.tools.get(&Tool::Nvrtc) == version.as_ref();
        let mut known = baseline.filter(is_of_this).map(|it| it.figures.clone()).unwrap_or_default();
        let is_told = |figure: &Figure| match figure.tool() {
            Tool::Nvrtc => true,
            Tool::Disassembler => self.disassembler.is_ok(),
            Tool::Emulated => false,
        };
        known.values_mut().for_each(|figures| figures.retain(|figure, _| is_told(figure)));
        known
    }
}

/// One subject on one side.
struct Job<'a> {
    subject: &'a Subject,
    /// Solve the graph; otherwise compile.
    emulate: bool,
}

/// Collects every figure of `subjects` that the tools of this machine report. A kernel file that several subjects of one name
/// share is compiled for the first of them. Machine code is compared with that of `baseline`, if it is of this NVRTC: kernels of
/// which a compilation gives other figures are compiled again.
///
/// # Errors
/// When there is no memory for the graph that is solved, or the reference is wrong.
pub fn collect(
    subjects: &[Subject],
    baseline: Option<&Baseline>,
    observer: &mut dyn Observer,
) -> Result<Collection, DeviceError> {
    let bench = Bench::find();
    let known = bench.known(baseline);
    let jobs = jobs(subjects, &bench);
    let mut collection =
        Collection { tools: bench.versions(), figures: KernelFigures::new(), failed: Vec::new() };
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    observer.progress("compiling", 0, jobs.len(), None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            let (jobs, next, bench, known) = (&jobs, &next, &bench, &known);
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Nobody receives when the collector is gone, and then nobody misses it.
                    let _ = sender.send((job, job.run(bench, known)));
                }
            });
        }
        drop(sender);
        for (done, (job, result)) in receiver.iter().enumerate() {
            observer.progress(&job.subject.name, done + 1, jobs.len(), None);
            match result {
                Ok(figures) => {
                    for (key, figures) in figures {
                        collection.figures.entry(key).or_default().extend(figures);
                    }
                }
                Err(error) => collection.failed.push(job.failed(error)),
            }
        }
    });
    // In the order of their names, whichever came first.
    collection.failed.sort_by(|a, b| {
        (&a.implementation, &a.params, &a.tools).cmp(&(&b.implementation, &b.params, &b.tools))
    });
    Ok(collection)
}

fn jobs<'a>(subjects: &'a [Subject], bench: &Bench) -> Vec<Job<'a>> {
    let mut jobs: Vec<Job> = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        let same = |other: &Subject| other.name == subject.name && other.source == subject.source;
        if bench.nvrtc.is_ok() && !subjects[..index].iter().any(same) {
            jobs.push(Job { subject, emulate: false });
        }
        if bench.toolchain.is_ok() && subject.implementation.is_some() {
            jobs.push(Job { subject, emulate: true });
        }
    }
    jobs
}

impl Job<'_> {
    fn run(&self, bench: &Bench, known: &KernelFigures) -> Result<KernelFigures, DeviceError> {
        match (self.emulate, &self.subject.implementation, &bench.nvrtc) {
            (true, Some(implementation), _) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| {
                    DeviceError::other(format!("no thread to run kernels in ({error}): stop something else"))
                })?;
                pool.install(|| emulated::figures(self.subject, implementation))
            }
            (false, _, Ok(nvrtc)) => {
                machine_code::figures(self.subject, nvrtc, bench.disassembler.as_ref().ok(), known)
            }
            _ => Ok(KernelFigures::new()),
        }
    }

    fn failed(&self, error: DeviceError) -> Failed {
        Failed {
            implementation: self.subject.name.clone(),
            params: self.subject.parameters.to_string(),
            tools: if self.emulate { vec![Tool::Emulated] } else { vec![Tool::Nvrtc, Tool::Disassembler] },
            message: error.message,
        }
    }
}
