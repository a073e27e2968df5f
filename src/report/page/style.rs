//! The style sheet with the fonts inside, and the colours that figures take on dark screens.

use base64::{Engine, prelude::BASE64_STANDARD};

const STYLE: &str =
    concat!(include_str!("../../../report/style.css"), include_str!("../../../report/charts.css"));
const FONTS: [(u16, &[u8]); 2] = [
    (400, include_bytes!("../../../report/fonts/inter-regular.woff2")),
    (600, include_bytes!("../../../report/fonts/inter-semibold.woff2")),
];

pub(super) fn style(dark_variants: &[(&str, &str)]) -> String {
    let fonts = FONTS.map(|(weight, bytes)| {
        format!(
            "@font-face {{ font-family: Inter; font-weight: {weight}; src: url(data:font/woff2;base64,{}) format(\"woff2\"); }}\n",
            BASE64_STANDARD.encode(bytes)
        )
    });
    fonts.concat() + STYLE + &*dark(dark_variants)
}

/// A picture is drawn once, for light paper: its colours are exchanged by their values.
fn dark(variants: &[(&str, &str)]) -> String {
    if variants.is_empty() {
        return String::new();
    }
    let mut css = String::from("@media screen and (prefers-color-scheme: dark) {\n");
    for (light, dark) in variants {
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
