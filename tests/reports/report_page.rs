//! The page of a report and the files beside it, without a browser.

use super::fixture::{HOSTILE, ONE, TWO, empty, hostile, of};
use super::reference_report::{broken_pictures, contents, made};
use repro::judge::Verdict;
use repro::report::{Hardware, Report, dark_variants, pages, write};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn page(report: &Report) -> String {
    pages(report, dark_variants()).remove("index.html").unwrap()
}

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
    let of = |report| pages(&report, dark_variants());
    for pages in [made_pages(), of(hostile()), of(empty())] {
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
fn every_page_can_be_reached_and_leads_back_and_every_link_to_a_file_leads_to_one() {
    let pages = made_pages();
    let named: BTreeSet<String> =
        values(&pages["index.html"], "href").iter().map(|href| resolved("index.html", href).0).collect();
    assert!(pages.len() > 3, "{:?}", pages.keys());
    for (name, page) in &pages {
        assert!(named.contains(name) || name == "index.html", "{name}");
        let links: Vec<&str> =
            values(page, "href").into_iter().filter(|href| !href.starts_with("https://")).collect();
        let files: Vec<String> = links.iter().map(|href| resolved(name, href).0).collect();
        assert!(files.iter().any(|file| file == "index.html"), "{name} does not lead back");
        assert_eq!(files.iter().find(|file| !made().join(file).is_file()), None, "{name}");
    }
}

#[test]
fn every_figure_and_every_claim_stands_once_with_all_of_its_comparisons() {
    let pages = made_pages();
    let all: String = pages.values().map(String::as_str).collect();
    let once = |id: String| assert_eq!(all.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    for file in std::fs::read_dir(made().join("figures")).unwrap().map(|entry| entry.unwrap().path()) {
        once(format!("figure-{}", file.file_stem().unwrap().to_str().unwrap()));
    }
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(made().join("claims.json")).unwrap()).unwrap();
    let claims = json["claims"].as_array().unwrap();
    let of = |claim: &serde_json::Value, key: &str| claim[key].as_str().unwrap().to_string();
    claims.iter().for_each(|claim| once(format!("claim-{}-{}", of(claim, "paper"), of(claim, "id"))));
    let results: usize = claims.iter().map(|claim| claim["results"].as_array().unwrap().len()).sum();
    assert_eq!(pages["claims.html"].matches("<div class=\"result\">").count(), results);
    assert!(results > 200, "{results}");
}

#[test]
fn the_answer_follows_the_verdicts() {
    let mut report = of(ONE);
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
    let mut report = of(TWO);
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
        page(&report) + pages(&report, dark_variants())["claims.html"].as_str()
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
    let pages = pages(&hostile(), dark_variants());
    for (name, page) in &pages {
        assert!(!page.contains(HOSTILE), "{name}");
        assert!(!page.contains("<script>alert") && !page.contains("\"quoted\""), "{name}");
        assert_eq!(page.matches("<script").count(), 1, "{name}");
        assert_eq!(page.matches("</style").count(), 1, "{name}");
    }
    let all = pages.into_values().collect::<String>();
    // Notice, machine and its fact, a dozen of the claim, paper, section, figure, table, topic.
    assert!(all.matches("&#60;script&#62;alert(1)").count() > 25);
    assert!(all.contains("κ Уоршелл"));
}

#[test]
fn no_page_loads_anything_and_each_tells_the_browser_so() {
    for (name, page) in made_pages() {
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
    let page = page(&empty());
    assert!(page.contains("No run was given: no claim could be compared."));
    assert!(!page.contains("claims.html"));
    assert!(!pages(&empty(), dark_variants()).contains_key("claims.html"));
}

#[test]
fn hostile_text_stays_in_its_cell_of_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let report = hostile();
    write(&report, &out, dark_variants()).unwrap();
    let row = csv::Reader::from_path(out.join("claims.csv")).unwrap().into_records().next().unwrap().unwrap();
    assert_eq!(&row[3], format!("{HOSTILE}: {HOSTILE}"), "what it is of, and what it says");
    let text = std::fs::read_to_string(out.join("claims.md")).unwrap();
    let line = text.lines().find(|line| line.contains("alert(1)") && line.starts_with('|')).unwrap();
    assert_eq!(line.replace("\\|", "").matches('|').count(), 9, "{line}");
    let mut named = 0;
    for (name, bytes) in
        contents(&out).into_iter().filter(|(name, _)| name.ends_with(".md") || name.ends_with(".svg"))
    {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("<script"), "{name}");
        named += usize::from(name.ends_with(".svg") && text.contains("alert(1)"));
    }
    assert_eq!(broken_pictures(&out), [""; 0]);
    assert!(named > 0, "no picture has a name from the records");
}

#[test]
fn a_newer_report_replaces_an_older_one_and_touches_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    write(&of(TWO), &out, dark_variants()).unwrap();
    assert!(out.join("figures/ablation-2-steps.svg").is_file());
    std::fs::write(out.join("figures/mine.svg"), "mine").unwrap();
    write(&of(ONE), &out, dark_variants()).unwrap();
    let left = files(&out);
    assert!(!left.contains("figures/ablation-2-steps.svg"));
    assert!(left.contains("figures/ablation-steps.svg") && left.contains("figures/mine.svg"));
    let alone = folder.path().join("alone");
    write(&of(ONE), &alone, dark_variants()).unwrap();
    let mut expected = files(&alone);
    expected.insert("figures/mine.svg".to_string());
    assert_eq!(left, expected);
}

#[test]
fn an_id_that_leads_out_of_the_folder_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let mut report = of(ONE);
    report.sections[0].figures[0].id = "../../outside".to_string();
    let message = write(&report, &out, dark_variants()).unwrap_err().to_string();
    assert!(message.contains("outside"), "{message}");
    assert!(!out.exists());
}
