//! The page of a report and the files beside it, without a browser.

use super::fixture::{DARK, HOSTILE, empty, full, hostile};
use repro::judge::Verdict;
use repro::report::{Hardware, Report, pages, write};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn page(report: &Report) -> String {
    pages(report, DARK).remove("index.html").unwrap()
}

/// The page of all claims.
fn claims_page(report: &Report) -> String {
    pages(report, DARK).remove("claims.html").unwrap()
}

/// The values of an attribute, without those in style and script.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let body = page.split_once("<body>").unwrap().1.split_once("<script>").unwrap().0;
    let start = format!(" {attribute}=\"");
    body.split(start.as_str()).skip(1).map(|rest| rest.split_once('"').unwrap().0).collect()
}

fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path()).into_iter().map(|one| format!("{name}/{one}"))),
            false => assert!(found.insert(name)),
        }
    }
    found
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
    for report in [full(&["NVIDIA H200"]), full(&["NVIDIA H200", "NVIDIA A100"]), hostile(), empty()] {
        let pages = pages(&report, DARK);
        let anchors: BTreeMap<&str, Vec<&str>> =
            pages.iter().map(|(name, page)| (name.as_str(), values(page, "id"))).collect();
        for (name, page) in &pages {
            let unique: BTreeSet<&str> = anchors[name.as_str()].iter().copied().collect();
            assert_eq!(unique.len(), anchors[name.as_str()].len(), "{name}");
            for href in values(page, "href") {
                let (file, anchor) = resolved(name, href);
                if let Some(there) = anchors.get(file.as_str()) {
                    assert!(anchor.is_empty() || there.contains(&anchor.as_str()), "{name}: {href}");
                }
            }
        }
    }
}

#[test]
fn every_page_can_be_reached_and_leads_back() {
    let pages = pages(&full(&["NVIDIA H200", "NVIDIA A100"]), DARK);
    let named: BTreeSet<String> =
        values(&pages["index.html"], "href").iter().map(|href| resolved("index.html", href).0).collect();
    assert!(pages.len() > 3, "{:?}", pages.keys());
    for (name, page) in pages.iter().filter(|(name, _)| *name != "index.html") {
        assert!(named.contains(name), "{name}");
        let back = values(page, "href").iter().any(|href| resolved(name, href).0 == "index.html");
        assert!(back, "{name}");
    }
}

#[test]
fn no_figure_stands_twice_and_each_stands_once() {
    let report = full(&["NVIDIA H200", "NVIDIA A100"]);
    let all = pages(&report, DARK).into_values().collect::<String>();
    let figures = report
        .sections
        .iter()
        .flat_map(|section| &section.figures)
        .chain(&report.stated)
        .chain(&report.ratios);
    for figure in figures {
        assert_eq!(all.matches(&format!("<figure id=\"figure-{}\"", figure.id)).count(), 1, "{}", figure.id);
    }
}

#[test]
fn every_claim_is_there_with_its_numbers_and_every_machine() {
    let report = full(&["NVIDIA H200", "NVIDIA A100"]);
    let claims = claims_page(&report);
    let both = page(&report) + claims.as_str();
    for row in &report.claims {
        assert_eq!(both.matches(&format!("id=\"claim-{}-{}\"", row.paper, row.id)).count(), 1, "{}", row.id);
    }
    let results = report.claims.iter().filter(|row| !row.results.is_empty()).count() * 2;
    assert_eq!(claims.matches("<div class=\"result\">").count(), results);
    let points: usize = report.claims.iter().flat_map(|row| &row.results).map(|one| one.points.len()).sum();
    assert_eq!(claims.matches("[5.100, 5.400]").count(), points);
}

#[test]
fn the_answer_follows_the_verdicts() {
    let mut report = full(&["NVIDIA H200"]);
    let says = "several blocks on a multiprocessor hide the latency that one exposes";
    for (verdict, lead) in [
        (Verdict::Reproduced, "Still true:"),
        (Verdict::Differs, "Not true here:"),
        (Verdict::NotComparable, "Not tested here:"),
    ] {
        for row in &mut report.claims {
            row.results.iter_mut().for_each(|result| result.verdict = verdict);
        }
        let page = page(&report);
        // Where nothing was tested one sentence says so of all papers.
        if !verdict.is_decided() {
            assert!(page.contains("main statements could be tested with these runs."), "{page:.2000}");
            assert!(!page.contains(lead) && !page.contains("class=\"answer\""));
            continue;
        }
        let answer = page.split_once("<h3><a href=\"#paper-lund-smith-2010\">").unwrap().1;
        let answer = answer.split_once("</p>").unwrap().0;
        assert!(answer.contains(lead) && answer.contains(says), "{answer}");
        assert_eq!(answer.matches("<strong").count(), 1, "{answer}");
    }
}

#[test]
fn two_machines_answer_together_and_are_named_where_they_differ() {
    let mut report = full(&["NVIDIA H200", "NVIDIA H100 80GB HBM3"]);
    let hardware = |label: &str, copy_gbs| Hardware {
        label: label.to_string(),
        multiprocessors: 132,
        clock_mhz: 1980,
        l2_mib: 50,
        copy_gbs,
    };
    report.hardware = vec![hardware("NVIDIA H200", 4000.0), hardware("NVIDIA H100 80GB HBM3", 3000.0)];
    let mut with = |verdicts: [Verdict; 2]| {
        for row in &mut report.claims {
            row.results.iter_mut().zip(verdicts).for_each(|(result, verdict)| result.verdict = verdict);
        }
        page(&report) + claims_page(&report).as_str()
    };
    let answer = |page: &str| -> String {
        let all = page.split_once("<h3><a href=\"#paper-lund-smith-2010\">").unwrap().1;
        all.split_once("</p>").unwrap().0.to_string()
    };
    let disagree = ">disagree</span>";
    let same = with([Verdict::Reproduced, Verdict::Reproduced]);
    assert!(answer(&same).contains("Still true:") && !answer(&same).contains("H100"), "{}", answer(&same));
    assert!(same.contains(">agree</span>") && !same.contains(disagree));
    let alone = with([Verdict::NotMeasured, Verdict::Reproduced]);
    assert!(answer(&alone).contains("Still true:") && alone.contains(">H100 alone</span>"));
    let other = with([Verdict::Reproduced, Verdict::Differs]);
    assert!(answer(&other).contains("The GPUs&#39; verdicts differ:"), "{}", answer(&other));
    assert!(answer(&other).contains("(H200 REPRODUCED, H100 DIFFERS)"));
    assert!(other.contains(disagree) && other.contains("4000 and 3000 GB/s by a copy in memory"));
}

#[test]
fn text_from_records_stays_text() {
    let pages = pages(&hostile(), DARK);
    for (name, page) in &pages {
        assert!(!page.contains(HOSTILE), "{name}");
        assert!(!page.contains("<script>alert"), "{name}");
        assert!(!page.contains("\"quoted\""), "{name}");
        assert_eq!(page.matches("<script").count(), 1, "{name}");
        assert_eq!(page.matches("</style").count(), 1, "{name}");
    }
    let all = pages.into_values().collect::<String>();
    // Notice, machine and its fact, a dozen of the claim, paper, section, figure, table, topic.
    assert!(all.matches("&#60;script&#62;alert(1)").count() > 25);
    let page = all;
    assert!(page.contains("κ Уоршелл"));
}

#[test]
fn no_page_loads_anything_and_each_tells_the_browser_so() {
    for (name, page) in pages(&full(&["NVIDIA H200"]), DARK) {
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
fn the_same_report_gives_the_same_bytes() {
    let report = full(&["NVIDIA H200", "NVIDIA A100"]);
    assert_eq!(page(&report), page(&report));
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    write(&report, &one, DARK).unwrap();
    write(&full(&["NVIDIA H200", "NVIDIA A100"]), &two, DARK).unwrap();
    assert_eq!(files(&one), files(&two));
    for name in files(&one) {
        assert_eq!(
            std::fs::read(one.join(&name)).unwrap(),
            std::fs::read(two.join(&name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn an_empty_report_says_that_there_is_nothing() {
    let page = page(&empty());
    assert!(page.contains("No run is in this report"));
    assert!(!page.contains("claims.html"));
    assert!(!pages(&empty(), DARK).contains_key("claims.html"));
}

#[test]
fn every_link_to_a_file_leads_to_one_and_the_claims_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/report");
    let report = full(&["NVIDIA H200"]);
    write(&report, &out, DARK).unwrap();
    for (name, page) in pages(&report, DARK) {
        for href in values(&page, "href") {
            let (file, _) = resolved(&name, href);
            if href.starts_with("https://") {
                continue;
            }
            assert!(out.join(&file).is_file(), "{name}: {href}");
        }
    }
    let rows = csv::Reader::from_path(out.join("claims.csv")).unwrap().into_records().count();
    assert_eq!(rows, report.claims.len());
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("claims.json")).unwrap()).unwrap();
    assert_eq!(json["schema_version"], 3);
    assert_eq!(json["claims"].as_array().unwrap().len(), report.claims.len());
    assert_eq!(json["machines"][0]["tally"].as_object().unwrap().len(), 3);
    let svg = std::fs::read_to_string(out.join("figures/table1-0-seconds.svg")).unwrap();
    assert!(svg.starts_with("<?xml") && svg.matches("xmlns=").count() == 1, "{svg:.200}");
}

#[test]
fn hostile_text_stays_in_its_cell_of_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let report = hostile();
    write(&report, &out, DARK).unwrap();
    let row = csv::Reader::from_path(out.join("claims.csv")).unwrap().into_records().next().unwrap().unwrap();
    assert_eq!(&row[3], format!("{HOSTILE}: {HOSTILE}"), "what it is of, and what it says");
    let text = std::fs::read_to_string(out.join("claims.md")).unwrap();
    assert!(!text.contains("<script>"));
    let line = text.lines().find(|line| line.contains("alert(1)") && line.starts_with('|')).unwrap();
    assert_eq!(line.replace("\\|", "").matches('|').count(), 9, "{line}");
}

#[test]
fn a_newer_report_replaces_an_older_one_and_touches_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    write(&full(&["NVIDIA H200", "NVIDIA A100"]), &out, DARK).unwrap();
    assert!(out.join("figures/table1-1-seconds.svg").is_file());
    std::fs::write(out.join("figures/mine.svg"), "mine").unwrap();
    write(&full(&["NVIDIA H200"]), &out, DARK).unwrap();
    let left = files(&out);
    assert!(!left.contains("figures/table1-1-seconds.svg"));
    assert!(left.contains("figures/table1-0-seconds.svg") && left.contains("figures/mine.svg"));
    let alone = folder.path().join("alone");
    write(&full(&["NVIDIA H200"]), &alone, DARK).unwrap();
    let mut expected = files(&alone);
    expected.insert("figures/mine.svg".to_string());
    assert_eq!(left, expected);
}

#[test]
fn a_file_and_a_folder_of_something_else_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "kept").unwrap();
    let message = write(&empty(), &file, DARK).unwrap_err().to_string();
    assert!(message.contains(&file.display().to_string()) && message.contains("--out"), "{message}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    let message = write(&empty(), folder.path(), DARK).unwrap_err().to_string();
    assert!(message.contains("no report") && message.contains("--out"), "{message}");
    assert_eq!(files(folder.path()), BTreeSet::from(["file".to_string()]));
}

#[test]
fn an_id_that_leads_out_of_the_folder_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let mut report = full(&["NVIDIA H200"]);
    report.sections[0].figures[0].id = "../../outside".to_string();
    let message = write(&report, &out, DARK).unwrap_err().to_string();
    assert!(message.contains("outside"), "{message}");
    assert!(!out.exists());
}
