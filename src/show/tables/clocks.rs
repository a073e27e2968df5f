//! What every clock said of the same work: the timer pitfall, and what follows from it.

use super::columns::Columns;
use super::seconds::shown_sizes;
use crate::lists::{distinct, extremes};
use crate::published::PublishedPaper;
use crate::results::{Pitfall, SummaryRow, Times, least};
use crate::show::{Grid, RATE, digits, rate as in_unit, rate_with_unit};

use crate::store::Manifest;
use crate::timing::{Estimate, Scope};

/// With what the paper compares: one core.
const BASELINE: &str = "cpu-naive";

/// From here on a launch is large enough for its shape to show in its time.
const STEPS_FROM: usize = 256;
/// Threads a warp.
const WARP: usize = 32;

/// What the clocks said, as far as they were read.
struct Clocks<'a> {
    columns: &'a Columns<'a>,
    times: &'a Times,
    implementation: &'a str,
    /// Add + min in registers here, tasks/s.
    peak: Option<f64>,
    /// Threads of its one kernel that a multiprocessor holds at once. None when it has several.
    resident_threads: Option<u32>,
}

impl Clocks<'_> {
    fn get(&self, n: usize, scope: Scope) -> Option<f64> {
        // With the parameters that the experiment names first.
        let mut of_it = self.columns.all.iter().filter(|column| column.implementation == self.implementation);
        let graphs = self.columns.graphs();
        let first = of_it.find_map(|column| self.times.first(column.variant(), n, &graphs, scope))?;
        Some(first.value)
    }

    fn baseline(&self, n: usize) -> Option<f64> {
        self.columns.median_over_graphs(self.columns.of(BASELINE)?, n)
    }

    /// All sizes that the clock without synchronization was read at.
    fn sizes(&self) -> Vec<usize> {
        let read = |n: &usize| self.get(*n, Scope::HostUnsynced).is_some();
        self.columns.sizes().into_iter().filter(read).collect()
    }

    fn shown(&self) -> Vec<usize> {
        let all = self.sizes();
        shown_sizes(self.columns).into_iter().filter(|n| all.contains(n)).collect()
    }

    /// A row a size; a column a clock that was read.
    fn seconds(&self) -> Option<Grid> {
        let scopes = [
            (Scope::Kernel, "events"),
            (Scope::CudaGraph, "events, as a\nCUDA graph"),
            (Scope::HostSynced, "host,\nsynchronized"),
            (Scope::OsSynced, "operating system,\nsynchronized"),
            (Scope::HostUnsynced, "host, NOT\nsynchronized"),
            (Scope::CudaGraphUnsynced, "host, NOT synchr.,\nas a CUDA graph"),
            (Scope::CopyOutUnsynced, "the copy back\nafter launches"),
            (Scope::CopyOutPageable, "a copy back\n(pageable)"),
            (Scope::CopyInPageable, "copy in\n(pageable)"),
            (Scope::CopyOut, "copy back\n(page-locked)"),
            (Scope::CopyIn, "copy in\n(page-locked)"),
            (Scope::Host, "all, copies\npage-locked"),
            (Scope::TotalPageable, "all, copies\npageable"),
            (Scope::Everything, "the same, allocating\nand freeing, too"),
            (Scope::KernelLoaded, "events,\nGPU busy"),
            (Scope::HostUnsyncedLoaded, "host, NOT synchr.,\nGPU busy"),
            (Scope::CopyOutUnsyncedLoaded, "the copy back after\nlaunches, GPU busy"),
            (Scope::FirstHost, "first run of\na process"),
            (Scope::FirstLoad, "loading\nkernels"),
        ];
        let sizes = self.shown();
        let was_read = |(scope, _): &(Scope, &str)| sizes.iter().any(|n| self.get(*n, *scope).is_some());
        let read: Vec<(Scope, &str)> = scopes.into_iter().filter(was_read).collect();
        let title = format!("{}: seconds by every clock", self.implementation);
        let cell = |(scope, _): &(Scope, &str), n| self.get(n, *scope).map_or(String::new(), digits);
        Grid::by_size(title, sizes, &read, |(_, title)| title.to_string(), cell)
    }

    /// What the clock that does not wait would have had one publish.
    fn pitfall(&self) -> Grid {
        let rates =
            ["\nit implies", " implied,\nas a CUDA graph", "\nby events"].map(|of| format!("{RATE}{of}"));
        let or_dash = |shown: Option<String>| shown.unwrap_or("-".to_string());
        let share = |part: Option<f64>| or_dash(part.map(|part| format!("{:.1}%", part * 100.0)));
        let implied = |n: usize, scope: Scope| self.get(n, scope).map(|seconds| (n as f64).powi(3) / seconds);
        let rate = |n: usize, scope: Scope| or_dash(implied(n, scope).map(in_unit));
        let of_peak = |n: usize, scope: Scope| {
            let of_peak = implied(n, scope).zip(self.peak).map(|(rate, peak)| rate / peak);
            or_dash(of_peak.map(|times| format!("{times:.3}x")))
        };
        let over = |n: usize, scope: Scope| {
            or_dash(self.baseline(n).zip(self.get(n, scope)).map(|(cpu, gpu)| digits(cpu / gpu)))
        };
        let is_read = |n: &usize| {
            [Scope::Kernel, Scope::HostUnsynced].iter().all(|scope| self.get(*n, *scope).is_some())
        };
        let title = format!(
            "{}: what the host's clock without synchronization would have published",
            self.implementation
        );
        Grid::of_columns(
            title,
            self.shown().into_iter().filter(is_read),
            &[
                ("n", &|n| n.to_string()),
                ("it says, of the\ntrue time", &|n| share(self.pitfall_at(*n).map(|one| one.share.value))),
                ("missing time found in\nthe copy back", &|n| {
                    share(self.pitfall_at(*n).and_then(|one| one.found))
                }),
                (&rates[0], &|n| rate(*n, Scope::HostUnsynced)),
                ("of the add +\nmin peak", &|n| of_peak(*n, Scope::HostUnsynced)),
                (&rates[1], &|n| rate(*n, Scope::CudaGraphUnsynced)),
                ("of the add +\nmin peak", &|n| of_peak(*n, Scope::CudaGraphUnsynced)),
                (&rates[2], &|n| rate(*n, Scope::Kernel)),
                ("speed-up over cpu-naive:\nevents", &|n| over(*n, Scope::Kernel)),
                ("host,\nsynchronized", &|n| over(*n, Scope::HostSynced)),
                ("host, NOT\nsynchronized", &|n| over(*n, Scope::HostUnsynced)),
                ("as a CUDA\ngraph", &|n| over(*n, Scope::CudaGraph)),
                ("with copies,\npage-locked", &|n| over(*n, Scope::Host)),
                ("with copies,\npageable", &|n| over(*n, Scope::TotalPageable)),
                ("first run,\nhost", &|n| over(*n, Scope::FirstHost)),
            ],
        )
    }

    /// What the clock that does not wait says at n, beside those that do.
    fn pitfall_at(&self, n: usize) -> Option<Pitfall> {
        Pitfall::of(|scope| self.get(n, scope).map(Estimate::exact))
    }

    /// In sentences, from the numbers.
    fn findings(&self, multiprocessors: Option<u32>) -> Vec<String> {
        let mut findings = Vec::new();
        let name = self.implementation;
        let all: Vec<(usize, Pitfall)> =
            self.sizes().into_iter().filter_map(|n| Some((n, self.pitfall_at(n)?))).collect();
        let lies = [
            (Scope::HostUnsynced, least(&all, |one| Some(one.share)), "launch by launch"),
            (Scope::CudaGraphUnsynced, least(&all, |one| one.graph_share), "as a CUDA graph"),
        ];
        for (unsynced, least, how) in lies {
            if let Some((n, share)) = least {
                let implied = self.get(n, unsynced).map(|seconds| (n as f64).powi(3) / seconds);
                let peak = implied.zip(self.peak).map_or(String::new(), |(implied, peak)| {
                    format!(
                        ", as if it did {}, {} times the add + min peak",
                        rate_with_unit(implied),
                        digits(implied / peak)
                    )
                });
                findings.push(format!(
                    "{name}, {how}: without synchronization the host's clock reads least of the true time at n = {n}: {}% of it{peak}.",
                    digits(share * 100.0)
                ));
            }
        }
        // Both by the host's clock, as the CPU's own time is.
        for (scope, with) in [
            (Scope::Host, "both copies (page-locked)"),
            (Scope::TotalPageable, "both copies (pageable)"),
            (Scope::Everything, "both copies (pageable), allocating and freeing"),
        ] {
            let both: Vec<(usize, bool)> = self
                .sizes()
                .into_iter()
                .filter_map(|n| Some((n, self.get(n, scope)? < self.baseline(n)?)))
                .collect();
            let last_loss = both.iter().rposition(|(_, wins)| !wins);
            let from = both.get(last_loss.map_or(0, |at| at + 1));
            if let (Some((first, _)), Some((last, _))) = (both.first(), both.last()) {
                findings.push(match from {
                    Some((n, _)) => format!(
                        "{name} with {with} beats {BASELINE} at every measured n from {n} to {last}."
                    ),
                    None => format!(
                        "{name} with {with} does not beat {BASELINE} from any measured n on, {first} to {last}."
                    ),
                });
            }
        }
        findings.extend(self.beside_other_work());
        findings.extend(self.steps(multiprocessors));
        findings.extend(self.largest_growth(multiprocessors));
        findings
    }

    /// How other work on the GPU changes what the clocks say, that of the paper and the copy after it among them.
    fn beside_other_work(&self) -> Option<String> {
        let clocks = [
            (Scope::Kernel, "by events"),
            (Scope::HostUnsynced, "by the host's clock without synchronization"),
            (Scope::CopyOutUnsynced, "of the copy back after the launches"),
        ];
        let said = clocks.iter().filter_map(|(scope, how)| {
            let ratio = |n: usize| Some((n, self.get(n, scope.under_load()?)? / self.get(n, *scope)?));
            let ratios: Vec<(usize, f64)> = self.sizes().into_iter().filter_map(ratio).collect();
            let ((low_n, low), (high_n, high)) = extremes(&ratios)?;
            Some(format!("{} (n = {low_n}) to {} (n = {high_n}) {how}", digits(low), digits(high)))
        });
        let said: Vec<String> = said.collect();
        let name = self.implementation;
        (!said.is_empty())
            .then(|| format!("{name}, times with the GPU busy over times without: {}.", said.join("; ")))
    }

    /// By how much, relative, time grows from one size to the next 16 above.
    fn growth(&self, n: usize, scope: Scope) -> Option<f64> {
        Some(self.get(n + 16, scope)? / self.get(n, scope)? - 1.0)
    }

    /// Whether time steps up past multiples of multiprocessors x warp, as the paper saw on four multiprocessors: the growth
    /// from one size to the next 16 above, across such a multiple, beside the growth around it.
    fn steps(&self, multiprocessors: Option<u32>) -> Option<String> {
        let period = multiprocessors? as usize * WARP;
        let sizes = self.sizes();
        let growth = |n: usize| self.growth(n, Scope::Kernel);
        let multiples: Vec<usize> =
            sizes.iter().copied().filter(|n| n % period == 0 && growth(*n).is_some()).collect();
        let name = self.implementation;
        let percent = |growth: f64| format!("{:+.1}%", growth * 100.0);
        let at = *multiples.first()?;
        let around: Vec<String> = sizes
            .iter()
            .filter(|n| **n != at && n.abs_diff(at) <= 64)
            .filter_map(|&n| Some(format!("{n} to {}: {}", n + 16, percent(growth(n)?))))
            .collect();
        Some(format!(
            "{name}: multiprocessors x warp is {period} here; past {at} time grows by {} to the next size 16 above, of which n³ is {}; around it {}.",
            percent(growth(at)?),
            percent(((at + 16) as f64 / at as f64).powi(3) - 1.0),
            around.join(", ")
        ))
    }

    /// Where time grows most from one size to the next 16 above, launch costs left out, and how large a launch the GPU holds
    /// at once.
    fn largest_growth(&self, multiprocessors: Option<u32>) -> Option<String> {
        let sizes = self.sizes();
        let large = sizes.iter().filter(|n| **n >= STEPS_FROM);
        let grown = large.filter_map(|&n| Some((n, self.growth(n, Scope::CudaGraph)?)));
        let (n, most) = grown.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let name = self.implementation;
        let mut said = format!(
            "{name}: from n = {STEPS_FROM} on, time as a CUDA graph grows most from {n} to {}: by {:.1}%.",
            n + 16,
            most * 100.0
        );
        if let (Some(resident), Some(multiprocessors)) = (self.resident_threads, multiprocessors) {
            let at_once = u64::from(resident) * u64::from(multiprocessors);
            said += &format!(
                " The GPU holds {at_once} of its threads at once, one for each entry up to n = {}.",
                at_once.isqrt()
            );
        }
        Some(said)
    }
}

/// Implementations that were read by the clock that does not wait.
fn read<'a>(columns: &'a Columns, times: &Times) -> Vec<&'a str> {
    let is_read = |row: &&'a SummaryRow| times.cell(&row.cell()).time(Scope::HostUnsynced).is_some();
    let read = columns.summary.iter().filter(is_read).map(|row| row.implementation.as_str());
    distinct(read.filter(|name| columns.of(name).is_some()))
}

fn each<'a>(columns: &'a Columns, manifest: &Manifest, times: &'a Times) -> Vec<Clocks<'a>> {
    let ceilings = manifest.environment.as_ref().and_then(|environment| environment.ceilings.device);
    let peak = ceilings.map(|device| device.add_min_tasks_per_s);
    let resident_threads = |implementation: &str| {
        let all = &manifest.environment.as_ref()?.implementations;
        match &all.iter().find(|record| record.implementation == implementation)?.kernels[..] {
            [only] => Some(only.resources.resident_blocks * only.resources.threads),
            _ => None,
        }
    };
    let clocks = |implementation| {
        let resident_threads = resident_threads(implementation);
        Clocks { columns, times, implementation, peak, resident_threads }
    };
    read(columns, times).into_iter().map(clocks).collect()
}

/// Two tables for each implementation that was read by the host's clocks.
pub fn grids(columns: &Columns, manifest: &Manifest, times: &Times) -> Vec<Grid> {
    let of = |clocks: &Clocks| [clocks.seconds(), clocks.pitfall().unless_empty()];
    each(columns, manifest, times).iter().flat_map(of).flatten().collect()
}

/// How the times of two implementations compare at all sizes, by one clock.
fn compared(faster: &Clocks, slower: &Clocks, scope: Scope) -> String {
    let ratio = |n: usize| Some(slower.get(n, scope)? / faster.get(n, scope)?);
    let ratios: Vec<(usize, f64)> = faster.sizes().into_iter().filter_map(|n| Some((n, ratio(n)?))).collect();
    let Some((lowest, highest)) = extremes(&ratios) else { return String::new() };
    format!(
        "{} takes {:.3} (n = {}) to {:.3} (n = {}) times as long as {}, scope {scope}; longer at {} of {} sizes.",
        slower.implementation,
        lowest.1,
        lowest.0,
        highest.1,
        highest.0,
        faster.implementation,
        ratios.iter().filter(|(_, ratio)| *ratio > 1.0).count(),
        ratios.len()
    )
}

/// What follows from them, in sentences; and how implementations compare that the paper compares.
pub fn findings(
    columns: &Columns,
    manifest: &Manifest,
    paper: Option<&PublishedPaper>,
    times: &Times,
) -> Vec<String> {
    let device = manifest.environment.as_ref().and_then(|environment| environment.device.as_ref());
    let multiprocessors = device.map(|device| device.info.multiprocessors);
    let all = each(columns, manifest, times);
    let mut findings: Vec<String> = all.iter().flat_map(|clocks| clocks.findings(multiprocessors)).collect();
    for pair in paper.map(|paper| super::ratios::said(paper, false)).unwrap_or_default() {
        let of = |name: &str| all.iter().find(|clocks| clocks.implementation == name);
        if let (Some(faster), Some(slower)) = (of(&pair.faster), of(&pair.slower)) {
            findings.extend([Scope::Kernel, Scope::CudaGraph].map(|scope| compared(faster, slower, scope)));
        }
    }
    findings.retain(|finding| !finding.is_empty());
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::SummaryRow;
    use crate::show::tables::fixtures::{cell, experiment, measured, scope};

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
            summary.push(measured(cell(NAME, "", n), &[1.0]));
            scopes.push(scope(&cell(NAME, "", n), Scope::HostUnsynced, 0.25));
            scopes.extend(clocks.iter().map(|&(one, seconds)| scope(&cell(NAME, "", n), one, seconds)));
        }
        let (columns, times) = (Columns::new(&experiment, &summary), Times::of(&scopes));
        read(Clocks { columns: &columns, times: &times, implementation: NAME, peak, resident_threads: None })
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
        let grid = with_clocks(&[(100, 2.0, &clocks)], Some(2e6), |clocks| clocks.pitfall());
        let expected = [
            "100", "25.0%", "80.0%", "0.004000", "2.000x", "-", "-", "0.002000", "4.000", "2.000", "8.000",
            "-", "-", "-", "-",
        ];
        assert_eq!(grid.rows, [expected]);
        assert_eq!(grid.header.len(), expected.len());
        // A change of layout, which only the copy after the launches encloses, blurs where the missing time is.
        let clocks =
            clocks.map(|(scope, seconds)| (scope, if scope == Scope::Device { 0.6 } else { seconds }));
        let grid = with_clocks(&[(100, 2.0, &clocks)], Some(2e6), |clocks| clocks.pitfall());
        assert_eq!(grid.rows[0][2], "-");
    }

    #[test]
    fn clocks_that_were_not_read_have_no_column() {
        let clocks = [(Scope::Kernel, 0.2), (Scope::HostSynced, 0.25), (Scope::OsSynced, 0.26)];
        let read =
            |clocks: &[(Scope, f64)]| with_clocks(&[(100, 2.0, clocks)], None, |clocks| clocks.seconds());
        let grid = read(&clocks).unwrap();
        let header = [
            "n",
            "events",
            "host,\nsynchronized",
            "operating system,\nsynchronized",
            "host, NOT\nsynchronized",
        ];
        assert_eq!(grid.header, header);
        assert_eq!(grid.rows, [["100", "0.2000", "0.2500", "0.2600", "0.2500"]]);
        // As older records are.
        assert_eq!(read(&clocks[..2]).unwrap().header.len(), 4);
    }

    #[test]
    fn no_share_is_told_of_a_missing_time_that_is_none() {
        let clocks = [
            (Scope::Kernel, 0.2),
            (Scope::HostSynced, 0.25),
            (Scope::CopyOutUnsynced, 0.2),
            (Scope::CopyOutPageable, 0.1),
            (Scope::Device, 0.2),
        ];
        let grid = with_clocks(&[(100, 2.0, &clocks)], None, |clocks| clocks.pitfall());
        assert_eq!(grid.rows[0][1..5], ["100.0%", "-", "0.004000", "-"]);
    }

    /// The sentence on both copies, from the baseline's seconds at 64, 128, 192 and 256, where the total is 1 s.
    fn crossover(baseline: [f64; 4]) -> String {
        let total = [(Scope::Host, 1.0), (Scope::Everything, 1.0)];
        let sizes: Vec<Size> = [64, 128, 192, 256]
            .into_iter()
            .zip(baseline)
            .map(|(n, seconds)| (n, seconds, &total[..]))
            .collect();
        let findings = with_clocks(&sizes, None, |clocks| clocks.findings(None));
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
    fn other_work_on_the_gpu_is_told_by_the_clocks_that_were_read_beside_it() {
        let clocks =
            |busy: f64| [(Scope::Kernel, 0.5), (Scope::KernelLoaded, busy), (Scope::HostUnsyncedLoaded, 0.5)];
        let (small, large) = (clocks(1.0), clocks(1.5));
        let sizes: [Size; 2] = [(64, 1.0, &small), (128, 1.0, &large)];
        let said = with_clocks(&sizes, None, |clocks| clocks.beside_other_work()).unwrap();
        let expected = "global-memory, times with the GPU busy over times without: 2.000 (n = 64) to 3.000 (n = 128) by \
                        events; 2.000 (n = 64) to 2.000 (n = 128) by the host's clock without synchronization.";
        assert_eq!(said, expected);
        assert_eq!(with_clocks(&[(64, 1.0, &small[..1])], None, |clocks| clocks.beside_other_work()), None);
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
}
