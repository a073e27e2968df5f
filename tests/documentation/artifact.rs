//! The tables of ARTIFACT.md, from the report that is made of the committed runs and the manifests of the committed runs.

use crate::common::stored::reference;
use crate::reports::reference_report::made;
use repro::judge::{ANY_MACHINE, OWN_NUMBERS};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// What stands in the file before the tables.
pub const MARK: &str = "<!-- tables -->\n";

/// A stored run that decides claims: minutes from its start to its end, rounded up, or to the last time that it was continued where it has
/// not ended; and what they bound, since less would have been enough where it was interrupted.
pub struct Decider {
    pub minutes: u64,
    bound: &'static str,
}

/// A claim with what was found on each machine.
pub(super) struct Claim {
    pub(super) paper: String,
    pub(super) id: String,
    pub(super) statement: String,
    pub(super) published: String,
    pub(super) evidence: String,
    pub(super) is_headline: bool,
    /// Whether a report opens with it.
    pub(super) is_main: bool,
    /// The arguments of `repro run` that measure what it needs; none where nothing tests it.
    pub(super) run: Option<String>,
    /// The verdict and what was measured, by machine.
    pub(super) found: BTreeMap<String, (String, String)>,
}

/// What stored runs had as experiments of their own, and is a part of one today.
pub const PARTS: [(&str, &str); 1] = [("peers", "paths")];

/// The runs below `results/reference`, by the names of their folders and of those above them.
pub fn deciders(root: &Path) -> BTreeMap<String, Decider> {
    let machines = std::fs::read_dir(root.join("results/reference")).unwrap();
    let runs = machines.flat_map(|machine| std::fs::read_dir(machine.unwrap().path()).unwrap());
    let name = |part: &Path| part.file_name().unwrap().to_string_lossy().into_owned();
    let of = |folder: std::path::PathBuf| {
        let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        let time = |value: &Value| value.as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
        let resumed = manifest["resumed"].as_array().unwrap();
        let has_ended = !manifest["finished"].is_null();
        let end = if has_ended { &manifest["finished"] } else { resumed.last().unwrap() };
        let seconds = (time(end) - time(&manifest["started"])).unsigned_abs();
        let bound = match (has_ended, resumed.is_empty()) {
            (false, _) => "more than ",
            (true, false) => "at most ",
            (true, true) => "",
        };
        let decider = Decider { minutes: seconds.div_ceil(60), bound };
        (format!("{}/{}", name(folder.parent().unwrap()), name(&folder)), decider)
    };
    runs.map(|entry| of(entry.unwrap().path())).collect()
}

/// The claims of claims.json, and the labels of the machines that they were judged on.
pub(super) fn claims() -> (Vec<Claim>, Vec<String>) {
    let folder = made();
    let json = std::fs::read_to_string(folder.join("claims.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let of_claim = |paper: &str, id: &str| -> Value {
        let all = json["claims"].as_array().unwrap().iter();
        all.clone().find(|claim| claim["paper"] == paper && claim["id"] == id).unwrap().clone()
    };
    let mut rows = csv::Reader::from_path(folder.join("claims.csv")).unwrap();
    let rows: Vec<BTreeMap<String, String>> = rows.deserialize().collect::<Result<_, _>>().unwrap();
    let (mut claims, mut machines): (Vec<Claim>, Vec<String>) = (Vec::new(), Vec::new());
    // What the paper's own numbers say is of no machine.
    for row in rows.iter().filter(|row| !row["verdict"].is_empty() && row["machine"] != OWN_NUMBERS) {
        let cell = |name: &str| row[name].replace('|', "\\|");
        let known = of_claim(&row["paper"], &row["id"]);
        let place =
            known["results"].as_array().unwrap().iter().position(|one| one["machine"] == row["machine"]);
        // With how many comparisons hold or fail, where not all do.
        let verdict = known["words"][place.unwrap()]["verdict"].as_str().unwrap();
        let found = (verdict.to_string(), cell("measured"));
        let label = repro::report::short_label(&row["machine"]);
        // What is of no machine stands in a column of its own, the last.
        if !machines.contains(&label) && label != ANY_MACHINE {
            machines.push(label.clone());
        }
        let found = (label, found);
        match claims.last_mut().filter(|last| (&last.paper, &last.id) == (&row["paper"], &row["id"])) {
            Some(claim) => claim.found.extend([found]),
            None => {
                claims.push(Claim {
                    paper: cell("paper"),
                    id: cell("id"),
                    statement: cell("statement"),
                    published: cell("published"),
                    evidence: cell("evidence"),
                    is_headline: known["headline"] == true,
                    is_main: known["says"].is_string(),
                    run: known["run"].as_str().map(String::from),
                    found: BTreeMap::from([found]),
                });
            }
        }
    }
    machines.push(ANY_MACHINE.to_string());
    (claims, machines)
}

/// Everything after [`MARK`].
pub fn tables(root: &Path) -> String {
    let ((claims, machines), deciders) = (claims(), deciders(root));
    let claimed = |claim: &Claim| match claim.published.as_str() {
        "" => claim.statement.clone(),
        published => format!("{}: {published}", claim.statement),
    };
    let verdicts = |claim: &Claim| -> String {
        let of = |machine| claim.found.get(machine).map_or("", |(verdict, _)| verdict);
        machines.iter().map(|machine| of(machine).to_string() + "|").collect()
    };
    // With the minutes of the committed runs, where the command is one that those ran.
    let heads = |run: Option<&String>| -> String {
        let minutes = |machine: &String| Some(format!(", {}", minutes(run?, machine, &deciders)?));
        machines.iter().map(|machine| format!("{machine}{}|", minutes(machine).unwrap_or_default())).collect()
    };
    let rule = "---|".repeat(machines.len());
    let mut text = format!(
        "\n|paper|headline claim|command, minutes on {}|{}\n|---|---|---|{rule}\n",
        machines[0],
        heads(None)
    );
    for claim in claims.iter().filter(|claim| claim.is_headline) {
        let command = claim.run.as_ref().map_or(String::new(), |run| {
            let minutes = minutes(run, &machines[0], &deciders).unwrap_or_default();
            format!("`repro run {run}`, {minutes}")
        });
        let _ = writeln!(text, "|{}|{}|{command}|{}", claim.paper, claimed(claim), verdicts(claim));
    }
    text += "\n## Every claim\n\nEach once, by the command of its first test, with the committed runs' minutes. `repro claims CLAIM` says what one states.\n";
    let mut groups: Vec<(Option<&String>, Vec<&Claim>)> = Vec::new();
    for claim in &claims {
        match groups.iter_mut().find(|(known, _)| *known == claim.run.as_ref()) {
            Some((_, of_group)) => of_group.push(claim),
            None => groups.push((claim.run.as_ref(), vec![claim])),
        }
    }
    // What no run tests comes last.
    groups.sort_by_key(|(run, _)| run.is_none());
    for (run, claims) in groups {
        let _ = match run {
            Some(run) => writeln!(text, "\n### `repro run {run}`\n"),
            None => writeln!(text, "\n### No run tests these\n"),
        };
        let _ = writeln!(text, "|paper|claim|evidence|{}\n|---|---|---|{rule}", heads(run));
        for claim in claims {
            let Claim { paper, id, evidence, .. } = claim;
            let _ = writeln!(text, "|{paper}|`{id}`|{evidence}|{}", verdicts(claim));
        }
    }
    text
}

/// The run of an experiment on a machine, or the newest on its cards.
pub fn decider<'a>(all: &'a BTreeMap<String, Decider>, machine: &str, name: &str) -> Option<&'a Decider> {
    let folder = reference(&format!("{machine}/{name}"));
    let machine = folder.parent()?.file_name()?.to_string_lossy();
    all.get(&format!("{machine}/{name}"))
}

/// How long the committed run of this experiment took on a machine. None where it is counted: that takes a minute anywhere.
fn minutes(run: &str, machine: &str, deciders: &BTreeMap<String, Decider>) -> Option<String> {
    if run.contains("--device emulated") {
        return None;
    }
    let experiment = run.split(' ').next().unwrap_or_default();
    let of = |name: &str| decider(deciders, &machine.to_lowercase(), name);
    let decider = of(experiment)?;
    let part = PARTS.iter().find(|(whole, _)| *whole == experiment).and_then(|(_, part)| of(part));
    let minutes = decider.minutes + part.map_or(0, |part| part.minutes);
    Some(format!("{}{minutes} min", decider.bound))
}
