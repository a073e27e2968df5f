//! Small hand-made records for the tests of tables.

use crate::plan::{Column, Experiment, NamedGraph, Overrides, load_experiment, resolve, runs_on_device};
use crate::results::{CellFacts, Results, StoredRun, SummaryRow, Times, VariantTable};
use crate::store::{
    Build, DeviceRecord, Environment, ExtraDevice, HostInfo, ImplementationRecord, Manifest, SampleRow,
    Status,
};
use repro_base::{CellId, Parameters};
use repro_device::Selection;
use repro_solvers::find;
use repro_timing::{Ceilings, ProcessorKind, Scope, Seconds};
use std::path::PathBuf;

/// An experiment of these columns, implementation and parameters, on these graphs.
pub fn experiment(columns: &[(&str, &str)], graphs: &[&str]) -> Experiment {
    let file = load_experiment("timers").unwrap();
    let known = resolve(&file, &Overrides::default(), Selection::Cpu).unwrap();
    let column = |(implementation, params): &(&str, &str)| Column {
        implementation: implementation.to_string(),
        parameters: params.parse().unwrap(),
        ..known.columns[0].clone()
    };
    let graph = |name: &&str| NamedGraph { name: name.to_string(), ..known.graphs[0].clone() };
    Experiment {
        columns: columns.iter().map(column).collect(),
        graphs: graphs.iter().map(graph).collect(),
        ..known
    }
}

/// A build that is none.
pub fn build() -> Build {
    Build { version: "0.0.0".into(), commit: "unknown".into(), dirty: false, profile: "test".into() }
}

pub fn manifest(experiment: Experiment) -> Manifest {
    Manifest::new(build(), experiment, Vec::new(), String::new())
}

pub fn cell(implementation: &str, params: &str, n: usize) -> CellId {
    CellId { implementation: implementation.into(), n, params: params.into(), graph: String::new() }
}

/// A run of an experiment that is summed up so, by the clock of scope `kernel` alone.
pub fn run(experiment: Experiment, summary: Vec<SummaryRow>) -> StoredRun {
    let results =
        Results { times: times_of(&summary), facts: facts_of(&summary), summary, ..Results::default() };
    StoredRun {
        folder: PathBuf::new(),
        manifest: manifest(experiment),
        samples: Vec::new(),
        results,
        parts: 1,
        torn_bytes: 0,
    }
}

/// What the samples of a cell are summarized to.
pub fn measured(cell: CellId, samples: &[f64]) -> SummaryRow {
    let rows = samples.iter().enumerate().flat_map(|(at, &seconds)| {
        let row = SampleRow { verified: true, ..SampleRow::without_time(&cell, at, Status::Ok, "") };
        row.every_scope(&Seconds::same(seconds))
    });
    let rows: Vec<SampleRow> = rows.collect();
    SummaryRow::new(&cell, &Times::of(&rows), &rows, CellFacts::default()).unwrap()
}

/// What a run with these rows would have recorded of their implementations.
pub fn facts_of(summary: &[SummaryRow]) -> VariantTable {
    let columns: Vec<(&str, &str)> = summary.iter().map(|row| (&*row.implementation, &*row.params)).collect();
    let records: Vec<ImplementationRecord> = columns.into_iter().map(record).collect();
    VariantTable::of(&records)
}

/// What a run records of an implementation without a device; of one that this build does not know, next to nothing.
pub fn record((implementation, params): (&str, &str)) -> ImplementationRecord {
    let (known, parameters) = (find(implementation), params.parse::<Parameters>().unwrap_or_default());
    let known = known.as_deref();
    let traffic = known.map(|known| known.solver.traffic(&parameters));
    let capabilities = known.map(|known| known.capabilities(&parameters));
    ImplementationRecord {
        implementation: implementation.into(),
        params: params.into(),
        source: String::new(),
        bytes_per_task: traffic.as_ref().map_or(0.0, |traffic| traffic.bytes_per_task),
        traffic_model: traffic.as_ref().map(|traffic| traffic.model.to_string()).unwrap_or_default(),
        bytes_per_task_paper: traffic.and_then(|traffic| traffic.paper).map(|(bytes, _)| bytes),
        traffic_model_paper: None,
        source_hash: None,
        kernels: Vec::new(),
        stored_code: Vec::new(),
        solved_on: if runs_on_device(implementation) { ProcessorKind::Device } else { ProcessorKind::Cpu },
        devices: known.map_or(0, |known| known.devices(&parameters)),
        halves: capabilities.is_some_and(|capabilities| capabilities.halves),
        defaults: known.map(|known| known.defaults()).unwrap_or_default(),
        problem: None,
        external: None,
        gpu: None,
    }
}

/// Times with the medians and the intervals of these rows.
fn times_of(summary: &[SummaryRow]) -> Times {
    Times::of(&rows_of(summary))
}

fn rows_of(summary: &[SummaryRow]) -> Vec<SampleRow> {
    let of_row = |row: &SummaryRow| {
        let seconds = [row.ci_low_s, row.median_s, row.ci_high_s].into_iter().flatten();
        let cell = row.cell();
        seconds.map(|seconds| scope(&cell, Scope::Kernel, seconds)).collect::<Vec<_>>()
    };
    summary.iter().flat_map(of_row).collect()
}

/// One sample of a cell by one clock.
pub fn scope(of: &CellId, scope: Scope, seconds: f64) -> SampleRow {
    let row = SampleRow { verified: true, ..SampleRow::without_time(of, 0, Status::Ok, "") };
    SampleRow { scope, seconds: Some(seconds), ..row }
}

/// A machine with so many GPUs of which next to nothing is known.
pub fn environment(gpus: usize) -> Environment {
    let info = serde_json::json!({
        "ordinal": 0, "name": "GPU", "uuid": "GPU-1", "compute_capability": [9, 0], "multiprocessors": 132,
        "memory_bytes": 1, "l2_bytes": 1, "shared_bytes_per_multiprocessor": 1,
        "registers_per_multiprocessor": 1, "threads_per_multiprocessor": 2048, "clock_mhz": 1980,
        "driver_cuda": "13.0", "shared_bytes_per_block": 1, "emulated": false,
    });
    let gpu = || DeviceRecord {
        info: serde_json::from_value(info.clone()).unwrap(),
        driver: None,
        compiler: None,
        compiler_problem: None,
        telemetry_problem: None,
    };
    let further = || ExtraDevice { host: String::new(), device: gpu() };
    Environment {
        host: HostInfo::capture(),
        device: (gpus > 0).then(gpu),
        further_devices: (1..gpus).map(|_| further()).collect(),
        further_hosts: Vec::new(),
        together: None,
        device_problem: None,
        implementations: Vec::new(),
        ceilings: Ceilings::default(),
        pinning: None,
        protections: None,
    }
}
