//! Changes to what is stored, in words short enough for a table of cases.

#![allow(dead_code)] // Every test file uses a part of it.

use crate::common::stored::{Row, edit_manifest, edit_rows};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::Path;

/// Some rows of `samples.csv`.
#[derive(Clone)]
pub struct Rows {
    implementation: &'static str,
    params: Option<&'static str>,
    graph: Option<&'static str>,
    scope: Option<&'static str>,
    sizes: RangeInclusive<usize>,
}

/// All rows of an implementation.
pub fn of(implementation: &'static str) -> Rows {
    Rows { implementation, params: None, graph: None, scope: None, sizes: 0..=usize::MAX }
}

impl Rows {
    /// Those with these parameters, whatever others they have.
    pub fn with(self, params: &'static str) -> Self {
        Self { params: Some(params), ..self }
    }

    pub fn on(self, graph: &'static str) -> Self {
        Self { graph: Some(graph), ..self }
    }

    pub fn under(self, scope: &'static str) -> Self {
        Self { scope: Some(scope), ..self }
    }

    pub fn n(self, sizes: RangeInclusive<usize>) -> Self {
        Self { sizes, ..self }
    }

    /// Whether `row` is one of them.
    pub fn hold(&self, row: &Row) -> bool {
        row.get("implementation") == self.implementation
            && self.params.is_none_or(|params| {
                params.split(';').all(|one| row.get("params").split(';').any(|of| of == one))
            })
            && self.graph.is_none_or(|graph| row.get("graph") == graph)
            && self.scope.is_none_or(|scope| row.get("scope") == scope)
            && self.sizes.contains(&row.n())
    }
}

/// One change.
#[derive(Clone)]
pub enum Edit {
    /// Seconds times a number.
    Seconds(Rows, f64),
    /// Seconds so that the highest of the claim's figures, which rise with them, is this.
    RaiseHighest(Rows, f64),
    /// Seconds so that the highest of the claim's figures, which fall with them, is this.
    SinkHighest(Rows, f64),
    /// Seconds so that the lowest of the claim's figures, which rise with them, is this.
    RaiseLowest(Rows, f64),
    /// The samples are not there.
    Drop(Rows),
    /// A column of the rows of one kernel in counts.csv.
    Count { of: &'static str, kernel: &'static str, column: &'static str, is: u64 },
    /// The rows of an implementation in counts.csv are not there.
    Uncounted(&'static str),
    /// The launches of one kernel with these parameters in kernels.csv; a row is made where there is none.
    Launches { params: &'static str, kernel: &'static str, are: u64 },
    /// There is no kernels.csv.
    NoKernelTimes,
    /// The GPU's name in the manifest.
    Gpu(&'static str),
    /// GB/s of the copy in the manifest; None for a run that measured none.
    Copy(Option<f64>),
    /// Threads a block of an implementation's kernels in the manifest; None for an implementation without resources.
    Threads(&'static str, Option<u64>),
}

/// Makes `edit` in the files of the run in `folder`. `figures` are those of the claim as the run is, lowest first.
pub fn apply(edit: &Edit, folder: &Path, figures: &dyn Fn() -> Vec<f64>) {
    let scale = |rows: &Rows, factor: f64| {
        samples(folder, rows, |row| {
            row.scale(factor);
            true
        });
    };
    let highest = || *figures().last().expect("there is a figure to move");
    match edit {
        Edit::Seconds(rows, factor) => scale(rows, *factor),
        Edit::RaiseHighest(rows, to) => scale(rows, to / highest()),
        Edit::SinkHighest(rows, to) => scale(rows, highest() / to),
        Edit::RaiseLowest(rows, to) => scale(rows, to / figures()[0]),
        Edit::Drop(rows) => samples(folder, rows, |_| false),
        Edit::Count { of, kernel, column, is } => counts(folder, of, |row| {
            if row.get("kernel") == *kernel {
                row.set(column, is);
            }
            true
        }),
        Edit::Uncounted(of) => counts(folder, of, |_| false),
        Edit::Launches { params, kernel, are } => launches(folder, params, kernel, *are),
        Edit::NoKernelTimes => std::fs::remove_file(folder.join("kernels.csv")).unwrap(),
        Edit::Gpu(name) => {
            edit_manifest(folder, |manifest| manifest["environment"]["device"]["info"]["name"] = json!(name));
        }
        Edit::Copy(gbs) => edit_manifest(folder, |manifest| {
            let device = &mut manifest["environment"]["ceilings"]["device"];
            match gbs {
                Some(gbs) => device["copy_gbs"] = json!(gbs),
                None => *device = Value::Null,
            }
        }),
        Edit::Threads(name, threads) => edit_manifest(folder, |manifest| {
            for one in manifest["environment"]["implementations"].as_array_mut().unwrap() {
                if one["implementation"] == *name {
                    set_threads(&mut one["kernels"], *threads);
                }
            }
        }),
    }
}

fn samples(folder: &Path, rows: &Rows, mut edit: impl FnMut(&mut Row) -> bool) {
    let mut found = false;
    edit_rows(&folder.join("samples.csv"), |row| match rows.hold(row) {
        true => {
            found = true;
            edit(row)
        }
        false => true,
    });
    assert!(found, "no sample of {}", rows.implementation);
}

fn counts(folder: &Path, of: &str, mut edit: impl FnMut(&mut Row) -> bool) {
    edit_rows(&folder.join("counts.csv"), |row| row.get("implementation") != of || edit(row));
}

fn launches(folder: &Path, params: &str, kernel: &str, are: u64) {
    let mut last = None;
    let file = folder.join("kernels.csv");
    edit_rows(&file, |row| {
        let is_of = row.get("params") == params;
        if is_of {
            last = Some((row.get("implementation").to_string(), row.n()));
        }
        !(is_of && row.get("kernel") == kernel)
    });
    let (implementation, n) = last.expect("there are times by kernel");
    let row = format!("{implementation},{n},{params},,{kernel},{are},0.001,0,0\n");
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap() + &*row).unwrap();
}

fn set_threads(kernels: &mut Value, threads: Option<u64>) {
    match threads {
        Some(threads) => {
            kernels.as_array_mut().unwrap().iter_mut().for_each(|kernel| kernel["threads"] = json!(threads));
        }
        None => *kernels = json!([]),
    }
}
