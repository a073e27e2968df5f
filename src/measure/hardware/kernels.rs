//! Kernels of implementations on the devices of a worker, and what records say of them.

use super::Hardware;
use crate::device::{DeviceError, FailureKind};
use crate::graph::ElementType;
use crate::implementation::stored::hashes_of_code;
use crate::implementation::{KernelUse, Target};
use crate::lists::grouped;
use crate::plan::Variant;
use crate::protocol::{FailureCause, Opening, Result};
use crate::store::{ExternalRecord, ImplementationRecord, KernelRecord};

impl Hardware {
    /// What records say of the variants, with what is wrong with a user's file of which no kernel loads: every cell would say the same.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn records_of(
        &mut self,
        opening: &Opening,
    ) -> Result<(Option<String>, Vec<ImplementationRecord>)> {
        let Opening { variants, elements, .. } = opening;
        let of_files = variants.iter().filter(|variant| variant.needs_device() && variant.is_external());
        let mut unusable = Vec::new();
        for (file, variants) in grouped(of_files.map(|variant| (&variant.implementation, variant))) {
            unusable.extend(self.problem_of_file(&variants, elements)?.map(|problem| (file, problem)));
        }
        let record = |variant: &Variant| {
            let kernels = match unusable.iter().find(|(file, _)| **file == variant.implementation) {
                Some((_, problem)) => Err(problem.clone()),
                None => match self.kernels_of(variant, elements) {
                    Err(failure) if failure.cause == FailureCause::DeviceLost => return Err(failure),
                    kernels => kernels.map_err(|failure| failure.message),
                },
            };
            self.record_of(variant, elements, kernels)
        };
        let records = variants.iter().map(record).collect::<Result<_, _>>()?;
        Ok((unusable.into_iter().next().map(|(_, problem)| problem), records))
    }

    /// What records say of a variant with these kernels, or this problem of them.
    fn record_of(
        &mut self,
        variant: &Variant,
        elements: &[ElementType],
        kernels: Result<Vec<KernelRecord>, String>,
    ) -> Result<ImplementationRecord> {
        let known = variant.known()?.clone();
        let gpu = self.gpu().filter(|_| variant.takes_gpu()).map(|device| device.info().clone());
        // The first is what a program takes anyway.
        if let Some(gpu) = gpu.as_ref().filter(|gpu| gpu.ordinal > 0) {
            known.solver.take_gpu(&gpu.uuid);
        }
        let traffic = known.solver.traffic(&variant.parameters);
        let capabilities = known.capabilities(&variant.parameters);
        let set = known.launched_kernels(Target::default(), &variant.parameters);
        let problem = kernels.as_ref().err().cloned();
        Ok(ImplementationRecord {
            implementation: variant.implementation.to_string(),
            params: variant.parameters.to_string(),
            source: known.source.to_string(),
            bytes_per_task: traffic.bytes_per_task,
            traffic_model: traffic.model.to_string(),
            bytes_per_task_paper: traffic.paper.as_ref().map(|(bytes, _)| *bytes),
            traffic_model_paper: traffic.paper.map(|(_, model)| model),
            source_hash: set.as_ref().map(|set| set.source.hash()),
            kernels: kernels.unwrap_or_default(),
            stored_code: match (self.gpu(), set) {
                (Some(gpu), Some(_)) => {
                    let (capability, taken) = (gpu.info().compute_capability, taken(variant, elements)?);
                    hashes_of_code(&*known.solver, capability, &taken, &variant.parameters)
                }
                _ => Vec::new(),
            },
            solved_on: variant.solved_on(),
            devices: *capabilities.devices.start(),
            halves: capabilities.halves,
            defaults: known.defaults(),
            problem,
            external: self.external_record(variant),
            gpu: gpu.map(|gpu| gpu.name),
        })
    }

    /// Loads the variant's kernels in those of the types that it takes, and asks the driver what they take in the first.
    fn kernels_of(&mut self, variant: &Variant, elements: &[ElementType]) -> Result<Vec<KernelRecord>> {
        let count = self.open_for(variant)?;
        if count == 0 {
            // It needs none, or others of the team have all that it takes.
            return Ok(Vec::new());
        }
        let known = variant.known()?.clone();
        let taken = taken(variant, elements)?;
        let Some(&element) = taken.first() else { return Ok(Vec::new()) };
        taken.into_iter().try_for_each(|element| self.load_kernels(variant, element, count))?;
        // The emulated device has no registers; shared memory is counted as it is used.
        let Some(device) = self.gpu() else { return Ok(Vec::new()) };
        let target = Target::on(device.info(), element);
        let Some(set) = known.launched_kernels(target, &variant.parameters) else { return Ok(Vec::new()) };
        let kernels = device.load(&set.source, &set.names())?;
        let record = |(kernel, used): (_, &KernelUse)| {
            let resources = device.resources(kernel, used.threads, used.dynamic_shared_bytes)?;
            Ok(KernelRecord { resources, paper: used.paper })
        };
        kernels.iter().zip(&set.uses).map(record).collect()
    }

    /// Has the variant's kernels of one type compiled on so many devices.
    ///
    /// # Errors
    /// When they do not load.
    pub fn load_kernels(
        &mut self,
        variant: &Variant,
        element: ElementType,
        count: usize,
    ) -> Result<(), DeviceError> {
        let known = variant.known().map_err(|unknown| DeviceError::other(unknown.to_string()))?;
        self.external.load(known, element, &self.devices[..count], &variant.parameters)
    }

    /// What is wrong with a file of which no kernel loads, whatever the parameters and the type. None where one loads, or a device lacks, which
    /// is no fault of a file.
    ///
    /// # Errors
    /// When the device is lost.
    fn problem_of_file(&mut self, variants: &[&Variant], elements: &[ElementType]) -> Result<Option<String>> {
        let mut first = None;
        for variant in variants {
            let Ok(count @ 1..) = self.open_for(variant) else { return Ok(None) };
            for element in taken(variant, elements)? {
                match self.load_kernels(variant, element, count) {
                    Ok(()) => return Ok(None),
                    // The same twice is no matter of parameters or types: the compiler need not say it a third time.
                    Err(error) if first.as_ref() == Some(&error.message) => return Ok(first),
                    Err(error) if error.kind == FailureKind::Other => {
                        first.get_or_insert(error.message);
                    }
                    Err(error) if error.kind == FailureKind::Lost => return Err(error.into()),
                    Err(_) => return Ok(None),
                }
            }
        }
        Ok(first)
    }

    /// What records keep of a variant that comes from a file.
    fn external_record(&mut self, variant: &Variant) -> Option<ExternalRecord> {
        let known = variant.known().ok()?;
        let given = known.given.as_ref()?;
        let process = self.external.of(known, &self.devices);
        let unconfined = process.and_then(|process| process.borrow().unconfined.clone());
        Some(ExternalRecord {
            file: given.file.rsplit('/').next().unwrap_or_default().to_string(),
            hash: given.hash(),
            unconfined,
        })
    }
}

/// Those of the types that a variant takes.
fn taken(variant: &Variant, elements: &[ElementType]) -> Result<Vec<ElementType>> {
    let known = variant.known()?;
    let takes = |element: &ElementType| known.takes(*element, &variant.parameters).is_ok();
    Ok(elements.iter().copied().filter(takes).collect())
}
