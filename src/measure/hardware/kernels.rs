//! Kernels of implementations on the devices of a worker, and what records say of them.

use super::Hardware;
use crate::device::{DeviceInfo, FailureKind};
use crate::graph::ElementType;
use crate::implementation::stored_code::hashes_of_code;
use crate::implementation::{ImplementationFile, KernelUse, Target};
use crate::lists::grouped;
use crate::plan::Variant;
use crate::protocol::{FailureCause, OpenRequest, Result};
use crate::store::{ExternalRecord, ImplementationRecord, KernelRecord};
use std::collections::BTreeMap;

impl Hardware {
    /// What records say of the variants; and, if a user's file has no kernel that loads, why not: said once, as each of its cells would
    /// say the same.
    ///
    /// # Errors
    /// When the device is lost.
    pub(super) fn records(
        &mut self,
        opening: &OpenRequest,
    ) -> Result<(Option<String>, Vec<ImplementationRecord>)> {
        let OpenRequest { variants, elements, .. } = opening;
        let of_files = variants.iter().filter(|variant| variant.needs_device() && variant.is_external());
        let mut unusable = BTreeMap::new();
        for (file, variants) in grouped(of_files.map(|variant| (variant.implementation.name(), variant))) {
            unusable.extend(self.problem_of_file(&variants, elements)?.map(|problem| (file, problem)));
        }
        let problem_of = |variant: &Variant| unusable.get(variant.implementation.name()).cloned();
        let record = |variant| self.record_of(variant, elements, problem_of(variant));
        let records = variants.iter().map(record).collect::<Result<_, _>>()?;
        Ok((unusable.into_values().next(), records))
    }

    /// What records say of a variant. `unusable` is what is wrong with its file, if anything is.
    fn record_of(
        &mut self,
        variant: &Variant,
        elements: &[ElementType],
        unusable: Option<String>,
    ) -> Result<ImplementationRecord> {
        let (known, parameters) = (variant.known()?, &variant.parameters);
        let taken = taken(variant, elements)?;
        let (kernels, problem) = match unusable {
            Some(problem) => (Vec::new(), Some(problem)),
            None => match self.kernels_of(variant, &taken) {
                Err(failure) if failure.cause == FailureCause::DeviceLost => return Err(failure),
                Err(failure) => (Vec::new(), Some(failure.message)),
                Ok(kernels) => (kernels, None),
            },
        };
        let gpu = self.gpu().map(|device| device.info().clone());
        let own_gpu = gpu.as_ref().filter(|_| variant.takes_gpu());
        // An external program takes the GPU of ordinal 0 without being told.
        if let Some(gpu) = own_gpu.filter(|gpu| gpu.ordinal > 0) {
            known.solver.take_gpu(&gpu.uuid);
        }
        let traffic = known.solver.traffic(parameters);
        let capabilities = known.capabilities(parameters);
        let set = known.launched_kernels(Target::default(), parameters);
        let of_gpu = gpu.as_ref().filter(|_| set.is_some());
        let code =
            |gpu: &DeviceInfo| hashes_of_code(&*known.solver, gpu.compute_capability, &taken, parameters);
        let process = self.external.process_of(known, &self.devices);
        let external = |given: &ImplementationFile| ExternalRecord {
            file: given.file.rsplit('/').next().unwrap_or_default().to_string(),
            hash: given.hash(),
            unconfined: process.and_then(|process| process.borrow().unconfined.clone()),
        };
        Ok(ImplementationRecord {
            implementation: variant.implementation.to_string(),
            params: parameters.to_string(),
            source: known.source.to_string(),
            bytes_per_task: traffic.bytes_per_task,
            traffic_model: traffic.model.to_string(),
            bytes_per_task_paper: traffic.paper.as_ref().map(|(bytes, _)| *bytes),
            traffic_model_paper: traffic.paper.map(|(_, model)| model),
            source_hash: set.as_ref().map(|set| set.source.hash()),
            kernels,
            stored_code: of_gpu.map(code).unwrap_or_default(),
            solved_on: variant.solved_on(),
            devices: *capabilities.devices.start(),
            halves: capabilities.halves,
            defaults: known.defaults(),
            problem,
            external: known.given.as_ref().map(external),
            gpu: own_gpu.map(|gpu| gpu.name.clone()),
        })
    }

    /// Loads the variant's kernels in these types, and asks the driver for their resources in the first.
    fn kernels_of(&mut self, variant: &Variant, elements: &[ElementType]) -> Result<Vec<KernelRecord>> {
        let (known, parameters) = (variant.known()?, &variant.parameters);
        let count = self.open_for(variant)?;
        // It needs no device, or other processes of this run have all devices that it takes.
        let Some(first) = elements.first().filter(|_| count > 0) else { return Ok(Vec::new()) };
        for &element in elements {
            self.external.load(known, element, &self.devices[..count], parameters)?;
        }
        // The emulated device has no registers; shared memory is counted as it is used.
        let Some(device) = self.gpu() else { return Ok(Vec::new()) };
        let target = Target::on(device.info(), *first);
        let Some(set) = known.launched_kernels(target, parameters) else { return Ok(Vec::new()) };
        let kernels = device.load(&set.source, &set.names())?;
        let record = |(kernel, used): (_, &KernelUse)| {
            let resources = device.resources(kernel, used.threads, used.dynamic_shared_bytes)?;
            Ok(KernelRecord { resources, paper: used.paper })
        };
        kernels.iter().zip(&set.uses).map(record).collect()
    }

    /// What is wrong with a file of which no kernel loads, whatever the parameters and the type. None where one loads, or a device is
    /// missing, which is no fault of a file.
    ///
    /// # Errors
    /// When the device is lost.
    fn problem_of_file(&mut self, variants: &[&Variant], elements: &[ElementType]) -> Result<Option<String>> {
        let mut first = None;
        for variant in variants {
            let known = variant.known()?;
            let Ok(count @ 1..) = self.open_for(variant) else { return Ok(None) };
            for element in taken(variant, elements)? {
                match self.external.load(known, element, &self.devices[..count], &variant.parameters) {
                    // The same error twice does not depend on parameters or types: the compiler need not say it a third time.
                    Err(error) if first.as_ref() == Some(&error.message) => return Ok(first),
                    Err(error) if error.kind == FailureKind::Other => {
                        first.get_or_insert(error.message);
                    }
                    Err(error) if error.kind == FailureKind::Lost => return Err(error.into()),
                    Ok(()) | Err(_) => return Ok(None),
                }
            }
        }
        Ok(first)
    }
}

/// The types among `elements` that a variant takes.
fn taken(variant: &Variant, elements: &[ElementType]) -> Result<Vec<ElementType>> {
    let known = variant.known()?;
    let takes = |element: &ElementType| known.takes(*element, &variant.parameters).is_ok();
    Ok(elements.iter().copied().filter(takes).collect())
}
