//! Systems other than Linux, where no program is started.

use crate::exit::{ExitCause, ExitReport};
use crate::limits::{Limits, SandboxCommand};
use crate::protections::Protections;
use std::convert::Infallible;
use std::process::ExitCode;
use std::time::Duration;

/// As on Linux; there is none here.
pub struct SandboxedProcess {
    pub protections: Protections,
    never: Infallible,
}

impl SandboxedProcess {
    /// # Errors
    /// Always.
    pub fn spawn(command: &SandboxCommand, _: &Limits) -> Result<Self, ExitReport> {
        let cause = ExitCause::NotStarted("only Linux has what holds it within limits".into());
        Err(ExitReport::silent(command.words.first().map_or("", String::as_str), cause))
    }

    pub fn resume(self) -> Self {
        self
    }

    pub fn exchange(&mut self, _: &str, _: Duration) -> Result<String, ExitReport> {
        match self.never {}
    }

    pub fn has_printed(&mut self) -> bool {
        match self.never {}
    }

    pub fn kill(&mut self) {}

    pub fn wait(self) -> ExitReport {
        match self.never {}
    }

    pub fn finish(self, _: Duration) -> ExitReport {
        match self.never {}
    }
}

/// # Errors
/// Always.
pub fn protections() -> Result<Protections, ExitReport> {
    SandboxedProcess::spawn(&SandboxCommand::default(), &Limits::default()).map(|running| running.protections)
}

/// As on Linux; nothing here.
pub fn refuse_programs() {}

pub(crate) fn serve(_: fn() -> ExitCode) -> ExitCode {
    ExitCode::FAILURE
}
