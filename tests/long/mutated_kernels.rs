//! Mistakes made in the real kernels must show on the emulated device: a barrier taken away as a race, an index that is off
//! by one as a finding or a wrong result.

use crate::common::mutated::{mutated, solve_on, source_of, with_one_replaced};
use crate::common::{emulated, part};
use repro::device::emulated::{EmulatedDevice, Finding, FindingKind, Instruments};
use repro::graph::{DistanceMatrix, RandomGraph, generate};
use repro::implementation::{Parameters, cpu_parallel};
use std::rc::Rc;

/// Three tiles a side, the last one padded.
const N: usize = 70;
const BARRIER: &str = "__syncthreads();";
const IMPLEMENTATIONS: [&str; 17] = [
    "harish-narayanan",
    "global-memory",
    "shared-buffer",
    "katz-kider",
    "katz-kider-shifts",
    "optimized-blocked",
    "tile-in-registers-256",
    "tile-in-registers",
    "staged-row-major",
    "staged-plain-order",
    "staged-bank-conflicts",
    "staged-load",
    "staged-load-256",
    "generalized-blocked",
    "two-phase",
    "register-blocked",
    "batched",
];

/// Whose kernels are changed, and with which parameters they run.
#[derive(Clone, Debug)]
struct Subject {
    implementation: &'static str,
    parameters: Parameters,
    n: usize,
    /// Whether the graph is undirected, and the kernels are compiled for that.
    undirected: bool,
}

impl Subject {
    /// Where its mutations begin among all, so that not all first ones go to one part.
    fn place(&self) -> usize {
        3 * IMPLEMENTATIONS.iter().position(|name| *name == self.implementation).unwrap_or_default()
    }

    fn graph(&self) -> DistanceMatrix {
        generate(&RandomGraph { undirected: self.undirected, ..RandomGraph::complete(11) }, self.n).unwrap()
    }

    fn solved(&self) -> Vec<f32> {
        let mut distances = self.graph().as_slice().to_vec();
        cpu_parallel::solve(&mut distances, self.n);
        distances
    }
}

impl From<&'static str> for Subject {
    fn from(implementation: &'static str) -> Self {
        Self { implementation, parameters: Parameters::default(), n: N, undirected: false }
    }
}

fn generalized<const COUNT: usize>(parameters: [(&str, u32); COUNT]) -> Subject {
    Subject { parameters: Parameters::from(parameters), ..Subject::from("generalized-blocked") }
}

/// Where CalcRestBlocks has 64 threads and short stages, with one tile for it.
fn by_64() -> Subject {
    generalized([("kappa", 2), ("rest-threads", 64), ("stage", 4)])
}

/// The kernels of an implementation with their headers in place, without what is not compiled of the text that several share.
fn text_of(subject: impl Into<Subject>) -> String {
    let Subject { implementation, parameters, undirected, .. } = subject.into();
    let is_two_phase = implementation == "two-phase";
    // As `rest_tile.cuh` is compiled for default parameters.
    let known = [
        ("#ifdef ONE_ELEMENT", is_two_phase),
        ("#if TILE_PLACE == IN_REGISTER", is_two_phase),
        ("#if TILE_PLACE != IN_REGISTER", !is_two_phase),
        ("#if TILE_PLACE == FORCED_IN_SHARED", false),
    ];
    let mut open: Vec<Option<bool>> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for line in source_of(implementation, &parameters).expanded().lines() {
        let is_compiled = open.iter().all(|part| part.unwrap_or(true));
        let is_own = match (line, open.last().copied().flatten()) {
            ("#else", Some(part)) => {
                open.pop();
                open.push(Some(!part));
                true
            }
            ("#endif", of) => {
                open.pop();
                of.is_some()
            }
            _ if line.starts_with("#if") => {
                let part = known.iter().find(|(condition, _)| line == *condition).map(|(_, is)| *is);
                open.push(part);
                part.is_some()
            }
            _ => false,
        };
        lines.push(if is_compiled && !is_own { line.to_string() } else { String::new() });
    }
    let compiled_for = if undirected { "#define SYMMETRIC 1\n" } else { "" };
    format!("{compiled_for}{}\n", lines.join("\n"))
}

fn solved(n: usize) -> Vec<f32> {
    Subject { n, ..Subject::from("staged-load") }.solved()
}

fn bits(distances: &[f32]) -> Vec<u32> {
    distances.iter().map(|distance| distance.to_bits()).collect()
}

/// What comes of a mutation.
struct Outcome {
    findings: Vec<Finding>,
    right: bool,
}

impl Outcome {
    fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.right
    }

    fn has(&self, kind: FindingKind) -> bool {
        self.findings.iter().any(|finding| finding.kind == kind)
    }
}

/// Solves the graph by the schedule of `subject` with the kernels of `text`.
fn outcome(
    device: &Rc<EmulatedDevice>,
    subject: impl Into<Subject>,
    text: String,
    expected: &[f32],
) -> Outcome {
    let subject = subject.into();
    let changed = mutated(subject.implementation, &subject.parameters, text);
    let (_, found) = solve_on(device, &changed, &subject.parameters, &subject.graph());
    Outcome { findings: device.take_findings(), right: bits(&found) == bits(expected) }
}

/// Asserts that `subject` has so many barriers, and that each that is taken away is missed, but for those of `unmissed`. Of the
/// barriers those of this run's part are taken away.
fn assert_barriers_are_missed(subject: impl Into<Subject>, barriers: usize, unmissed: &[usize]) {
    let device = Rc::new(emulated(Instruments::CHECK));
    let (subject, part) = (subject.into(), part());
    let (text, expected) = (text_of(subject.clone()), subject.solved());
    assert_eq!(text.matches(BARRIER).count(), barriers, "{subject:?}");
    for index in (0..barriers).filter(|index| part.has(subject.place() + index)) {
        let without = with_one_replaced(&text, index, BARRIER, ";");
        let missed = outcome(&device, subject.clone(), without, &expected).has(FindingKind::RaceInBlock);
        assert_eq!(missed, !unmissed.contains(&index), "{subject:?}, barrier {index}");
    }
}

#[test]
#[ignore = "long"]
fn the_kernels_as_they_are_give_no_finding_and_the_right_bits() {
    let device = Rc::new(emulated(Instruments::CHECK));
    let expected = solved(N);
    let with_parameters = [generalized([("kappa", 2)]), generalized([("kappa", 3), ("spread-lead", 1)])];
    for subject in IMPLEMENTATIONS.map(Subject::from).into_iter().chain(with_parameters) {
        let outcome = outcome(&device, subject.clone(), text_of(subject.clone()), &expected);
        assert!(outcome.is_clean(), "{subject:?}, right: {}, {:?}", outcome.right, outcome.findings);
    }
}

#[test]
#[ignore = "long"]
fn every_barrier_of_three_tiles_in_shared_memory_is_missed() {
    for implementation in ["katz-kider", "katz-kider-shifts", "optimized-blocked"] {
        assert_barriers_are_missed(implementation, 3, &[]);
    }
}

#[test]
#[ignore = "long"]
fn every_barrier_of_row_major_stages_is_missed() {
    assert_barriers_are_missed("staged-row-major", 4, &[]);
}

#[test]
#[ignore = "long"]
fn every_barrier_of_the_tile_in_registers_is_missed_but_the_one_behind_its_only_stage() {
    for implementation in ["tile-in-registers-256", "tile-in-registers"] {
        // The kernel's text is that of `staged-row-major`, where the barrier keeps the next stage from overwriting this one.
        assert_barriers_are_missed(implementation, 4, &[3]);
        let device = Rc::new(emulated(Instruments::CHECK));
        let without = with_one_replaced(&text_of(implementation), 3, BARRIER, ";");
        assert!(outcome(&device, implementation, without, &solved(N)).is_clean(), "{implementation}");
    }
}

#[test]
#[ignore = "long"]
fn every_barrier_of_staged_loading_is_missed() {
    for implementation in ["staged-load", "staged-load-256", "staged-bank-conflicts"] {
        assert_barriers_are_missed(implementation, 6, &[]);
    }
}

/// Replaces `old` wherever it occurs, one occurrence at a time, and asserts that each time it shows; of all these mutations those
/// of this run's part.
fn assert_each_shows(subject: impl Into<Subject>, mutations: &[(&str, &str)]) {
    let device = Rc::new(emulated(Instruments::CHECK));
    let (subject, part) = (subject.into(), part());
    let mut place = subject.place();
    let (text, expected) = (text_of(subject.clone()), subject.solved());
    let mut unseen = Vec::new();
    for (old, new) in mutations {
        let occurrences = text.matches(old).count();
        assert!(occurrences > 0, "{subject:?} has no '{old}'");
        for index in 0..occurrences {
            place += 1;
            if !part.has(place) {
                continue;
            }
            let mutated = with_one_replaced(&text, index, old, new);
            if outcome(&device, subject.clone(), mutated, &expected).is_clean() {
                unseen.push(format!("occurrence {index} of '{old}' as '{new}'"));
            }
        }
    }
    assert_eq!(unseen, [""; 0], "{subject:?}");
}

#[test]
#[ignore = "long"]
fn every_shifted_index_of_one_launch_per_k_shows() {
    let mutations =
        [("(size_t)i * n", "(size_t)i * n + 1"), ("row + k", "row + k + 1"), ("k * n", "k * n + 1")];
    assert_each_shows("harish-narayanan", &mutations);
}

#[test]
#[ignore = "long"]
fn every_shifted_index_of_the_buffer_in_shared_memory_shows() {
    let mutations = [
        ("own[0]", "own[1]"),
        ("own[threads]", "own[threads + 1]"),
        ("own[2 * threads]", "own[2 * threads + 1]"),
        ("2 * threads", "threads"),
        ("= d[task.to]", "= d[task.from]"),
    ];
    assert_each_shows("shared-buffer", &mutations);
}

#[test]
#[ignore = "long"]
fn every_shifted_index_of_three_tiles_in_shared_memory_shows() {
    let mutations = [
        ("* TILE + k]", "* TILE + k + 1]"),
        ("[k * TILE", "[k * TILE + 1"),
        ("element(round, round,", "element(round + 1, round,"),
        ("e, pitch, tile)] = ", "e + 1, pitch, tile)] = "),
        ("block >= round", "block > round"),
    ];
    assert_each_shows("katz-kider", &mutations);
}

#[test]
#[ignore = "long"]
fn every_shifted_index_of_row_major_stages_shows() {
    let mutations = [
        ("stage * STAGE", "stage * STAGE + 1"),
        ("own * OWNERS / TILE", "own * OWNERS / TILE + 1"),
        ("STAGE + k]", "STAGE + k + 1]"),
    ];
    assert_each_shows("staged-row-major", &mutations);
    assert_each_shows("tile-in-registers", &mutations[1..]);
    assert_each_shows("tile-in-registers-256", &mutations[1..]);
}

#[test]
#[ignore = "long"]
fn every_shifted_index_of_staged_loading_shows() {
    let mutations = [
        ("own * THREADS", "own * THREADS + 1"),
        ("own * DEPENDENT_THREADS", "own * DEPENDENT_THREADS + 1"),
        ("part * THREADS", "part * THREADS + 1"),
        ("SMALL_PER_SIDE + stage", "SMALL_PER_SIDE + stage + 1"),
        ("stage * STAGE_ELEMENTS", "(stage + 1) * STAGE_ELEMENTS"),
        ("tile_start(round, round,", "tile_start(round, round + 1,"),
        ("tile_start(tile_row, round,", "tile_start(tile_row, round + 1,"),
    ];
    assert_each_shows("staged-load", &mutations);
    // Sixteen half-warps begin in two rows of 4 x 4 tiles.
    let of_256 = [
        ("own * HALF_WARPS", "own * HALF_WARPS + 1"),
        ("? 0 : first_small", "? 0 : 0 * first_small"),
        ("|| e < STAGE_ELEMENTS", "|| e <= STAGE_ELEMENTS"),
    ];
    assert_each_shows("staged-load-256", &[&mutations[..], &of_256].concat());
}

#[test]
#[ignore = "long"]
fn every_barrier_of_multitiles_is_missed_where_its_kernel_runs() {
    // The last barrier is that of the lead tile on all multiprocessors, which only `spread-lead` asks for.
    let expected = [
        (generalized([]), &[3][..]),
        (generalized([("kappa", 2)]), &[3]),
        (generalized([("kappa", 3), ("spread-lead", 1)]), &[]),
    ];
    for (subject, unmissed) in expected {
        assert_barriers_are_missed(subject, 4, unmissed);
    }
    assert_barriers_are_missed(by_64(), 6, &[3]);
}

#[test]
#[ignore = "long"]
fn every_barrier_of_two_phases_is_missed() {
    // Five tiles a side: each of the emulated device's two persistent blocks has two parts of the round's row.
    let subject = Subject { n: 4 * 32 + 1, ..Subject::from("two-phase") };
    let rolled = Subject { parameters: Parameters::from([("unrolled", 0)]), ..subject.clone() };
    assert_barriers_are_missed(subject, 4, &[]);
    assert_barriers_are_missed(rolled, 4, &[]);
}

#[test]
#[ignore = "long"]
fn a_store_into_what_other_blocks_read_is_a_race_unless_it_is_declared_to_lower() {
    let device = Rc::new(emulated(Instruments::CHECK));
    let expected = solved(N);
    let subjects = [
        (generalized([("kappa", 3)]), "c[threadIdx.x]"),
        (Subject::from("two-phase"), "independent[threadIdx.x]"),
    ];
    for (subject, value) in subjects {
        let text = text_of(subject.clone());
        let declared = format!("lower_while_read(own, {value});");
        assert_eq!(text.matches(&declared).count(), 1, "{subject:?}");
        let plain = text.replace(&declared, &format!("*own = {value};"));
        let outcome = outcome(&device, subject.clone(), plain, &expected);
        assert!(outcome.has(FindingKind::RaceBetweenBlocks), "{subject:?}: {:?}", outcome.findings);
    }
}

#[test]
#[ignore = "long"]
fn a_round_that_a_multitile_leaves_out_gives_a_wrong_result() {
    let device = Rc::new(emulated(Instruments::CHECK));
    let expected = solved(N);
    let left_out = [
        (3, "is_operand ? other + 1 : group", "is_operand ? other + 2 : group"),
        (3, "column, is_operand ? other + 1 : group", "column, is_operand ? other + 1 : group + 1"),
        (2, "column, lead + 1, end", "column, lead + 2, end"),
        (2, "column, group, end", "column, group + 1, end"),
        (2, "lead, lead, first, lead", "lead, lead, first + 1, lead"),
    ];
    for (kappa, old, new) in left_out {
        let subject = generalized([("kappa", kappa)]);
        let text = text_of(subject.clone());
        assert_eq!(text.matches(old).count(), 1, "{old}");
        let outcome = outcome(&device, subject, text.replace(old, new), &expected);
        assert!(!outcome.right, "kappa = {kappa}, '{old}' as '{new}': {:?}", outcome.findings);
    }
}

#[test]
#[ignore = "long"]
fn every_shifted_index_of_multitiles_shows() {
    let mutations = [
        ("stage * STAGE +", "stage * STAGE + 1 +"),
        ("STAGE + k]", "STAGE + k + 1]"),
        ("k * TILE + j]", "(k + 1) * TILE + j]"),
        ("tile_at(d, lead, lead, pitch)[", "tile_at(d, lead, other, pitch)["),
        ("tile_at(d, row, round,", "tile_at(d, row, round + 1,"),
        ("tile_at(d, round, column,", "tile_at(d, round + 1, column,"),
    ];
    assert_each_shows(generalized([]), &mutations);
    assert_each_shows(generalized([("kappa", 2)]), &mutations);
    assert_each_shows(by_64(), &mutations);
}

#[test]
#[ignore = "long"]
fn every_shifted_index_of_two_phases_shows() {
    let mutations = [
        ("* TILE + k]", "* TILE + k + 1]"),
        ("[k * TILE", "[(k + 1) * TILE"),
        ("own_element(d, round, round,", "own_element(d, round, round + 1,"),
        ("own_element(d, row, round,", "own_element(d, row, round + 1,"),
        ("own_element(d, round, column,", "own_element(d, round + 1, column,"),
        ("skip_round(part, round)", "part"),
        ("skip_round(blockIdx.y, round)", "blockIdx.y"),
    ];
    assert_each_shows("two-phase", &mutations);
}

/// Waits too few, stages that are filled or read too early, results that are told of before they are stored, fences left out and a
/// flag that nobody publishes.
#[test]
#[ignore = "long"]
fn every_missing_wait_fence_and_flag_of_the_queue_of_tiles_shows() {
    let mutations = [
        ("wait_for_phase(&block.stages.arrived[reading.at], reading.phase);", ";"),
        ("wait_for_phase(&barriers.left[cursor.at], cursor.phase);", ";"),
        ("wait_for_phase(&block.stored[publishing.at], publishing.phase);", ";"),
        ("wait_for_phase(&block.announced[beginning.at], beginning.phase);", ";"),
        ("\"fence.acq_rel.gpu;\"", "\"\""),
        ("ld.acquire.gpu.global", "ld.relaxed.gpu.global"),
        (
            "\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n    arrive(left);",
            "\"\");\n    arrive(left);",
        ),
        ("\"fence.proxy.async.global;\"", "\"\""),
        ("write_counter(steps_at(solve, task.i, task.j), task.to);", ";"),
        ("wait_for_tile(task.i, task.j, task.from);", ";"),
        ("wait_for_tile(task.i, step, task.i == step ? step + 1 : task.from);", ";"),
        ("wait_for_tile(step, task.j, products);", ";"),
        ("(tile, rows, columns, k, place);\n    sync_workers<S>();", "(tile, rows, columns, k, place);"),
    ];
    // Three tiles a side: some block does two products one after the other that nothing but the ring's own barriers keeps apart.
    let parameters = Parameters::from([("chain", 0)]);
    assert_each_shows(Subject { n: 129, parameters, ..Subject::from("register-blocked") }, &mutations);
}

/// What only the block that follows the diagonal does: operands that it keeps, and the barriers around them.
#[test]
#[ignore = "long"]
fn every_missing_barrier_and_operand_of_the_chain_of_closures_shows() {
    let mutations = [
        ("any more.\n    sync_workers<S>();", "any more."),
        ("::: \"memory\");\n    sync_workers<S>();\n}", "::: \"memory\");\n}"),
        ("wait_for_phase(&barriers.left[cursor.at], cursor.phase);", ";"),
        ("while (S::CHAINS && task.i >= 0 && is_on_chain(task));", "while (false);"),
        ("wait_for_phase(&block.handed[publishing.at], publishing.phase);", ";"),
        ("wait_for_phase(&block.published[announcing.at], announcing.phase);", ";"),
        ("\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n    sync_workers", "\"\");\n    sync_workers"),
        ("            wait_for_stores();", ";"),
        ("store_handed<S>(solve, task, stages);", ";"),
        ("clear_tile(tile);", ";"),
        ("hand_on(tile, task, stages, place);", ";"),
        ("follows && is_row(task) ? nullptr", "follows && !is_row(task) ? nullptr"),
        ("k / S::STAGE_K * gap", "0"),
        ("row / S::STAGE_K * gap", "0"),
    ];
    let parameters = Parameters::from([("chain", 1)]);
    assert_each_shows(Subject { n: 129, parameters, ..Subject::from("register-blocked") }, &mutations);
}

/// Barriers, waits and copies of a block that solves a graph by itself, and the order of its operands.
#[test]
#[ignore = "long"]
fn every_missing_barrier_wait_and_copy_of_batches_shows() {
    let mutations = [
        (BARRIER, ";"),
        ("\"n\"(S::STAGES - 2)", "\"n\"(S::STAGES - 1)"),
        ("        close_fill();", ";"),
        ("fill(0);", ";"),
        ("fill(first + stage + 1);", ";"),
        ("store_left(tile, stages, place, S::STAGE_WORDS - S::STAGE_LEFT_WORDS);", ";"),
        ("load_tile(tile, matrix, i, q, place);", ";"),
        ("shared_address(stages + stage * S::STAGE_WORDS)", "shared_address(stages)"),
        ("? skip_round(part / S::STAGES, q)", "? part / S::STAGES"),
        ("row < matrix.n ?", "true ?"),
    ];
    // Three tiles a side, the last of which has one vertex.
    assert_each_shows(Subject { n: 129, ..Subject::from("batched") }, &mutations);
}

/// What is done of an undirected graph alone: operands, tiles and counts of the place across the diagonal.
#[test]
#[ignore = "long"]
fn every_missing_store_and_count_across_the_diagonal_shows() {
    let mutations = [
        ("store_left_turned(tile, left_of<S>(solve, task.i, task.j), place);", ";"),
        ("store_right_turned(tile, right_of<S>(solve, task.j, task.i), place);", ";"),
        ("store_tile_turned(tile, solve.matrix, task.i, task.j, place);", ";"),
        ("write_counter(steps_at(solve, task.j, task.i), task.to);", ";"),
        ("IS_SYMMETRIC && j < i && i / solve.depth != j / solve.depth", "false"),
        ("IS_SYMMETRIC && j < i && i / solve.depth != j / solve.depth", "IS_SYMMETRIC && j < i"),
        ("j = side - shift - 1 - j;", "j = side - shift - j;"),
        ("IS_SYMMETRIC ? min(i, j) : i", "i"),
        ("clear_tile(tile);", ";"),
    ];
    let parameters = Parameters::from([("chain", 0), ("tile", 64), ("depth", 2)]);
    let subject = Subject { n: 257, parameters, undirected: true, ..Subject::from("register-blocked") };
    assert_each_shows(subject, &mutations);
}
