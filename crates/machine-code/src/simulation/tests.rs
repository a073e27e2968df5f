use super::*;
use crate::TaskCode;
use crate::instruction::Instruction;
use crate::model::{LEAST_CLOCKS_OF_TWO_TASKS, SHARED_LATENCY};
use crate::tasks::tasks;
use crate::written::instructions;

fn estimate(body: &[Instruction], warps: u64) -> Estimate {
    let code = TaskCode::count(body, &tasks(body));
    TaskLoop { first: 0, instructions: body, repeats: true, code }.estimate(warps).unwrap()
}

fn of(texts: &[&str], warps: u64) -> Estimate {
    estimate(&instructions(texts), warps)
}

/// Clocks of a round of every warp.
fn clocks(texts: &[&str], warps: u64) -> f64 {
    of(texts, warps).clocks as f64 / ROUNDS as f64
}

/// Whose registers are even where their bit of `pattern` is 0.
fn triple(pattern: u32) -> [String; 3] {
    let [a, b, c, d, e, f, g] = [0, 1, 2, 3, 4, 5, 6].map(|at| 2 * at + 2 + (pattern >> at & 1));
    [format!("FADD R40,R{a},R{b}"), format!("FADD R41,R{c},R{d}"), format!("VIMNMX3 R50,R{e},R{f},R{g},PT")]
}

/// As on an H200.
#[test]
fn all_patterns_of_banks_take_what_was_measured() {
    for pattern in 0..1 << 7 {
        let texts = triple(pattern);
        let body = instructions(&[&texts[0], &texts[1], &texts[2]]);
        // The minimum takes other registers than the sums, so that all patterns occur: it does no task of its own.
        let code = TaskCode { tasks: 2, ..TaskCode::count(&body, &tasks(&body)) };
        for warps in [1, 4] {
            let found =
                TaskLoop { first: 0, instructions: &body, repeats: true, code }.estimate(warps).unwrap();
            let odd = u64::from(pattern.count_ones());
            let expected = odd.max(7 - odd).max(3) * warps;
            assert_eq!(found.of_round().0, expected, "{pattern:07b}, {warps} warps: {found:?}");
        }
    }
}

#[test]
fn two_sums_and_their_minimum_take_three_issue_slots_where_nothing_else_limits() {
    // Four reads of the odd bank.
    let found = of(&["FADD R1,R10,R11", "FADD R2,R12,R13", "VIMNMX3 R4,R5,R1,R2,PT"], 4);
    assert_eq!(found.of_two_tasks(found.clocks), LEAST_CLOCKS_OF_TWO_TASKS + 1.0);
    assert_eq!(found.split.banks, found.clocks / 4);
    // One of them less.
    let found = of(&["FADD R1,R10,R11.reuse", "FADD R2,R12,R11", "VIMNMX3 R4,R5,R1,R2,PT"], 4);
    assert_eq!(found.of_two_tasks(found.clocks), LEAST_CLOCKS_OF_TWO_TASKS);
    assert_eq!(found.split.issue, found.clocks);
}

#[test]
fn stalls_hold_one_warp_and_are_filled_by_others() {
    let body = ["FADD R1,R10,R11 s4", "FMNMX R4,R4,R1,PT s4"];
    let alone = of(&body, 1);
    assert_eq!(alone.clocks, 8 * ROUNDS);
    assert_eq!((alone.split.issue, alone.split.waiting), (2 * ROUNDS, 6 * ROUNDS));
    assert_eq!(clocks(&body, 2), 8.0);
}

#[test]
fn minima_take_two_clocks_of_their_pipe_each() {
    let body = ["VIADDMNMX R4,R1,R2,R4,PT", "VIADDMNMX R5,R1,R2,R5,PT"];
    let found = of(&body, 2);
    assert_eq!(found.clocks, 2 * 4 * ROUNDS);
    assert!(found.split.minimum_pipe + found.split.banks == found.clocks / 2, "{found:?}");
    let products = ["IMAD R1,R2,R3,R4", "VIADD R1,R3,R5", "VIADDMNMX R4,R1,R2,R4,PT"];
    assert_eq!(clocks(&products, 4), 16.0);
    // Float additions go either way.
    assert_eq!(clocks(&["FADD R1,RZ,R3", "FADD R5,R2,R3", "VIADDMNMX R4,R6,R7,R8,PT"], 4), 12.0);
}

#[test]
fn a_load_of_128_bits_takes_sixteen_clocks_of_each_scheduler() {
    let body = ["LDS.128 R8,[R20] w0", "FADD R1,R8,R11 b0 s4", "FMNMX R4,R4,R1,PT s4"];
    let found = of(&body, 8);
    assert_eq!(found.clocks, 8 * 16 * ROUNDS);
    assert!(found.split.shared_memory > found.clocks / 2, "{found:?}");
    let narrow = ["LDS R8,[R20] w0", "FADD R1,R8,R11 b0 s4", "FMNMX R4,R4,R1,PT s4"];
    assert_eq!(clocks(&narrow, 16), 64.0);
}

#[test]
fn one_warp_waits_for_its_loads() {
    let body = ["LDS R8,[R20] w0", "FADD R1,R8,R11 b0 s4", "FMNMX R4,R4,R1,PT s4"];
    let found = of(&body, 1);
    assert_eq!(found.clocks, ROUNDS * (SHARED_LATENCY + 8));
    assert_eq!(found.split.shared_memory, 0);
}

#[test]
fn kept_registers_are_lost_where_the_scheduler_turns_to_another_warp() {
    // Four reads of the even bank, one of them kept.
    let stays = ["FADD R1,R10.reuse,R12", "FADD R3,R10,R14", "FMNMX R4,R5,R1,PT"];
    let turns = ["FADD R1,R10.reuse,R12 y", "FADD R3,R10,R14 y", "FMNMX R4,R5,R1,PT y"];
    assert_eq!(clocks(&stays, 2), 6.0);
    assert_eq!(clocks(&turns, 2), 8.0);
}

#[test]
fn the_split_adds_up_and_the_same_loop_gives_the_same() {
    let body =
        ["LDS.64 R8,[R20] w1 s2", "FADD R1,R8,R10 b1", "FADD R2,R9,R10 s5", "VIMNMX3 R4,R4,R1,R2,PT s2 y"];
    let found = of(&body, 3);
    let Split { issue, banks, minimum_pipe, other_pipes, shared_memory, waiting } = found.split;
    assert_eq!(issue + banks + minimum_pipe + other_pipes + shared_memory + waiting, found.clocks);
    assert_eq!(issue, 4 * 3 * ROUNDS);
    assert_eq!(of(&body, 3), found);
    assert_eq!(found.of_round().1, 2 * 3);
}

#[test]
fn nothing_is_said_of_what_is_no_loop_or_has_no_tasks_or_no_encodings() {
    let mut body = instructions(&["FADD R1,R2,R3", "FMNMX R4,R4,R1,PT"]);
    let code = TaskCode::count(&body, &tasks(&body));
    assert_eq!(TaskLoop { first: 0, instructions: &body, repeats: false, code }.estimate(1), None);
    let idle = TaskCode { tasks: 0, ..code };
    assert_eq!(TaskLoop { first: 0, instructions: &body, repeats: true, code: idle }.estimate(1), None);
    body[0].control = None;
    assert_eq!(TaskLoop { first: 0, instructions: &body, repeats: true, code }.estimate(1), None);
}
