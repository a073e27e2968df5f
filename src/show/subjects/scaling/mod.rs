//! How much faster several devices are than one: what a run measured beside what the model says, and what the model says of more.

mod figure;
mod table;

pub use figure::figures;
pub use table::{sentences, tables};

use crate::distributed::solver::{self, Estimate, estimate};
use crate::graph::ElementType;
use crate::implementation::Parameters;
use crate::plan::Experiment;
use crate::results::{Facts, Results, SummaryRow};
use crate::store::DeviceTimeRow;

/// The parameter that says how many devices share a matrix.
const DEVICES: &str = solver::DEVICES.name;
/// Numbers of devices that the model is asked about beyond those that were measured.
const PROJECTED: [usize; 3] = [8, 64, 1024];
/// Two n have as many numbers for each device where those differ by less than this share.
const AS_MANY: f64 = 0.02;

/// What was measured of one n on some devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    pub n: usize,
    pub devices: usize,
    /// Tasks that were done.
    pub tasks: f64,
    /// The median, and its interval.
    pub seconds: f64,
    pub interval: Option<(f64, f64)>,
    /// Seconds on one device over as many times those on these; none where one device was not measured at this n.
    pub efficiency: Option<f64>,
    /// The n at which one device has as many numbers as each of these, and tasks a second of each over those of the one there.
    pub weak: Option<(usize, f64)>,
    /// Of the time of the devices: in which they had no tile to work on, and that their broadcasts took.
    pub waiting: Option<f64>,
    pub communication: Option<f64>,
    /// What the model says, from the rate of one device.
    pub model: Option<Estimate>,
}

impl Scaled {
    pub fn tasks_per_s(&self) -> f64 {
        self.tasks / self.seconds
    }
}

/// What the model says of devices that were not measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Projected {
    pub n: usize,
    pub devices: usize,
    /// Rows and columns of the grid that they form.
    pub grid: (usize, usize),
    pub seconds: f64,
    pub efficiency: f64,
    /// That broadcasts take, of the time.
    pub communication: f64,
}

/// One implementation on one kind of graph on several numbers of devices.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// By n, then devices.
    pub cells: Vec<Scaled>,
    /// The n at which one device has its rate for the projections, and that rate, tasks a second.
    pub one: Option<(usize, f64)>,
    pub projections: Vec<Projected>,
}

impl Scaling {
    /// Of the experiment's first graph. None where no two numbers of devices were measured.
    pub fn of(experiment: &Experiment, results: &Results) -> Option<Self> {
        let graph = experiment.graphs.first().filter(|_| experiment.sharded)?;
        let of_graph = |row: &&SummaryRow| row.graph == graph.name;
        let timed = results.summary.iter().filter(of_graph).filter(|row| row.median_s.is_some());
        let timed: Vec<(usize, Parameters, &SummaryRow)> = timed
            .filter_map(|row| devices_of(row, &results.facts).map(|(devices, others)| (devices, others, row)))
            .collect();
        // What else is set is another way of doing it: that in which nothing is, or else the first.
        let usual = Parameters::default();
        let way = timed.iter().map(|(_, others, _)| others).find(|others| **others == usual);
        let way = way.or(timed.first().map(|(_, others, _)| others))?;
        let same_way = timed.iter().filter(|(_, others, _)| others == way);
        let mut measured: Vec<(usize, &SummaryRow)> =
            same_way.map(|(devices, _, row)| (*devices, *row)).collect();
        measured.sort_by_key(|(devices, row)| (row.n, *devices));
        measured.iter().any(|(devices, _)| *devices != measured[0].0).then_some(())?;
        let tasks =
            |row: &SummaryRow| results.facts.tasks((&row.implementation, &row.params), row.n, Some(graph));
        let symmetric = measured.iter().all(|(_, row)| tasks(row) < (row.n as f64).powi(3));
        let ones: Vec<(&SummaryRow, f64)> = measured
            .iter()
            .filter(|(devices, _)| *devices == 1)
            .filter_map(|(_, row)| Some((*row, row.median_s?)))
            .collect();
        let rate = |(row, seconds): (&SummaryRow, f64)| tasks(row) / seconds;
        let one = ones.last().map(|last| (last.0.n, rate(*last)));
        let cells = measured.iter().filter_map(|&(devices, row)| {
            let (n, seconds) = (row.n, row.median_s?);
            let same = ones.iter().find(|(known, _)| known.n == n);
            let part = (n as f64).powi(2) / devices as f64;
            let as_many =
                ones.iter().find(|(known, _)| ((known.n as f64).powi(2) / part - 1.0).abs() < AS_MANY);
            let weak = |of: &(&SummaryRow, f64)| (of.0.n, rate((row, seconds)) / devices as f64 / rate(*of));
            let of_one = same.map(|of| rate(*of)).or(one.map(|(_, rate)| rate));
            Some(Scaled {
                n,
                devices,
                tasks: tasks(row),
                seconds,
                interval: row.ci_low_s.zip(row.ci_high_s),
                efficiency: same.map(|(_, of_one)| of_one / (devices as f64 * seconds)),
                weak: as_many.map(weak),
                waiting: share(results, row, |times| times.waiting_s),
                communication: share(results, row, |times| times.communication_s),
                model: of_one.map(|rate| estimate(n, devices, graph.element, rate, symmetric).1),
            })
        });
        let cells: Vec<Scaled> = cells.collect();
        let projections = one.map_or(Vec::new(), |one| projections(&cells, one, graph.element, symmetric));
        Some(Self { cells, one, projections })
    }
}

/// The devices of a row, and what else is set.
fn devices_of(row: &SummaryRow, facts: &Facts) -> Option<(usize, Parameters)> {
    let devices = facts.variant((&row.implementation, &row.params))?.devices;
    let parameters: Parameters = row.params.parse().ok()?;
    let (_, others) = parameters.split(|name| name == DEVICES);
    (devices > 0).then_some((devices, others))
}

/// A share of the time of a cell's devices, over all its samples.
fn share(results: &Results, row: &SummaryRow, of: impl Fn(&DeviceTimeRow) -> f64) -> Option<f64> {
    let cell = row.cell();
    let times = || results.devices.iter().filter(|times| times.cell() == cell);
    let all: f64 = times().map(|times| times.solve_s).sum();
    (all > 0.0).then(|| times().map(of).sum::<f64>() / all)
}

/// Of the largest n that was measured, and of one with as many numbers for each device as the largest on one.
fn projections(
    cells: &[Scaled],
    (largest, rate): (usize, f64),
    element: ElementType,
    symmetric: bool,
) -> Vec<Projected> {
    let most = cells.iter().map(|cell| cell.n).max().unwrap_or(largest);
    let of = |n: usize, devices: usize| {
        let (grid, Estimate { seconds, communication, tasks, .. }) =
            estimate(n, devices, element, rate, symmetric);
        Projected {
            n,
            devices,
            grid,
            seconds,
            efficiency: tasks / (rate * devices as f64 * seconds),
            communication: communication / seconds,
        }
    };
    let strong = PROJECTED.iter().map(|&devices| of(most, devices));
    let weak =
        PROJECTED.iter().map(|&devices| of((largest as f64 * (devices as f64).sqrt()) as usize, devices));
    strong.chain(weak).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{cell, experiment, facts_of, measured};

    fn results(times: &[(usize, usize, f64)]) -> Results {
        crate::distributed::register();
        let row = |&(n, devices, seconds): &(usize, usize, f64)| {
            measured(cell("distributed-blocked", &format!("devices={devices}"), n), &[seconds])
        };
        let summary: Vec<SummaryRow> = times.iter().map(row).collect();
        Results { facts: facts_of(&summary), summary, ..Results::default() }
    }

    fn of(results: &Results) -> Option<Scaling> {
        let experiment = experiment(&[("distributed-blocked", "")], &[""]);
        Scaling::of(&Experiment { sharded: true, ..experiment }, results)
    }

    #[test]
    fn efficiency_is_of_the_same_n_and_weak_scaling_of_as_many_numbers_a_device() {
        let scaling =
            of(&results(&[(1000, 1, 1.0), (1000, 4, 0.5), (2000, 4, 2.5), (1500, 2, 9.0)])).unwrap();
        let of =
            |n, devices| scaling.cells.iter().find(|cell| (cell.n, cell.devices) == (n, devices)).unwrap();
        assert_eq!((of(1000, 1).efficiency, of(1000, 4).efficiency), (Some(1.0), Some(0.5)));
        assert_eq!((of(2000, 4).efficiency, of(1000, 4).weak), (None, None));
        // Eight times the tasks in 2.5 times the time on four.
        assert_eq!(of(2000, 4).weak, Some((1000, 0.8)));
        assert_eq!(of(1500, 2).weak, None);
    }

    #[test]
    fn more_devices_are_projected_from_the_rate_of_one_and_never_beyond_it() {
        let scaling = of(&results(&[(65_536, 1, 16.9), (131_072, 4, 34.0)])).unwrap();
        let asked: Vec<_> = scaling.projections.iter().map(|one| (one.n, one.devices)).collect();
        assert_eq!(asked[..3], [(131_072, 8), (131_072, 64), (131_072, 1024)]);
        assert_eq!(asked[4], (65_536 * 8, 64));
        assert!(scaling.projections.iter().all(|one| one.efficiency > 0.0 && one.efficiency <= 1.0));
        assert!(scaling.projections.windows(2).take(2).all(|two| two[0].efficiency >= two[1].efficiency));
        let last = scaling.cells.last().unwrap();
        assert!(last.model.unwrap().seconds > 131_072_f64.powi(3) / 4.0 / (65_536_f64.powi(3) / 16.9));
    }
}
