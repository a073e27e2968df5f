//! Open steps: confirmed, and acknowledged by nobody.

use super::accepted::{Accepted, StepId};
use super::file::History;
use super::series::series;
use super::steps::{Step, steps};
use crate::store::short_commit;
use std::collections::HashSet;

/// How many are named; the others are counted.
const MOST_NAMED: usize = 20;

/// A confirmed step that nobody acknowledged.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenStep<'a> {
    pub id: StepId,
    /// The cell, as [`super::CellHistory::name`].
    pub name: String,
    pub step: Step<'a>,
}

/// The open steps of these histories: slower ones first, and of either the largest first.
pub fn open_steps<'a>(histories: &'a [History], accepted: &[Accepted]) -> Vec<OpenStep<'a>> {
    let accepted: HashSet<&StepId> = accepted.iter().map(|one| &one.step).collect();
    let mut open = Vec::new();
    for history in histories {
        let file = history.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for cell in series(&history.rows) {
            for step in steps(&cell.rows).into_iter().filter(|step| step.confirmed) {
                let id = StepId {
                    file: file.clone(),
                    cell: cell.cell.clone(),
                    scope: cell.scope,
                    graph_digest: cell.graph_digest.to_string(),
                    since: step.after.time.clone(),
                };
                if !accepted.contains(&id) {
                    open.push(OpenStep { id, name: cell.name(), step });
                }
            }
        }
    }
    let size = |one: &OpenStep| one.step.ratio().ln().abs();
    open.sort_by(|a, b| b.is_slower().cmp(&a.is_slower()).then(size(b).total_cmp(&size(a))));
    open
}

/// A line for each step, or for twenty of them and one that counts the others.
pub fn lines(open: &[OpenStep]) -> Vec<String> {
    let mut lines: Vec<String> = open.iter().take(MOST_NAMED).map(OpenStep::line).collect();
    let others = open.get(MOST_NAMED..).unwrap_or_default();
    if !others.is_empty() {
        let slower = others.iter().filter(|one| one.is_slower()).count();
        lines.push(format!("and {} more steps, {slower} of them slower", others.len()));
    }
    lines
}

impl OpenStep<'_> {
    pub fn is_slower(&self) -> bool {
        self.step.ratio() > 1.0
    }

    /// The cell, how its time changed, since when, and what changed with it.
    fn line(&self) -> String {
        let (before, after) = (&self.step.before.commit, &self.step.after.commit);
        let commits =
            (before != after).then(|| format!("commit {} → {}", short_commit(before), short_commit(after)));
        let changed: Vec<String> = commits.into_iter().chain(self.step.also_changed()).collect();
        format!(
            "{}: {} is {}: {:.3} times as long since {}, commit {}; {}",
            self.id.file,
            self.name,
            if self.is_slower() { "slower" } else { "faster" },
            self.step.ratio(),
            self.id.since.get(..10).unwrap_or_default(),
            short_commit(after),
            match &changed[..] {
                [] => "nothing else that is recorded changed with it".to_string(),
                changed => format!("with it changed: {}", changed.join(", ")),
            }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::HistoryRow;
    use super::super::row::tests::row;
    use super::*;
    use repro_types::CellId;

    /// A history in which each cell, called by its place, takes so many times as long from the third day on.
    fn history(ratios: &[f64]) -> History {
        let entry = |day: u32, n: usize, ratio: f64| {
            let plain = row(day, if day > 2 { ratio } else { 1.0 });
            HistoryRow { cell: CellId::new("a", n, "", ""), ..plain }
        };
        let cells = (1..).zip(ratios);
        let rows = cells.flat_map(|(n, &ratio)| (1..=4).map(move |day| entry(day, n, ratio))).collect();
        History { path: "h/nvidia-h200.csv".into(), rows, notice: None }
    }

    #[test]
    fn slower_ones_come_first_and_from_twenty_on_they_are_counted() {
        let ratios: Vec<f64> = [1.1, 0.5, 1.3].into_iter().chain([0.8; 19]).collect();
        let history = [history(&ratios)];
        let open = open_steps(&history, &[]);
        let first: Vec<usize> = open.iter().take(3).map(|one| one.id.cell.n).collect();
        assert_eq!((open.len(), first), (22, vec![3, 1, 2]));
        let lines = lines(&open);
        assert_eq!((lines.len(), lines[20].as_str()), (21, "and 2 more steps, 0 of them slower"));
    }

    #[test]
    fn what_was_acknowledged_is_quiet_and_a_later_step_of_the_cell_is_not() {
        let mut histories = [history(&[1.1, 1.2])];
        let ids: Vec<StepId> = open_steps(&histories, &[]).into_iter().map(|one| one.id).collect();
        let accepted = [Accepted::new("2026-03-05T12:00:00Z", "me", "meant", ids[0].clone())];
        let left: Vec<StepId> = open_steps(&histories, &accepted).into_iter().map(|one| one.id).collect();
        assert_eq!(left, ids[1..]);
        let cell = ids[0].cell.clone();
        histories[0].rows.extend([5, 6].map(|day| HistoryRow { cell: cell.clone(), ..row(day, 2.0) }));
        assert_eq!(open_steps(&histories, &accepted)[0].id.since, "2026-03-05T12:00:00Z");
    }

    #[test]
    fn a_step_that_no_later_run_confirmed_is_not_open() {
        let mut history = history(&[1.1]);
        history.rows.pop();
        assert_eq!(open_steps(&[history], &[]), []);
    }
}
