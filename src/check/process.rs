//! The side of whoever has a kernel checked.

use super::CheckError;
use super::inside::CHECKER;
use super::messages::{Answer, Ask, Checked, Launched, MOST_PRINTED};
use crate::strangers::{Started, printable, short};
use repro_emulator::Instruments;
use std::time::Duration;

/// How long it may take to compile a kernel, and to look through what its threads did, beside the time of the launch.
const TIME_BESIDE: Duration = Duration::from_secs(150);

/// A process that launches one kernel when it is asked to.
pub struct CheckProcess {
    started: Started,
    file: String,
    time_limit: Duration,
}

impl CheckProcess {
    /// # Errors
    /// When the system does not let it be started within limits.
    pub fn start(mut checked: Checked) -> Result<Self, CheckError> {
        let (file, time_limit) = (checked.file.clone(), checked.time_limit);
        let started =
            Started::new(CHECKER).map_err(|reason| CheckError::Apart { file: file.clone(), reason })?;
        checked.memory = started.memory;
        let mut process = Self { started, file, time_limit };
        process.ask(&Ask::Begin(Box::new(checked)))?;
        Ok(process)
    }

    /// What this system cannot keep it from.
    pub fn unconfined(&self) -> Vec<String> {
        self.started.confined.protections().lacks().into_iter().map(str::to_string).collect()
    }

    /// Launches the kernel with fresh buffers.
    ///
    /// # Errors
    /// When it cannot be compiled or launched, or the process ends or does not answer in time.
    pub fn launch(&mut self, instruments: Instruments, order: u64) -> Result<Launched, CheckError> {
        match self.ask(&Ask::Launch { instruments, order })? {
            Answer::Begun => Err(CheckError::Inside("an answer to something else".to_string())),
            Answer::Failed { message } => Err(CheckError::Inside(short(&message))),
            Answer::Launched(launched) => Ok(Launched {
                findings: launched.findings.into_iter().map(printable).collect(),
                printed: of_text(&launched.printed),
                ..*launched
            }),
        }
    }

    fn ask(&mut self, ask: &Ask) -> Result<Answer, CheckError> {
        let ended = |end: String| CheckError::Ended { file: self.file.clone(), end };
        let line = serde_json::to_string(ask).map_err(|error| ended(error.to_string()))?;
        let answer = self.started.confined.exchange(&line, TIME_BESIDE.saturating_add(self.time_limit));
        let answer = answer.map_err(|how| ended(how.end.to_string()))?;
        serde_json::from_str(&answer).map_err(|_| ended("printed what is no answer".to_string()))
    }
}

/// What a kernel printed, without what terminals take for commands.
fn of_text(printed: &str) -> String {
    let kept = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { ' ' } else { c };
    printed.chars().take(MOST_PRINTED).map(kept).collect()
}
