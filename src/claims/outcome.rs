//! From comparisons to a verdict.

use super::effect::Effect;
use super::said::{Comparison, FigureUnit, Lack, Place, Remark, Shown, Subject};
use super::settings::Settings;
use super::verdict::{Range, Verdict, decide, judge, share};
use super::{ClaimResult, Point};
use crate::timing::Estimate;

/// What a rule found, before it is a verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What was compared with what; None where nothing was.
    pub comparison: Option<Comparison>,
    pub unit: FigureUnit,
    pub points: Vec<Point>,
    /// The runs that the numbers come from.
    pub runs: Vec<String>,
    /// Why there is no verdict, where there are no points.
    pub lack: Option<Lack>,
    /// What to show as measured: where nothing may be compared, or where the points are figures of several kinds.
    pub shown: Option<Shown>,
    pub remarks: Vec<Remark>,
}

impl Point {
    /// Compares `measured`, whose interval includes the noise, with `published`.
    pub fn of(at: Place, measured: Estimate, published: Range) -> Self {
        Self { at, published, measured, verdict: judge(measured, published) }
    }

    /// The same at n vertices.
    pub fn at_n(n: usize, measured: Estimate, published: Range) -> Self {
        Self::of(Place::n(n), measured, published)
    }

    /// The same of something that is known exactly.
    pub fn exact(subject: Subject, value: f64, published: Range) -> Self {
        Self::of(Place::of(subject), Estimate::exact(value), published)
    }
}

impl Outcome {
    /// Figures of `run` in this unit, with this description of the comparison.
    pub fn of(run: String, comparison: Comparison, unit: FigureUnit, points: Vec<Point>) -> Self {
        Self { comparison: Some(comparison), unit, points, runs: vec![run], ..Self::default() }
    }

    /// Nothing to compare, and why.
    pub fn lacking(lack: Lack) -> Self {
        Self { lack: Some(lack), ..Self::default() }
    }

    /// What `run` shows beside the claim, and why the two are not compared.
    pub fn shown(run: String, shown: Shown, lack: Lack) -> Self {
        Self { shown: Some(shown), runs: vec![run], ..Self::lacking(lack) }
    }

    pub fn remarking(mut self, remarks: impl IntoIterator<Item = Remark>) -> Self {
        self.remarks.extend(remarks);
        self
    }

    /// From its comparisons; without any, from what it lacks.
    pub fn verdict(&self) -> Verdict {
        let lacking = || self.lack.as_ref().map_or(Verdict::NotMeasured, Lack::verdict);
        decide(self.points.iter().map(|point| point.verdict)).unwrap_or_else(lacking)
    }

    pub(super) fn into_result(self, machine: &str, settings: &Settings) -> ClaimResult {
        let readings = if self.points.is_empty() { Vec::new() } else { settings.asked() };
        ClaimResult {
            machine: machine.to_string(),
            verdict: self.verdict(),
            share: share(self.points.iter().map(|point| point.verdict)),
            effect: Effect::of(&self.points),
            comparison: self.comparison,
            unit: self.unit,
            readings,
            shown: self.shown,
            lack: self.lack.filter(|_| self.points.is_empty()),
            remarks: self.remarks,
            cause: None,
            turns: Vec::new(),
            points: self.points,
            runs: self.runs,
        }
    }
}
