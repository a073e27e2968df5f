//! The tables that a run ends with: the paper's seconds beside this machine's, rates, and speed-ups.

use super::counted;
use super::grid::{Grid, digits};
use super::resolve::Experiment;
use crate::record::{
    CellId, CountRow, KernelTimeRow, Manifest, PublishedPaper, PublishedTable, ScopeRow, Status, SummaryRow,
    published_papers,
};
use std::collections::BTreeSet;

/// Tables with their titles, and what stands above and below them.
pub struct Tables {
    head: String,
    grids: Vec<Grid>,
    foot: Vec<String>,
}

/// What is derived from a run's records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    pub summary: Vec<SummaryRow>,
    pub scopes: Vec<ScopeRow>,
    pub kernel_times: Vec<KernelTimeRow>,
    pub counts: Vec<CountRow>,
}

/// The paper's table that an experiment reproduces.
pub fn published_table(experiment: &Experiment) -> Option<PublishedTable> {
    published_paper(experiment)?.table(experiment.table.as_deref()?).cloned()
}

fn published_paper(experiment: &Experiment) -> Option<PublishedPaper> {
    let id = experiment.paper.as_deref()?;
    // The embedded files are tested; a run does not end because of one.
    published_papers().ok()?.into_iter().find(|paper| paper.id == id)
}

/// One line about a cell that was done.
pub fn line(summary: Option<&SummaryRow>, cell: &CellId) -> String {
    let Some(row) = summary else { return cell.to_string() };
    match (row.median_s, row.ci_low_s, row.ci_high_s, row.tasks_per_s) {
        (Some(median), Some(low), Some(high), Some(rate)) => format!(
            "{cell}: {} s, median of {} [{}, {}], {} G tasks/s",
            digits(median),
            row.samples,
            digits(low),
            digits(high),
            digits(rate * 1e-9)
        ),
        _ => format!("{cell}: {}: {}", row.status, row.message),
    }
}

/// All tables of a run.
pub fn tables(manifest: &Manifest<Experiment>, results: &Results) -> Tables {
    let summary = &results.summary[..];
    let experiment = &manifest.experiment;
    let paper = published_paper(experiment);
    let published = published_table(experiment);
    let mut columns: Vec<(String, String)> = Vec::new();
    for column in &experiment.columns {
        let key = (column.implementation.clone(), column.parameters.to_string());
        if !columns.contains(&key) {
            columns.push(key);
        }
    }
    let sizes: BTreeSet<usize> = summary.iter().map(|row| row.n).collect();
    let view = View { summary, columns: &columns, sizes: &sizes, published: published.as_ref() };
    let mut grids: Vec<Grid> =
        [view.seconds(), view.rates()].into_iter().filter(|grid| !grid.rows.is_empty()).collect();
    if let (Some(paper), Some(published)) = (&paper, &published) {
        grids.extend(view.speedups(paper, published));
    }
    grids.extend(kernels(manifest));
    grids.extend(counted::grid(&results.counts));
    Tables { head: head(manifest, paper.as_ref()), grids, foot: foot(manifest, summary) }
}

/// What each kernel takes on this device, beside what the paper says of it on its own.
fn kernels(manifest: &Manifest<Experiment>) -> Option<Grid> {
    let environment = manifest.environment.as_ref()?;
    let rows: Vec<Vec<String>> = environment
        .implementations
        .iter()
        .flat_map(|record| record.kernels.iter().map(move |kernel| (record, kernel)))
        .map(|(record, kernel)| {
            let of = &kernel.resources;
            let beside = |paper: Option<u32>, here: u32| match paper {
                Some(paper) => format!("{paper} / {here}"),
                None => here.to_string(),
            };
            vec![
                format!("{} {}", record.implementation, of.kernel),
                beside(kernel.paper.map(|paper| paper.threads), of.threads),
                of.registers.to_string(),
                beside(kernel.paper.map(|paper| paper.shared_bytes), of.shared_bytes),
                of.local_bytes.to_string(),
                beside(kernel.paper.map(|paper| paper.resident_blocks), of.resident_blocks),
            ]
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let header = [
        "kernel",
        "threads\na block",
        "registers\na thread",
        "shared bytes\na block",
        "local bytes\na thread",
        "resident blocks a\nmultiprocessor",
    ];
    Some(Grid {
        title: "Kernels: paper / here".to_string(),
        header: header.map(str::to_string).to_vec(),
        rows,
    })
}

struct View<'a> {
    summary: &'a [SummaryRow],
    columns: &'a [(String, String)],
    sizes: &'a BTreeSet<usize>,
    published: Option<&'a PublishedTable>,
}

impl View<'_> {
    fn row(&self, implementation: &str, params: &str, n: usize) -> Option<&SummaryRow> {
        let same =
            |row: &&SummaryRow| row.implementation == implementation && row.n == n && row.params == params;
        self.summary.iter().find(same)
    }

    fn grid(&self, title: &str, cell: impl Fn(&str, &str, usize) -> String) -> Grid {
        let titles = self
            .columns
            .iter()
            .map(|(name, params)| if params.is_empty() { name.clone() } else { format!("{name}\n{params}") });
        let rows = self.sizes.iter().filter_map(|&n| {
            let cells: Vec<String> =
                self.columns.iter().map(|(name, params)| cell(name, params, n)).collect();
            let says_something = cells.iter().any(|cell| !cell.is_empty());
            says_something.then(|| std::iter::once(n.to_string()).chain(cells).collect())
        });
        Grid {
            title: title.to_string(),
            header: std::iter::once("n".to_string()).chain(titles).collect(),
            rows: rows.collect(),
        }
    }

    fn seconds(&self) -> Grid {
        self.grid("Seconds (scope kernel): paper / here", |name, params, n| {
            let here = match self.row(name, params, n) {
                None => String::new(),
                Some(row) => match row.median_s {
                    Some(median) => digits(median),
                    // Why is said once, below the tables.
                    None if matches!(row.status, Status::Skipped | Status::Counted) => String::new(),
                    None => row.status.to_string(),
                },
            };
            let paper = self.published.and_then(|table| table.seconds(name, n));
            match paper {
                Some(seconds) => format!("{seconds} / {}", if here.is_empty() { "-" } else { &here }),
                None => here,
            }
        })
    }

    fn rates(&self) -> Grid {
        self.grid("Here: 10⁹ tasks/s (effective GB/s)", |name, params, n| {
            let row = self.row(name, params, n);
            match row.and_then(|row| Some((row.tasks_per_s?, row.effective_gbs?))) {
                Some((tasks, gbs)) => format!("{} ({})", digits(tasks * 1e-9), digits(gbs)),
                None => String::new(),
            }
        })
    }

    /// One column for every speed-up that the paper's text states, its range in the title. None when nothing here bears
    /// on any.
    fn speedups(&self, paper: &PublishedPaper, published: &PublishedTable) -> Option<Grid> {
        let relevant: Vec<_> = paper
            .speedups
            .iter()
            .filter(|claim| self.sizes.iter().any(|&n| self.ratio(&claim.faster, &claim.slower, n).is_some()))
            .collect();
        if relevant.is_empty() {
            return None;
        }
        let titles = relevant.iter().map(|claim| {
            let range = match claim.high {
                Some(high) => format!("{} to {high}", claim.low),
                None => format!("over {}", claim.low),
            };
            format!("{}\nover {}\ntext: {range}", claim.faster, claim.slower)
        });
        let rows = self.sizes.iter().map(|&n| {
            let cells = relevant.iter().map(|claim| {
                let seconds = |name: &str| published.seconds(name, n);
                let paper =
                    seconds(&claim.slower).zip(seconds(&claim.faster)).map(|(slow, fast)| slow / fast);
                let shown = |ratio: Option<f64>| ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"));
                match (paper, self.ratio(&claim.faster, &claim.slower, n)) {
                    (None, None) => String::new(),
                    (paper, here) => format!("{} / {}", shown(paper), shown(here)),
                }
            });
            std::iter::once(n.to_string()).chain(cells).collect()
        });
        let rows: Vec<Vec<String>> = rows.collect();
        Some(Grid {
            title: "How many times faster: paper's table / here".to_string(),
            header: std::iter::once("n".to_string()).chain(titles).collect(),
            rows: rows.into_iter().filter(|row| row[1..].iter().any(|cell| !cell.is_empty())).collect(),
        })
    }

    fn ratio(&self, faster: &str, slower: &str, n: usize) -> Option<f64> {
        Some(self.row(slower, "", n)?.median_s? / self.row(faster, "", n)?.median_s?)
    }
}

fn head(manifest: &Manifest<Experiment>, paper: Option<&PublishedPaper>) -> String {
    let mut head = manifest.experiment.title.clone();
    if let Some(paper) = paper {
        head += &format!("\nPaper: {}.", paper.cited());
    }
    if let Some(environment) = &manifest.environment {
        let device = match &environment.device {
            Some(device) if device.info.emulated => {
                format!("{}, {}; ", device.info.name, device.compiler.as_deref().unwrap_or("no compiler"))
            }
            Some(device) => format!(
                "{}, driver {}, {}; ",
                device.info.name,
                device.driver.as_deref().unwrap_or("unknown"),
                device.compiler.as_deref().unwrap_or("no compiler")
            ),
            None => String::new(),
        };
        head += &format!("\nHere: {device}{}, {} threads.", environment.host.cpu, environment.host.threads);
    }
    head
}

fn foot(manifest: &Manifest<Experiment>, summary: &[SummaryRow]) -> Vec<String> {
    let mut foot = Vec::new();
    if let Some(environment) = &manifest.environment {
        let ceilings = &environment.ceilings;
        if let Some(device) = ceilings.device {
            foot.push(format!(
                "Ceilings of the GPU in this run: copy {} GB/s, add + min in registers {} G tasks/s.",
                digits(device.copy_gbs),
                digits(device.add_min_tasks_per_s * 1e-9)
            ));
        }
        if let (Some(core), Some(all)) = (ceilings.cpu_core_tasks_per_s, ceilings.cpu_tasks_per_s) {
            foot.push(format!(
                "Ceilings of the CPU in this run, add + min in registers: {} G tasks/s on one core, {} on all.",
                digits(core * 1e-9),
                digits(all * 1e-9)
            ));
        }
    }
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for row in summary.iter().filter(|row| row.median_s.is_none() && row.status != Status::Counted) {
        let reason = match row.status {
            Status::Skipped => format!("not run: {}", row.message),
            status => format!("{} n = {} {status}: {}", row.implementation, row.n, row.message),
        };
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    foot.extend(reasons.into_iter().map(|(reason, count)| match count {
        1 => reason,
        _ => format!("{count} cells {reason}"),
    }));
    foot
}

impl Tables {
    /// For a terminal of `width` columns, or as wide as need be.
    pub fn terminal(&self, width: Option<u16>) -> String {
        let grids: Vec<String> = self.grids.iter().map(|grid| grid.terminal(width)).collect();
        format!("{}\n\n{}\n{}", self.head, grids.join("\n"), lines(&self.foot, ""))
    }

    pub fn markdown(&self) -> String {
        let grids: Vec<String> = self.grids.iter().map(Grid::markdown).collect();
        // Two spaces at its end break a line.
        let head = self.head.replace('\n', "  \n");
        format!("{head}\n\n{}\n{}", grids.join("\n"), lines(&self.foot, "- "))
    }
}

fn lines(lines: &[String], prefix: &str) -> String {
    lines.iter().map(|line| format!("{prefix}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::cells;
    use crate::record::{read_json, read_samples, summarize};
    use std::path::Path;

    #[test]
    fn the_committed_tables_follow_from_the_committed_samples() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200/table1");
        let manifest: Manifest<Experiment> = read_json(&folder.join("manifest.json")).unwrap();
        let (samples, _) = read_samples(&folder.join("samples.csv")).unwrap();
        let cells = cells(&manifest);
        let table = published_table(&manifest.experiment).unwrap();
        let summary = summarize(&cells, &samples, &|cell| table.seconds(&cell.implementation, cell.n));
        assert_eq!(
            summary.iter().filter(|row| row.published_s.is_some() && row.median_s.is_some()).count(),
            55
        );
        let committed = std::fs::read_to_string(folder.join("table.md")).unwrap();
        let results = Results { summary, ..Results::default() };
        assert_eq!(tables(&manifest, &results).markdown(), committed);
    }
}
