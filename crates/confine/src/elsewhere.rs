//! Systems other than Linux, where no program is started.

use crate::end::{End, Ended};
use crate::limits::{Limits, Program};
use crate::protections::Protections;
use std::convert::Infallible;
use std::time::Duration;

/// As on Linux; there is none here.
pub struct Confined(Infallible);

impl Confined {
    /// # Errors
    /// Always.
    pub fn start(program: &Program, limits: &Limits) -> Result<Self, Ended> {
        Self::hold(program, limits).map(Held::execute)
    }

    /// # Errors
    /// Always.
    pub fn hold(program: &Program, _: &Limits) -> Result<Held, Ended> {
        let reason = "only Linux has what holds it within limits".into();
        Err(Ended {
            program: program.command.first().cloned().unwrap_or_default(),
            end: End::NotStarted { reason },
            stderr: String::new(),
            peak_memory_bytes: 0,
            left: Vec::new(),
        })
    }

    pub fn protections(&self) -> &Protections {
        match self.0 {}
    }

    pub fn exchange(&mut self, _: &str, _: Duration) -> Result<String, Ended> {
        match self.0 {}
    }

    pub fn has_printed(&mut self) -> bool {
        match self.0 {}
    }

    pub fn kill(self) -> Killed {
        match self.0 {}
    }

    pub fn finish(self, _: Duration) -> Ended {
        match self.0 {}
    }
}

/// As on Linux; there is none here.
pub struct Held(Infallible);

impl Held {
    pub fn execute(self) -> Confined {
        match self.0 {}
    }
}

/// As on Linux; there is none here.
pub struct Killed(Infallible);

impl Killed {
    pub fn wait(self) -> Ended {
        match self.0 {}
    }
}

/// # Errors
/// Always.
pub fn protections() -> Result<Protections, Ended> {
    Confined::start(&Program::default(), &Limits::default()).map(|running| running.protections().clone())
}

/// As on Linux; false here.
pub fn refuse_programs() -> bool {
    false
}
