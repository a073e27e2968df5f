//! The tables of the method, and the commands that repeat its runs and the report. Text that depends on no run is in `report/method.html`.

mod runs;

use super::files::csv_by_name;
use super::machines::all_facts;
use crate::judge::{NoiseFloor, noise_floors};
use crate::ranking::MachineRuns;
use crate::report::Exhibit;
use crate::report::text::Grid;
use crate::results::StoredRun;
use crate::timing::Scope;
use repro_base::text::quoted;
pub use runs::way_in_words;

/// A cell with the title of its column, which may have several lines.
type Cell<'a> = (&'a str, String);

/// The tables that have rows. Some of the machines `shown` may have timed nothing.
pub fn tables(runs: &[StoredRun], machines: &[MachineRuns], shown: &[MachineRuns]) -> Vec<Exhibit> {
    let all = [
        table("noise-floor", "A/A noise, 95th percentile over cells", noise(machines)),
        table("runs", "Runs, their rules and their samples", runs::runs(runs, machines)),
        table("not-run-cells", "Cells without a time", runs::not_run(runs)),
        table("machines", "Machines", environment(shown)),
    ];
    all.into_iter().flatten().collect()
}

fn table(id: &str, title: &str, rows: Vec<Vec<Cell>>) -> Option<Exhibit> {
    let (csv, header) = (csv_by_name(&rows), rows.first()?.iter().map(|(title, _)| title.to_string()));
    let texts = rows.iter().map(|row| row.iter().map(|(_, text)| text.clone()).collect());
    Some(Exhibit {
        id: id.to_string(),
        title: title.to_string(),
        grid: Grid::new(title, header, texts),
        csv,
        ..Exhibit::default()
    })
}

fn noise(machines: &[MachineRuns]) -> Vec<Vec<Cell<'static>>> {
    let percent = |share: f64| format!("{:.2}", share * 100.0);
    let of = |machine: &MachineRuns| {
        let row = |floor: NoiseFloor| {
            vec![
                ("machine", machine.label.clone()),
                ("on", if floor.on_gpu { "GPU" } else { "CPU" }.to_string()),
                ("from n", floor.from.to_string()),
                ("between runs\n%", percent(floor.between_runs)),
                ("cells in\nseveral runs", floor.cells.to_string()),
                ("assumed on fewer\nthan three cards, %", percent(floor.assumed)),
            ]
        };
        noise_floors(&machine.runs, Scope::Kernel).into_iter().map(row).collect::<Vec<_>>()
    };
    machines.iter().flat_map(of).collect()
}

/// A row a fact, a column a machine.
fn environment<'a>(machines: &'a [MachineRuns]) -> Vec<Vec<Cell<'a>>> {
    let columns: Vec<_> = machines.iter().map(|one| (one.label.as_str(), all_facts(one))).collect();
    let Some((_, first)) = columns.first() else { return Vec::new() };
    let row = |(at, (name, _)): (usize, &(&str, String))| {
        let cell = |(label, facts): &(&'a str, Vec<(&str, String)>)| (*label, facts[at].1.clone());
        let is_known = columns.iter().any(|(_, facts)| !facts[at].1.is_empty());
        // The table of runs has these facts for each run.
        (is_known && !["runs", "commits"].contains(name))
            .then(|| std::iter::once(("", name.to_string())).chain(columns.iter().map(cell)).collect())
    };
    first.iter().enumerate().filter_map(row).collect()
}

/// Options for where a run was stored and how much it printed, which somebody else would choose anew.
const WHERE: [&str; 2] = ["--out", "--resume"];
const HOW_MUCH: [&str; 3] = ["--quiet", "-q", "--json"];

/// The commands that build the program, repeat each run, the oldest first, and make the report.
pub fn commands(runs: &[StoredRun]) -> Vec<String> {
    let mut sorted: Vec<&StoredRun> = runs.iter().collect();
    sorted.sort_by_key(|run| (&run.manifest.started, &run.folder));
    let folders: Vec<String> = sorted.iter().map(|run| format!("runs/{}", run.name())).collect();
    let measure = sorted.iter().zip(&folders);
    let measure = measure.map(|(run, out)| format!("{} --out {out}", command(&run.manifest.command_line)));
    let report = format!("target/release/repro report {} --out report", folders.join(" "));
    std::iter::once("cargo build --release".to_string()).chain(measure).chain([report]).collect()
}

/// The command line without the program's path and without the options that somebody else would choose anew.
fn command(line: &[String]) -> String {
    let mut words = vec!["target/release/repro".to_string()];
    let mut given = line.iter().skip(1);
    while let Some(word) = given.next() {
        if WHERE.contains(&word.as_str()) {
            given.next();
        } else if !HOW_MUCH.contains(&word.as_str())
            && !WHERE.iter().any(|option| word.starts_with(&format!("{option}=")))
        {
            words.push(quoted(word));
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_leaves_out_where_things_were_and_quotes_what_a_shell_would_split() {
        let line: Vec<String> =
            ["/x/repro", "run", "table1", "--out", "/tmp/x", "--quiet", "--graph", "my graph's.gr"]
                .map(String::from)
                .to_vec();
        assert_eq!(command(&line), "target/release/repro run table1 --graph 'my graph'\\''s.gr'");
    }
}
