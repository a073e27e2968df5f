//! Whether the kernels that ran have the text of this build.

use super::{explained, table, text};
use crate::graph::ElementType;
use crate::ranking::Lines;
use crate::report::model::Topic;
use crate::results::StoredRun;
use std::collections::BTreeMap;

/// Runs by whether they had this text.
#[derive(Default)]
struct Runs {
    same: Vec<String>,
    another: Vec<String>,
}

/// A row an implementation, with the runs that had the text of this build and those that had another.
pub fn topic(runs: &[StoredRun]) -> Topic {
    let mut all: BTreeMap<&str, Runs> = BTreeMap::new();
    for run in runs.iter().filter(|run| !run.is_emulated()) {
        let given = &run.manifest.experiment.given;
        let records = run.environment().map_or(&[][..], |environment| &environment.implementations);
        let with_kernels = records.iter().filter(|record| record.source_hash.is_some());
        // With whatever parameters: what differs in any differs.
        let mut same: BTreeMap<&str, bool> = BTreeMap::new();
        for record in with_kernels {
            let is_same = Lines::of(record, given, ElementType::F32).is_some_and(|lines| lines.as_run);
            let known = same.entry(&record.implementation).or_insert(true);
            *known &= is_same;
        }
        for (implementation, is_same) in same {
            let runs = all.entry(implementation).or_default();
            let of_it = if is_same { &mut runs.same } else { &mut runs.another };
            of_it.push(run.name());
        }
    }
    let rows = all.iter().map(|(name, runs)| {
        let list = |runs: &[String]| if runs.is_empty() { "none".to_string() } else { runs.join(", ") };
        vec![name.to_string(), list(&runs.same), list(&runs.another)]
    });
    let header = ["kernels of", "the text of this build ran in", "another text ran in"];
    let said = text(
        "A run records a digest of the text of each kernel, of the headers that it reaches and of how it was compiled. Another text is not always other machine code: comments and headers count, too, and machine code that is stored with the program. What an implementation does with any of its parameters is one row.",
    );
    explained(
        "kernels",
        "Kernels",
        said,
        table("kernels-of-build", "Kernels of the runs", &header, rows.collect()),
    )
}
