//! A report as HTML files that ask for nothing else: fonts, style, script and pictures are inside each of them, and a content security
//! policy allows nothing else. The page of the method is here.

mod claim;
mod experiment;
mod front;
mod summary;

use super::Report;
use crate::report::draw::dark_variants;
use askama::Template;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
pub(super) use claim::kind_word;
use experiment::TableView;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
pub use summary::author_year;

/// The pages of a report by their names below its folder: `index.html`, which answers, `claims.html` with all claims,
/// `experiments/NAME.html` with all figures and tables of an experiment, `history.html`, and `method.html`.
///
/// Equal reports give equal bytes.
pub fn pages(report: &Report) -> BTreeMap<String, String> {
    let front = Shell::new("");
    let below = Shell::new("../");
    let mut pages = BTreeMap::from([("index.html".to_string(), front::render(report, &front))]);
    let mut add = |name: String, page: String| drop(pages.insert(name, page));
    if let Some(page) = claim::render(report, &front) {
        add(claim::CLAIMS.to_string(), page);
    }
    add(METHOD.to_string(), MethodPage { shell: &front, report }.to_string());
    if !report.history.is_empty() {
        add(experiment::HISTORY.to_string(), experiment::render_history(report, &front));
    }
    for one in &report.experiments {
        add(experiment::file(one), experiment::render(report, one, &below));
    }
    pages
}

/// The file of the page on the method.
pub(super) const METHOD: &str = "method.html";

#[derive(Template)]
#[template(path = "method.html")]
struct MethodPage<'a> {
    shell: &'a Shell,
    report: &'a Report,
}

impl MethodPage<'_> {
    /// The table of this id, None where it would have no rows.
    fn table(&self, id: &str) -> Option<TableView<'_>> {
        self.report.method.iter().find(|one| one.id == id).map(|one| TableView::new(&one.grid))
    }
}

const STYLE: &str = include_str!("../../../report/style.css");
const SCRIPT: &str = include_str!("../../../report/script.js");
const FONTS: [(u16, &[u8]); 2] = [
    (400, include_bytes!("../../../report/fonts/inter-regular.woff2")),
    (600, include_bytes!("../../../report/fonts/inter-semibold.woff2")),
];

/// Style and script of a page, and the way from it to the report's folder.
pub(super) struct Shell {
    pub(super) style: String,
    pub(super) script: String,
    /// The hash by which the browser runs this script and no other, whatever text came in with a record.
    pub(super) script_hash: String,
    /// The prefix of links to files in the report's folder: empty or `../`.
    pub(super) root: &'static str,
}

impl Shell {
    pub(super) fn new(root: &'static str) -> Self {
        let script = without_comments(SCRIPT);
        Self { style: style(), script_hash: BASE64_STANDARD.encode(Sha256::digest(&script)), script, root }
    }
}

/// A script without comments: pages are sent around, and the commented source stays in the repository.
fn without_comments(source: &str) -> String {
    let is_code = |line: &&str| !(line.is_empty() || line.starts_with("//"));
    source.lines().map(str::trim).filter(is_code).map(|line| format!("{line}\n")).collect()
}

fn style() -> String {
    let fonts = FONTS.map(|(weight, bytes)| {
        format!(
            "@font-face {{ font-family: Inter; font-weight: {weight}; src: url(data:font/woff2;base64,{}) format(\"woff2\"); }}\n",
            BASE64_STANDARD.encode(bytes)
        )
    });
    fonts.concat() + STYLE + &*dark()
}

/// Rules for dark mode: a picture is drawn once, for light paper, and the rules exchange each of its colours for a dark one.
fn dark() -> String {
    let mut css = String::from("@media screen and (prefers-color-scheme: dark) {\n");
    for (light, dark) in dark_variants() {
        for attribute in ["fill", "stroke"] {
            css += &format!("figure svg [{attribute}=\"{light}\" i] {{ {attribute}: {dark}; }}\n");
        }
        // Pictures lie on the page without an edge.
        if light.eq_ignore_ascii_case("#ffffff") {
            css += &format!(":root {{ --paper: {dark}; }}\n");
        }
    }
    css + "}\n"
}
