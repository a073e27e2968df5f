//! What all pages of a report share: style with fonts, script, and a content security policy that allows nothing else.

use crate::report::draw::dark_variants;
use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};

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
