//! What tables and sentences make of clocks.

use super::*;
use crate::results::SummaryRow;
use crate::results::fixtures::{cell, experiment, measured, run, scope, with_times};

const NAME: &str = "global-memory";

/// n, the seconds of the baseline, and those under some clocks.
type Size<'a> = (usize, f64, &'a [(Scope, f64)]);

/// What `read` makes of the clocks at these sizes; the one that does not wait reads a quarter.
fn with_clocks<T>(sizes: &[Size], peak: Option<f64>, read: impl Fn(Clocks) -> T) -> T {
    let experiment = experiment(&[(BASELINE, ""), (NAME, "")], &[""]);
    let mut summary: Vec<SummaryRow> = Vec::new();
    let mut scopes = Vec::new();
    for &(n, baseline, clocks) in sizes {
        summary.push(measured(cell(BASELINE, "", n), &[baseline]));
        scopes.push(scope(&cell(BASELINE, "", n), Scope::Kernel, baseline));
        summary.push(measured(cell(NAME, "", n), &[1.0]));
        scopes.push(scope(&cell(NAME, "", n), Scope::HostUnsynced, 0.25));
        scopes.extend(clocks.iter().map(|&(one, seconds)| scope(&cell(NAME, "", n), one, seconds)));
    }
    let run = with_times(run(experiment, summary), &scopes);
    let context = Context::new(&run, &[]);
    read(Clocks { peak, ..Clocks::of(&context, context.of(NAME).unwrap()) })
}

#[test]
fn the_pitfall_is_told_as_shares_of_the_true_time_and_of_what_is_missing_from_it() {
    let clocks = [
        (Scope::Kernel, 0.5),
        (Scope::HostSynced, 1.0),
        (Scope::CopyOutUnsynced, 0.7),
        (Scope::CopyOutPageable, 0.1),
        (Scope::Device, 0.5),
    ];
    // (0.7 - 0.1) / (1 - 0.25) of the missing time; 100^3 / 0.25 tasks a second.
    let grid = with_clocks(&[(100, 2.0, &clocks)], Some(2e6), |clocks| clocks.pitfall_table().unwrap());
    let expected =
        ["100", "25.0%", "80.0%", "0.004000", "2.000x", "0.002000", "4.000", "2.000", "8.000", "-", "-", "-"];
    assert_eq!(grid.rows, [expected]);
    assert_eq!(grid.header.len(), expected.len());
    // A change of layout, which only the copy after the launches encloses, blurs where the missing time is.
    let clocks = clocks.map(|(scope, seconds)| (scope, if scope == Scope::Device { 0.6 } else { seconds }));
    let grid = with_clocks(&[(100, 2.0, &clocks)], Some(2e6), |clocks| clocks.pitfall_table().unwrap());
    assert_eq!(grid.rows[0][2], "-");
}

/// The sentence on both copies, from the baseline's seconds at 64, 128, 192 and 256, where the total is 1 s.
fn crossover(baseline: [f64; 4]) -> String {
    let total = [(Scope::Host, 1.0), (Scope::Everything, 1.0)];
    let sizes: Vec<Size> =
        [64, 128, 192, 256].into_iter().zip(baseline).map(|(n, seconds)| (n, seconds, &total[..])).collect();
    let findings = with_clocks(&sizes, None, |clocks| clocks.sentences(None));
    let of = |clock: &str| findings.iter().find(|finding| finding.contains(clock)).unwrap().clone();
    let said = of("(page-locked)");
    assert_eq!(of("freeing").replace("(pageable), allocating and freeing", "(page-locked)"), said);
    said
}

#[test]
fn it_wins_from_the_size_after_its_last_loss_or_always_or_never() {
    let wins = "global-memory with both copies (page-locked) beats cpu-naive at every measured n from";
    assert_eq!(crossover([0.5, 2.0, 3.0, 4.0]), format!("{wins} 128 to 256."));
    assert_eq!(crossover([2.0, 3.0, 0.5, 4.0]), format!("{wins} 256 to 256."));
    assert_eq!(crossover([2.0, 3.0, 4.0, 5.0]), format!("{wins} 64 to 256."));
    let never = "global-memory with both copies (page-locked) does not beat cpu-naive from any measured n on, \
                 64 to 256.";
    // As fast is no win.
    assert_eq!(crossover([2.0, 0.1, 0.2, 1.0]), never);
}

#[test]
fn a_step_is_the_growth_across_a_multiple_of_multiprocessors_and_warp() {
    let kernel = [1.0, 1.1, 1.65].map(|seconds| [(Scope::Kernel, seconds)]);
    let sizes: [Size; 3] = [(48, 1.0, &kernel[0]), (64, 1.0, &kernel[1]), (80, 1.0, &kernel[2])];
    let said = with_clocks(&sizes, None, |clocks| clocks.steps(Some(2))).unwrap();
    let expected = "global-memory: multiprocessors x warp is 64 here; past 64 time grows by +50.0% to the next \
                    size 16 above, of which n³ is +95.3%; around it 48 to 64: +10.0%.";
    assert_eq!(said, expected);
    assert_eq!(with_clocks(&sizes, None, |clocks| clocks.steps(Some(3))), None);
}
