//! The committed report is what this program makes of the committed runs, and the README says of it what it says.

use assert_cmd::Command;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The command that ARTIFACT.md names.
const COMMAND: &str = "repro report results/reference --out target/again";

/// What the command makes, in a folder where it writes nothing that is committed: once, since it takes seconds.
pub fn made() -> &'static Path {
    static MADE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference-report");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(root().join("results"), folder.join("results")).unwrap();
        let arguments = COMMAND.split(' ').skip(1);
        Command::cargo_bin("repro").unwrap().current_dir(&folder).args(arguments).assert().success();
        folder.join("target/again")
    });
    &MADE
}

/// All files below a folder, byte by byte, by their names.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => {
                found.extend(contents(&path).into_iter().map(|(file, all)| (format!("{name}/{file}"), all)))
            }
            false => assert!(found.insert(name, std::fs::read(&path).unwrap()).is_none()),
        }
    }
    found
}

#[test]
fn the_documented_command_makes_the_committed_report_byte_by_byte() {
    let document = std::fs::read_to_string(root().join("ARTIFACT.md")).unwrap();
    assert!(document.lines().any(|line| line == COMMAND), "ARTIFACT.md names the command");
    let (made, committed) = (contents(made()), contents(&root().join("report/reference")));
    let changed = |name: &&String| made.get(*name) != committed.get(*name);
    let names: BTreeSet<&String> = made.keys().chain(committed.keys()).filter(changed).collect();
    let some: Vec<&&String> = names.iter().take(5).collect();
    assert!(
        names.is_empty(),
        "{} files differ, as {some:?}; make them again: repro report results/reference --out report/reference",
        names.len()
    );
}

/// The first pictures below a folder that Python's reader of XML refuses.
pub fn broken_pictures(folder: &Path) -> Vec<String> {
    let check = "
import sys, pathlib, xml.etree.ElementTree as tree
files = sorted(pathlib.Path(sys.argv[1]).rglob('*.svg'))
if not files: sys.exit('no pictures')
for file in files:
    try: tree.parse(file)
    except tree.ParseError as error: print(file, error)
";
    let output = Command::new("python3").args(["-c", check]).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().take(3).map(String::from).collect()
}

#[test]
fn every_picture_of_the_report_is_xml() {
    for folder in [made(), &root().join("report/reference")] {
        assert_eq!(broken_pictures(folder), [""; 0]);
    }
}

#[test]
fn titles_of_figures_are_short_findings_and_no_two_figures_of_a_page_show_the_same_by_their_words() {
    for (name, page) in contents(made()).into_iter().filter(|(name, _)| name.ends_with(".html")) {
        let page = String::from_utf8(page).unwrap();
        let mut known = BTreeSet::new();
        for figure in page.split("<figure id=").skip(1) {
            let part = |start: &str, end: &str| {
                figure.split_once(start).and_then(|(_, after)| after.split_once(end)).unwrap().0
            };
            let (title, shows) = (part("<h3>", "<a "), part("<p class=\"shows\">", "</p>"));
            assert!((1..=110).contains(&title.chars().count()), "{name}: {title}");
            assert!(
                !title.ends_with('.') && !shows.ends_with('.') && !shows.is_empty(),
                "{name}: {title}: {shows}"
            );
            // Where several machines show the same, the words name them.
            assert!(known.insert(shows), "{name} has two figures that show: {shows}");
        }
    }
}

#[test]
fn the_readme_says_how_many_claims_got_which_verdict_and_shows_pictures_that_exist() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let claims = std::fs::read_to_string(root().join("report/reference/claims.json")).unwrap();
    let claims: serde_json::Value = serde_json::from_str(&claims).unwrap();
    // Papers beside those of this project are in no total.
    let papers = repro::published::published_papers().unwrap();
    let is_own = |claim: &&serde_json::Value| {
        !repro::published::is_beside(&papers, claim["paper"].as_str().unwrap_or_default())
    };
    let machines = claims["machines"].as_array().unwrap().iter();
    let machines: Vec<&str> = machines
        .filter(|machine| !machine["tally"].as_object().unwrap().is_empty())
        .map(|machine| machine["label"].as_str().unwrap())
        .collect();
    // A row a kind of evidence and machine: nothing adds them up.
    for (kind, words) in [("construction", "by construction"), ("order", "order"), ("magnitude", "magnitude")]
    {
        let own = claims["claims"].as_array().unwrap().iter().filter(is_own);
        let of_kind: Vec<_> = own.filter(|claim| claim["evidence"] == kind).collect();
        let mut rows: Vec<String> = Vec::new();
        for machine in &machines {
            let results = of_kind.iter().flat_map(|claim| claim["results"].as_array().unwrap());
            let results: Vec<_> = results.filter(|result| result["machine"] == *machine).collect();
            let counts = repro::judge::Verdict::ALL.map(|verdict| {
                let of_it = results.iter().filter(|one| one["verdict"] == verdict.to_string().as_str());
                let is_open = |point: &serde_json::Value| {
                    point["published"]["low"].is_null() || point["published"]["high"].is_null()
                };
                let is_one_sided =
                    |one: &&&serde_json::Value| one["points"].as_array().unwrap().iter().all(is_open);
                match verdict {
                    repro::judge::Verdict::Reproduced => {
                        format!("{} ({})", of_it.clone().count(), of_it.filter(is_one_sided).count())
                    }
                    _ => of_it.count().to_string(),
                }
            });
            let on = format!(", {}", repro::report::short_label(machine));
            rows.push(format!("|{words}{on}|{}|", counts.join("|")));
        }
        for row in rows {
            assert!(readme.contains(&row), "README.md should have the row: {row}");
        }
    }
    let shown: Vec<&str> =
        readme.split("](report/").skip(1).filter_map(|after| after.split(')').next()).collect();
    // The page and three pictures.
    assert!(shown.len() >= 4, "{shown:?}");
    for path in shown {
        assert!(
            root().join("report").join(path).is_file(),
            "README.md shows report/{path}, which is not there"
        );
    }
}

#[test]
fn every_run_behind_a_verdict_is_linked_and_the_front_page_draws_those_runs() {
    let pages = contents(made());
    let text = |name: &str| String::from_utf8(pages[name].clone()).unwrap();
    let claims = text("claims.html");
    let linked: Vec<&str> =
        claims.split("<a href=\"experiments/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(linked.len() > 100, "{}", linked.len());
    for place in linked {
        let (page, id) = place.split_once('#').unwrap();
        assert!(text(&format!("experiments/{page}")).contains(&format!("id=\"{id}\"")), "{place}");
    }
    assert!(!claims.contains("From <code>"), "a run without a place to look at it");
    let runs = |page: &str| -> BTreeSet<String> {
        let named = page.split("(run ").skip(1).filter_map(|rest| rest.split(')').next());
        named.map(String::from).collect()
    };
    let (drawn, deciding) = (runs(&text("index.html")), claims);
    assert!(
        !drawn.is_empty() && drawn.iter().all(|run| deciding.contains(&format!("<code>{run}</code>"))),
        "{drawn:?}"
    );
}

#[test]
fn a_claim_that_fails_wherever_the_noise_lets_it_be_told_is_not_called_too_close() {
    let pages = contents(made());
    let front = String::from_utf8(pages["index.html"].clone()).unwrap();
    let told = front.split("Not true where it can be told:").nth(1).unwrap();
    assert!(
        told.split("</p>").next().unwrap().contains("above n = 2048 two phases beat Katz &#38; Kider"),
        "{told:.300}"
    );
    assert!(front.contains("6 differ and 1 differs wherever it can be told."));
    // What was reached at most is no bound from below.
    let occupancy = String::from_utf8(pages["experiments/occupancy.html"].clone()).unwrap();
    assert!(occupancy.contains("up to ×149") && !occupancy.contains("at least ×149"));
}
