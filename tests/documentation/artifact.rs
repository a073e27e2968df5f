//! The tables of ARTIFACT.md, from the committed report and the manifests of the committed runs.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// What stands in the file before the tables.
pub const MARK: &str = "<!-- tables -->\n";

/// A stored run that decides claims.
pub struct Decider {
    /// The command that measured it, without what belongs to that machine.
    pub command: String,
    /// From its start to its end, rounded up; to the last time that it was continued, where it has not ended.
    pub minutes: u64,
    pub has_ended: bool,
    /// Whether it was interrupted, so that less would have been enough.
    pub was_resumed: bool,
}

/// A row of claims.csv with what claims.json adds.
struct Claim {
    paper: String,
    id: String,
    statement: String,
    published: String,
    place: String,
    evidence: String,
    verdict: String,
    measured: String,
    runs: Vec<String>,
    is_headline: bool,
}

/// Claims that stand under one heading.
#[derive(PartialEq)]
enum Group<'a> {
    /// Decided by these runs.
    Runs(&'a [String]),
    /// Decided without a run, from what the paper describes.
    Calculated,
    Undecided,
}

impl<'a> Group<'a> {
    fn of(claim: &'a Claim) -> Self {
        match (claim.runs.is_empty(), claim.verdict.as_str()) {
            (false, _) => Self::Runs(&claim.runs),
            (true, "NOT MEASURED") => Self::Undecided,
            (true, _) => Self::Calculated,
        }
    }

    /// What nothing decides comes last.
    fn place(&self) -> usize {
        match self {
            Self::Runs(_) => 0,
            Self::Calculated => 1,
            Self::Undecided => 2,
        }
    }
}

/// The runs below `results/reference`, by the names of their folders.
pub fn deciders(root: &Path) -> BTreeMap<String, Decider> {
    let machines = std::fs::read_dir(root.join("results/reference")).unwrap();
    let runs = machines.flat_map(|machine| std::fs::read_dir(machine.unwrap().path()).unwrap());
    let of = |folder: std::path::PathBuf| {
        let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        let time = |value: &Value| value.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
        let resumed = manifest["resumed"].as_array().unwrap();
        let has_ended = !manifest["finished"].is_null();
        let end = if has_ended { &manifest["finished"] } else { resumed.last().unwrap() };
        let seconds = (time(end) - time(&manifest["started"])).unsigned_abs();
        let decider = Decider {
            command: command(&manifest),
            minutes: seconds.div_ceil(60),
            has_ended,
            was_resumed: !resumed.is_empty(),
        };
        (folder.file_name().unwrap().to_string_lossy().into_owned(), decider)
    };
    runs.map(|entry| of(entry.unwrap().path())).collect()
}

/// What was typed, less where it went and how much it printed. CUDA is what it runs on where there is a GPU.
fn command(manifest: &Value) -> String {
    let typed: Vec<&str> =
        manifest["command_line"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let subcommand = if typed.contains(&"--against") { "track" } else { "run" };
    let mut words = vec!["repro", subcommand, manifest["experiment"]["name"].as_str().unwrap()];
    let mut options = typed[3..].iter();
    while let Some(option) = options.next() {
        match *option {
            "--quiet" | "-q" => {}
            "--out" => _ = options.next(),
            "--device" => {
                if let Some(&"emulated") = options.next() {
                    words.extend(["--device", "emulated"]);
                }
            }
            kept => words.push(kept),
        }
    }
    words.join(" ")
}

fn claims(root: &Path) -> Vec<Claim> {
    let folder = root.join("report/reference");
    let json = std::fs::read_to_string(folder.join("claims.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let headlines: Vec<(&str, &str)> = json["claims"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|claim| claim["headline"] == true)
        .map(|claim| (claim["paper"].as_str().unwrap(), claim["id"].as_str().unwrap()))
        .collect();
    let mut rows = csv::Reader::from_path(folder.join("claims.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = rows.deserialize().collect::<Result<_, _>>().unwrap();
    let of = |row: &BTreeMap<String, String>| {
        let cell = |name: &str| row[name].replace('|', "\\|");
        Claim {
            is_headline: headlines.contains(&(&row["paper"], &row["id"])),
            paper: cell("paper"),
            id: cell("id"),
            statement: cell("statement"),
            published: cell("published"),
            place: cell("place"),
            evidence: cell("evidence"),
            verdict: cell("verdict"),
            measured: cell("measured"),
            runs: row["runs"].split_whitespace().map(String::from).collect(),
        }
    };
    rows.iter().map(of).filter(|claim| !claim.verdict.is_empty()).collect()
}

/// Everything after [`MARK`].
pub fn tables(root: &Path) -> String {
    let (claims, deciders) = (claims(root), deciders(root));
    let minutes = |run: &String| {
        let decider = &deciders[run];
        let bound = match (decider.has_ended, decider.was_resumed) {
            (false, _) => "more than ",
            (true, true) => "at most ",
            (true, false) => "",
        };
        format!("{bound}{}", decider.minutes)
    };
    let joined =
        |runs: &[String], of: &dyn Fn(&String) -> String| runs.iter().map(of).collect::<Vec<_>>().join(", ");
    let command = |run: &String| format!("`{}`", deciders[run].command);
    let claimed = |claim: &Claim| match claim.published.as_str() {
        "" => claim.statement.clone(),
        published => format!("{}: {published}", claim.statement),
    };
    let mut text = String::from(
        "\n| paper | headline claim | command | minutes | expected | measured on the H200 |\n|---|---|---|---:|---|---|\n",
    );
    for claim in claims.iter().filter(|claim| claim.is_headline) {
        let (commands, minutes) = (joined(&claim.runs, &command), joined(&claim.runs, &minutes));
        let (paper, verdict, measured) = (&claim.paper, &claim.verdict, &claim.measured);
        let _ = writeln!(
            text,
            "| {paper} | {} | {commands} | {minutes} | {verdict} | {measured} |",
            claimed(claim)
        );
    }
    text += "\n## Every claim\n\nBy the runs that decide it, whose commands and minutes on the H200 are given. Runs on the emulated device need no GPU.\n";
    let mut groups: Vec<(Group, Vec<&Claim>)> = Vec::new();
    for claim in &claims {
        let group = Group::of(claim);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, of_group)) => of_group.push(claim),
            None => groups.push((group, vec![claim])),
        }
    }
    groups.sort_by_key(|(group, _)| group.place());
    for (group, claims) in groups {
        let (heading, runs) = match group {
            Group::Runs(runs) => (joined(runs, &|run| run.clone()), runs),
            Group::Calculated => ("Calculated, no run needed".to_string(), &[][..]),
            Group::Undecided => ("No run decides these".to_string(), &[][..]),
        };
        let _ = write!(text, "\n### {heading}\n\n");
        for run in runs {
            let _ = writeln!(text, "{}: {} min\n", command(run), minutes(run));
        }
        text += "| paper | claim | place | evidence | expected |\n|---|---|---|---|---|\n";
        for claim in claims {
            let Claim { paper, id, place, evidence, verdict, .. } = claim;
            let _ =
                writeln!(text, "| {paper} | `{id}`: {} | {place} | {evidence} | {verdict} |", claimed(claim));
        }
    }
    text
}
