//! What a figure is held against, and what becomes of the claim.

use super::{PAIR, judged_as, judged_by, of_two, seconds, timed, value};
use crate::common::stored::{OCCUPANCY, TABLE1};
use repro::judge::Perturbation;
use repro::judge::Verdict::{self, Ambiguous, Differs, Exceeds, InPart, NotComparable, Reproduced};

#[test]
fn a_verdict_turns_where_its_noise_its_rounding_and_the_bounds_of_ours_say() {
    use Perturbation::{Noise, Ours, Rounding};
    let run = timed(TABLE1, seconds);
    let two = &format!("{PAIR}, sizes = [1024]");
    let rounded = "pairs = [[\"staged-load\", \"harish-narayanan\"]], sizes = [1024]";
    let of_seconds = &value("seconds", "katz-kider", "1024");
    let least = |factor: f64| format!("at_least = {}", 2.0 / of_two() * factor);
    let most = |factor: f64| format!("at_most = {}", 2.0 * of_two() * factor);
    let number = "value = 2.1\nunit = \"times\"";
    type Turns = &'static [(Perturbation, Verdict)];
    // 6 over 3.8, beside 1.5 and 1.75.
    let larger = "pairs = [[\"optimized-blocked\", \"katz-kider\"]], sizes = [3072]";
    let cases: [(&str, &str, String, Verdict, Turns); 16] = [
        ("value = 1\nunit = \"times\"", larger, String::new(), Differs, &[(Rounding(1.5), Reproduced)]),
        ("", two, "at_least = 1.9, at_most = 2.1".into(), Reproduced, &[]),
        ("", two, "at_least = 2.1, at_most = 3".into(), Differs, &[]),
        ("", two, "at_least = 1, at_most = 1.9".into(), Differs, &[]),
        ("", two, least(1.0005), Ambiguous, &[(Noise(0.5), Reproduced)]),
        ("", two, least(0.9995), Reproduced, &[(Noise(2.0), Ambiguous)]),
        ("", two, most(0.9995), Ambiguous, &[(Noise(0.5), Reproduced)]),
        ("", two, most(1.0005), Reproduced, &[(Noise(2.0), Ambiguous)]),
        ("", two, "at_least = 1.7".into(), Reproduced, &[]),
        ("", two, "at_least = 1.7, ours = true".into(), Reproduced, &[(Ours(1.5), Differs)]),
        // Half of it is from equality: 1.9 and not 2.4.
        ("", two, "at_least = 1.6, ours = true".into(), Reproduced, &[]),
        ("", two, "at_least = 1, at_most = 2.5, ours = true".into(), Reproduced, &[(Ours(0.5), Differs)]),
        ("", of_seconds, "at_least = 1.5, ours = true".into(), Reproduced, &[(Ours(1.5), Differs)]),
        (number, rounded, String::new(), Reproduced, &[(Rounding(0.5), Ambiguous)]),
        (number, two, "exactly = 2.01".into(), Ambiguous, &[(Noise(0.5), Differs)]),
        ("value = 1.8\nunit = \"times\"", two, String::new(), Differs, &[]),
    ];
    for (lines, test, bounds, verdict, flips) in cases {
        let comma = if bounds.is_empty() { "" } else { ", " };
        let found = judged_as(&[&run], lines, &format!("{{ {test}{comma}{bounds} }}"));
        let found = (found.verdict, found.sensitivity.iter().map(|one| (one.change, one.verdict)).collect());
        assert_eq!(found, (verdict, flips.to_vec()), "{lines} {test} {bounds}");
    }
    // On each graph, too.
    let run = timed(OCCUPANCY, |row| if row.graph == "m=6n" { 2.0 } else { 1.0 });
    let graphs = "relation = \"across-graphs\", series = [\"two-phase\"], edges_per_vertex = [6, 60, 600]";
    let found = judged_by(&run, &format!("{graphs}, sizes = [1024], {}", least(0.9995)));
    assert_eq!(found.sensitivity.len(), 1);
    assert_eq!((found.sensitivity[0].change, found.sensitivity[0].verdict), (Noise(2.0), Ambiguous));
}

#[test]
fn a_floor_is_not_rounded_and_what_may_be_exceeded_is_said_with_the_number() {
    let run = timed(TABLE1, seconds);
    let test = "{ pairs = [[\"staged-load\", \"optimized-blocked\"]], sizes = [1024] }";
    for (number, verdict) in [
        ("value = 4", Reproduced),
        ("value = 4\nbound = \"floor\"", Differs),
        ("value = 4\nbound = \"up-to\"", Reproduced),
        ("value = 3", Differs),
        ("value = 3\nbound = \"floor\"", Exceeds),
        ("value = 3\nbound = \"up-to\"", Exceeds),
        ("low = 3", Reproduced),
        ("low = 4", Differs),
        ("low = 3\nbound = \"floor\"", Exceeds),
        ("low = 3\nhigh = 3.5", Differs),
        ("low = 3\nhigh = 3.95", Reproduced),
        // What rounds to the end that is written with more digits.
        ("low = 4\nhigh = 4.9", Differs),
    ] {
        let found = judged_as(&[&run], &format!("{number}\nunit = \"times\""), test);
        assert_eq!(found.verdict, verdict, "{number}: {found:?}");
    }
}

#[test]
fn a_cause_is_shown_of_whatever_comes_out_otherwise() {
    let run = timed(TABLE1, seconds);
    let of = |number: &str, sizes: &str| {
        let lines = format!("{number}\nunit = \"times\"\ncause = {{ statement = \"because\" }}");
        let found = judged_as(&[&run], &lines, &format!("{{ {PAIR}, sizes = {sizes} }}"));
        (found.verdict, found.cause.is_some())
    };
    assert_eq!(of("value = 2", "[1024]"), (Reproduced, false));
    assert_eq!(of("value = 4", "[1024]"), (Differs, true));
    assert_eq!(of("value = 2", "[1024, 2048]"), (InPart, true));
    assert_eq!(of("value = 1\nbound = \"floor\"", "[1024]"), (Exceeds, true));
}

#[test]
fn a_gpu_is_one_of_the_same_name_with_its_vendor_or_without() {
    let test = format!("{{ {}, own_gpu = true, at_least = 0 }}", value("seconds", "staged-load", "1024"));
    let mut run = timed(TABLE1, seconds);
    for (name, gpu, verdict) in [
        ("NVIDIA H200", "H200", Reproduced),
        ("H200", "H200", Reproduced),
        ("nvidia h200", "NVIDIA H200", Reproduced),
        ("NVIDIA GH200", "H200", NotComparable),
        ("NVIDIA H200 NVL", "H200", NotComparable),
        ("NVIDIA H100", "NVIDIA H200", NotComparable),
        ("NVIDIA H200", "Some GPU", NotComparable),
    ] {
        run.manifest.environment.as_mut().unwrap().device.as_mut().unwrap().info.name = name.to_string();
        let found = judged_as(&[&run], &format!("gpu = \"{gpu}\""), &test);
        assert_eq!(found.verdict, verdict, "{name} for {gpu}");
        assert_eq!(found.shown.is_some(), verdict == NotComparable);
    }
    // One test that is of the own GPU is enough, and what is shown is the first comparison.
    let seconds = format!("{}, at_least = 0", value("seconds", "katz-kider", "1024, 2048"));
    let both = format!("{{ {seconds}, own_gpu = true }}, {{ {seconds} }}");
    let found = judged_as(&[&run], "", &both);
    assert_eq!((found.verdict, found.shown.unwrap().value), (NotComparable, 2.0));
}
