//! Tables in documents that are made from the committed report, so that no verdict and no measured value of a claim stands there in two
//! versions: `<!-- made: NAME -->`, the table, `<!-- end -->`.

use super::artifact::{Claim, claims};
use super::{root, text_of};
use repro::judge::Verdict;
use repro::published::published_papers;
use repro::report::short_label;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

const BEGIN: &str = "<!-- made: ";
const END: &str = "<!-- end -->";

/// How many claims of each kind of evidence have which verdict, a machine a row.
fn tally() -> String {
    let json = std::fs::read_to_string(root().join("report/reference/claims.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let one_sided = |verdict: Verdict| if verdict == Verdict::Reproduced { " (one-sided)" } else { "" };
    let heads: Vec<String> =
        Verdict::all().map(|verdict| format!("{verdict}{}", one_sided(verdict))).collect();
    let mut text = format!("|evidence|{}|\n|---|{}\n", heads.join("|"), "---:|".repeat(heads.len()));
    for evidence in ["by construction", "by inspection", "order", "magnitude"] {
        let machines = json["machines"].as_array().unwrap().iter();
        for machine in machines.filter(|machine| machine["tally"][evidence].is_object()) {
            let tally = &machine["tally"][evidence];
            let cell = |verdict: Verdict| match verdict {
                Verdict::Reproduced => format!("{} ({})", tally[verdict.to_string()], tally["one-sided"]),
                _ => tally[verdict.to_string()].to_string(),
            };
            let label = short_label(machine["label"].as_str().unwrap());
            let _ = writeln!(
                text,
                "|{evidence}, {label}|{}|",
                Verdict::all().map(cell).collect::<Vec<_>>().join("|")
            );
        }
    }
    text
}

/// The main statements of a paper and `further` claims, with what was published and what was found: `PAPER CLAIM...`.
fn statements(arguments: &str) -> String {
    let mut arguments = arguments.split(' ');
    let paper = arguments.next().unwrap_or_default();
    let further: Vec<&str> = arguments.collect();
    let (claims, mut machines) = claims();
    let is_stated = |claim: &&Claim| claim.paper == paper && claim.is_main;
    machines.retain(|machine| claims.iter().filter(is_stated).any(|claim| claim.found.contains_key(machine)));
    let papers = published_papers().unwrap();
    let published =
        papers.iter().find(|known| known.id == paper).unwrap_or_else(|| panic!("no paper {paper}"));
    let mut text =
        format!("||published|{}|\n|---|---|{}\n", machines.join("|"), "---|".repeat(machines.len()));
    let mut row = |says: &str, claim: &Claim| {
        let of = |machine: &String| match claim.found.get(machine) {
            Some((verdict, measured)) => format!("{}|", format!("{verdict} {measured}").trim_end()),
            None => "|".to_string(),
        };
        let found: String = machines.iter().map(of).collect();
        let _ = writeln!(text, "|{says}|{}|{found}", claim.published);
    };
    let of_paper = || claims.iter().filter(|claim| claim.paper == paper);
    let says = |claim: &Claim| published.claims.iter().find(|one| one.id == claim.id)?.says.as_ref();
    for (claim, says) in of_paper().filter_map(|claim| Some((claim, says(claim)?))) {
        row(says, claim);
    }
    for id in &further {
        assert!(of_paper().any(|claim| claim.id == *id), "{paper} has no claim {id}");
    }
    for claim in of_paper().filter(|claim| claim.is_headline || further.contains(&claim.id.as_str())) {
        if says(claim).is_none() {
            row(&claim.statement, claim);
        }
    }
    text
}

/// A cell of a trial in results/guard/guard-trials.csv, which `scripts/guard-trials` writes: what `repro track` said of kernels that were
/// slowed on purpose.
#[derive(Deserialize)]
struct Trial {
    percent: u32,
    implementation: String,
    n: usize,
    verdict: String,
}

/// What a wait of one block costs in it is not what was planted.
const OTHER: &str = "harish-narayanan";

/// The table of the page: for each share that was planted, and each n, how many cells were SLOWER, and FASTER where some were.
fn trials() -> String {
    let path = root().join("results/guard/guard-trials.csv");
    let rows: Vec<Trial> = csv::Reader::from_path(&path).unwrap().deserialize().map(Result::unwrap).collect();
    let mut cells: BTreeMap<u32, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.percent == 0 || row.implementation != OTHER) {
        cells.entry(row.percent).or_default().entry(row.n).or_default().push(row.verdict);
    }
    let sizes: Vec<String> = cells[&0].keys().map(|n| format!("n = {n}")).collect();
    let mut text = format!("|planted|{}|\n|---:|{}\n", sizes.join("|"), "---|".repeat(sizes.len()));
    for (percent, by_size) in &cells {
        let counted = by_size.values().map(|verdicts| {
            let count = |wanted: &str| verdicts.iter().filter(|verdict| *verdict == wanted).count();
            let faster = match count("FASTER") {
                0 => String::new(),
                faster => format!(", {faster} FASTER"),
            };
            format!("{} of {}{faster}", count("SLOWER"), verdicts.len())
        });
        text += &format!("|{percent}%|{}|\n", counted.collect::<Vec<_>>().join("|"));
    }
    text
}

fn made(name: &str) -> String {
    match name.split_once(' ') {
        None if name == "tally" => tally(),
        None if name == "trials" => trials(),
        Some(("statements", paper)) => statements(paper),
        _ => panic!("{name}: expected tally, trials, or statements PAPER CLAIM..."),
    }
}

/// A document with its tables made anew, and without them.
fn renewed(text: &str) -> (String, String) {
    let (mut new, mut words) = (String::new(), String::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once(" -->\n").expect("a name of what is made");
        let (_, after) = after.split_once(END).expect("an end of what is made");
        let _ = write!(new, "{before}{BEGIN}{name} -->\n{}{END}", made(name));
        words += before;
        rest = after;
    }
    (new + rest, words + rest)
}

#[test]
fn tables_of_claims_in_documents_are_those_of_the_committed_report_and_no_verdict_stands_beside_them() {
    for file in ["README.md", "docs/findings.md", "docs/guard-trials.md"] {
        let text = text_of(file);
        let (new, words) = renewed(&text);
        if std::env::var_os("WRITE_TABLE").is_some() {
            std::fs::write(root().join(file), new).unwrap();
        } else {
            assert!(new == text, "{file} is not up to date: run this test with WRITE_TABLE=1");
        }
        for verdict in Verdict::all() {
            assert!(!words.contains(&verdict.to_string()), "{file}: {verdict} outside of what is made");
        }
    }
}
