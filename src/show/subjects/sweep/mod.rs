//! A swept parameter: a row a value, a column a size and whatever other parameters there are.

mod figure;
mod sentences;

pub use figure::{absolute, figures};
pub use sentences::sentences;

use crate::implementation::Parameters;
use crate::lists::grouped;
use crate::show::{Column, Context, Grid, Time, digits};
use crate::timing::Scope;
use std::collections::BTreeSet;

/// Seconds launch by launch and, where they were measured, as one CUDA graph, each with how many times faster it is than the
/// lowest value of its column.
pub fn tables(context: &Context) -> Vec<Grid> {
    let of = |(implementation, parameter): (String, String)| {
        let ways = [
            (Scope::Kernel, "launch by launch (scope kernel)"),
            (Scope::CudaGraph, "as one CUDA graph (scope cuda-graph)"),
        ];
        ways.map(|(scope, how)| {
            let families = context.families(&implementation, &parameter, scope);
            table(&format!("{implementation}: seconds by {parameter}, {how}"), &parameter, &families)
        })
    };
    context.swept().into_iter().flat_map(of).flatten().collect()
}

/// A row a value, a column a family.
fn table(title: &str, parameter: &str, families: &[Family]) -> Option<Grid> {
    let values: BTreeSet<u32> = families.iter().flat_map(|one| &one.timed).map(|one| one.value).collect();
    let rows = values.iter().map(|value| {
        let cells = families.iter().map(|family| match family.timed.iter().find(|one| one.value == *value) {
            Some(here) => {
                let gain = family.timed[0].time.median / here.time.median;
                format!("{} ({gain:.3}x)", digits(here.time.median))
            }
            None => String::new(),
        });
        std::iter::once(value.to_string()).chain(cells).collect()
    });
    let header = std::iter::once(parameter.to_string()).chain(families.iter().map(Family::label));
    Grid::new(title, header, rows).unless_empty()
}

/// A parameter of an implementation that is swept.
pub struct Sweep<'a> {
    context: &'a Context<'a>,
    pub implementation: String,
    pub parameter: String,
    /// By n, then the other parameters; times of scope kernel.
    families: Vec<Family<'a>>,
    copy_gbs: Option<f64>,
}

impl<'a> Sweep<'a> {
    pub fn all(context: &'a Context) -> Vec<Self> {
        let swept = context.swept().into_iter();
        swept.map(|(implementation, parameter)| Self::of(context, implementation, parameter)).collect()
    }

    fn of(context: &'a Context, implementation: String, parameter: String) -> Self {
        let families = context.families(&implementation, &parameter, Scope::Kernel);
        let copy_gbs = context.device().map(|device| device.copy_gbs);
        Self { context, implementation, parameter, families, copy_gbs }
    }

    /// What was measured at n without other parameters.
    pub fn plain(&self, n: usize) -> Option<&Family<'a>> {
        self.families.iter().find(|family| family.n == n && family.others.is_empty())
    }
}

/// What was measured of a swept parameter at one n, the other parameters equal.
pub struct Family<'a> {
    pub n: usize,
    /// The other parameters as records write them.
    pub others: String,
    /// Whether it is what others are held against: that without other parameters, or where there is none the first.
    pub is_plain: bool,
    /// By value, ascending; never empty.
    pub timed: Vec<Timed<'a>>,
}

/// A value that was timed.
#[derive(Clone, Copy)]
pub struct Timed<'a> {
    pub value: u32,
    pub column: &'a Column,
    pub time: Time,
}

/// The one that takes least.
fn fastest<'a, 'b>(timed: &'b [Timed<'a>]) -> Option<&'b Timed<'a>> {
    timed.iter().min_by(|a, b| a.time.median.total_cmp(&b.time.median))
}

impl Family<'_> {
    pub fn label(&self) -> String {
        match self.others.as_str() {
            "" => format!("n = {}", self.n),
            others => format!("n = {}\n{others}", self.n),
        }
    }
}

impl Context<'_> {
    /// What a clock says of every value of a parameter of an implementation, by n and the other parameters.
    fn families(&self, implementation: &str, parameter: &str, scope: Scope) -> Vec<Family<'_>> {
        let of_it = self.columns.iter().filter(|column| column.implementation == implementation);
        let swept: Vec<_> = of_it.filter_map(|column| Some((column, split(column, parameter)?))).collect();
        let places = self.sizes().into_iter().flat_map(|n| swept.iter().map(move |one| (n, one)));
        let timed = places.filter_map(|(n, (column, (value, others)))| {
            Some(((n, others.clone()), Timed { value: *value, column, time: self.at(column, n, scope)? }))
        });
        let all = grouped(timed);
        let mut names = all.iter().map(|((_, others), _)| others.clone());
        let plain = names.clone().find(String::is_empty).or_else(|| names.next());
        all.into_iter()
            .map(|((n, others), mut timed)| {
                timed.sort_by_key(|one| one.value);
                Family { n, is_plain: Some(&others) == plain.as_ref(), others, timed }
            })
            .collect()
    }
}

/// The value of `parameter` of a column, and its other parameters. None when it does not set it.
pub fn split(column: &Column, parameter: &str) -> Option<(u32, String)> {
    let (own, others) = column.params.parse::<Parameters>().ok()?.split(|name| name == parameter);
    let (_, value) = own.iter().next()?;
    Some((value, others.to_string()))
}
