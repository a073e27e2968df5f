//! The page of a report and the files beside it, without a browser.

use super::fixture::{HOSTILE, ONE, TWO, empty, hostile, of};
use super::reference_report::{broken_pictures, contents, made};
use crate::common::place::Place;
use crate::common::stored::STRUCTURE;
use repro::judge::Verdict;
use repro::report::text::digits;
use repro::report::{pages, write};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The pages of the committed runs.
fn made_pages() -> BTreeMap<String, String> {
    let pages = contents(made()).into_iter().filter(|(name, _)| name.ends_with(".html"));
    pages.map(|(name, page)| (name, String::from_utf8(page).unwrap())).collect()
}

/// The values of an attribute, without those in style and script.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let body = page.split_once("<body>").unwrap().1.split_once("<script>").unwrap().0;
    let start = format!(" {attribute}=\"");
    body.split(start.as_str()).skip(1).map(|rest| rest.split_once('"').unwrap().0).collect()
}

fn files(folder: &Path) -> BTreeSet<String> {
    contents(folder).into_keys().collect()
}

/// A reference on `page` as a page below the report's folder and an anchor.
fn resolved(page: &str, href: &str) -> (String, String) {
    let (file, anchor) = href.split_once('#').unwrap_or((href, ""));
    let file = match (file, file.strip_prefix("../"), page.split_once('/')) {
        ("", ..) => page.to_string(),
        (_, Some(file), _) => file.to_string(),
        (_, None, Some((folder, _))) => format!("{folder}/{file}"),
        (_, None, None) => file.to_string(),
    };
    (file, anchor.to_string())
}

#[test]
fn every_anchor_exists_once_and_every_reference_leads_to_one() {
    let of = |report| pages(&report);
    for pages in [made_pages(), of(hostile()), of(empty())] {
        let anchors =
            |page: &String| values(page, "id").into_iter().map(String::from).collect::<BTreeSet<_>>();
        let known: BTreeMap<&String, BTreeSet<String>> =
            pages.iter().map(|(name, page)| (name, anchors(page))).collect();
        for (name, page) in &pages {
            assert_eq!(known[name].len(), values(page, "id").len(), "{name}");
            for (file, anchor) in values(page, "href").into_iter().map(|href| resolved(name, href)) {
                let is_there = known.get(&file).is_none_or(|ids| anchor.is_empty() || ids.contains(&anchor));
                assert!(is_there, "{name}: {file}#{anchor}");
            }
        }
    }
}

#[test]
fn every_page_can_be_reached_and_leads_back_and_every_link_to_a_file_leads_to_one() {
    let pages = made_pages();
    let files = |name: &str| -> BTreeSet<String> {
        let links = values(&pages[name], "href").into_iter().filter(|href| !href.starts_with("https://"));
        links.map(|href| resolved(name, href).0).collect()
    };
    let named = files("index.html");
    assert!(pages.len() > 3, "{:?}", pages.keys());
    for name in pages.keys() {
        assert!(named.contains(name) || name == "index.html", "{name}");
        assert!(files(name).contains("index.html"), "{name} does not lead back");
        assert_eq!(files(name).iter().find(|file| !made().join(file).is_file()), None, "{name}");
    }
}

#[test]
fn every_figure_table_and_claim_stands_once_beside_the_front_page_with_all_of_its_comparisons() {
    let pages = made_pages();
    let ids = |with_front: bool| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (_, page) in pages.iter().filter(|(name, _)| with_front || *name != "index.html") {
            for rest in page.split(" id=\"").skip(1) {
                *counts.entry(rest.split('"').next().unwrap().to_string()).or_default() += 1;
            }
        }
        counts
    };
    let (all, without_front) = (ids(true), ids(false));
    let csv = |name: &String| {
        let (folder, stem) = name.strip_suffix(".csv")?.split_once('/')?;
        ["figures", "tables"].contains(&folder).then(|| stem.to_string())
    };
    // Those of the method stand below the headings of its topics.
    let of_method = |stem: &String| pages["method.html"].contains(&format!("tables/{stem}.csv"));
    for stem in files(made()).iter().filter_map(csv).filter(|stem| !of_method(stem)) {
        assert_eq!(without_front.get(&stem), Some(&1), "{stem}");
    }
    let json = claims();
    let claims = json["claims"].as_array().unwrap();
    for claim in claims {
        let id = format!("claim-{}-{}", claim["paper"].as_str().unwrap(), claim["id"].as_str().unwrap());
        assert_eq!(all.get(&id), Some(&1), "{id}");
    }
    let results: usize = claims.iter().map(|claim| claim["results"].as_array().unwrap().len()).sum();
    assert_eq!(pages["claims.html"].matches("<div class=\"result\">").count(), results);
    assert!(results > 200, "{results}");
}

#[test]
fn the_answer_follows_the_verdicts_of_both_machines_which_are_named_where_they_differ() {
    use Verdict::{Differs, NotComparable, NotMeasured, Reproduced};
    let mut report = of(TWO);
    let says = "several blocks on a multiprocessor hide the latency that one exposes";
    for (verdicts, lead, agreement) in [
        ([Reproduced, Reproduced], "Still true:", ">agree</span>"),
        ([Differs, Differs], "Not true here:", ">agree</span>"),
        ([NotMeasured, Reproduced], "Still true:", ">H200 alone</span>"),
        ([Reproduced, Differs], "The GPUs&#39; verdicts differ:", ">disagree</span>"),
        ([NotComparable, NotComparable], "", ""),
    ] {
        for row in &mut report.claims {
            row.results.iter_mut().zip(verdicts).for_each(|(result, verdict)| result.verdict = verdict);
        }
        let pages = pages(&report);
        let (page, claims) = (&pages["index.html"], &pages["claims.html"]);
        // Where nothing was tested one sentence says so of all papers.
        if lead.is_empty() {
            assert!(page.contains("main statements could be tested with these runs."), "{page:.2000}");
            assert!(!page.contains("by construction hold"), "0 of 0");
            assert!(!page.contains("class=\"answer\""));
            continue;
        }
        let answer = page.split_once("<h3><a href=\"#paper-lund-smith-2010\">").unwrap().1;
        let answer = answer.split_once("</ul>").unwrap().0;
        assert!(answer.contains(lead) && answer.contains(says), "{answer}");
        assert_eq!(answer.matches("<strong").count(), 1, "{answer}");
        let differ = agreement.contains("disagree");
        assert_eq!(answer.contains("(H100 REPRODUCED, H200 DIFFERS)"), differ, "{answer}");
        assert!(claims.contains(agreement) && claims.contains(">disagree</span>") == differ, "{agreement}");
    }
}

#[test]
fn no_page_loads_anything_and_each_tells_the_browser_so_and_the_front_page_is_small() {
    let pages = made_pages();
    assert!(pages["index.html"].len() <= 300_000, "{} bytes", pages["index.html"].len());
    for (name, page) in pages {
        assert!(page.contains("content=\"default-src 'none'; script-src 'sha256-"), "{name}");
        // A reader may follow a link to a paper; that loads nothing by itself.
        let names = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "").replace("<a href=\"https:", "");
        for address in ["http:", "https:", "src=", "@import", "<link", "<iframe"] {
            assert!(!names.contains(address), "{name}: {address}");
        }
        for url in page.split("url(").skip(1) {
            assert!(url.starts_with("data:font/woff2;base64,"), "{name}: {:.40}", url);
        }
    }
}

#[test]
fn an_empty_report_says_that_there_is_nothing() {
    let pages = pages(&empty());
    let front = &pages["index.html"];
    assert!(
        front.contains("No run was given: no claim could be compared.") && !front.contains("claims.html")
    );
    assert!(!pages.contains_key("claims.html"));
}

#[test]
fn text_from_records_stays_text_on_every_page_and_in_its_cell_of_every_file() {
    let report = hostile();
    let pages = pages(&report);
    for (name, page) in &pages {
        assert!(!page.contains(HOSTILE), "{name}");
        assert!(!page.contains("<script>alert") && !page.contains("\"quoted\""), "{name}");
        assert_eq!(page.matches("<script").count(), 1, "{name}");
        assert_eq!(page.matches("</style").count(), 1, "{name}");
    }
    let all = pages.into_values().collect::<String>();
    // Notices, machine and its fact, a dozen of the claim, paper, experiment, figures, table, topic.
    assert!(all.matches("&#60;script&#62;alert(1)").count() > 25);
    assert!(all.contains("κ Уоршелл"));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    write(&report, &out).unwrap();
    let row = csv::Reader::from_path(out.join("claims.csv")).unwrap().into_records().next().unwrap().unwrap();
    assert_eq!(&row[3], format!("{HOSTILE}: {HOSTILE}"), "what it is of, and what it says");
    let text = std::fs::read_to_string(out.join("claims.md")).unwrap();
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let line = text.lines().find(|line| line.contains("alert(1)") && line.starts_with('|')).unwrap();
    assert_eq!(cells(line), 9, "{line}");
    let mut named = 0;
    for (name, bytes) in
        contents(&out).into_iter().filter(|(name, _)| name.ends_with(".md") || name.ends_with(".svg"))
    {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("<script"), "{name}");
        let mut rows =
            text.lines().filter(|line| name.starts_with("tables") && line.starts_with('|')).map(cells);
        let first = rows.next();
        assert!(rows.all(|cells| Some(cells) == first), "{name}: {text}");
        named += usize::from(name.ends_with(".svg") && text.contains("alert(1)"));
    }
    assert_eq!(broken_pictures(&out), [""; 0]);
    assert!(named > 0, "no picture has a name from the records");
}

#[test]
fn a_newer_report_replaces_an_older_one_and_touches_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let [out, alone] = ["report", "alone"].map(|name| folder.path().join(name));
    write(&of(ONE), &out).unwrap();
    assert!(out.join("figures/ablation-seconds.svg").is_file());
    std::fs::write(out.join("figures/mine.svg"), "mine").unwrap();
    let report = of(&[STRUCTURE]);
    [&out, &alone].into_iter().for_each(|folder| write(&report, folder).unwrap());
    let mut expected = files(&alone);
    assert!(!expected.contains("figures/ablation-seconds.svg"));
    expected.insert("figures/mine.svg".to_string());
    assert_eq!(files(&out), expected);
}

#[test]
fn an_id_that_leads_out_of_the_folder_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let mut report = of(&[STRUCTURE]);
    report.experiments[0].exhibits[0].id = "../../outside".to_string();
    let message = write(&report, &out).unwrap_err().to_string();
    assert!(message.contains("outside"), "{message}");
    assert!(!out.exists());
}

#[test]
fn without_a_gpu_the_front_page_says_how_many_claims_by_construction_hold_whatever_the_working_directory_is()
{
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/emulated");
    let place = Place::new();
    // An experiment of the same name is none of the program's.
    place.write("other/experiments/table1.toml", "title = \"Mine\"");
    std::os::unix::fs::symlink(&runs, place.path("runs")).unwrap();
    place.succeed("report runs --out here");
    let mut elsewhere = place.command("report ../runs --out ../there");
    assert_eq!(elsewhere.current_dir(place.path("other")).status().unwrap().code(), Some(0));
    let made = contents(&place.path("here"));
    assert!(made == contents(&place.path("there")));
    let json: Value = serde_json::from_slice(&made["claims.json"]).unwrap();
    let claims = json["claims"].as_array().unwrap().iter();
    let own = claims.filter(|claim| claim["paper"] != "takafuji-2020");
    let own = own.filter(|claim| claim["evidence"] == "construction");
    let verdicts: Vec<&str> = own.filter_map(|claim| claim["results"][0]["verdict"].as_str()).collect();
    let count = |wanted: &[&str]| verdicts.iter().filter(|verdict| wanted.contains(*verdict)).count();
    let (held, open) = (count(&["REPRODUCED", "EXCEEDS"]), count(&["NOT MEASURED", "NOT COMPARABLE"]));
    assert_eq!(held, verdicts.len() - open);
    let front = std::str::from_utf8(&made["index.html"]).unwrap();
    let told = format!("{held} of {held} claims by construction hold.");
    assert!(held > 20 && front.contains(&told), "{told}: {front:.4000}");
}

/// The claims of the committed runs.
fn claims() -> Value {
    serde_json::from_slice(&std::fs::read(made().join("claims.json")).unwrap()).unwrap()
}

/// As the page writes a number that is neither tiny nor huge.
fn number(value: &Value) -> Option<String> {
    let value = value.as_f64()?;
    let shown = if value.fract() == 0.0 { value.to_string() } else { digits(value) };
    (value == 0.0 || (1e-4..1e6).contains(&value.abs())).then_some(shown)
}

#[test]
fn every_number_that_decides_stands_in_the_table_of_its_claim() {
    // Places where papers contradict themselves stand with the papers.
    let mut pages = made_pages();
    let page = ["claims.html", "index.html"].map(|name| pages.remove(name).unwrap()).concat();
    let (claims, mut shown) = (claims(), 0);
    for claim in claims["claims"].as_array().unwrap() {
        let (paper, id) = (claim["paper"].as_str().unwrap(), claim["id"].as_str().unwrap());
        let body = page.split_once(&format!("id=\"claim-{paper}-{id}\"")).unwrap().1;
        let body = body.split("id=\"claim-").next().unwrap();
        // What the page leaves out of a number is its space.
        let results = claim["results"].as_array().unwrap().iter();
        for point in results.flat_map(|result| result["points"].as_array().unwrap()) {
            if let Some(value) = number(&point["measured"]["value"]) {
                // Its interval follows it, where it has one, or that it is exact.
                let is_shown = [" ", "</td>"].iter().any(|end| body.contains(&format!(">{value}{end}")));
                assert!(is_shown, "{paper} {id}: {value}");
                shown += 1;
            }
        }
    }
    assert!(shown > 200, "{shown} numbers");
}

/// What was published and what was measured of a claim have one unit.
#[test]
fn a_comparison_is_of_figures_in_one_unit() {
    let (claims, mut compared) = (claims(), 0);
    let is_by_number = |test: &Value| {
        ["at_least", "at_most", "exactly", "polynomial"].iter().all(|bound| test[bound].is_null())
    };
    for claim in claims["claims"].as_array().unwrap().iter().filter(|claim| !claim["unit"].is_null()) {
        let tests = claim["tests"].as_array().unwrap();
        for result in claim["results"].as_array().unwrap() {
            if tests.iter().any(is_by_number) && !result["points"].as_array().unwrap().is_empty() {
                assert_eq!(claim["unit"], result["unit"], "{}", claim["id"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "{compared}");
}
