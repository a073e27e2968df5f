//! Kernels with a planted mistake, each of which is found, and right kernels that look suspicious, in which nothing is found.

use crate::common::{Case, cases, digest, emulator, findings_of, groups, is_of_part, run, source_of};
use repro_emulator::{Finding, FindingKind, Instruments, Launch};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What is wrong with the outcome of a case in this order; nothing if all is well.
fn judged(
    case: &Case,
    expected: &BTreeMap<String, String>,
    outcome: Result<crate::common::Outcome, repro_emulator::EmulatorError>,
) -> Option<String> {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Some(format!("{}: refused: {error}", case.name)),
    };
    let listed: String = outcome.findings.iter().fold(String::new(), |mut all, finding| {
        let _ = write!(all, "\n    {finding}");
        all
    });
    if case.finds.is_empty() {
        let (left, gpu) = (digest(&outcome.output), expected.get(&case.name));
        if listed.is_empty() && gpu != Some(&left) {
            return Some(format!("{}: leaves {left}, and {gpu:?} on a GPU", case.name));
        }
        return (!listed.is_empty()).then(|| format!("{}: nothing is wrong with it:{listed}", case.name));
    }
    let kind = |finding: &repro_emulator::Finding| {
        serde_json::to_value(finding.kind)
            .unwrap()
            .as_str()
            .is_some_and(|kind| case.finds.iter().any(|wanted| wanted == kind))
    };
    let line = |finding: &repro_emulator::Finding| {
        let named = |line: &u32| finding.to_string().contains(&format!("{}:{line}", case.file));
        case.lines.is_empty() || case.lines.iter().any(named)
    };
    let says = |finding: &Finding| {
        let mut rest = &*finding.to_string();
        case.says.iter().flat_map(|words| words.split(" ... ")).all(|part| {
            rest.split_once(part).is_some_and(|(_, after)| {
                rest = after;
                true
            })
        })
    };
    let found = outcome.findings.iter().any(|finding| kind(finding) && line(finding) && says(finding));
    let Case { name, file, finds, lines, says, .. } = case;
    (!found).then(|| format!("{name}: expected {finds:?} at {file}:{lines:?} {says:?}, found:{listed}"))
}

fn check(folder: &str, chosen: impl Fn(&Case) -> bool, seeds: impl Iterator<Item = u64> + Clone) {
    let cases: Vec<Case> = cases(folder).into_iter().filter(chosen).collect();
    let expected = crate::common::expected(folder);
    let mut wrong = Vec::new();
    for group in groups(&cases, 64) {
        let device = emulator(Instruments::CHECK, 0);
        let names: Vec<&str> = group.iter().map(|case| case.kernel.as_str()).collect();
        if let Err(error) = device.load(&source_of(&group), &names) {
            wrong.push(format!("{}...: {error}", group[0].name));
            continue;
        }
        let asked = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
        for seed in asked.map_or_else(|| seeds.clone().collect::<Vec<u64>>(), |seed| vec![seed]) {
            let devices = [Instruments::BOUNDS, Instruments::CHECK].map(|it| emulator(it, seed));
            let [within, checked] =
                devices.each_ref().map(|device| device.load(&source_of(&group), &names).unwrap());
            for ((within, checked), case) in within.iter().zip(&checked).zip(&group) {
                if std::env::var_os("TELL").is_some() {
                    eprintln!("{} {seed}", case.name);
                }
                let beyond = |it: &Finding| it.kind == FindingKind::OutOfBounds;
                // What writes beyond a local array may end the process, where that is not seen. What is stuck takes long, and nothing
                // else is wrong with it.
                let seen = (case.finds != ["stuck"]).then(|| run(&devices[0], within, case));
                // The words are the checker's.
                let outcome = match seen {
                    Some(Ok(seen)) if case.says.is_none() && seen.findings.iter().any(beyond) => Ok(seen),
                    _ => run(&devices[1], checked, case),
                };
                wrong.extend(judged(case, &expected, outcome).map(|words| format!("order {seed}: {words}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// How many kernels each folder has: none is lost where files are divided or put together.
const KERNELS: [(&str, usize); 3] = [("features", 270), ("planted/right", 157), ("planted/wrong", 262)];

#[test]
fn every_kernel_is_there_and_its_name_is_its_own() {
    for (folder, count) in KERNELS {
        let names: BTreeSet<String> = cases(folder).into_iter().map(|case| case.name).collect();
        assert_eq!(names.len(), count, "{folder}");
    }
}

#[test]
fn planted_mistakes_are_found_and_nothing_is_said_of_right_kernels_of_a_part_of_all() {
    // Of those that take seconds each, one that is stuck.
    let is_quick = |case: &Case| match case.name.strip_prefix("stuck_") {
        Some(rest) => rest == "bulk_copy_never_started",
        None => case.name != "many_syncwarps",
    };
    check("planted/wrong", |case| is_of_part(case) && is_quick(case), 0..1);
    check("planted/right", |case| is_of_part(case) && is_quick(case), 0..2);
}

fn kinds(instruments: Instruments, case: &Case) -> Vec<FindingKind> {
    let device = emulator(instruments, 0);
    let kernel = device.load(&source_of(&[case]), &[&case.kernel]).unwrap().remove(0);
    run(&device, &kernel, case).unwrap().findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn shared_memory_that_an_unchecked_launch_used_is_checked_later() {
    let mut cases = cases("planted/wrong").into_iter();
    let case = cases.find(|case| case.name == "reverse_without_barrier").unwrap();
    // On a host thread of its own, and larger: with one block the launch runs there, and what is kept is its own.
    let alone = |case: Case| {
        let mut larger = case.clone();
        larger.launch.dynamic_shared_bytes = 32 << 10;
        assert_eq!(kinds(Instruments::COUNT, &larger), []);
        kinds(Instruments::CHECK, &case)
    };
    let found = std::thread::spawn(move || alone(case)).join().unwrap();
    assert!(found.contains(&FindingKind::RaceInBlock), "{found:?}");
}

/// As kernels have them; the last two have a line for each component.
const VECTORS: &str = "
__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ void add(float3 &a, const float3 &b) {
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
}
__device__ void shift(float3 *s, int i, int n) {
    s[i].x += 1;
    float x = s[(i + 1) % n].x;
    s[i].z = x;

    float z = s[(i + 1) % n].z;
    s[i].y = z;
}
";

#[test]
fn a_race_on_a_vector_is_one_finding_a_pair_of_statements() {
    let all = [
        (1, "p[i] = p[i] + p[(i + 1) % n];"),
        (1, "add(p[i], p[(i + 1) % n]);"),
        (1, "for (int j = 0; j < n; j++) *p = *p + make_float3(1, 2, 3);"),
        (1, "for (int j = 0; j < n; j++) {\np[i].x += p[j].x;\np[i].y += p[j].y;\np[i].z += p[j].z;\n}"),
        (1, "float3 q = p[(i + 1) % n];\np[i].x = q.x;\np[i].y = q.y;\np[i].z = q.z;"),
        // Each statement with the one before, which the same barrier would order.
        (
            2,
            "float3 a = p[(i + 1) % n];\np[i].x = a.x;\n__syncthreads();\nfloat z = p[(i + 1) % n].z;\np[i].z = z;",
        ),
        (2, "shift(p, i, n);"),
    ];
    let bodies = all.map(|(_, body)| format!("int i = threadIdx.x;\n{body}"));
    let (device, launch) = (emulator(Instruments::CHECK, 0), Launch::new((1, 1, 1), (64, 1, 1)));
    let found = findings_of(&device, launch, VECTORS, ("float3", 64), &bodies.each_ref().map(String::as_str));
    for (found, (count, body)) in found.iter().zip(all) {
        let told: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), count, "{body}\n{}", told.join("\n"));
        assert!(found.iter().all(|it| it.kind == FindingKind::RaceInBlock && it.times > 1), "{told:?}");
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn all_planted_kernels_are_told_apart_in_several_orders_and_a_ring_of_three_stages_in_many() {
        let is_ring = |case: &Case| case.name.starts_with("ring3");
        check("planted/wrong", |_| true, 0..1);
        check("planted/right", |case| !is_ring(case), 0..3);
        // The block that another waits for may be the first.
        check("planted/wrong", |case| case.name != "stuck_waits_for_later_block" && !is_ring(case), 1..2);
        check("planted/right", is_ring, 0..20);
        check("planted/wrong", is_ring, 0..20);
    }
}
