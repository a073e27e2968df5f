//! The side of whoever has a kernel checked.

use super::CheckError;
use super::messages::{Checked, Launched, MOST_PRINTED};
use crate::messages::Ask;
use crate::process::{Started, printable, short};
use repro_emulator::Instruments;
use std::time::Duration;

/// How long it may take to compile a kernel, and to look through what its threads did, in addition to the time of the launch.
const TIME_BESIDE: Duration = Duration::from_secs(150);

/// Has the kernel launched by a process that was started for it.
///
/// # Errors
/// When it cannot be compiled or launched, or the process ends or does not answer in time.
pub fn launch(
    process: &mut Started,
    checked: &Checked,
    instruments: Instruments,
    order: u64,
) -> Result<Launched, CheckError> {
    let ask = Ask::Check { checked: Box::new(checked.clone()), instruments, order };
    let answer = process.ask(&ask, TIME_BESIDE.saturating_add(checked.plan.time_limit));
    let answer: Result<Launched, String> =
        answer.map_err(|end| CheckError::Ended { file: checked.file.clone(), end })?;
    let launched = answer.map_err(|message| CheckError::Inside(short(&message)))?;
    Ok(Launched {
        findings: launched.findings.into_iter().map(printable).collect(),
        printed: of_text(&launched.printed),
        ..launched
    })
}

/// What a kernel printed, without what terminals take for commands.
fn of_text(printed: &str) -> String {
    let kept = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { ' ' } else { c };
    printed.chars().take(MOST_PRINTED).map(kept).collect()
}
