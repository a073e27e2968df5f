//! One kernel of any file on the emulated device, launched in several orders of its blocks and threads: what the checker finds, and
//! what is counted of it. It runs in a process of its own, within the limits that kernels of `--with` have.

mod argument;
mod arguments;

pub use argument::KernelArgument;
pub use arguments::CheckArgs;
pub(crate) use arguments::fill;

use crate::process::{EmulatedDeviceSpec, KernelProcess, ServerRequest};
use arguments::{Includes, shown_name};
use repro_base::lists::{distinct, grouped};
use repro_base::text::without_controls;
use repro_device::DeviceError;
use repro_emulator::{Counts, Finding, FindingKind, Header, Instruments, Signature};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How long it may take to compile a kernel, and to look through what its threads did, in addition to the time of the launch.
const TIME_BESIDE: Duration = Duration::from_secs(150);

/// How much is kept of what a kernel printed, in bytes.
pub const MOST_PRINTED: usize = 64 << 10;

/// A kernel to check, with the text of its file.
#[derive(Clone, Serialize, Deserialize)]
pub struct CheckJob {
    pub args: CheckArgs,
    /// The name of its file.
    pub file: String,
    pub text: String,
    /// What it includes.
    pub headers: Vec<Header>,
    #[serde(skip)]
    absent: Vec<String>,
    /// Where the file and what it includes lie.
    #[serde(skip)]
    paths: Vec<(String, PathBuf)>,
}

/// What a launch came to.
#[derive(Serialize, Deserialize)]
pub struct LaunchReport {
    pub findings: Vec<Finding>,
    /// The counts, where the launch was counted.
    pub counts: Option<Counts>,
    /// What it printed, up to [`MOST_PRINTED`], with its ends of lines.
    pub printed: Vec<u8>,
    /// Functions that are called and not inlined: of structs that pass to or from them by value, no access is seen.
    pub unseen: Vec<String>,
}

/// A finding and the orders in which it was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingByOrder {
    pub orders: Vec<u64>,
    /// As it was first found.
    #[serde(flatten)]
    pub finding: Finding,
}

/// The result of a check, over all orders.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckedKernel {
    pub file: String,
    pub kernel: String,
    /// Major and minor.
    pub capability: (u32, u32),
    pub orders: Vec<u64>,
    /// The orders that ran on the second filling of random buffers.
    pub refilled: Vec<u64>,
    /// The seeds of random buffers.
    pub seeds: Vec<u64>,
    pub findings: Vec<FindingByOrder>,
    /// The counts, where they were asked for and nothing was found.
    pub counts: Option<Counts>,
    /// What it printed, of each launch no more than 64 KiB.
    pub printed: String,
    /// Functions that are called and not inlined: of what they take or return by value, no access is seen.
    pub unseen: Vec<String>,
    /// Why accesses beyond local arrays and tables of constants were not looked for to the end, where they were not.
    pub bounds_unseen: Option<String>,
    /// What this system could not keep the kernel from, each as the end of the sentence "it could"; nothing where it was kept from
    /// everything.
    pub unconfined: Vec<String>,
    /// Headers in quotes that were not found, and were passed over.
    pub absent: Vec<String>,
    /// The files that places in findings can be in: their names there, and where they lie.
    #[serde(skip)]
    pub paths: Vec<(String, PathBuf)>,
}

/// The kernels that the file defines.
///
/// # Errors
/// When the file cannot be read or preprocessed, or its process cannot be started or ends.
pub fn kernels(args: &CheckArgs) -> Result<Vec<Signature>, DeviceError> {
    let job = CheckJob::read(args)?;
    let device = job.device(Instruments::CHECK, 0);
    KernelProcess::start(&job.file)?.ask(&ServerRequest::Kernels(Box::new(job), device), TIME_BESIDE)
}

/// Launches the kernel once in each order with fresh buffers, and once more to count, in a process of its own; meanwhile another looks for
/// accesses beyond local arrays and tables of constants, in the first of the orders. Before each launch `progress` gets what is launched,
/// how many launches are done, and of how many.
///
/// # Errors
/// When the file cannot be read or compiled, lacks the kernel, the kernel cannot be launched so, or its process cannot be started or ends.
pub fn check(
    args: &CheckArgs,
    progress: impl FnMut(&str, usize, usize),
) -> Result<CheckedKernel, DeviceError> {
    let job = CheckJob::read(args)?;
    let process = KernelProcess::start(&job.file)?;
    let orders = args.order.map_or(0..=args.orders - 1, |order| order..=order);
    let first = *orders.start();
    let seeds = distinct(args.arguments.iter().filter_map(KernelArgument::seed));
    let is_refilled = |order: &u64| !seeds.is_empty() && fill(*order) > 0;
    let mut checked = CheckedKernel {
        file: job.file.clone(),
        kernel: job.kernel().to_string(),
        capability: args.capability,
        refilled: orders.clone().filter(is_refilled).collect(),
        orders: orders.collect(),
        seeds,
        unconfined: process.lacks(),
        absent: job.absent.clone(),
        paths: job.paths.clone(),
        ..CheckedKernel::default()
    };
    let mut found = Vec::new();
    let device = job.device(Instruments::BOUNDS, first);
    let (ended, bounds) = thread::scope(|scope| {
        let bounds = scope.spawn(|| job.launch_in(&mut KernelProcess::start(&job.file)?, device));
        let ended = job.launch_in_orders(process, &mut checked, &mut found, progress);
        (ended, bounds.join().unwrap_or_else(|_| Err(DeviceError::other("its thread ended"))))
    });
    checked.bounds_unseen = match bounds {
        Ok(launched) => {
            let (beyond, ends): (Vec<_>, Vec<_>) =
                launched.findings.into_iter().partition(|it| it.kind == FindingKind::OutOfBounds);
            found.extend(beyond.into_iter().map(|finding| (first, finding)));
            ends.first().map(ToString::to_string)
        }
        Err(error) => Some(error.to_string()),
    };
    if found.is_empty() {
        ended?;
    } else {
        // Whatever ended a process, as a store beyond a local array may, is among the findings.
        (checked.counts, checked.bounds_unseen) = (None, None);
    }
    let alike = found.into_iter().map(|it| ((it.1.kind, it.1.lines()), it));
    let in_orders = |(_, alike): (_, Vec<(u64, Finding)>)| {
        let (orders, mut findings): (Vec<_>, Vec<_>) = alike.into_iter().unzip();
        FindingByOrder { orders: distinct(orders), finding: findings.swap_remove(0) }
    };
    checked.findings = grouped(alike).into_iter().map(in_orders).collect();
    Ok(checked)
}

impl CheckJob {
    /// Reads the file and what it includes, which is looked for in the file's own folder, then in the folders that were given.
    fn read(args: &CheckArgs) -> Result<Self, DeviceError> {
        let unreadable = |error| DeviceError::other(format!("cannot read {}: {error}", args.file.display()));
        let text = repro_base::files::read_at_most(&args.file, 4 << 20).map_err(unreadable)?;
        let path = args.file.canonicalize().map_err(unreadable)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let file = shown_name(&args.file);
        let mut includes = Includes::new(&file, [&[folder.to_path_buf()], &args.include[..]].concat());
        let unread = |error| DeviceError::other(format!("what {} includes: {error}", args.file.display()));
        let text = includes
            .resolve(String::from_utf8_lossy(&text).trim_start_matches('\u{feff}'), folder)
            .map_err(unread)?;
        let names = includes.headers.iter().map(|header| header.file.clone());
        let of_headers = names.zip(includes.paths);
        let paths = [(file.clone(), args.file.clone())].into_iter().chain(of_headers).collect();
        Ok(Self { args: args.clone(), file, text, headers: includes.headers, absent: includes.absent, paths })
    }

    /// The kernel that is to be launched.
    pub fn kernel(&self) -> &str {
        self.args.kernel.as_deref().unwrap_or_default()
    }

    fn device(&self, instruments: Instruments, order: u64) -> EmulatedDeviceSpec {
        EmulatedDeviceSpec { instruments, capability: self.args.capability, order }
    }

    /// Has the kernel launched by a process that was started for it.
    fn launch_in(
        &self,
        process: &mut KernelProcess,
        device: EmulatedDeviceSpec,
    ) -> Result<LaunchReport, DeviceError> {
        let within = TIME_BESIDE.saturating_add(Duration::from_secs(self.args.time_limit));
        process.ask(&ServerRequest::Check(Box::new(self.clone()), device), within)
    }

    /// Launches the kernel in each order, then once to count if that was asked for. Adds what comes of it to `checked` and `found`.
    fn launch_in_orders(
        &self,
        mut process: KernelProcess,
        checked: &mut CheckedKernel,
        found: &mut Vec<(u64, Finding)>,
        mut progress: impl FnMut(&str, usize, usize),
    ) -> Result<(), DeviceError> {
        let checking = checked.orders.iter().map(|order| self.device(Instruments::CHECK, *order));
        let counting = self.args.count.then(|| self.device(Instruments::COUNT, 0));
        let passes: Vec<_> = checking.chain(counting).collect();
        for (done, device) in passes.iter().enumerate() {
            let (counts, order) = (device.instruments.count, device.order);
            if counts && !found.is_empty() {
                break;
            }
            // A process that has run a kernel compiles nothing more.
            if done > 0 && counts {
                process = KernelProcess::start(&self.file)?;
            }
            let name = if counts { "counting".to_string() } else { format!("order {order}") };
            progress(&format!("{}, {name}", checked.kernel), done, passes.len());
            let launched = self.launch_in(&mut process, *device)?;
            // Also from the counting launch, in which the time limit, for example, is a finding, too.
            found.extend(launched.findings.into_iter().map(|finding| (order, finding)));
            checked.counts = launched.counts;
            let printed = &launched.printed[..launched.printed.len().min(MOST_PRINTED)];
            checked.printed += &without_controls(&String::from_utf8_lossy(printed));
            checked.unseen = launched.unseen;
        }
        Ok(())
    }
}
