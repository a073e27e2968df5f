//! `repro verify`

use super::parameter::vertices;
use super::session::RunSession;
use crate::device::Selection;
use crate::measure::RunError;
use crate::verify::{Partition, VerifyOptions, VerifyPlan, verify};
use repro_base::terminal::{Error, Exit, output, say_when_interrupted, terminal_width};
use std::sync::atomic::Ordering;

/// Check the results of implementations over many sizes and kinds of graphs, without timing them
#[derive(clap::Args)]
pub struct VerifyArgs {
    /// Where to run: auto, cpu, cuda, cuda:N or emulated. The emulated device runs kernels on the CPU, up to n = 257 unless --sizes
    /// says more; emulated:C.C is one of compute capability C.C
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: Selection,
    /// Numbers of vertices, in place of the usual grid around multiples of the tile sizes
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = vertices)]
    sizes: Option<Vec<usize>>,
    /// Only these implementations
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// On the emulated device, do not check memory accesses, races and barriers, which is about five times as fast
    #[arg(long)]
    no_check: bool,
    /// On the emulated device, make each check in N orders of blocks and threads: order 0 is the usual one, 1 is backwards, the others are
    /// shuffled, each always in the same way
    #[arg(long, value_name = "N", default_value_t = 1)]
    orders: u64,
    /// Make only part K of N of the checks, so that N machines can share them; of up to 10 parts each has some of every
    /// implementation
    #[arg(long, value_name = "K/N")]
    part: Option<Partition>,
    /// Stop at the first check that fails
    #[arg(long)]
    fail_fast: bool,
    /// Show no progress, only the result
    #[arg(long, short)]
    quiet: bool,
}

pub fn run(given: &VerifyArgs) -> Result<Exit, Error> {
    let plan = VerifyPlan::new(VerifyOptions {
        device: given.device,
        sizes: given.sizes.clone(),
        only: given.only.clone(),
        check: !given.no_check,
        part: given.part.unwrap_or(Partition::WHOLE),
        orders: given.orders,
        fail_fast: given.fail_fast,
    })?;
    let RunSession { interrupted, mut worker, mut progress } = RunSession::new(given.quiet, "checks")?;
    say_when_interrupted("interrupted while opening the device: no check was made".into());
    let checked = verify(plan, &mut worker, &mut progress)?;
    progress.finish();
    let checked = checked.ok_or(RunError::Interrupted)?;
    output::show(&checked.text(Some(terminal_width())))?;
    if interrupted.load(Ordering::Relaxed) {
        let (missing, planned) = (checked.missing(), checked.planned);
        say_when_interrupted(format!("interrupted: {missing} of {planned} checks were not made"));
        return Err(RunError::Interrupted.into());
    }
    Ok(if checked.wrong() == 0 { Exit::Success } else { Exit::Failed })
}
