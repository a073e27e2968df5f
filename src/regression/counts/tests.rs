//! The baseline and what a check says, on figures written as lines of the baseline.

use super::*;
use std::collections::BTreeSet;

const TOOLS: [&str; 3] = [",,,c++-compiler,g++ 12", ",,,nvrtc,13.0", ",,,disassembler,13.2"];

fn text(lines: &[&str]) -> String {
    format!("{}{}\n", Baseline::default().to_csv(), [&TOOLS, lines].concat().join("\n"))
}

fn read(text: &str) -> Result<Baseline, BaselineError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baseline.csv");
    std::fs::write(&path, text).unwrap();
    Baseline::read(&path)
}

fn baseline(lines: &[&str]) -> Baseline {
    read(&text(lines)).unwrap()
}

/// What was collected with the tools of the baseline.
fn collection(lines: &[&str]) -> Collection {
    let Baseline { tools, figures } = baseline(lines);
    Collection { tools, figures, ..Collection::default() }
}

/// Without a tool.
fn without(mut collection: Collection, tools: &[Tool]) -> Collection {
    for &tool in tools {
        collection.tools.remove(&tool);
        collection.missing.insert(tool, "not found here".to_string());
    }
    collection
}

const BEFORE: [&str; 3] = ["x,,k,launches,4", "x,,k,blocks,16", "x,,k,loop_instructions_a_task,188/64"];
const OTHER: &str = "y,a=1;b=2,k,registers,56";

#[test]
fn what_is_written_is_read_again_and_has_a_line_a_figure() {
    let lines = [&BEFORE[..], &[OTHER]].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts/baseline.csv");
    baseline(&lines).write(&path).unwrap();
    assert_eq!(Baseline::read(&path).unwrap(), baseline(&lines));
    insta::assert_snapshot!(std::fs::read_to_string(&path).unwrap(), @"
    implementation,params,kernel,figure,value
    ,,,n,128
    ,,,architecture,sm_90
    ,,,c++-compiler,g++ 12
    ,,,nvrtc,13.0
    ,,,disassembler,13.2
    x,,k,launches,4
    x,,k,blocks,16
    x,,k,loop_instructions_a_task,188/64
    y,a=1;b=2,k,registers,56
    ");
}

#[test]
fn a_broken_line_is_named() {
    let good = text(&[&BEFORE[..], &[OTHER]].concat());
    for (old, new, expected) in [
        ("launches,4", "launches,three", "line 7: 'three' is no value of launches"),
        ("launches,4", "seconds,4", "line 7: 'seconds' is no figure"),
        ("launches,4", "launches", "line: 7"),
        ("x,,k,blocks,16", "x,,k,launches,5", "line 8: launches is there twice"),
        ("implementation,", "name,", "line 1: expected implementation,params"),
        (",,,n,128\n", "", "line 2: expected ,,,n,128"),
        (",,,n,128", ",,,n,64", "line 2: expected ,,,n,128"),
        ("sm_90", "sm_80", "line 3: expected ,,,architecture,sm_90"),
        (",,,nvrtc,", ",,,driver,", "line 5: 'driver' is no figure or tool"),
    ] {
        assert_eq!(good.matches(old).count(), 1, "{old}");
        let message = read(&good.replace(old, new)).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains("--update"), "{expected}: {message}");
        assert!(!message.contains('\n'));
    }
}

#[test]
fn an_update_keeps_what_cannot_be_collected_and_drops_what_is_gone() {
    let old = || baseline(&[&BEFORE[..], &["y,,k,launches,5", OTHER]].concat());
    let here = || collection(&["x,,k,launches,9"]);
    let compilers = [Tool::Nvrtc, Tool::Disassembler];
    let updated = |here: &Collection, only: &[&str]| {
        old().updated(here, &only.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let kept = updated(&without(here(), &compilers), &[]).unwrap();
    assert_eq!(kept, baseline(&["x,,k,launches,9", BEFORE[2], OTHER]));
    let only = updated(&here(), &["x"]).unwrap();
    assert_eq!(only, baseline(&["x,,k,launches,9", "y,,k,launches,5", OTHER]));
    // Of other machine code nothing can stay.
    let mut other = without(here(), &compilers[1..]);
    other.tools.insert(Tool::Nvrtc, "13.1".to_string());
    let new = updated(&other, &[]).unwrap();
    assert_eq!((new.tools, new.figures), (other.tools.clone(), other.figures.clone()));
    let mixed = updated(&other, &["x"]).unwrap_err().to_string();
    assert!(mixed.contains("13.0") && mixed.contains("13.1") && mixed.contains("update all"), "{mixed}");
}

/// The changes in short, and whether they fail.
fn differences(before: &[&str], here: &[&str]) -> (Vec<String>, bool) {
    let comparison = compare(&baseline(before), &collection(here));
    let short = |one: &Difference| {
        let figure = one.figure.map_or("whole".to_string(), |figure| figure.to_string());
        format!("{} {figure} {}", one.key.implementation, one.change)
    };
    (comparison.differences.iter().map(short).collect(), comparison.fails())
}

#[test]
fn only_a_figure_that_fell_may_differ() {
    let same = "x,,k,blocks,16";
    let cases: [(&[&str], &[&str], bool); 7] = [
        (&BEFORE, &[], false),
        // Unrolling alone changes nothing.
        (&[BEFORE[0], same, "x,,k,loop_instructions_a_task,376/128"], &[], false),
        (&["x,,k,launches,3", same, BEFORE[2]], &["x launches fell"], false),
        (&["x,,k,launches,5", same, BEFORE[2]], &["x launches rose"], true),
        (&[BEFORE[0], "x,,k,blocks,8", BEFORE[2]], &["x blocks changed"], true),
        (
            &[BEFORE[0], "x,,k,barriers,1", "x,,k,loop_instructions_a_task,189/64"],
            &["x blocks gone", "x barriers not-in-baseline", "x loop_instructions_a_task rose"],
            true,
        ),
        (&[OTHER], &["x whole gone", "y whole not-in-baseline"], true),
    ];
    for (here, expected, fails) in cases {
        assert_eq!(differences(&BEFORE, here), (expected.iter().map(ToString::to_string).collect(), fails));
    }
}

#[test]
fn what_a_missing_or_other_tool_would_tell_is_not_compared_and_that_is_said() {
    let before = baseline(&[BEFORE[0], BEFORE[2], "x,,k,registers,56"]);
    let here = || collection(&[BEFORE[0], "x,,k,registers,99"]);
    let mut other = here();
    other.tools.insert(Tool::Nvrtc, "12.9".to_string());
    let mut without_emulator = without(here(), &[Tool::Emulator]);
    without_emulator.tools.insert(Tool::Disassembler, "14".to_string());
    for (here, compared, named) in [
        (without(here(), &[Tool::Nvrtc, Tool::Disassembler]), 1, &["not found here"; 2][..]),
        (other, 1, &["13.0 and here is 12.9", "NVRTC's code"]),
        (without_emulator, 1, &["not found here"]),
    ] {
        let comparison = compare(&before, &here);
        let told: Vec<&String> = comparison.not_compared.values().collect();
        assert_eq!((comparison.compared, told.len()), (compared, named.len()), "{told:?}");
        assert!(told.iter().zip(named).all(|(told, named)| told.contains(named)), "{told:?}");
    }
    // A kernel that failed is not taken for one that is gone.
    let mut here = collection(&[OTHER]);
    here.failures.insert(("x".to_string(), "wrong result".to_string()), BTreeSet::from([String::new()]));
    let comparison = compare(&baseline(&[&BEFORE[..], &[OTHER]].concat()), &here);
    assert_eq!((comparison.differences.len(), comparison.compared), (0, 1));
}
