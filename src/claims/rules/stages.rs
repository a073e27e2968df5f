//! What reading the operands of a tile in stages gains: likhoded-sipeyko-2019's generalized kernel.

use super::Question;
use crate::claims::Point;
use crate::claims::evidence::Measurements;
use crate::claims::outcome::Outcome;
use crate::claims::said::{Comparison, Contender, FigureUnit, Lack, Place, Remark, Subject};
use crate::claims::verdict::Range;
use crate::lists::distinct;
use crate::timing::{Estimate, Scope};

const NAME: &str = "generalized-blocked";
/// The paper's tile.
const TILE: u32 = 32;

/// Seconds with whole tiles in shared memory over those with the best depth of stages, at every κ.
pub fn help(question: &Question) -> Outcome {
    let found = question.evidence.fullest(&question.paper.id, |run| points(question, run));
    let Some((run, points)) = found else {
        return Outcome::lacking(Lack::NoRunOf { experiment: "stage-depth".to_string() });
    };
    let with_an_element_a_thread = |params: &str| !params.contains("rest-threads");
    let remarks = [beside(question, run, with_an_element_a_thread), beside(question, run, |_| true)];
    let remarks: Vec<Remark> = distinct(remarks.into_iter().flatten());
    Outcome::of(run.name(), Comparison::WholeTilesOverStages, FigureUnit::Times, points).remarking(remarks)
}

/// The parameters of a variant that has no others than κ and these, by κ.
fn by_kappa(run: &Measurements, stage: u32) -> Vec<(u32, String)> {
    let kappas = run.parsed_variants(NAME).into_iter().filter_map(|(parameters, _)| {
        parameters.iter().find(|(name, _)| *name == "kappa").map(|(_, kappa)| kappa)
    });
    let kappas: std::collections::BTreeSet<u32> = kappas.collect();
    let of = |kappa| Some((kappa, run.variant(NAME, &[("kappa", kappa), ("stage", stage), ("tile", TILE)])?));
    kappas.into_iter().filter_map(of).collect()
}

fn points(question: &Question, run: &Measurements) -> Vec<Point> {
    const STAGES: [u32; 3] = [4, 8, 16];
    let staged: Vec<(u32, String)> = STAGES.into_iter().flat_map(|stage| by_kappa(run, stage)).collect();
    let mut points = Vec::new();
    for (kappa, whole) in by_kappa(run, TILE) {
        for n in run.sizes_of((NAME, &whole), Scope::Kernel) {
            let ratios = staged.iter().filter(|(other, _)| *other == kappa).filter_map(|(_, params)| {
                question.evidence.ratio(run, ((NAME, params), (NAME, &whole)), n, Scope::Kernel)
            });
            let best: Option<Estimate> = ratios.max_by(|a, b| a.value.total_cmp(&b.value));
            let at = Place::at(Subject::Kappa(kappa as usize), n);
            points.extend(best.map(|ratio| Point::of(at, ratio, Range::at_least(1.0))));
        }
    }
    points
}

/// The fastest of these variants beside Lund & Smith's kernel.
fn beside(question: &Question, run: &Measurements, wanted: impl Fn(&str) -> bool) -> Option<Remark> {
    const OTHER: &str = "staged-load";
    let other = run.params_of(OTHER)?;
    let n = run.sizes_of((OTHER, &other), Scope::Kernel).into_iter().max()?;
    let ratio = |params: String| {
        let ratio = question.evidence.ratio(run, ((OTHER, &other), (NAME, &params)), n, Scope::Kernel)?;
        Some((params, ratio.value))
    };
    let all = run.variants_of(NAME).into_iter().filter(|params| wanted(params)).filter_map(ratio);
    let (params, ratio) = all.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Remark::BesideOther { best: Contender::with(NAME, &params), other: Contender::of(OTHER), ratio, n })
}
