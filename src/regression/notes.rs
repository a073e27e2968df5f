//! What a reader of a comparison should know, a sentence each.

use super::comparable::on_another_cpu;
use super::programs::left_out;
use crate::results::StoredRun;
use crate::timing::{Pairing, Scope};
use repro_types::CellId;
use std::collections::{BTreeMap, BTreeSet};

/// Each once, in the order in which they were first made.
#[derive(Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    pub(super) fn add(&mut self, note: String) {
        if !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    pub(super) fn into_texts(self) -> Vec<String> {
        self.0
    }

    /// Notes on the scopes by which the cells of both runs are compared, where `asked` was asked for.
    pub(super) fn about_scopes(
        &mut self,
        (base, new): (&StoredRun, &StoredRun),
        asked: Scope,
        scopes: &BTreeMap<CellId, Scope>,
    ) {
        let of_programs: BTreeSet<Scope> = scopes.values().copied().filter(|scope| *scope != asked).collect();
        if !of_programs.is_empty() {
            let names = of_programs.iter().map(Scope::to_string).collect::<Vec<_>>().join(" or ");
            self.add(format!(
                "Programs are compared with themselves alone, by a clock of the host: scope {names}. They have no time of scope {asked}."
            ));
        }
        let left = left_out(base, new, scopes);
        if left > 0 {
            let cells = if left == 1 {
                "1 cell that both runs timed has"
            } else {
                &format!("{left} cells that both runs timed have")
            };
            self.add(format!("Left out: {cells} no time of scope {asked}."));
        }
    }

    /// Notes on a pair of runs that may be compared.
    pub(super) fn about(&mut self, base: &StoredRun, new: &StoredRun, pairing: Pairing) {
        let mut note = |text: String| self.add(text);
        if pairing == Pairing::Together {
            note("Samples were taken in pairs, one of either build after the other.".to_string());
        }
        for run in [base, new] {
            let name = run.name();
            if run.manifest.finished.is_none() {
                note(format!("{name} is not finished: what it has is compared."));
            }
            if run.torn_bytes > 0 {
                note(format!(
                    "{name}: the last {} bytes of samples.csv are no whole sample and are left out.",
                    run.torn_bytes
                ));
            }
            if run.manifest.build.dirty {
                note(format!("{name} was built with uncommitted changes."));
            }
            if run.manifest.build.profile != "release" {
                note(format!(
                    "{name} is of a {} build: its CPU cells mean little.",
                    run.manifest.build.profile
                ));
            }
        }
        if let Some((before, now)) = on_another_cpu(base, new) {
            note(format!("Another host: {before} before, {now} now; cells on the CPU are not decided."));
        }
    }
}
