//! `--checkpoint`: whether states can be kept, before there are any.

use super::lane::Lane;
use super::limits::OVERHEAD;
use super::{RunError, Stop};
use crate::measure::protocol::Request;

impl Lane<'_> {
    /// Has every process try the folder for checkpoints, if there is one. The first of them would fail after minutes.
    pub(super) fn check_checkpoints(&mut self) -> Result<(), Stop> {
        let Some(rule) = &self.experiment.checkpoints else { return Ok(()) };
        let request = Request::TryFolder { folder: rule.folder.clone() };
        match self.ask(&request, OVERHEAD)? {
            Ok(_) => Ok(()),
            Err(failure) => Err(RunError::Input(format!("--checkpoint: {}", failure.message)).into()),
        }
    }
}
