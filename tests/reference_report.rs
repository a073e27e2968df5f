//! The committed report is what this program makes of the committed runs, and the README says of it what it says.

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder as text, by their names; pictures left out, whose last bits are the mathematics library's.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for below in ["", "figures", "tables"] {
        for entry in std::fs::read_dir(folder.join(below)).unwrap() {
            let path = entry.unwrap().path();
            let name = format!("{below}/{}", path.file_name().unwrap().to_string_lossy());
            let is_picture =
                path.extension().is_some_and(|extension| extension == "png" || extension == "svg");
            if path.is_file() && !is_picture {
                found.insert(name, without_pictures(&std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

fn without_pictures(text: &str) -> String {
    let mut parts = text.split("<svg");
    let mut kept = parts.next().unwrap_or_default().to_string();
    for part in parts {
        kept += part.split_once("</svg>").map_or("", |(_, after)| after);
    }
    kept
}

#[test]
fn the_committed_report_follows_from_the_committed_runs() {
    let folder = tempfile::tempdir().unwrap();
    Command::cargo_bin("repro")
        .unwrap()
        .current_dir(root())
        .args(["report", "results/reference", "--history", "results/history", "--out"])
        .arg(folder.path())
        .assert()
        .success();
    let (made, committed) = (texts(folder.path()), texts(&root().join("report/reference")));
    let remedy = "make it again: cargo run --release -- report results/reference --history results/history --out report/reference";
    let names = |of: &BTreeMap<String, String>| of.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&made), names(&committed), "{remedy}");
    for (name, text) in &made {
        assert!(text == &committed[name], "{name} differs; {remedy}");
    }
}

#[test]
fn the_readme_says_how_many_claims_got_which_verdict_and_shows_pictures_that_exist() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let claims = std::fs::read_to_string(root().join("report/reference/claims.json")).unwrap();
    let claims: serde_json::Value = serde_json::from_str(&claims).unwrap();
    // A row a kind of evidence: nothing adds them up.
    for (kind, words) in [("construction", "by construction"), ("order", "order"), ("magnitude", "magnitude")]
    {
        let claims = claims["claims"].as_array().unwrap().iter();
        let of_kind = claims.filter(|claim| claim["evidence"] == kind);
        let verdicts: Vec<_> = of_kind
            .flat_map(|claim| claim["results"].as_array().unwrap())
            .map(|one| &one["verdict"])
            .collect();
        let counts = repro::claims::Verdict::ALL.map(|verdict| {
            verdicts.iter().filter(|one| **one == verdict.to_string().as_str()).count().to_string()
        });
        let row = format!("|{words}|{}|", counts.join("|"));
        assert!(readme.contains(&row), "README.md should have the row: {row}");
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
