//! One emulated device: its memory, its kernels and what was seen of its launches.

use crate::counts::LaunchCounts;
use crate::finding::{Finding, FindingKind, Findings};
use crate::launch::{self, Job, Order};
use crate::memory::{DeviceMemory, Memory};
use crate::module::{Entry, Module};
use crate::toolchain::Toolchain;
use crate::{Arguments, EmulatorError, Launch, Source, Stream, stream};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::{Rc, Weak};

/// Shared memory of fixed size that a kernel may have, as ptxas allows on every GPU since 2010.
const MOST_STATIC_SHARED_BYTES: u64 = 48 << 10;
/// Blocks a cluster, where a kernel asks for more than the eight that every such GPU has.
const MOST_CLUSTER_BLOCKS: u64 = 16;
/// Threads a block, as on every GPU since 2010.
const MOST_THREADS: u32 = 1024;

/// What the device watches while kernels run. With neither, kernels run as plain compiled code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruments {
    /// Look for accesses outside of allocations or at addresses where a GPU faults, races, reads of what nothing wrote, and
    /// barriers not all threads reach.
    pub check: bool,
    /// Count accesses, transactions, bank conflicts and barriers.
    pub count: bool,
}

impl Instruments {
    /// Runs kernels as plain code.
    pub const NONE: Self = Self { check: false, count: false };
    /// Looks for mistakes.
    pub const CHECK: Self = Self { check: true, count: false };
    /// Counts. An access outside of every allocation is still found.
    pub const COUNT: Self = Self { check: false, count: true };
    /// Looks for mistakes and counts.
    pub const ALL: Self = Self { check: true, count: true };

    pub(crate) fn any(self) -> bool {
        self.check || self.count
    }
}

/// Compute capabilities (major, minor) that can be emulated, each with the most bytes of shared memory that a block may have
/// when the launch gives its size (CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability").
pub const CAPABILITIES: [((u32, u32), u32); 10] = [
    ((7, 5), 64 << 10),
    ((8, 0), 163 << 10),
    ((8, 6), 99 << 10),
    ((8, 7), 163 << 10),
    ((8, 9), 99 << 10),
    ((9, 0), 227 << 10),
    ((10, 0), 227 << 10),
    ((10, 3), 227 << 10),
    ((12, 0), 99 << 10),
    ((12, 1), 99 << 10),
];

/// What an emulated device is, and what it watches.
#[derive(Clone, Debug)]
pub struct Options {
    /// What it watches.
    pub instruments: Instruments,
    /// The compute capability that kernels are compiled for: what it has and what it allows. One of [`CAPABILITIES`].
    pub capability: (u32, u32),
    /// The order in which blocks and threads have their turns. 0: as they are numbered, with the blocks spread over all cores.
    /// 1: from the last to the first. 2 and more: shuffled, a different way for each seed. All but 0 run on one core, so that
    /// a run with the same seed repeats.
    pub seed: u64,
    /// Multiprocessors. At most 1,024 threads for each of them are resident at once, or one cluster.
    pub multiprocessors: u32,
    /// Where compiled kernels are kept.
    pub cache: PathBuf,
}

impl Options {
    /// A device of two multiprocessors with these instruments, which keeps compiled kernels in the system's folder for
    /// temporary files.
    pub fn new(instruments: Instruments) -> Self {
        Self {
            instruments,
            capability: (9, 0),
            seed: 0,
            multiprocessors: 2,
            cache: std::env::temp_dir().join("repro-emulator"),
        }
    }
}

/// An emulated CUDA device.
pub struct Emulator {
    toolchain: Toolchain,
    pub(crate) state: Rc<State>,
}

/// The allocations of one device.
type Memories = Rc<RefCell<Vec<Weak<Memory>>>>;

/// What a device and its streams share.
pub(crate) struct State {
    options: Options,
    memories: Memories,
    /// Those of the other devices that this one reaches.
    reached: RefCell<Vec<Memories>>,
    counts: RefCell<Vec<LaunchCounts>>,
    findings: RefCell<Findings>,
    /// Why a launch could not be run to its end.
    problem: RefCell<Option<String>>,
}

/// A kernel of a loaded file.
#[derive(Clone)]
pub struct Kernel {
    name: Rc<str>,
    module: Rc<Module>,
    entry: Entry,
}

impl Kernel {
    /// Its name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of each of its parameters.
    pub fn parameter_bytes(&self) -> &[usize] {
        &self.entry.parameters
    }
}

impl Emulator {
    /// Opens a device.
    ///
    /// # Errors
    /// When there is no C++ compiler, this is not Linux, or the capability is none of [`CAPABILITIES`].
    pub fn open(options: Options) -> Result<Self, EmulatorError> {
        if !CAPABILITIES.iter().any(|(known, _)| *known == options.capability) {
            let (major, minor) = options.capability;
            let known = CAPABILITIES.map(|((major, minor), _)| format!("{major}.{minor}")).join(", ");
            return Err(EmulatorError::refused(format!(
                "compute capability {major}.{minor} cannot be emulated: choose one of {known}"
            )));
        }
        let toolchain = Toolchain::find()?;
        let state = Rc::new(State {
            options,
            memories: Memories::default(),
            reached: RefCell::default(),
            counts: RefCell::default(),
            findings: RefCell::default(),
            problem: RefCell::default(),
        });
        Ok(Self { toolchain, state })
    }

    /// What the device was opened with.
    pub fn options(&self) -> &Options {
        &self.state.options
    }

    /// The compute capability that kernels are compiled for.
    pub fn capability(&self) -> (u32, u32) {
        self.state.options.capability
    }

    /// Bytes of shared memory that a block may have when the launch gives its size.
    pub fn most_dynamic_shared_bytes(&self) -> u32 {
        self.state.most_dynamic_shared_bytes()
    }

    /// The most threads that a block, and a multiprocessor of the emulated device, may have.
    pub fn most_threads(&self) -> u32 {
        MOST_THREADS
    }

    /// The compiler that makes libraries of kernels.
    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// Bytes of host memory that one byte of device memory takes, with what the checker keeps about it.
    pub fn host_bytes_a_byte(&self) -> u64 {
        // The shadow of a word takes sixteen words.
        if self.state.options.instruments.check { 24 } else { 1 }
    }

    /// Memory whose bytes nothing wrote.
    ///
    /// # Errors
    /// When the host has not as much.
    pub fn allocate(&self, bytes: usize) -> Result<DeviceMemory, EmulatorError> {
        let memory = Memory::allocate(bytes, self.state.options.instruments.check).ok_or_else(|| {
            EmulatorError::OutOfMemory { what: "an emulated buffer".to_string(), bytes: bytes as u64 }
        })?;
        let memory = Rc::new(memory);
        let mut known = self.state.memories.borrow_mut();
        known.retain(|weak| weak.strong_count() > 0);
        if known.len() >= usize::from(u16::MAX) {
            return Err(EmulatorError::refused("more than 65534 buffers at once on the emulated device"));
        }
        known.push(Rc::downgrade(&memory));
        Ok(DeviceMemory(memory))
    }

    /// Compiles `source`, or finds what was compiled of it earlier, and loads the kernels of these names, in this order.
    /// A name is that of an `extern "C"` kernel, or a mangled one (then `c++filt` must be installed).
    ///
    /// # Errors
    /// When the file does not compile or uses what is not emulated, or the cache folder cannot be written.
    pub fn load(&self, source: &Source, kernels: &[&str]) -> Result<Vec<Kernel>, EmulatorError> {
        let path = self.toolchain.library(source, kernels, &self.state.options)?;
        let checked = self.state.options.instruments.check;
        let module = Module::load(&path, source, checked).inspect_err(|_| {
            // Kept, it would fail every time; the next load compiles it again.
            let _ = std::fs::remove_file(&path);
        })?;
        let module = Rc::new(module);
        let load = |name: &&str| {
            Ok(Kernel { name: (*name).into(), module: module.clone(), entry: module.entry(name)? })
        };
        kernels.iter().map(load).collect()
    }

    /// A stream of its own.
    pub fn stream(&self) -> Stream {
        Stream::of(self.state.clone())
    }

    /// Lets kernels of this device use the memory of `other` from here on, as peer access does.
    pub fn reach(&self, other: &Emulator) {
        let mut reached = self.state.reached.borrow_mut();
        if !reached.iter().any(|known| Rc::ptr_eq(known, &other.state.memories)) {
            reached.push(other.state.memories.clone());
        }
    }

    /// What was found since it was last asked. Nothing of it fails a later [`Stream::synchronize`].
    pub fn take_findings(&self) -> Vec<Finding> {
        let findings = self.state.findings.borrow_mut().take();
        // A launch that could not be run for another reason is still to be told of.
        if !findings.is_empty() {
            self.state.problem.take();
        }
        findings
    }

    /// What the launches since it was last asked did, one by one; empty when nothing was to be counted.
    pub fn take_counts(&self) -> Vec<LaunchCounts> {
        self.state.counts.take()
    }
}

impl State {
    fn most_dynamic_shared_bytes(&self) -> u32 {
        let own = CAPABILITIES.iter().find(|(known, _)| *known == self.options.capability);
        own.map_or(48 << 10, |(_, bytes)| *bytes)
    }

    /// Runs a launch that follows what `stream` knows of.
    pub fn launch(
        &self,
        kernel: &Kernel,
        launch: Launch,
        arguments: &Arguments,
        order: &stream::Place,
    ) -> Result<(), EmulatorError> {
        let mut launch = launch;
        if let Some(cluster) = kernel.entry.cluster.filter(|_| launch.cluster == (1, 1, 1)) {
            launch.cluster = cluster;
        }
        self.check_launch(kernel, launch)?;
        check_shared(kernel, kernel.module.shared_bytes_in(&kernel.name))?;
        check_arguments(kernel, arguments)?;
        if self.problem.borrow().is_some() {
            // As on a GPU, nothing runs after a fault until it was heard of.
            return Ok(());
        }
        let most = kernel.entry.most_threads;
        if most > 0 && launch.threads() > most {
            let finding = Finding {
                kind: FindingKind::LaunchBounds,
                kernel: kernel.name.to_string(),
                block: (0, 0, 0),
                thread: (0, 0, 0),
                place: kernel.module.line_of_kernel(&kernel.name),
                details: format!(
                    "is launched with {} threads a block; its launch bounds say {most} at most",
                    launch.threads()
                ),
                times: 1,
            };
            *self.problem.borrow_mut() = Some(finding.to_string());
            self.findings.borrow_mut().add(finding);
            return Ok(());
        }
        let pointers = arguments.pointers();
        let sizes: Vec<usize> = arguments.sizes().collect();
        let reached = self.reached.borrow();
        let all = std::iter::once(&self.memories).chain(reached.iter());
        let owners: Vec<Rc<Memory>> = all
            .flat_map(|memories| memories.borrow().iter().filter_map(Weak::upgrade).collect::<Vec<_>>())
            .collect();
        let variables = kernel.module.variables.iter().map(|memory| &**memory);
        let memories: Vec<&Memory> = owners.iter().map(|memory| &**memory).chain(variables).collect();
        let instruments = self.options.instruments;
        let job = Job::new(Order {
            module: &kernel.module,
            entry: kernel.entry.start,
            pointers: &pointers,
            sizes: &sizes,
            launch,
            instruments,
            seed: self.options.seed,
            serial: order.serial,
            beside: (order.beside.clone(), order.beside_after_wait.clone()),
            memories: &memories,
            most_threads: self.options.multiprocessors * MOST_THREADS,
        });
        let outcome = launch::run(&job, &kernel.name);
        let stopped = job.stopped.into_inner();
        let mut findings = self.findings.borrow_mut();
        let first = outcome.findings.first().map(ToString::to_string);
        outcome.findings.into_iter().for_each(|finding| findings.add(finding));
        if stopped {
            *self.problem.borrow_mut() =
                outcome.problem.or(first).or(Some("a launch was not finished".into()));
        }
        // Those of the functions that it calls are known from their use.
        check_shared(kernel, outcome.counts.shared_bytes)?;
        if instruments.count {
            self.counts.borrow_mut().push(LaunchCounts {
                kernel: kernel.name.to_string(),
                grid: launch.grid,
                block: launch.block,
                counts: outcome.counts,
            });
        }
        Ok(())
    }

    /// Takes note of what a copy between memories did wrong.
    pub fn report(&self, finding: Finding) {
        self.findings.borrow_mut().add(finding);
    }

    pub fn checks(&self) -> bool {
        self.options.instruments.check
    }

    /// Tells what the checker found since the last time.
    pub fn synchronize(&self) -> Result<(), EmulatorError> {
        let problem = self.problem.take();
        let findings = self.findings.borrow_mut().take();
        let more = findings.len().saturating_sub(1);
        match (findings.into_iter().next(), problem) {
            (None, None) => Ok(()),
            (None, Some(problem)) => Err(EmulatorError::refused(problem)),
            (Some(first), _) if more == 0 => Err(EmulatorError::refused(format!("checker: {first}"))),
            (Some(first), _) => {
                Err(EmulatorError::refused(format!("checker: {first} (and {more} more findings)")))
            }
        }
    }
}

fn check_arguments(kernel: &Kernel, arguments: &Arguments) -> Result<(), EmulatorError> {
    let parameters = &kernel.entry.parameters;
    let refused = |problem: String| EmulatorError::refused(format!("launching {}: {problem}", kernel.name));
    let given = arguments.sizes();
    if given.len() != parameters.len() {
        return Err(refused(format!(
            "{} arguments for {} parameters: give one for each",
            given.len(),
            parameters.len()
        )));
    }
    let short = given.zip(parameters).zip(1..).find(|((given, parameter), _)| given < *parameter);
    short.map_or(Ok(()), |((given, parameter), number)| {
        Err(refused(format!(
            "argument {number} has {given} bytes and its parameter {parameter}: give it as the kernel declares it"
        )))
    })
}

fn check_shared(kernel: &Kernel, bytes: u64) -> Result<(), EmulatorError> {
    if bytes <= MOST_STATIC_SHARED_BYTES {
        return Ok(());
    }
    Err(EmulatorError::refused(format!(
        "launching {}: {bytes} bytes of __shared__ variables: at most {MOST_STATIC_SHARED_BYTES} fit on a GPU, have the \
         launch give the size of larger ones",
        kernel.name
    )))
}

impl State {
    fn check_launch(&self, kernel: &Kernel, launch: Launch) -> Result<(), EmulatorError> {
        let refused =
            |problem: String| EmulatorError::refused(format!("launching {}: {problem}", kernel.name));
        if !(1..=MOST_THREADS).contains(&launch.threads()) {
            let threads = launch.threads();
            return Err(refused(format!("{threads} threads a block: expected 1 to {MOST_THREADS}")));
        }
        let (x, y, z) = launch.grid;
        if x == 0 || y == 0 || z == 0 || y.max(z) > 65_535 {
            let shape = if z == 1 { format!("{x} x {y}") } else { format!("{x} x {y} x {z}") };
            return Err(refused(format!(
                "a grid of {shape} blocks: expected at least 1 x 1, at most 65535 in y and in z"
            )));
        }
        let (i, j, k) = launch.cluster;
        let blocks = u64::from(i) * u64::from(j) * u64::from(k);
        if launch.has_attributes() && self.options.capability < (9, 0) {
            return Err(refused(
                "clusters and programmatic launches need compute capability 9.0".to_string(),
            ));
        }
        if !(1..=MOST_CLUSTER_BLOCKS).contains(&blocks) || x % i != 0 || y % j != 0 || z % k != 0 {
            return Err(refused(format!(
                "clusters of {i} x {j} x {k} blocks: expected at most {MOST_CLUSTER_BLOCKS}, and sides that divide the grid's"
            )));
        }
        let most = self.most_dynamic_shared_bytes();
        let fixed = kernel.module.shared_bytes_in(&kernel.name);
        if u64::from(launch.dynamic_shared_bytes) + fixed > u64::from(most) {
            let bytes = launch.dynamic_shared_bytes;
            let beside = if fixed > 0 { format!(" beside {fixed} of fixed size") } else { String::new() };
            return Err(refused(format!(
                "{bytes} bytes of dynamic shared memory{beside}: at most {most} fit"
            )));
        }
        Ok(())
    }
}
