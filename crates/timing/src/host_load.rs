//! How much of the host's CPU time others use, as Linux counts it: a solve on cores that others use, too, is timed with them.

use std::fs;
use std::ops::RangeInclusive;
use std::os::unix::process::parent_id;
use std::thread;
use std::time::Duration;

/// The share of the time of a solve's cores that others may use before a cell counts as measured under load. Others that run on the same
/// cores lengthen a solve by as much at least, and samples on a quiet host differ by less.
pub const LOADED: f64 = 0.1;

/// The unit of `/proc/stat`, on every Linux that Rust's standard library runs on.
const TICK: Duration = Duration::from_millis(10);

/// The shortest window, in ticks: one more or less is 2% of it.
const LEAST_TICKS: u64 = 50;

/// Counters of CPU time since the host was started, in ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Snapshot {
    /// All ticks of the cores that this run may use, whatever these did.
    all: u64,
    /// Ticks in which those cores were not idle. What a hypervisor gave to others is among them.
    busy: u64,
    cores: u64,
    /// Ticks of this run: of the runner, which started this worker, and of all below it.
    own: u64,
}

/// Watches what others use from one sample to the next.
pub struct HostMonitor {
    windows: LoadWindows,
    start: Option<Snapshot>,
}

impl Default for HostMonitor {
    fn default() -> Self {
        Self { windows: LoadWindows { earlier: read(), last: None }, start: None }
    }
}

impl HostMonitor {
    /// How many cores others used, on average, since the last window ended. The first window is waited for: many short cells may be over
    /// before half a second is. None where the system does not provide it.
    pub fn until_now(&mut self) -> Option<f64> {
        self.windows.end(None, read()?).or_else(|| {
            thread::sleep(TICK * LEAST_TICKS as u32);
            self.windows.end(None, read()?)
        })
    }

    /// A sample begins.
    pub fn start(&mut self) {
        self.start = read();
    }

    /// It has ended: how many cores others used over it, or over the half second and more around it where it was too short.
    pub fn stop(&mut self) -> Option<f64> {
        let start = self.start.take();
        self.windows.end(start, read()?)
    }
}

/// The windows between looks.
struct LoadWindows {
    /// When the last window ended.
    earlier: Option<Snapshot>,
    /// Its result.
    last: Option<f64>,
}

impl LoadWindows {
    /// The load in the window from `start` to `now`. Where that is too short, the load since the last window ended; where that is too short
    /// as well, the last load.
    fn end(&mut self, start: Option<Snapshot>, now: Snapshot) -> Option<f64> {
        let share = [start, self.earlier].into_iter().flatten().find_map(|from| others(from, now));
        if share.is_some() || self.earlier.is_none() {
            self.earlier = Some(now);
        }
        self.last = share.or(self.last);
        self.last
    }
}

/// How many cores others kept busy between two looks. None where these are too close to each other.
fn others(from: Snapshot, to: Snapshot) -> Option<f64> {
    let elapsed = to.all.saturating_sub(from.all) as f64 / to.cores.max(1) as f64;
    let busy = to.busy.saturating_sub(from.busy);
    let others = busy.saturating_sub(to.own.saturating_sub(from.own)) as f64;
    (elapsed >= LEAST_TICKS as f64).then(|| others / elapsed)
}

/// Reads the counters. None where there are no such files.
fn read() -> Option<Snapshot> {
    let own = ticks_from(parent_id())?;
    parse(&fs::read_to_string("/proc/stat").ok()?, &allowed().unwrap_or_else(|| vec![0..=usize::MAX]), own)
}

/// The cores that this run may use: those of the process that started this one, which may have pinned itself to some of them.
fn allowed() -> Option<Vec<RangeInclusive<usize>>> {
    cores(&fs::read_to_string(format!("/proc/{}/status", parent_id())).ok()?)
}

/// The cores in the status of a process: `Cpus_allowed_list:  0-15,32`.
fn cores(status: &str) -> Option<Vec<RangeInclusive<usize>>> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.trim().split(',').map(range).collect()
}

/// Ticks of a process and of all below it: a worker starts programs, and these have processes of their own. Those that have ended count
/// in what started them; one that ends between two lines here does when the next look comes.
fn ticks_from(process: u32) -> Option<u64> {
    let own = ticks(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)?;
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let below = |children: String| -> u64 {
        children.split_whitespace().filter_map(|child| ticks_from(child.parse().ok()?)).sum()
    };
    Some(own + children.map(below).sum::<u64>())
}

/// Ticks of a process and of those that it started and that have ended.
fn ticks(stat: &str) -> Option<u64> {
    // The program's name may hold anything, and ends with the last bracket; the third field follows.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (14..=17).map(|number| fields.get(number - 3)?.parse::<u64>().ok()).sum()
}

/// Adds up the lines of single cores, `cpu3 1 2 ...`, for the cores that are `allowed`.
fn parse(host: &str, allowed: &[RangeInclusive<usize>], own: u64) -> Option<Snapshot> {
    let mut sum = Snapshot { all: 0, busy: 0, cores: 0, own };
    for line in host.lines().skip(1).map_while(|line| line.strip_prefix("cpu")) {
        let (core, ticks) = line.split_once(' ')?;
        let core: usize = core.parse().ok()?;
        let ticks: Vec<u64> = ticks.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        // User, nice, system, idle, waiting, interrupts of two kinds, stolen; what follows is part of the first two.
        let &[user, nice, system, idle, waiting, irq, soft_irq, stolen, ..] = &ticks[..] else { return None };
        if allowed.iter().any(|range| range.contains(&core)) {
            let busy = user + nice + system + irq + soft_irq + stolen;
            sum = Snapshot {
                all: sum.all + busy + idle + waiting,
                busy: sum.busy + busy,
                cores: sum.cores + 1,
                own,
            };
        }
    }
    (sum.cores > 0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cores after so many ticks each, of which this run and others used some.
    fn at(ticks: u64, own: u64, others: u64) -> Snapshot {
        Snapshot { all: 2 * ticks, busy: own + others, cores: 2, own }
    }

    #[test]
    fn counters_are_read_as_linux_writes_them() {
        let host =
            "cpu  10 20 30 400 50 6 7 8 9 1\ncpu0 1 2 3 4 5 6 7 8 9 1\ncpu1 2 2 3 9 5 6 7 8 9 1\nintr 5\n";
        let of = |allowed: &str| parse(host, &cores(allowed).unwrap(), 9);
        assert_eq!(of("Cpus_allowed_list:\t0-3\n"), Some(Snapshot { all: 78, busy: 55, cores: 2, own: 9 }));
        // What is done on cores that this run may not use takes nothing from it.
        let second = "Name:\tx\nCpus_allowed_list:\t1,5-7\nMems_allowed_list:\t0\n";
        assert_eq!(of(second), Some(Snapshot { all: 42, busy: 28, cores: 1, own: 9 }));
        assert_eq!(of("Cpus_allowed_list:\t2"), None);
        assert!(cores("Cpus_allowed:\tf\n").is_none() && cores("Cpus_allowed_list:\tx").is_none());
        assert!(["", "cpu  1 2\n", "cpu x\ncpu0 1\n"].iter().all(|host| parse(host, &[0..=9], 9).is_none()));
        assert_eq!(ticks("42 (a (b) c) R 41 2 3 4 5 6 7 8 9 10 77 5 30 3 20"), Some(115));
        assert_eq!(ticks("42 (a) R 1"), None);
    }

    #[test]
    fn what_this_run_did_not_use_and_nobody_left_idle_others_used() {
        assert_eq!(others(at(100, 10, 5), at(200, 110, 30)), Some(0.25));
        assert_eq!(others(at(100, 0, 0), at(200, 0, 150)), Some(1.5));
        // The two are not counted at the same moment.
        let ahead = Snapshot { own: 120, ..at(200, 110, 0) };
        assert_eq!(others(at(100, 10, 0), ahead), Some(0.0));
        assert_eq!(others(at(100, 0, 0), at(149, 0, 0)), None);
    }

    #[test]
    fn a_short_sample_has_what_the_time_around_it_says_and_a_long_one_its_own() {
        let mut windows = LoadWindows { earlier: Some(at(0, 0, 0)), last: None };
        assert_eq!(windows.end(Some(at(10, 0, 0)), at(20, 0, 20)), None);
        assert_eq!(windows.end(Some(at(50, 0, 40)), at(60, 0, 60)), Some(1.0));
        assert_eq!(windows.end(Some(at(60, 0, 60)), at(80, 0, 60)), Some(1.0));
        assert_eq!(windows.end(Some(at(100, 0, 300)), at(200, 0, 350)), Some(0.5));
        assert_eq!(windows.end(None, at(300, 0, 350)), Some(0.0));
        // Counters that do not move carry no information.
        let mut none = LoadWindows { earlier: None, last: None };
        assert!((0..3).all(|_| none.end(Some(at(0, 0, 0)), at(0, 0, 0)).is_none()));
    }

    #[test]
    fn what_a_program_of_this_run_starts_is_of_this_run_while_it_lives_and_after() {
        // The shell that counts is a child of another, which then waits for a minute under the same number.
        let counting = "sh -c 'i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done'; exec sleep 60";
        let mut outer = std::process::Command::new("sh").args(["-c", counting]).spawn().unwrap();
        let used = || ticks_from(outer.id()).unwrap();
        let until = |wanted: &dyn Fn() -> bool| {
            (0..1000).any(|_| {
                thread::sleep(TICK);
                wanted()
            })
        };
        let is_there = || fs::read_to_string(format!("/proc/{}/comm", outer.id())).unwrap() == "sleep\n";
        let while_it_lives = until(&|| !is_there() && used() >= 5);
        let after = until(&is_there) && used() >= 5;
        outer.kill().unwrap();
        outer.wait().unwrap();
        assert!(while_it_lives && after);
    }

    #[test]
    fn this_system_tells() {
        let snapshot = read().unwrap();
        assert!(snapshot.cores > 0 && snapshot.busy <= snapshot.all);
        let mut monitor = HostMonitor::default();
        monitor.start();
        // Half a second is not over.
        assert_eq!(monitor.stop(), None);
    }
}
