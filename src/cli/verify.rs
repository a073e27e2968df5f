//! `repro verify`

use super::progress::Progress;
use super::run::watch_for_interrupts;
use super::width::terminal_width;
use super::{Error, Exit, output};
use crate::device::Selection;
use crate::experiment::{Checked, Part, VerifyPlan, WorkerProcess, verify};

#[derive(clap::Args)]
pub struct Arguments {
    /// Where to run: auto, cpu, cuda, cuda:N or emulated (kernels on the CPU, up to n = 257 unless --sizes says more), or
    /// emulated:C.C for a compute capability
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Selection,
    /// Numbers of vertices, in place of the usual grid around multiples of the tile sizes
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    sizes: Option<Vec<usize>>,
    /// Implementations to check, in place of all
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// On the emulated device, do without the checker of memory accesses, races and barriers: some five times faster
    #[arg(long)]
    no_check: bool,
    /// On the emulated device, make each check in N orders of blocks and threads: 0 is the usual one, 1 backwards, the others
    /// shuffled, each always the same
    #[arg(long, value_name = "N", default_value_t = 1)]
    orders: u64,
    /// Check the fastest kernels with their loops in an order of this program's own, as `repro run --schedule-machine-code` has them
    #[arg(long)]
    schedule_machine_code: bool,
    /// Only one of N parts of the checks, each with some of every implementation; N runs make them all
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// No progress, only the result
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Error> {
    let plan = VerifyPlan::new(
        arguments.device,
        arguments.sizes.clone(),
        arguments.only.clone(),
        !arguments.no_check,
        arguments.part.unwrap_or(Part::WHOLE),
        arguments.orders,
    )?;
    let plan = if arguments.schedule_machine_code { plan.with_machine_code_scheduled() } else { plan };
    let interrupted = watch_for_interrupts()?;
    let mut worker = WorkerProcess::new(std::env::current_exe()?, interrupted.clone());
    let mut progress = Progress::new(arguments.quiet, "checks");
    let checked: Checked = verify(&plan, &mut worker, &mut progress)?;
    progress.finish();
    output::show(&checked.table(terminal_width()))?;
    if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        output::complain(&format!(
            "interrupted: {} of {} checks were not made",
            checked.missing(),
            checked.planned()
        ));
        return Ok(Exit::Interrupted);
    }
    Ok(if checked.wrong() == 0 { Exit::Success } else { Exit::Failed })
}
