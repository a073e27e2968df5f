//! What was collected against the baseline: what rose, what fell, what is not of this program, what could not be compared.

use super::baseline::Baseline;
use super::collect::Collection;
use super::figure::{Figure, KernelKey, Sense, Tool, Value};
use super::{ARCHITECTURE, N};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How a figure differs from the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    Rose,
    Fell,
    /// A figure of which neither more nor less is better.
    Changed,
    NotInBaseline,
    Gone,
}

/// A figure that is another one than in the baseline, or a whole kernel that only one of both has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    #[serde(flatten)]
    pub key: KernelKey,
    /// None: all of them.
    pub figure: Option<Figure>,
    pub change: Change,
    pub baseline: Option<Value>,
    pub here: Option<Value>,
}

impl Difference {
    /// Whether the check fails for it.
    pub fn fails(&self) -> bool {
        self.change != Change::Fell
    }
}

/// The kernel, the figure, both values and by how much they differ, in one line.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let figure = self.figure.map(|figure| format!(" {}", figure.name())).unwrap_or_default();
        write!(f, "{}{figure}", self.key)?;
        match (self.change, self.baseline, self.here) {
            (Change::NotInBaseline, ..) => f.write_str(" is not in the baseline"),
            (Change::Gone, ..) => f.write_str(" is in the baseline and no longer here"),
            (change, Some(baseline), Some(here)) => {
                let verb = match change {
                    Change::Rose => "rose",
                    Change::Fell => "fell",
                    _ => "changed",
                };
                write!(f, " {verb} from {baseline} to {here} ({})", percent(baseline, here))
            }
            _ => Ok(()),
        }
    }
}

fn percent(baseline: Value, here: Value) -> String {
    match baseline.as_f64() {
        0.0 => "from nothing".to_string(),
        before => {
            let change = 100.0 * (here.as_f64() / before - 1.0);
            // A small change is still a change.
            let decimals = if change.abs() < 0.1 { 4 } else { 1 };
            format!("{change:+.decimals$}%")
        }
    }
}

/// Everything that a check has to say.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// How many figures both have.
    pub compared: usize,
    pub differences: Vec<Difference>,
    /// Kernels that gave a wrong result or none, and a baseline that is of another graph or architecture, a line each.
    pub wrong: Vec<String>,
    /// What could not be compared for want of a tool, a line each.
    pub not_compared: Vec<String>,
    /// What may explain a difference, a line each.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Whether a figure rose, or anything else is not as it was and not better.
    pub fn fails(&self) -> bool {
        !self.wrong.is_empty() || self.differences.iter().any(Difference::fails)
    }
}

/// A line for each thing to know: first what fails, last the sum of it.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.wrong.iter().try_for_each(|wrong| writeln!(f, "{wrong}"))?;
        let (fails, better): (Vec<_>, Vec<_>) = self.differences.iter().partition(|one| one.fails());
        fails.iter().try_for_each(|difference| writeln!(f, "{difference}"))?;
        better.iter().try_for_each(|difference| writeln!(f, "{difference}"))?;
        self.not_compared.iter().try_for_each(|what| writeln!(f, "not compared: {what}"))?;
        if !self.differences.is_empty() {
            self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        }
        let failed = self.wrong.len() + fails.len();
        match (failed, better.len()) {
            (0, 0) => writeln!(f, "{} figures compared, all as in the baseline", self.compared),
            (0, fell) => writeln!(
                f,
                "{} figures compared, {fell} fell and none rose: keep the gain with repro counts --update",
                self.compared
            ),
            (failed, _) => writeln!(
                f,
                "{} figures compared, {failed} not as in the baseline: if that is meant, repro counts --update",
                self.compared
            ),
        }
    }
}

/// Compares what was collected with `baseline`, for the implementations that `only` names, or for all.
pub fn compare(baseline: &Baseline, collection: &Collection, only: Option<&BTreeSet<String>>) -> Comparison {
    let mut comparison = Comparison::default();
    comparison.wrong.extend(collection.failed.iter().map(|failed| match failed.params.as_str() {
        "" => format!("{}: {}", failed.implementation, failed.message),
        params => format!("{} ({params}): {}", failed.implementation, failed.message),
    }));
    let tools = comparable(baseline, collection, &mut comparison);
    let is_compared = |key: &KernelKey, figure: Figure| {
        let failed = collection.failed.iter().any(|failed| {
            (&failed.implementation, &failed.params) == (&key.implementation, &key.params)
                && failed.tools.contains(&figure.tool())
        });
        tools.contains(&figure.tool()) && !failed
    };
    let keys: BTreeSet<&KernelKey> = baseline.figures.keys().chain(collection.figures.keys()).collect();
    for key in keys {
        if only.is_some_and(|only| !only.contains(&key.implementation)) {
            continue;
        }
        let compared = |figures: Option<&BTreeMap<Figure, Value>>| -> BTreeMap<Figure, Value> {
            let figures = figures.into_iter().flatten();
            figures.map(|(&figure, &value)| (figure, value)).filter(|one| is_compared(key, one.0)).collect()
        };
        let (before, here) = (compared(baseline.figures.get(key)), compared(collection.figures.get(key)));
        comparison.add_kernel(key, &before, &here);
    }
    comparison
}

impl Comparison {
    fn add_kernel(
        &mut self,
        key: &KernelKey,
        before: &BTreeMap<Figure, Value>,
        here: &BTreeMap<Figure, Value>,
    ) {
        let mut add = |figure, change, baseline, here| {
            self.differences.push(Difference { key: key.clone(), figure, change, baseline, here });
        };
        match (before.is_empty(), here.is_empty()) {
            (true, true) => return,
            (true, false) => return add(None, Change::NotInBaseline, None, None),
            (false, true) => return add(None, Change::Gone, None, None),
            (false, false) => {}
        }
        for &figure in Figure::ALL {
            let (then, now) = (before.get(&figure).copied(), here.get(&figure).copied());
            match (then, now) {
                (None, None) => {}
                (None, Some(_)) => add(Some(figure), Change::NotInBaseline, then, now),
                (Some(_), None) => add(Some(figure), Change::Gone, then, now),
                (Some(before), Some(here)) => {
                    self.compared += 1;
                    let change = match (here.compare(before), figure.sense()) {
                        (Ordering::Equal, _) => continue,
                        (_, Sense::Neutral) => Change::Changed,
                        (Ordering::Greater, Sense::LessIsBetter) => Change::Rose,
                        (Ordering::Less, Sense::LessIsBetter) => Change::Fell,
                    };
                    add(Some(figure), change, then, now);
                }
            }
        }
    }
}

/// The tools whose figures both have, counted the same way; says of all others why not.
fn comparable(baseline: &Baseline, collection: &Collection, comparison: &mut Comparison) -> Vec<Tool> {
    let update = "repro counts --update makes one of this program";
    if baseline.n != N {
        comparison.wrong.push(format!("the baseline is of n = {} and not of {N}: {update}", baseline.n));
    }
    if baseline.architecture != ARCHITECTURE {
        let other = &baseline.architecture;
        comparison.wrong.push(format!("the baseline is of {other} and not of {ARCHITECTURE}: {update}"));
    }
    let mut tools = Vec::new();
    for tool in Tool::ALL {
        let of_tool = baseline.tools.get(&tool);
        let figures = match tool {
            Tool::Emulated => "what the emulated device counts",
            Tool::Nvrtc => "registers, spills and shared memory",
            Tool::Disassembler => "the innermost loops",
        };
        match (of_tool, collection.tools.get(&tool)) {
            (None, _) => comparison.not_compared.push(format!("{figures}: the baseline has none of it")),
            (_, None) => {}
            (_, Some(Err(why))) => comparison.not_compared.push(format!("{figures}: {why}")),
            (Some(before), Some(Ok(here))) => {
                if tool == Tool::Nvrtc && before != here {
                    // Another compiler makes other code of the same kernel.
                    comparison.not_compared.push(format!(
                        "{figures}: the baseline is of NVRTC {before} and here is {here}: scripts/fetch nvrtc gets the pinned one, \
                         REPRO_NVRTC chooses"
                    ));
                    continue;
                }
                if tool == Tool::Disassembler && !tools.contains(&Tool::Nvrtc) {
                    comparison.not_compared.push(format!("{figures}: they are of NVRTC's code"));
                    continue;
                }
                // G++ and Clang++ of today give the same counts, and listings do not differ between disassemblers.
                if before != here {
                    comparison.notes.push(format!(
                        "the baseline's {} is {before}, that of this machine is {here}",
                        tool.name()
                    ));
                }
                let same = match tool {
                    Tool::Emulated => baseline.n == N,
                    Tool::Nvrtc | Tool::Disassembler => baseline.architecture == ARCHITECTURE,
                };
                tools.extend(same.then_some(tool));
            }
        }
    }
    tools
}

#[cfg(test)]
mod tests;
