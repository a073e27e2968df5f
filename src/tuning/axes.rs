//! The parameters of an implementation as the axes of a search.

use super::search::{Point, Space};
use crate::distributed::solver::{DEVICES, ROWS};
use crate::graph::ElementType;
use crate::implementation::{HALF, Implementation, Parameter, Parameters};
use std::collections::BTreeSet;

/// A range of more values than this is searched by some of them.
const MOST_OF_A_RANGE: u32 = 64;

/// The values that each parameter may have in a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    axes: Vec<(Parameter, Vec<u32>)>,
}

impl Axes {
    /// Those of an implementation. Empty where no parameter has a second value. How many devices share a matrix is not searched: that is
    /// a question about the machine. Whether half of the tasks suffice is one about the graph.
    pub fn of(implementation: &Implementation) -> Self {
        // Not by name: a user kernel's parameter may be called so, too.
        let is_searched = |parameter: &&Parameter| ![DEVICES, ROWS, HALF].contains(parameter);
        let axis = |parameter: &Parameter| {
            let listed = implementation.method.values(parameter);
            let values: BTreeSet<u32> = match listed {
                Some(listed) => listed.into_iter().collect(),
                None => of_range(parameter),
            };
            (*parameter, values.into_iter().collect::<Vec<u32>>())
        };
        let all = implementation.parameters.iter().filter(is_searched).map(axis);
        Self { axes: all.filter(|(_, values)| values.len() > 1).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.axes.is_empty()
    }

    /// The names of the parameters.
    pub fn names(&self) -> Vec<String> {
        self.axes.iter().map(|(parameter, _)| parameter.name.to_string()).collect()
    }

    /// Every value that a set of parameters gives, one an axis.
    pub fn values(&self, parameters: &Parameters) -> Vec<u32> {
        self.axes.iter().map(|(parameter, _)| parameters.get(parameter)).collect()
    }

    /// The parameters at a point, without those that are at their defaults.
    pub fn parameters(&self, point: &Point) -> Parameters {
        let set = self.axes.iter().zip(point).map(|((parameter, values), &at)| (parameter, values[at]));
        let others = set.filter(|(parameter, value)| *value != parameter.default);
        others.map(|(parameter, value)| (parameter.name, value)).collect()
    }

    /// The points that the implementation takes at `n` in this type of distance and that solve all of the problem; the defaults first.
    pub fn space<'a>(
        &'a self,
        implementation: &'a Implementation,
        n: usize,
        element: ElementType,
    ) -> Space<'a> {
        let at_default =
            |(parameter, values): &(Parameter, Vec<u32>)| values.binary_search(&parameter.default);
        Space {
            lengths: self.axes.iter().map(|(_, values)| values.len()).collect(),
            first: self.axes.iter().map(|axis| at_default(axis).unwrap_or(0)).collect(),
            accepts: Box::new(move |point| {
                let parameters = self.parameters(point);
                implementation.check(&parameters).is_ok()
                    && implementation.fits(n, &parameters).is_ok()
                    && implementation.takes(element, &parameters).is_ok()
                    && implementation.method.iterations(n, &parameters) == n
            }),
        }
    }
}

/// All values of a narrow range. Of a wide one its ends, the default, powers of two and one and a half times these: a step from 512 to
/// 513 would show nothing.
fn of_range(parameter: &Parameter) -> BTreeSet<u32> {
    let Parameter { lowest, highest, default, .. } = *parameter;
    if highest - lowest < MOST_OF_A_RANGE {
        return (lowest..=highest).collect();
    }
    let powers = (0..u32::BITS).map(|power| 1_u32 << power);
    let between = powers.flat_map(|power| [power, power.saturating_add(power / 2)]);
    between.chain([lowest, highest, default]).filter(|value| (lowest..=highest).contains(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementation::find;

    #[test]
    fn a_narrow_range_has_all_its_values_and_a_wide_one_some() {
        let range = |lowest, highest| Parameter { name: "x", meaning: "", default: lowest, lowest, highest };
        assert_eq!(of_range(&range(2, 5)).into_iter().collect::<Vec<_>>(), [2, 3, 4, 5]);
        let wide: Vec<u32> = of_range(&range(0, 100)).into_iter().collect();
        assert_eq!(wide, [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 100]);
        assert!(of_range(&range(0, u32::MAX)).len() < 70);
    }

    #[test]
    fn points_are_written_without_defaults_and_the_defaults_come_first() {
        let implementation = find("generalized-blocked").unwrap();
        let axes = Axes::of(&implementation);
        let space = axes.space(&implementation, 64, ElementType::F32);
        assert_eq!(axes.parameters(&space.first), Parameters::default());
        let mut other = space.first.clone();
        let tile = axes.names().iter().position(|name| name == "tile").unwrap();
        other[tile] = 0;
        assert_eq!(axes.parameters(&other).to_string(), "tile=8");
        assert!((space.accepts)(&other));
        other[tile] = 1;
        assert!(!(space.accepts)(&other), "9 is no side of a tile");
    }

    #[test]
    fn neither_devices_nor_solves_that_are_cut_short_are_searched() {
        crate::distributed::register();
        let distributed = Axes::of(&find("distributed-blocked").unwrap());
        assert!(!distributed.names().iter().any(|name| name == "devices" || name == "rows"));
        assert!(Axes::of(&find("cpu-parallel").unwrap()).is_empty());
        let naive = find("cpu-naive").unwrap();
        let axes = Axes::of(&naive);
        let space = axes.space(&naive, 64, ElementType::F32);
        let points = (0..space.lengths[0]).map(|at| vec![at, 0]);
        let whole = points.filter(|point| (space.accepts)(point));
        assert!(whole.map(|point| axes.values(&axes.parameters(&point))[0]).all(|k| k == 0 || k >= 64));
    }
}
