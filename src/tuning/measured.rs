//! The experiment of a search: how its points are measured.

use super::axes::Axes;
use crate::device::Selection;
use crate::graph::ElementType;
use crate::implementation::Implementation;
use crate::plan::{ConfigError, Experiment, ExperimentFile, Overrides, Searched, resolve};

/// What stands for the name in the experiment.
const STAND_IN: &str = "IMPLEMENTATION";
const FILE: &str = include_str!("measure.toml");
/// Of the points that there may be, one of so many is random; with a limit of seconds alone, so many are.
const RANDOM_SHARE: usize = 3;
const RANDOM_WITHOUT_END: usize = 8;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub n: usize,
    pub element: ElementType,
    pub device: Selection,
}

/// How far a search goes. Without any limit it ends where there is no further point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    pub seed: u64,
    pub points: Option<usize>,
    pub seconds: Option<f64>,
}

/// The experiment of a search for parameters of `implementation`. Its only column is that of the defaults.
///
/// # Errors
/// When the implementation does not take n, the type of distance or the device.
pub fn experiment(
    implementation: &Implementation,
    axes: &Axes,
    measured: Measured,
    budget: Budget,
) -> Result<Experiment, ConfigError> {
    let name = &*implementation.name;
    let file = ExperimentFile::parse(&format!("tune-{name}"), "tune", &FILE.replace(STAND_IN, name))?;
    let overrides = Overrides {
        sizes: Some(vec![measured.n]),
        elements: Some(vec![measured.element]),
        // Other user kernels that were given are no part of it.
        only: Some(vec![name.to_string()]),
        ..Overrides::default()
    };
    let experiment = resolve(&file, &overrides, measured.device)?;
    let Budget { seed, points, seconds } = budget;
    let random = points.map_or(RANDOM_WITHOUT_END, |points| points.div_ceil(RANDOM_SHARE));
    let search = Searched { seed, points, seconds, random, spent_s: 0.0, ended: false, best: None };
    Ok(Experiment { tunes: axes.names(), search: Some(search), ..experiment })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementation::find;

    #[test]
    fn a_search_measures_one_implementation_at_one_n_in_one_type() {
        let found = find("generalized-blocked").unwrap();
        let measured = Measured { n: 96, element: ElementType::I32, device: Selection::Emulated(None) };
        let budget = Budget { seed: 3, points: Some(10), seconds: None };
        let experiment = experiment(&found, &Axes::of(&found), measured, budget).unwrap();
        assert_eq!(experiment.name, "tune-generalized-blocked");
        assert_eq!((experiment.columns.len(), &experiment.columns[0].count_sizes[..]), (1, &[96][..]));
        assert_eq!(experiment.elements(), [ElementType::I32]);
        assert!(experiment.tunes.contains(&"kappa".to_string()));
        assert_eq!(experiment.search.unwrap().random, 4);
    }
}
