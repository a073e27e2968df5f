//! What is asked of a program that answers requests, and what it answers: one JSON object a line.

use crate::confine::{ExitReport, FOREIGN_BYTES, SandboxedProcess, foreign_quote};
use repro_device::DeviceError;
use serde::{Deserialize, Serialize};
use std::mem::discriminant;
use std::time::Duration;

/// How much of a wrong answer is repeated, in bytes.
const SHOWN: usize = 80;

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Request<'a> {
    /// Reads the graph, and makes all ready that does not depend on its weights.
    Load { graph: &'a str, n: usize, element: &'a str },
    /// Finds the distances.
    Solve {},
    /// Writes the distances of the last solve.
    Store { distances: &'a str },
}

/// What answers them; the seconds of a solve are by the program's own clock.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Response {
    Loaded {},
    Solved { seconds: Option<f64> },
    Stored {},
    Failed { reason: String },
}

impl Request<'_> {
    /// What answers it, for messages.
    fn expected(&self) -> &'static str {
        match self {
            Self::Load { .. } => r#"{"loaded": {}}"#,
            Self::Solve {} => r#"{"solved": {}}"#,
            Self::Store { .. } => r#"{"stored": {}}"#,
        }
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// How the program ended, or that it answered before it was asked, or what else it answered.
    pub fn ask(&self, program: &mut SandboxedProcess, within: Duration) -> Result<Response, DeviceError> {
        let failed = |problem: String| Err(DeviceError::other(problem));
        let line = serde_json::to_string(self).map_err(|error| DeviceError::other(error.to_string()))?;
        // Its clock would show no more than how long it takes to read what lies there.
        if program.has_printed() {
            return failed(format!("the program answered before it was asked {line}"));
        }
        let text = program.exchange(&line, within).map_err(|ended| has_ended(&ended))?;
        let expected = self.expected();
        let right = serde_json::from_str::<Response>(expected).ok().as_ref().map(discriminant);
        match serde_json::from_str(&text) {
            Ok(answer) if Some(discriminant(&answer)) == right => Ok(answer),
            Ok(Response::Failed { reason }) => {
                let quoted = foreign_quote(&reason, FOREIGN_BYTES);
                failed(format!("the program failed at {line}, and says: {quoted}"))
            }
            _ => {
                let quoted = foreign_quote(&text, SHOWN);
                failed(format!("the program answered {quoted} to {line}: expected {expected}"))
            }
        }
    }
}

/// The failure of a solve whose program has ended.
pub(super) fn has_ended(report: &ExitReport) -> DeviceError {
    DeviceError::other(report.to_string())
}
