use super::*;
use crate::tests::kernel;

/// Of a loop of these instructions, with so many tasks.
fn estimate(texts: &[&str], tasks: u64, warps: u64) -> Estimate {
    let kernel = kernel(texts);
    let mut found = kernel.task_loop().unwrap();
    found.repeats = true;
    found.code.tasks = tasks;
    found.estimate(warps).unwrap()
}

/// Clocks of a round of every warp.
fn clocks(texts: &[&str], warps: u64) -> f64 {
    estimate(texts, 1, warps).clocks as f64 / ROUNDS as f64
}

/// As on an H200. Registers are even where their bit of the pattern is 0.
#[test]
fn all_patterns_of_banks_take_what_was_measured() {
    for pattern in 0_u32..1 << 7 {
        let [a, b, c, d, e, f, g] = [0, 1, 2, 3, 4, 5, 6].map(|at| 2 * at + 2 + (pattern >> at & 1));
        let body = [
            &*format!("FADD R40,R{a},R{b}"),
            &*format!("FADD R41,R{c},R{d}"),
            &*format!("VIMNMX3 R50,R{e},R{f},R{g},PT"),
        ];
        for warps in [1, 4] {
            let odd = u64::from(pattern.count_ones());
            let expected = (odd.max(7 - odd).max(3) * warps) as f64;
            assert!((clocks(&body, warps) - expected).abs() < 0.5, "{pattern:07b}, {warps} warps");
        }
    }
}

#[test]
fn two_sums_and_their_minimum_take_three_issue_slots_where_nothing_else_limits() {
    // Four reads of the odd bank.
    let found = estimate(&["FADD R1,R10,R11", "FADD R2,R12,R13", "VIMNMX3 R4,R5,R1,R2,PT"], 2, 4);
    assert_eq!(
        (found.of_two_tasks(found.clocks), found.lacking[&StallReason::Banks]),
        (4.0, found.clocks / 4)
    );
    // One of them less.
    let found = estimate(&["FADD R1,R10,R11.reuse", "FADD R2,R12,R11", "VIMNMX3 R4,R5,R1,R2,PT"], 2, 4);
    assert_eq!((found.of_two_tasks(found.clocks), found.lacking.len()), (3.0, 0));
}

#[test]
fn stalls_and_loads_hold_one_warp_and_are_filled_by_others() {
    let body = ["FADD R1,R10,R11 s4", "FMNMX R4,R4,R1,PT s4"];
    let alone = estimate(&body, 1, 1);
    assert_eq!((alone.clocks, alone.lacking[&StallReason::Waiting]), (8 * ROUNDS, 6 * ROUNDS));
    assert_eq!(clocks(&body, 2), 8.0);
    let loading = ["LDS R8,[R20] w0", "FADD R1,R8,R11 b0 s4", "FMNMX R4,R4,R1,PT s4"];
    assert_eq!(clocks(&loading, 1), (numbers::SHARED_LATENCY + 8) as f64);
}

#[test]
fn pipes_and_shared_memory_take_several_clocks_of_an_instruction() {
    let body = ["VIADDMNMX R4,R1,R2,R4,PT", "VIADDMNMX R5,R1,R2,R5,PT"];
    assert_eq!(clocks(&body, 2), 8.0);
    let products = ["IMAD R1,R2,R3,R4", "VIADD R1,R3,R5", "VIADDMNMX R4,R1,R2,R4,PT"];
    assert_eq!(clocks(&products, 4), 16.0);
    // Float additions go either way.
    assert_eq!(clocks(&["FADD R1,RZ,R3", "FADD R5,R2,R3", "VIADDMNMX R4,R6,R7,R8,PT"], 4), 12.0);
    let wide = ["LDS.128 R8,[R20] w0", "FADD R1,R8,R11 b0 s4", "FMNMX R4,R4,R1,PT s4"];
    assert_eq!(clocks(&wide, 8), 8.0 * 16.0);
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
fn nothing_is_said_of_what_is_no_loop_or_has_no_tasks() {
    let kernel = kernel(&["FADD R1,R2,R3", "FMNMX R4,R4,R1,PT"]);
    let whole = kernel.task_loop().unwrap();
    assert_eq!(whole.estimate(1), None);
    let mut idle = whole;
    (idle.repeats, idle.code.tasks) = (true, 0);
    assert_eq!(idle.estimate(1), None);
}
