//! Solves by implementations that are no part of this program.

use super::super::protocol::{Failure, Variant};
use super::Session;
use crate::device::DeviceError;
use crate::implementation::{Machine, Prepared, Problem};
use crate::record::StrangerRecord;
use crate::strangers::{SharedProcess, StrangersProcess};

impl Session {
    /// What solves `problem` on so many devices: in this process, or, where a stranger's kernel would be code of this host, in one apart.
    pub(super) fn prepare_alone(
        &mut self,
        variant: &Variant,
        problem: &Problem,
        count: usize,
    ) -> Result<Box<dyn Prepared>, DeviceError> {
        if let Some(process) = self.stranger_of(variant) {
            return StrangersProcess::prepare(&process, problem, &variant.parameters);
        }
        let known = variant.known().map_err(|failure| DeviceError::other(failure.message))?;
        known.method.prepare(problem, Machine::of(&self.devices[..count]), &variant.parameters)
    }

    /// The process that runs the variant's kernels, where they come from a file and the device is an emulated one.
    pub(super) fn stranger_of(&mut self, variant: &Variant) -> Option<SharedProcess> {
        let given = variant.known().ok()?.method.given()?.clone();
        let device = self.devices.first()?;
        let process = StrangersProcess::like(&**device, &given)?;
        let known = self.strangers.iter().find(|known| known.borrow().is_like(&process)).cloned();
        Some(known.unwrap_or_else(|| {
            let process = process.shared();
            self.strangers.push(process.clone());
            process
        }))
    }

    /// What records keep of a variant that comes from a file.
    pub(super) fn stranger_record(&mut self, variant: &Variant) -> Result<Option<StrangerRecord>, Failure> {
        let Some(given) = variant.known()?.method.given().cloned() else { return Ok(None) };
        let unconfined = self.stranger_of(variant).and_then(|process| process.borrow().unconfined());
        Ok(Some(StrangerRecord {
            file: given.file.rsplit('/').next().unwrap_or_default().to_string(),
            hash: given.hash(),
            unconfined,
        }))
    }
}
