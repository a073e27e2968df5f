use super::super::collect::Failed;
use super::super::figure::KernelFigures;
use super::*;

fn key(implementation: &str) -> KernelKey {
    KernelKey { implementation: implementation.into(), params: String::new(), kernel: "k".into() }
}

fn figures(values: &[(&str, Figure, &str)]) -> KernelFigures {
    let mut figures = KernelFigures::new();
    for (implementation, figure, value) in values {
        figures.entry(key(implementation)).or_default().insert(*figure, value.parse().unwrap());
    }
    figures
}

fn versions() -> BTreeMap<Tool, String> {
    [(Tool::Emulated, "g++ 12"), (Tool::Nvrtc, "13.0"), (Tool::Disassembler, "13.2")]
        .map(|(tool, version)| (tool, version.to_string()))
        .into()
}

fn baseline(values: &[(&str, Figure, &str)]) -> Baseline {
    Baseline { n: N, architecture: ARCHITECTURE.into(), tools: versions(), figures: figures(values) }
}

fn collection(values: &[(&str, Figure, &str)]) -> Collection {
    let tools = versions().into_iter().map(|(tool, version)| (tool, Ok(version))).collect();
    Collection { tools, figures: figures(values), failed: Vec::new() }
}

fn lines(comparison: &Comparison) -> Vec<String> {
    comparison.differences.iter().map(ToString::to_string).collect()
}

const BEFORE: [(&str, Figure, &str); 3] = [
    ("x", Figure::Launches, "4"),
    ("x", Figure::LoopInstructionsATask, "188/64"),
    ("x", Figure::Blocks, "16"),
];

#[test]
fn what_is_equal_says_nothing_and_unrolling_alone_is_equal() {
    let unrolled = [BEFORE[0], ("x", Figure::LoopInstructionsATask, "376/128"), BEFORE[2]];
    let comparison = compare(&baseline(&BEFORE), &collection(&unrolled), None);
    assert_eq!(comparison, Comparison { compared: 3, ..Comparison::default() });
    assert!(!comparison.fails());
}

#[test]
fn what_rose_fell_or_changed_is_named_with_both_values() {
    let here = [
        ("x", Figure::Launches, "3"),
        ("x", Figure::LoopInstructionsATask, "252/64"),
        ("x", Figure::Blocks, "8"),
    ];
    let comparison = compare(&baseline(&BEFORE), &collection(&here), None);
    assert_eq!(
        lines(&comparison),
        [
            "x k launches fell from 4 to 3 (-25.0%)",
            "x k blocks changed from 16 to 8 (-50.0%)",
            "x k loop_instructions_a_task rose from 188/64 to 252/64 (+34.0%)",
        ]
    );
    assert!(comparison.fails());
    let better = [("x", Figure::Launches, "3"), BEFORE[1], BEFORE[2]];
    assert!(!compare(&baseline(&BEFORE), &collection(&better), None).fails());
}

#[test]
fn a_rise_from_nothing_and_a_tiny_one_are_not_lost_in_the_percent() {
    let before = [("x", Figure::SpillStoreBytes, "0"), ("x", Figure::GlobalLoadBytes, "1000000")];
    let here = [("x", Figure::SpillStoreBytes, "8"), ("x", Figure::GlobalLoadBytes, "1000004")];
    let comparison = compare(&baseline(&before), &collection(&here), None);
    assert_eq!(
        lines(&comparison),
        [
            "x k global_load_bytes rose from 1000000 to 1000004 (+0.0004%)",
            "x k spill_store_bytes rose from 0 to 8 (from nothing)",
        ]
    );
}

#[test]
fn a_kernel_or_figure_that_only_one_of_both_has_fails_unless_it_was_not_asked_for() {
    let here = [BEFORE[0], BEFORE[1], ("z", Figure::Launches, "1")];
    let before = [BEFORE[0], BEFORE[2], ("y", Figure::Launches, "1")];
    let comparison = compare(&baseline(&before), &collection(&here), None);
    assert_eq!(
        lines(&comparison),
        [
            "x k blocks is in the baseline and no longer here",
            "x k loop_instructions_a_task is not in the baseline",
            "y k is in the baseline and no longer here",
            "z k is not in the baseline",
        ]
    );
    assert!(comparison.differences.iter().all(Difference::fails));
    let only = BTreeSet::from(["z".to_string()]);
    assert_eq!(
        lines(&compare(&baseline(&before), &collection(&here), Some(&only))),
        ["z k is not in the baseline"]
    );
}

#[test]
fn what_a_missing_or_other_tool_would_tell_is_not_compared_and_that_is_said() {
    let before = [BEFORE[0], BEFORE[1], ("x", Figure::Registers, "56")];
    let mut here = collection(&BEFORE[..1]);
    here.tools.insert(Tool::Nvrtc, Err("no NVRTC found".into()));
    here.tools.insert(Tool::Disassembler, Err("nothing to disassemble".into()));
    let comparison = compare(&baseline(&before), &here, None);
    assert_eq!(comparison.compared, 1);
    assert_eq!(comparison.not_compared.len(), 2);
    assert!(comparison.not_compared[0].contains("no NVRTC found") && !comparison.fails());
    let mut other = collection(&[BEFORE[0], BEFORE[1], ("x", Figure::Registers, "99")]);
    other.tools.insert(Tool::Nvrtc, Ok("12.9".into()));
    other.tools.insert(Tool::Emulated, Ok("clang++ 19".into()));
    let comparison = compare(&baseline(&before), &other, None);
    assert_eq!((comparison.compared, comparison.not_compared.len(), comparison.fails()), (1, 2, false));
    assert!(comparison.not_compared[0].contains("13.0") && comparison.not_compared[0].contains("12.9"));
    assert!(comparison.notes[0].contains("g++ 12") && comparison.notes[0].contains("clang++ 19"));
}

#[test]
fn a_wrong_result_fails_and_is_not_taken_for_a_kernel_that_is_gone() {
    let mut here = collection(&[BEFORE[1]]);
    here.failed.push(Failed {
        implementation: "x".into(),
        params: String::new(),
        tools: vec![Tool::Emulated],
        message: "wrong result: the distance".into(),
    });
    let comparison = compare(&baseline(&BEFORE), &here, None);
    assert_eq!(comparison.wrong, ["x: wrong result: the distance"]);
    assert_eq!((comparison.differences.len(), comparison.compared, comparison.fails()), (0, 1, true));
}

#[test]
fn a_baseline_of_another_graph_or_architecture_fails_and_its_figures_are_left_alone() {
    let other = Baseline { n: 64, architecture: "sm_80".into(), ..baseline(&BEFORE) };
    let comparison = compare(&other, &collection(&[("x", Figure::Launches, "9")]), None);
    assert_eq!((comparison.compared, comparison.differences.len(), comparison.wrong.len()), (0, 0, 2));
    assert!(comparison.wrong[0].contains("n = 64") && comparison.wrong[1].contains("sm_80"));
}
