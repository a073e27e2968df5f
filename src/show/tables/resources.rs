//! What each kernel takes on this device, beside what the paper says of it on its own.

use crate::lists::distinct;
use crate::show::grid::Grid;
use crate::store::Manifest;

/// One row a kernel; kernels that take the same whatever the parameters have one.
pub fn grid(manifest: &Manifest) -> Option<Grid> {
    let environment = manifest.environment.as_ref()?;
    let most_threads = environment.device.as_ref().map(|device| device.info.threads_per_multiprocessor);
    let all = environment.implementations.iter();
    let kernels = all.flat_map(|of| of.kernels.iter().map(|kernel| (of.implementation.as_str(), kernel)));
    let rows = distinct(kernels).into_iter().map(|(implementation, kernel)| {
        let of = &kernel.resources;
        let beside = |paper: Option<u32>, here: u32| match paper {
            Some(paper) => format!("{paper} / {here}"),
            None => here.to_string(),
        };
        let occupancy = most_threads.filter(|&most| most > 0).map_or("-".to_string(), |most| {
            let resident = of.resident_blocks * of.threads;
            format!("{:.0}%", f64::from(resident) / f64::from(most) * 100.0)
        });
        vec![
            format!("{implementation} {}", crate::store::spelled(&of.kernel)),
            beside(kernel.paper.map(|paper| paper.threads), of.threads),
            of.registers.to_string(),
            beside(kernel.paper.map(|paper| paper.shared_bytes), of.shared_bytes),
            of.local_bytes.to_string(),
            beside(kernel.paper.map(|paper| paper.resident_blocks), of.resident_blocks),
            occupancy,
        ]
    });
    let header = [
        "kernel",
        "threads\na block",
        "registers\na thread",
        "shared bytes\na block",
        "local bytes\na thread",
        "resident blocks a\nmultiprocessor",
        "theoretical\noccupancy",
    ];
    Grid::new("Kernels: paper / here", header, rows).unless_empty()
}
