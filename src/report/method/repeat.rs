//! The commands that make these runs and this report again.

use super::{table, text};
use crate::plan::GraphSource;
use crate::report::model::{Block, Topic};
use crate::results::{MachineRuns, StoredRun};
use repro_types::shell::quoted;

/// Options that say where a run was put and how much it said, which another would choose otherwise.
const WHERE: [&str; 2] = ["--out", "--resume"];
const HOW_MUCH: [&str; 3] = ["--quiet", "-q", "--json"];

/// Commands, and a table of the commits and seeds that they had.
pub fn topic(runs: &[StoredRun], machines: &[MachineRuns]) -> Topic {
    if runs.is_empty() {
        return super::topic("repeat", "How to repeat this", Vec::new());
    }
    let mut sorted: Vec<&StoredRun> = runs.iter().collect();
    sorted.sort_by(|a, b| (&a.manifest.started, &a.folder).cmp(&(&b.manifest.started, &b.folder)));
    let out = |run: &StoredRun| format!("runs/{}", run.name());
    let mut commands: Vec<String> = vec!["cargo build --release".to_string()];
    commands.extend(
        sorted.iter().map(|run| format!("{} --out {}", command(&run.manifest.command_line), out(run))),
    );
    let given: Vec<String> = sorted.iter().map(|run| out(run)).collect();
    commands.push(format!("target/release/repro report {} --out report", given.join(" ")));
    let rows = sorted.iter().map(|run| {
        let graphs: Vec<String> =
            run.manifest.experiment.graphs.iter().map(|graph| seed(&graph.source)).collect();
        let machine =
            machines.iter().find(|machine| machine.runs.iter().any(|other| std::ptr::eq(*other, *run)));
        vec![
            run.name(),
            run.manifest.build.commit.clone(),
            graphs.join(", "),
            machine.map_or_else(|| "emulated".to_string(), |machine| machine.label.clone()),
        ]
    });
    let header = ["run", "commit", "seeds", "machine"];
    let blocks: Vec<Block> = [
        Some(text("Each run at its own commit, on its own machine; the report of stored runs takes seconds and needs no GPU. The same records give the same bytes.")),
        Some(Block::Commands(commands)),
        table("repeat-commits", "Commits and seeds", &header, rows.collect()),
    ]
    .into_iter()
    .flatten()
    .collect();
    super::topic("repeat", "How to repeat this", blocks)
}

/// The command line without the program's own path and without what another would choose otherwise.
fn command(line: &[String]) -> String {
    let mut words = vec!["target/release/repro".to_string()];
    let mut skipped = false;
    for word in line.iter().skip(1) {
        if skipped {
            skipped = false;
        } else if WHERE.contains(&word.as_str()) {
            skipped = true;
        } else if !HOW_MUCH.contains(&word.as_str())
            && !WHERE.iter().any(|option| word.starts_with(&format!("{option}=")))
        {
            words.push(quoted(word));
        }
    }
    words.join(" ")
}

/// What a graph is, in words.
pub fn graph(source: &GraphSource) -> String {
    match source {
        GraphSource::Random(graph) => format!(
            "density {}, weights {}1 to {}, seed {}",
            graph.density,
            if graph.negative { "also negative, " } else { "" },
            graph.max_weight,
            graph.seed
        ),
        GraphSource::Edges(graph) => format!(
            "{} edges a vertex, weights 1 to {}, seed {}",
            graph.edges_per_vertex, graph.max_weight, graph.seed
        ),
        GraphSource::File { digest, .. } => format!("a file, digest {digest}"),
    }
}

fn seed(source: &GraphSource) -> String {
    match source {
        GraphSource::Random(graph) => graph.seed.to_string(),
        GraphSource::Edges(graph) => graph.seed.to_string(),
        GraphSource::File { digest, .. } => format!("file {digest}"),
    }
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
