//! The commands that make these runs and this report again.

use crate::results::StoredRun;
use repro_base::text::quoted;

/// Options that say where a run was put and how much it said, which another would choose otherwise.
const WHERE: [&str; 2] = ["--out", "--resume"];
const HOW_MUCH: [&str; 3] = ["--quiet", "-q", "--json"];

/// A line each, the oldest run first; none without a run.
pub fn commands(runs: &[StoredRun]) -> Vec<String> {
    let mut sorted: Vec<&StoredRun> = runs.iter().collect();
    sorted.sort_by_key(|run| (&run.manifest.started, &run.folder));
    let folders: Vec<String> = sorted.iter().map(|run| format!("runs/{}", run.name())).collect();
    let measure = sorted.iter().zip(&folders);
    let measure = measure.map(|(run, out)| format!("{} --out {out}", command(&run.manifest.command_line)));
    let report = format!("target/release/repro report {} --out report", folders.join(" "));
    std::iter::once("cargo build --release".to_string()).chain(measure).chain([report]).collect()
}

/// The command line without the program's own path and without what another would choose otherwise.
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
