//! Verdicts where they are read: every number that decides stands in the table of its claim.

use crate::reports::reference_report::made;
use repro::report::text::digits;
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

/// The decided results of the committed runs, each with its claim and its words.
fn decided() -> Vec<(Value, Value, Value)> {
    let claims = std::fs::read(made().join("claims.json")).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    let all = claims["claims"].as_array().unwrap().iter().flat_map(|claim| {
        let results = claim["results"].as_array().unwrap().iter().zip(claim["words"].as_array().unwrap());
        results.map(|(result, words)| (claim.clone(), result.clone(), words.clone()))
    });
    all.filter(|(_, result, _)| !result["points"].as_array().unwrap().is_empty()).collect()
}

#[test]
fn a_reason_says_once_that_others_agree_or_contradict_and_each_verdict_of_theirs_once() {
    let mut said = 0;
    for (claim, result, words) in decided() {
        let (id, reason) = (&claim["id"], words["reason"].as_str().unwrap());
        let others = result["others"].as_array().unwrap();
        let told: Vec<&str> = reason.split("Another build or device ").skip(1).collect();
        for how in ["agrees", "contradicts", "cannot tell"] {
            assert!(told.iter().filter(|one| one.starts_with(how)).count() <= 1, "{id}: {reason}");
        }
        assert_eq!(told.is_empty(), others.is_empty(), "{id}: {reason}");
        for run in others.iter().flat_map(|other| other["runs"].as_array().unwrap()) {
            assert!(told.concat().contains(run.as_str().unwrap()), "{id}: {run} is not in {reason}");
        }
        for one in &told {
            let one = one.split_once(". ").map_or(*one, |(one, _)| one);
            assert!(
                one.matches("REPRODUCED").count() <= 1 && one.matches("DIFFERS").count() <= 1,
                "{id}: {one}"
            );
        }
        said += told.len();
    }
    assert!(said > 30, "{said}");
}

/// What a test compares and what it is set against: what is published, a number of its own, or bounds of its own.
fn sort(test: &Value) -> Vec<String> {
    let of_figure =
        ["figure", "relation", "clock", "over_clock", "power", "combine"].map(|key| test[key].to_string());
    let own = |key: &str| test.get(key).is_some_and(|value| !value.is_null());
    let against = [own("exactly") || own("polynomial"), own("at_least"), own("at_most")];
    of_figure.into_iter().chain(against.map(|one| one.to_string())).collect()
}

#[test]
fn figures_of_different_sorts_never_stand_as_one_range_nor_beside_what_is_published() {
    let (mut several, mut apart) = (0, 0);
    for (claim, result, words) in decided() {
        if !result["shown"].is_null() {
            continue;
        }
        let id = claim["id"].as_str().unwrap();
        let mut sorts: Vec<(Vec<String>, Vec<f64>, Vec<String>)> = Vec::new();
        for point in result["points"].as_array().unwrap() {
            let test = &claim["tests"][point["at"]["test"].as_u64().unwrap() as usize];
            let (sort, value) = (sort(test), point["measured"]["value"].as_f64().unwrap());
            let asked =
                ["exactly", "polynomial", "at_least", "at_most"].map(|key| test[key].to_string()).concat();
            match sorts.iter_mut().find(|(known, ..)| *known == sort) {
                Some((_, values, all)) => {
                    values.push(value);
                    all.push(asked);
                }
                None => sorts.push((sort, vec![value], vec![asked])),
            }
        }
        let measured = words["measured"].as_str().unwrap();
        let parts: Vec<&str> = measured.split("; ").collect();
        assert_eq!(parts.len(), sorts.len(), "{id}: {measured}");
        for (part, (_, values, asked)) in parts.iter().zip(&sorts) {
            // The numbers that it begins with are the least and the most of its own sort.
            let mut numbers = part.split(" to ").take(2).map(|text| {
                let digits: String =
                    text.chars().take_while(|c| c.is_ascii_digit() || "-.e".contains(*c)).collect();
                digits.parse::<f64>().unwrap_or(f64::NAN)
            });
            let scale = if part.contains("% of the bytes") { 100.0 } else { 1.0 };
            let least = values.iter().copied().fold(f64::INFINITY, f64::min) * scale;
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) * scale;
            // As many digits are shown as the noise leaves meaning to.
            let is_near =
                |shown: f64, of: f64| (shown - of).abs() <= 0.05 * of.abs().max(0.5) || of.abs() >= 1e6;
            let (low, high) = (numbers.next().unwrap(), numbers.next().filter(|high| !high.is_nan()));
            assert!(is_near(low, least) && is_near(high.unwrap_or(low), most), "{id}: {part}: {values:?}");
            let differ = asked.iter().any(|one| one != &asked[0]);
            assert_eq!(part.contains("each judged apart"), differ, "{id}: {part}");
        }
        let short = words["in_short"].as_str().unwrap();
        if let Some((_, here)) =
            short.split_once(", here ").filter(|_| sorts.len() > 1 && short.starts_with("published "))
        {
            let own =
                sorts.iter().position(|(sort, ..)| sort.iter().filter(|part| *part == "true").count() == 0);
            assert!(here.starts_with(&format!("{}; beside it ", parts[own.unwrap()])), "{id}: {short}");
            apart += 1;
        }
        several += usize::from(sorts.len() > 1);
    }
    assert!(several > 10 && apart > 0, "{several} {apart}");
}
