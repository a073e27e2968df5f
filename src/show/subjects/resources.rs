//! What each kernel takes on this device, beside what the paper says of it on its own.

use crate::device::KernelResources;
use crate::device::gpus::PARAMETER_BYTES;
use crate::lists::distinct;
use crate::show::{Grid, whole_percent};
use crate::store::Manifest;

/// One row a kernel; kernels that take the same whatever the parameters have one.
pub fn grid(manifest: &Manifest) -> Option<Grid> {
    let environment = manifest.environment.as_ref()?;
    let most_threads = environment.device.as_ref().map(|device| device.info.threads_per_multiprocessor);
    let all = environment.implementations.iter();
    let kernels = all.flat_map(|of| of.kernels.iter().map(|kernel| (of.implementation.as_str(), kernel)));
    let beside = |paper: Option<u32>, here: u32| match paper {
        Some(paper) => format!("{paper} / {here}"),
        None => here.to_string(),
    };
    let occupancy = |of: &KernelResources| {
        let resident = f64::from(of.resident_blocks * of.threads);
        let most = most_threads.filter(|&most| most > 0);
        most.map_or("-".to_string(), |most| whole_percent(resident / f64::from(most)))
    };
    let rows: Vec<_> =
        distinct(kernels).into_iter().map(|(name, kernel)| (name, &kernel.resources, kernel.paper)).collect();
    let shared = match rows.iter().any(|(.., paper)| paper.is_some()) {
        true => "shared bytes a block\n+ parameters",
        false => "shared bytes\na block",
    };
    Grid::of_columns(
        "Kernels: paper / here",
        rows,
        &[
            ("kernel", &|(name, here, _)| format!("{name} {}", crate::store::spelled(&here.kernel))),
            ("threads\na block", &|(_, here, paper)| beside(paper.map(|paper| paper.threads), here.threads)),
            ("registers\na thread", &|(_, here, _)| here.registers.to_string()),
            (shared, &|(_, here, paper)| match paper.map(|paper| u64::from(paper.shared_bytes)) {
                // A kernel declares no parameters.
                Some(paper) => {
                    let declared = paper.saturating_sub(PARAMETER_BYTES);
                    format!("{declared} + {PARAMETER_BYTES} / {}", here.shared_bytes)
                }
                None => here.shared_bytes.to_string(),
            }),
            ("local bytes\na thread", &|(_, here, _)| here.local_bytes.to_string()),
            ("resident blocks a\nmultiprocessor", &|(_, here, paper)| {
                beside(paper.map(|paper| paper.resident_blocks), here.resident_blocks)
            }),
            ("theoretical\noccupancy", &|(_, here, _)| occupancy(here)),
        ],
    )
    .unless_empty()
}
