//! Verdicts where they are read: every number that decides stands in the table of its claim.

use crate::reports::reference_report::made;
use repro::show::digits;
use serde_json::Value;

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
    let claims = std::fs::read(made().join("claims.json")).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    let (mut shown, mut decided) = (0, 0);
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
                    assert!(body.contains(&format!("<td>{value}</td>")), "{paper} {id}: {value}");
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 200 && decided > 40, "{shown} numbers of {decided} verdicts");
}
