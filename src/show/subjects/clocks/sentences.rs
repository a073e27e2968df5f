//! What follows from the clocks, in sentences.

use super::{BASELINE, Clocks, Compared};
use crate::lists::extremes;
use crate::show::subjects::speedups::compared;
use crate::show::{Context, digits, rate_with_unit};
use crate::timing::Scope;

/// From here on a launch is large enough for its shape to show in its time.
const STEPS_FROM: usize = 256;
/// Threads a warp.
const WARP: usize = 32;

/// Of every implementation; and how those compare that the paper compares.
pub fn sentences(context: &Context) -> Vec<String> {
    let multiprocessors = context.run.device().map(|device| device.info.multiprocessors);
    let all = Clocks::every(context);
    let mut said: Vec<String> = all.iter().flat_map(|clocks| clocks.sentences(multiprocessors)).collect();
    for (faster, slower) in context.paper.map(compared).unwrap_or_default() {
        let of = |name: &str| all.iter().find(|clocks| clocks.name() == name).copied();
        let (Some(faster), Some(slower)) = (of(faster), of(slower)) else { continue };
        said.extend([Scope::Kernel, Scope::CudaGraph].into_iter().filter_map(|scope| {
            let compared = Compared::of(slower, faster, scope)?;
            let (range, longer) = (compared.range(), compared.longer());
            let (slower, faster) = (slower.name(), faster.name());
            Some(format!("{slower} takes {range} times as long as {faster}, scope {scope}; {longer}."))
        }));
    }
    said
}

impl Clocks<'_> {
    /// In sentences, from the numbers.
    pub(super) fn sentences(&self, multiprocessors: Option<u32>) -> Vec<String> {
        let mut findings = Vec::new();
        let name = self.name();
        if let Some((n, share)) = self.deepest() {
            let implied = self.implied(n, Scope::HostUnsynced).zip(self.of_peak(n, Scope::HostUnsynced));
            let peak = implied.map_or(String::new(), |(implied, of_peak)| {
                format!(
                    ", as if it did {}, {} times the add + min peak",
                    rate_with_unit(implied),
                    digits(of_peak)
                )
            });
            findings.push(format!(
                "{name}: without synchronization the host's clock reads least of the true time at n = {n}: {}% of it{peak}.",
                digits(share * 100.0)
            ));
        }
        // Both by the host's clock, as the CPU's own time is.
        for (scope, with) in [
            (Scope::Host, "both copies (page-locked)"),
            (Scope::Everything, "both copies (pageable), allocating and freeing"),
        ] {
            let both: Vec<(usize, bool)> = self
                .sizes()
                .into_iter()
                .filter_map(|n| Some((n, self.speedup(n, scope)?.median > 1.0)))
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

    /// How other work on the GPU changes the copy after launches that nobody waited for.
    pub(super) fn beside_other_work(&self) -> Option<String> {
        let ratio = |n: usize| {
            let beside = self.seconds(n, Scope::CopyOutUnsyncedLoaded)?;
            Some((n, beside / self.seconds(n, Scope::CopyOutUnsynced)?))
        };
        let ratios: Vec<(usize, f64)> = self.sizes().into_iter().filter_map(ratio).collect();
        let ((low_n, low), (high_n, high)) = extremes(&ratios)?;
        Some(format!(
            "{}: with the GPU busy the copy back after the launches takes {} (n = {low_n}) to {} (n = {high_n}) times as long.",
            self.name(),
            digits(low),
            digits(high)
        ))
    }

    /// By how much, relative, time grows from one size to the next 16 above.
    fn growth(&self, n: usize, scope: Scope) -> Option<f64> {
        Some(self.seconds(n + 16, scope)? / self.seconds(n, scope)? - 1.0)
    }

    /// Whether time steps up past multiples of multiprocessors x warp, as the paper saw on four multiprocessors: the growth
    /// from one size to the next 16 above, across such a multiple, beside the growth around it.
    pub(super) fn steps(&self, multiprocessors: Option<u32>) -> Option<String> {
        let period = multiprocessors? as usize * WARP;
        let sizes = self.sizes();
        let growth = |n: usize| self.growth(n, Scope::Kernel);
        let multiples: Vec<usize> =
            sizes.iter().copied().filter(|n| n % period == 0 && growth(*n).is_some()).collect();
        let name = self.name();
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
        let name = self.name();
        let mut said = format!(
            "{name}: from n = {STEPS_FROM} on, time as a CUDA graph grows most from {n} to {}: by {:.1}%.",
            n + 16,
            most * 100.0
        );
        if let (Some(resident), Some(multiprocessors)) = (self.resident_threads(), multiprocessors) {
            let at_once = u64::from(resident) * u64::from(multiprocessors);
            said += &format!(
                " The GPU holds {at_once} of its threads at once, one for each entry up to n = {}.",
                at_once.isqrt()
            );
        }
        Some(said)
    }

    /// Threads of its one kernel that a multiprocessor holds at once. None when it has several.
    fn resident_threads(&self) -> Option<u32> {
        let all = &self.context.run.environment()?.implementations;
        match &all.iter().find(|record| record.implementation == self.name())?.kernels[..] {
            [only] => Some(only.resources.resident_blocks * only.resources.threads),
            _ => None,
        }
    }
}
