//! What a device and its streams share, and one launch from its arguments to what was seen of it.

use crate::context::{LaunchContext, LaunchSpec};
use crate::counts::LaunchCounts;

use crate::finding::{Finding, FindingKind, Findings};
use crate::history::QueuePosition;
use crate::launch::LaunchOutcome;
use crate::memory::Allocation;
use crate::module::KernelHandle;
use crate::options::{CAPABILITIES, EmulatorError, Options};
use crate::{Launch, PackedArguments, launch};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// Shared memory of fixed size that a kernel may have, as ptxas allows on every GPU since 2010.
const MOST_STATIC_SHARED_BYTES: u64 = 48 << 10;
/// Blocks a cluster at most: kernels may ask for more than the eight that every GPU with clusters has.
const MOST_CLUSTER_BLOCKS: u64 = 16;
/// Threads a block, as on every GPU since 2010.
pub const MOST_THREADS: u32 = 1024;

/// The allocations of one device.
pub type Memories = Rc<RefCell<Vec<Weak<Allocation>>>>;

/// What a device and its streams share.
pub struct DeviceState {
    pub options: Options,
    pub memories: Memories,
    /// The allocations of other devices that this one may use, by peer access.
    pub reached: RefCell<Vec<Memories>>,
    pub counts: RefCell<Vec<LaunchCounts>>,
    pub findings: RefCell<Findings>,
    /// Why a launch could not be run to its end.
    pub problem: RefCell<Option<String>>,
}

impl DeviceState {
    pub fn most_dynamic_shared_bytes(&self) -> u32 {
        let own = CAPABILITIES.iter().find(|(known, _)| *known == self.options.capability);
        own.map_or(48 << 10, |(_, bytes)| *bytes)
    }

    /// Runs a launch that has this place among the others.
    pub fn launch(
        &self,
        kernel: &KernelHandle,
        launch: Launch,
        arguments: &PackedArguments,
        place: &QueuePosition,
    ) -> Result<(), EmulatorError> {
        let mut launch = launch;
        if let Some(cluster) = kernel.entry.cluster.filter(|_| launch.cluster == (1, 1, 1)) {
            launch.cluster = cluster;
        }
        self.check_launch(kernel, launch)?;
        check_shared(kernel, kernel.module.shared_bytes_in(&kernel.name))?;
        check_arguments(kernel, arguments)?;
        if self.problem.borrow().is_some() {
            // As on a GPU, nothing runs after a fault until the host has heard of it.
            return Ok(());
        }
        if self.exceeds_bounds(kernel, launch) {
            return Ok(());
        }
        let pointers = arguments.pointers();
        let sizes: Vec<usize> = arguments.sizes().collect();
        let reached = self.reached.borrow();
        let all = std::iter::once(&self.memories).chain(reached.iter());
        let owners: Vec<Rc<Allocation>> = all
            .flat_map(|memories| memories.borrow().iter().filter_map(Weak::upgrade).collect::<Vec<_>>())
            .collect();
        let variables = kernel.module.variables.iter().map(|memory| &**memory);
        let memories: Vec<&Allocation> = owners.iter().map(|memory| &**memory).chain(variables).collect();
        let job = LaunchContext::new(LaunchSpec {
            module: &kernel.module,
            entry: kernel.entry.start,
            pointers: &pointers,
            sizes: &sizes,
            shape: launch,
            instruments: self.options.instruments,
            seed: self.options.seed,
            place,
            memories: &memories,
            most_threads: self.options.multiprocessors * MOST_THREADS,
            time_limit: self.options.time_limit,
            print: self.options.print,
        });
        let outcome = launch::run(&job, &kernel.name);
        self.note_outcome(kernel, launch, outcome, job.stopped.into_inner())
    }

    /// Reports a launch of more threads a block than its kernel's bounds allow, and returns whether it is one.
    fn exceeds_bounds(&self, kernel: &KernelHandle, launch: Launch) -> bool {
        let most = kernel.entry.most_threads;
        if most == 0 || launch.threads() <= most {
            return false;
        }
        let finding = Finding {
            kind: FindingKind::LaunchBounds,
            kernel: kernel.name.to_string(),
            block: (0, 0, 0),
            thread: (0, 0, 0),
            place: kernel.module.line_of_kernel(&kernel.name),
            other: None,
            details: format!(
                "is launched with {} threads a block; its launch bounds say {most} at most",
                launch.threads()
            ),
            times: 1,
        };
        *self.problem.borrow_mut() = Some(finding.to_string());
        self.findings.borrow_mut().add(finding);
        true
    }

    /// Keeps a launch's findings and counts.
    fn note_outcome(
        &self,
        kernel: &KernelHandle,
        launch: Launch,
        outcome: LaunchOutcome,
        stopped: bool,
    ) -> Result<(), EmulatorError> {
        let mut findings = self.findings.borrow_mut();
        let first = outcome.findings.first().map(ToString::to_string);
        outcome.findings.into_iter().for_each(|finding| findings.add(finding));
        if stopped {
            *self.problem.borrow_mut() =
                outcome.problem.or(first).or(Some("a launch was not finished".into()));
        }
        // Shared variables of functions that the kernel calls are known only from their use.
        check_shared(kernel, outcome.counts.shared_bytes)?;
        if self.options.instruments.count {
            self.counts.borrow_mut().push(LaunchCounts {
                kernel: kernel.name.to_string(),
                grid: launch.grid,
                block: launch.block,
                counts: outcome.counts,
            });
        }
        Ok(())
    }

    pub fn checks(&self) -> bool {
        self.options.instruments.check
    }

    /// Fails with what the checker found, or what stopped a launch, since the last call.
    pub fn synchronize(&self) -> Result<(), EmulatorError> {
        let problem = self.problem.take();
        let found = Finding::in_short(&self.findings.borrow_mut().take());
        found.or(problem).map_or(Ok(()), |problem| Err(EmulatorError::refused(problem)))
    }

    fn check_launch(&self, kernel: &KernelHandle, launch: Launch) -> Result<(), EmulatorError> {
        if !(1..=MOST_THREADS).contains(&launch.threads()) {
            let threads = launch.threads();
            return refuse(kernel, &format!("{threads} threads a block: expected 1 to {MOST_THREADS}"));
        }
        let (x, y, z) = launch.grid;
        if x == 0 || y == 0 || z == 0 || y.max(z) > 65_535 {
            let shape = if z == 1 { format!("{x} x {y}") } else { format!("{x} x {y} x {z}") };
            let expected = "expected at least 1 x 1, at most 65535 in y and in z";
            return refuse(kernel, &format!("a grid of {shape} blocks: {expected}"));
        }
        let (i, j, k) = launch.cluster;
        let blocks = u64::from(i) * u64::from(j) * u64::from(k);
        if launch.has_attributes() && self.options.capability < (9, 0) {
            return refuse(kernel, "clusters and programmatic launches need compute capability 9.0");
        }
        if !(1..=MOST_CLUSTER_BLOCKS).contains(&blocks) || x % i != 0 || y % j != 0 || z % k != 0 {
            let expected =
                format!("expected at most {MOST_CLUSTER_BLOCKS}, and sides that divide the grid's");
            return refuse(kernel, &format!("clusters of {i} x {j} x {k} blocks: {expected}"));
        }
        let most = self.most_dynamic_shared_bytes();
        let (bytes, fixed) = (launch.dynamic_shared_bytes, kernel.module.shared_bytes_in(&kernel.name));
        if u64::from(bytes) + fixed > u64::from(most) {
            let beside =
                if fixed > 0 { format!(" in addition to {fixed} of fixed size") } else { String::new() };
            let words = format!("{bytes} bytes of dynamic shared memory{beside}: at most {most} fit");
            return refuse(kernel, &words);
        }
        Ok(())
    }
}

fn refuse(kernel: &KernelHandle, problem: &str) -> Result<(), EmulatorError> {
    Err(EmulatorError::refused(format!("launching {}: {problem}", kernel.name)))
}

fn check_arguments(kernel: &KernelHandle, arguments: &PackedArguments) -> Result<(), EmulatorError> {
    let parameters = &kernel.entry.parameters;
    let given = arguments.sizes();
    if given.len() != parameters.len() {
        let (given, parameters) = (given.len(), parameters.len());
        let words = format!("{given} arguments for {parameters} parameters: give one for each");
        return refuse(kernel, &words);
    }
    let short = given.zip(parameters).zip(1..).find(|((given, parameter), _)| given < *parameter);
    let Some(((given, parameter), number)) = short else { return Ok(()) };
    let words = format!(
        "argument {number} has {given} bytes and its parameter {parameter}: give it as the kernel declares it"
    );
    refuse(kernel, &words)
}

fn check_shared(kernel: &KernelHandle, bytes: u64) -> Result<(), EmulatorError> {
    if bytes <= MOST_STATIC_SHARED_BYTES {
        return Ok(());
    }
    let most = MOST_STATIC_SHARED_BYTES;
    let words = format!(
        "{bytes} bytes of __shared__ variables: at most {most} fit on a GPU, have the launch give the size of larger ones"
    );
    refuse(kernel, &words)
}
