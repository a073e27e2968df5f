//! Verdicts where they are read: every number that decides stands in the table of its claim.

use crate::reports::reference_report::made;
use repro::report::text::digits;
use serde_json::Value;
use std::collections::BTreeSet;

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
    let page = ["claims.html", "index.html"]
        .map(|name| std::fs::read_to_string(made().join(name)).unwrap())
        .concat();
    let (claims, mut shown, mut decided) = (claims(), 0, 0);
    for claim in claims["claims"].as_array().unwrap() {
        let (paper, id) = (claim["paper"].as_str().unwrap(), claim["id"].as_str().unwrap());
        let body = page.split_once(&format!("id=\"claim-{paper}-{id}\"")).unwrap().1;
        let body = body.split("id=\"claim-").next().unwrap();
        // What the page leaves out of a number is its space.
        for result in claim["results"].as_array().unwrap() {
            let points = result["points"].as_array().unwrap();
            let is_decided =
                !["NOT MEASURED", "NOT COMPARABLE"].contains(&result["verdict"].as_str().unwrap());
            assert_eq!(points.is_empty(), !is_decided, "{paper} {id}");
            decided += usize::from(is_decided);
            for point in points {
                let measured = &point["measured"];
                if let Some(value) = number(&measured["value"]) {
                    // Its interval follows it, where it has one, or that it is exact.
                    let is_shown = [" ", "</td>"].iter().any(|end| body.contains(&format!(">{value}{end}")));
                    assert!(is_shown, "{paper} {id}: {value}");
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 200 && decided > 40, "{shown} numbers of {decided} verdicts");
}

/// What a test compares and what it is set against: what is published, a number of its own, or bounds of its own.
fn sort(test: &Value) -> Vec<String> {
    let of_figure =
        ["figure", "relation", "clock", "over_clock", "power", "combine"].map(|key| test[key].to_string());
    let own = |key: &str| !test[key].is_null();
    let against = [own("exactly") || own("polynomial"), own("at_least"), own("at_most")];
    of_figure.into_iter().chain(against.map(|one| one.to_string())).collect()
}

#[test]
fn figures_of_different_sorts_never_stand_as_one_range() {
    let (claims, mut several) = (claims(), 0);
    for claim in claims["claims"].as_array().unwrap() {
        let results = claim["results"].as_array().unwrap().iter().zip(claim["words"].as_array().unwrap());
        for (result, words) in results.filter(|(result, _)| result["shown"].is_null()) {
            let points = result["points"].as_array().unwrap().iter();
            let sorts: BTreeSet<Vec<String>> = points
                .map(|point| sort(&claim["tests"][point["at"]["test"].as_u64().unwrap() as usize]))
                .collect();
            let measured = words["measured"].as_str().unwrap_or_default();
            let parts = measured.split("; ").filter(|part| !part.is_empty()).count();
            assert_eq!(parts, sorts.len(), "{}: {measured}", claim["id"]);
            several += usize::from(sorts.len() > 1);
        }
    }
    assert!(several > 10, "{several}");
}
