//! Solves on several emulated devices: right, and ordered by what they wait for.

mod forgetful;
mod halves;

use crate::{NoClock, Parameters, Problem, find};
use forgetful::{Forgetful, Forgotten, Log, QueueId, Wait};
use repro_device::emulated::{EmulatedDevice, FindingKind, Instruments};
use repro_device::{Device, HostBuffer};
use repro_graph::{DistanceMatrix, RandomGraph, WeightRange, generate, is_symmetric, shortest_from};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What came of one solve.
struct Watched {
    log: Log,
    races: usize,
}

/// Solves on a grid of devices that forget this wait.
fn solve(graph: &DistanceMatrix<f32>, devices: u32, rows: u32, left_out: Option<usize>) -> Watched {
    let forgotten = Forgotten::new(left_out);
    let emulated: Vec<Rc<EmulatedDevice>> = (0..devices as usize)
        .map(|ordinal| Rc::new(EmulatedDevice::open_ordinal(ordinal, Instruments::CHECK).unwrap()))
        .collect();
    let all: Vec<Rc<dyn Device>> = emulated
        .iter()
        .enumerate()
        .map(|(number, device)| Rc::new(Forgetful::new(number, device, &forgotten)) as Rc<dyn Device>)
        .collect();
    let n = graph.n();
    let weights = WeightRange { symmetric: is_symmetric(graph), ..graph.survey().weights.range };
    let problem = Problem::one(n, repro_graph::ElementType::F32, weights);
    let parameters =
        Parameters::from([("devices", devices), ("rows", rows), ("tile", 64), ("depth", 1), ("half", 1)]);
    crate::distributed::register();
    let known = find("distributed-blocked").unwrap();
    let mut prepared = known.solver.prepare(&problem, &all, &parameters).unwrap();
    let mut input = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
    input.numbers_mut::<f32>()[..n * n].copy_from_slice(graph.as_slice());
    let mut output = HostBuffer::pageable(problem.matrix_bytes()).unwrap();
    prepared.run(&input, &mut output, &mut NoClock).unwrap();
    // In the emulator's own order all is done in time: the result is right whatever is not waited for.
    for source in [0, n / 2, n - 1] {
        let row = &output.numbers::<f32>()[source * n..(source + 1) * n];
        assert_eq!(row, shortest_from(graph, source).unwrap(), "row {source}");
    }
    let findings: Vec<_> = emulated.iter().flat_map(|device| device.take_findings()).collect();
    let races = findings.iter().filter(|finding| finding.kind == FindingKind::RaceBetweenLaunches).count();
    assert_eq!(races, findings.len(), "{findings:?}");
    drop((prepared, all));
    Watched { log: forgotten.log.take(), races }
}

/// Solves of one graph on a grid of devices, each without one of the waits.
struct Grid {
    graph: DistanceMatrix<f32>,
    devices: u32,
    rows: u32,
    waits: Vec<Wait>,
    /// The numbers of those without which accesses that may conflict lose their order. All others follow from the rest, or order others alone.
    needed: Vec<usize>,
}

impl Grid {
    fn new(n: usize, devices: u32, rows: u32) -> Self {
        Self::of(n, devices, rows, false)
    }

    /// Of half of the tasks of an undirected graph on one column.
    fn half(n: usize, devices: u32) -> Self {
        Self::of(n, devices, devices, true)
    }

    fn of(n: usize, devices: u32, rows: u32, undirected: bool) -> Self {
        let random = RandomGraph { density: 0.1, undirected, ..RandomGraph::complete(7) };
        let graph = generate::<f32>(&random, n).unwrap();
        let right = solve(&graph, devices, rows, None);
        assert_eq!(right.races, 0, "nothing is left out");
        let order = |left_out| {
            let mut order = right.log.order_without(left_out);
            order
                .iter_mut()
                .for_each(|(queue, before)| before.retain(|other, _| may_conflict(*queue, *other)));
            order
        };
        let waits = right.log.waits();
        let all = order(None);
        let needed = (0..waits.len()).filter(|wait| order(Some(*wait)) != all).collect();
        Self { graph, devices, rows, waits, needed }
    }

    /// Whether a race is found without this wait.
    fn is_noticed(&self, wait: usize) -> bool {
        solve(&self.graph, self.devices, self.rows, Some(wait)).races > 0
    }

    /// Whether it makes a device wait for copies that others make of its panel, and for nothing else: its queue for broadcasts waits for
    /// a copy, directly behind the other's wait for the panel; or its queue of high priority waits for the queue for broadcasts, on which
    /// nothing is new since it waited before.
    fn is_senders(&self, wait: usize) -> bool {
        let Wait { queue, other, behind } = self.waits[wait];
        let before = &self.waits[..wait];
        let answers = before.last().is_some_and(|last| (last.queue, last.other) == (other, queue));
        let earlier = before.iter().filter(|earlier| (earlier.queue, earlier.other) == (queue, other));
        let adds_nothing = behind == earlier.map(|earlier| earlier.behind).max().unwrap_or(0);
        queue.0 != other.0 && answers
            || (queue.1, other.1) == (HIGH, WIRE) && queue.0 == other.0 && adds_nothing
    }

    /// Whether by it a device's queue for broadcasts waits, directly behind what the queue of high priority waits for, until nobody reads what
    /// a slot held, and the slot has held nothing yet: the first time of each of two slots.
    fn is_of_fresh_slots(&self, wait: usize) -> bool {
        let device = self.waits[wait].queue.0;
        let of_slot = |at: usize| {
            let Wait { queue, other, .. } = self.waits[at];
            (queue, other) == ((device, WIRE), (device, HIGH)) && self.waits[at - 1].queue == other
        };
        of_slot(wait) && (0..wait).filter(|at| of_slot(*at)).count() < 2
    }
}

/// The numbers of a device's queues, in the order in which a solve makes them.
const MAIN: usize = 0;
const HIGH: usize = 1;
const WIRE: usize = 2;

/// Whether accesses of these two queues may conflict. Kernels touch their own device's memory, and those of a usual queue write nothing but
/// its tiles. What queues for broadcasts copy from one device to another are panels, which a usual queue reads, as they do. So nothing of a
/// usual queue conflicts with another device. Where the left panel is made behind the right one, on the same queue, a sender's usual queue has
/// both once it waited for that queue: what it then waits for on its own queue for broadcasts are others' copies alone, and nobody misses it.
fn may_conflict(one: QueueId, other: QueueId) -> bool {
    let queues = [one.1, other.1];
    one.0 == other.0 || queues.contains(&WIRE) && !queues.contains(&MAIN)
}

/// Of two devices in a line, what one writes over comes after a panel that the other sent since, and so after the other's copy: neither needs
/// to wait for the copy of what it sent. Every other wait is missed, if it does not follow from the rest.
fn all_waits_but_those_of_senders_are_missed(grid: &Grid, chosen: &[usize]) {
    let is_right = |wait: &usize| {
        let missed = grid.needed.contains(wait) && !grid.is_senders(*wait) && !grid.is_of_fresh_slots(*wait);
        grid.is_noticed(*wait) == missed
    };
    let wrong: Vec<_> =
        chosen.iter().filter(|wait| !is_right(wait)).map(|wait| (wait, grid.waits[*wait])).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_wait_that_is_left_out_is_found() {
    let grid = Grid::new(129, 2, 2);
    let is_missed = |wait: &&usize| !grid.is_senders(**wait) && !grid.is_of_fresh_slots(**wait);
    let wait = *grid.needed.iter().find(is_missed).unwrap();
    assert!(grid.is_noticed(wait), "wait {wait}: {:?}", grid.waits[wait]);
}

/// The needed waits of one of the second device's queues for another of them.
fn of_second(grid: &Grid, queue: usize, other: usize) -> Vec<usize> {
    let is_one =
        |wait: &usize| (grid.waits[*wait].queue, grid.waits[*wait].other) == ((1, queue), (1, other));
    grid.needed.iter().copied().filter(is_one).collect()
}

mod minutes {
    use super::*;

    /// Those without effect are of an owner, which has its panel before it arrives, and of the mirror's last blocks, with nothing to take.
    #[test]
    #[ignore = "minutes: a solve without each of about 180 waits"]
    fn of_half_of_the_tasks_five_waits_of_six_are_missed_and_some_of_every_kind() {
        for devices in [2, 3] {
            let grid = Grid::half(193, devices);
            let needed: Vec<usize> =
                grid.needed.iter().copied().filter(|wait| !grid.is_senders(*wait)).collect();
            let missed: Vec<usize> = needed.iter().copied().filter(|wait| grid.is_noticed(*wait)).collect();
            assert!(6 * missed.len() >= 5 * needed.len(), "{} of {}", missed.len(), needed.len());
            let kind = |wait: &usize| {
                let Wait { queue, other, .. } = grid.waits[*wait];
                (queue.1, other.1, queue.0 == other.0)
            };
            let kinds = |waits: &[usize]| waits.iter().map(kind).collect::<BTreeSet<_>>();
            assert_eq!(kinds(&missed), kinds(&needed));
        }
    }

    #[test]
    #[ignore = "minutes: a solve without each of about 150 waits"]
    fn of_two_devices_all_waits_but_those_of_senders_and_those_that_follow_from_others_are_missed() {
        for rows in [2, 1] {
            let grid = Grid::new(193, 2, rows);
            let all: Vec<usize> = (0..grid.waits.len()).collect();
            all_waits_but_those_of_senders_are_missed(&grid, &all);
        }
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn of_four_devices_a_sender_waits_for_the_last_copy() {
        // The third row sends before the fourth, and overwrites what the first sent.
        let grid = Grid::new(129, 4, 4);
        let last = |wait: &&usize| grid.is_senders(**wait) && grid.waits[**wait].other == (3, WIRE);
        let wait = *grid.needed.iter().find(last).unwrap();
        assert!(grid.is_noticed(wait), "wait {wait}: {:?}", grid.waits[wait]);
    }

    #[test]
    #[ignore = "long"]
    fn half_of_the_tasks_that_do_not_wait_for_panels_or_for_what_lies_across_are_found() {
        let grid = Grid::half(193, 2);
        // The right panel of which the left one is made arrives; the update has the left one; the mirror has what the update wrote, and a slot
        // is free; and what lies across arrives.
        let panel_arrives = of_second(&grid, HIGH, WIRE)[0];
        let panel_is_made = of_second(&grid, MAIN, HIGH)[0];
        let [.., before_mirror, slot_is_free, _] = of_second(&grid, HIGH, MAIN)[..] else {
            panic!("no mirror")
        };
        let across_arrives = of_second(&grid, MAIN, WIRE)[0];
        for wait in [panel_arrives, panel_is_made, before_mirror, slot_is_free, across_arrives] {
            assert!(grid.is_noticed(wait), "wait {wait}: {:?}", grid.waits[wait]);
        }
    }

    #[test]
    #[ignore = "long"]
    fn a_panel_of_rows_or_of_columns_that_is_used_or_overwritten_too_early_is_found() {
        for rows in [1, 2] {
            let grid = Grid::new(129, 2, rows);
            // A part of the waits, since each takes a solve.
            let some: Vec<usize> = grid.needed.iter().copied().step_by(4).collect();
            all_waits_but_those_of_senders_are_missed(&grid, &some);
        }
    }
}
