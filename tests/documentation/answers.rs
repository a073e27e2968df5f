//! README's sentences have the numbers of the committed report.

use super::{root, text_of};
use serde_json::Value;

fn claim<'a>(claims: &'a Value, id: &str) -> &'a Value {
    claims["claims"].as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap()
}

/// What every machine measured for a claim, with its n where it has one.
fn measured(claims: &Value, id: &str) -> Vec<(f64, Option<u64>)> {
    let claim = claim(claims, id);
    let points =
        claim["results"].as_array().unwrap().iter().flat_map(|one| one["points"].as_array().unwrap());
    points.map(|point| (point["measured"]["value"].as_f64().unwrap(), point["at"]["n"].as_u64())).collect()
}

/// What the H200 shows beside a number of another GPU, in three digits.
fn shown(claims: &Value, id: &str) -> f64 {
    let claim = claim(claims, id);
    let value = claim["results"][0]["shown"]["value"].as_f64().unwrap();
    assert_eq!(claim["results"][0]["machine"], "NVIDIA H200");
    (value / 10.0).round() * 10.0
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
}

#[test]
fn the_numbers_of_sentences_in_the_readme_are_those_of_the_committed_report() {
    let text = std::fs::read_to_string(root().join("report/reference/claims.json")).unwrap();
    let claims: Value = serde_json::from_str(&text).unwrap();
    let of = |id: &str| measured(&claims, id).into_iter();
    let (least, most) = ends(of("staged-over-kk").map(|(value, _)| value));
    let (sizes_from, sizes_to) = ends(of("staged-over-kk").map(|(_, n)| n.unwrap() as f64));
    // Readings below the true time; what is above it is the copy that follows.
    let readings = of("unsynced-is-wrong").filter(|(value, n)| *value < 1.0 && n.unwrap() >= 2048);
    let (reads_least, reads_most) = ends(readings.map(|(value, _)| value * 100.0));
    let (_, kappa) = ends(of("kappa-beats-classic").map(|(value, _)| value));
    assert!((0.19..=0.21).contains(&(1.0 - 1.0 / kappa)), "by up to a fifth: {kappa}");
    let readme = text_of("README.md").replace("\n  ", " ");
    for sentence in [
        format!(
            "Staged Load is {least:.1} to {most:.1} times as fast as Katz & Kider for n from {sizes_from} to {sizes_to},"
        ),
        format!("It moves {} GB/s on an H200,", shown(&claims, "staged-bandwidth")),
        format!("a copy moves {} and 77.", shown(&claims, "memcpy")),
        "still takes less time, by up to a fifth.".to_string(),
        format!("reads {reads_least:.0} to {reads_most:.0}% of the true time from n = 2048 on."),
    ] {
        assert!(readme.contains(&sentence), "README.md should say: {sentence}");
    }
}
