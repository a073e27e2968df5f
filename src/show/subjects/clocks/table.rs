//! Two tables for each implementation that was read by the host's clocks.

use super::Clocks;
use crate::show::subjects::seconds::shown_sizes;
use crate::show::{Context, Grid, RATE, digits, rate as in_unit};
use crate::timing::Scope;

pub fn tables(context: &Context) -> Vec<Grid> {
    let of = |clocks: Clocks| [clocks.seconds_table(), clocks.pitfall_table()];
    Clocks::every(context).into_iter().flat_map(of).flatten().collect()
}

impl Clocks<'_> {
    fn shown(&self) -> Vec<usize> {
        let all = self.sizes();
        shown_sizes(self.context).into_iter().filter(|n| all.contains(n)).collect()
    }

    /// A row a size; a column a clock that was read.
    pub(super) fn seconds_table(&self) -> Option<Grid> {
        let scopes = [
            (Scope::Kernel, "events"),
            (Scope::CudaGraph, "events, as a\nCUDA graph"),
            (Scope::HostSynced, "host,\nsynchronized"),
            (Scope::OsSynced, "operating system,\nsynchronized"),
            (Scope::HostUnsynced, "host, NOT\nsynchronized"),
            (Scope::CopyOutUnsynced, "the copy back\nafter launches"),
            (Scope::CopyOutPageable, "a copy back\n(pageable)"),
            (Scope::CopyInPageable, "copy in\n(pageable)"),
            (Scope::Host, "all, copies\npage-locked"),
            (Scope::Everything, "all, copies pageable,\nallocating and freeing"),
            (Scope::CopyOutUnsyncedLoaded, "the copy back after\nlaunches, GPU busy"),
            (Scope::FirstHost, "first run of\na process"),
            (Scope::FirstLoad, "loading\nkernels"),
        ];
        let sizes = self.shown();
        let was_read = |(scope, _): &(Scope, &str)| sizes.iter().any(|n| self.seconds(*n, *scope).is_some());
        let read: Vec<(Scope, &str)> = scopes.into_iter().filter(was_read).collect();
        let title = format!("{}: seconds by every clock", self.name());
        let cell = |(scope, _): &(Scope, &str), n| self.seconds(n, *scope).map_or(String::new(), digits);
        Grid::by_size(title, sizes, &read, |(_, title)| title.to_string(), cell)
    }

    /// What the clock that does not wait would have had one publish.
    pub(super) fn pitfall_table(&self) -> Option<Grid> {
        let rates = ["\nit implies", "\nby events"].map(|of| format!("{RATE}{of}"));
        let or_dash = |shown: Option<String>| shown.unwrap_or("-".to_string());
        let share = |part: Option<f64>| or_dash(part.map(|part| format!("{:.1}%", part * 100.0)));
        let rate = |n: usize, scope: Scope| or_dash(self.implied(n, scope).map(in_unit));
        let of_peak =
            |n: usize, scope: Scope| or_dash(self.of_peak(n, scope).map(|times| format!("{times:.3}x")));
        let over = |n: usize, scope: Scope| or_dash(self.speedup(n, scope).map(|times| digits(times.median)));
        let is_read = |n: &usize| {
            [Scope::Kernel, Scope::HostUnsynced].iter().all(|scope| self.seconds(*n, *scope).is_some())
        };
        let title =
            format!("{}: what the host's clock without synchronization would have published", self.name());
        Grid::of_columns(
            title,
            self.shown().into_iter().filter(is_read),
            &[
                ("n", &|n| n.to_string()),
                ("it says, of the\ntrue time", &|n| share(self.pitfall(*n).map(|one| one.share.value))),
                ("missing time found in\nthe copy back", &|n| {
                    share(self.pitfall(*n).and_then(|one| one.found))
                }),
                (&rates[0], &|n| rate(*n, Scope::HostUnsynced)),
                ("of the add +\nmin peak", &|n| of_peak(*n, Scope::HostUnsynced)),
                (&rates[1], &|n| rate(*n, Scope::Kernel)),
                ("speed-up over cpu-naive:\nevents", &|n| over(*n, Scope::Kernel)),
                ("host,\nsynchronized", &|n| over(*n, Scope::HostSynced)),
                ("host, NOT\nsynchronized", &|n| over(*n, Scope::HostUnsynced)),
                ("as a CUDA\ngraph", &|n| over(*n, Scope::CudaGraph)),
                ("with copies,\npage-locked", &|n| over(*n, Scope::Host)),
                ("first run,\nhost", &|n| over(*n, Scope::FirstHost)),
            ],
        )
        .unless_empty()
    }
}
