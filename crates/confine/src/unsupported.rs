//! Systems other than Linux, where no program is started.

use crate::exit::{ExitCause, ExitReport};
use crate::limits::{Limits, SandboxCommand};
use crate::protections::Protections;
use std::process::ExitCode;
use std::time::Duration;

/// As on Linux; there is none here.
pub enum SandboxedProcess {}

impl SandboxedProcess {
    /// # Errors
    /// Always.
    pub fn spawn(command: &SandboxCommand, _: &Limits) -> Result<Self, ExitReport> {
        let cause = ExitCause::NotStarted("only Linux has what holds it within limits".into());
        Err(ExitReport::silent(command.words.first().map_or("", String::as_str), cause))
    }

    /// # Errors
    /// Always.
    pub fn spawn_suspended(command: &SandboxCommand, limits: &Limits) -> Result<Self, ExitReport> {
        Self::spawn(command, limits)
    }

    pub fn resume(&mut self) {}

    pub fn protections(&self) -> &Protections {
        match *self {}
    }

    pub fn exchange(&mut self, _: &str, _: Duration) -> Result<String, ExitReport> {
        match *self {}
    }

    pub fn has_printed(&mut self) -> bool {
        false
    }

    pub fn kill(&mut self) {}

    pub fn wait(self) -> ExitReport {
        match self {}
    }

    pub fn finish(self, _: Duration) -> ExitReport {
        self.wait()
    }
}

/// # Errors
/// Always.
pub fn protections() -> Result<Protections, ExitReport> {
    SandboxedProcess::spawn(&SandboxCommand::default(), &Limits::default()).map(|never| match never {})
}

/// As on Linux; false here.
pub fn refuse_programs() -> bool {
    false
}

pub(crate) fn serve(_: fn() -> ExitCode) -> ExitCode {
    ExitCode::FAILURE
}
