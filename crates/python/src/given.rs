//! A graph as the Python half hands it over.

use crate::device::Number;
use crate::error::raise;
use crate::file::FileGraph;
use crate::form::Form;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use shortest_paths::read::AnyGraph;

/// A graph in one of the forms of `_graphs.Form`, whose arrays nobody may write to by NumPy meanwhile.
pub enum Given<'py> {
    F32(Held<'py, f32>),
    F64(Held<'py, f64>),
    I32(Held<'py, i32>),
    U16(Held<'py, u16>),
    /// What was read from a file.
    File(Bound<'py, FileGraph>),
}

/// Arrays of NumPy.
pub enum Held<'py, T: Number> {
    Dense {
        weights: PyReadonlyArray2<'py, T>,
        zeros_absent: bool,
    },
    Csr32 {
        n: usize,
        offsets: Ints<'py, i32>,
        heads: Ints<'py, i32>,
        weights: PyReadonlyArray1<'py, T>,
        both_ways: bool,
    },
    Csr64 {
        n: usize,
        offsets: Ints<'py, i64>,
        heads: Ints<'py, i64>,
        weights: PyReadonlyArray1<'py, T>,
        both_ways: bool,
    },
    Arcs {
        n: Option<usize>,
        ends: [Ints<'py, i64>; 2],
        weights: PyReadonlyArray1<'py, T>,
        both_ways: bool,
    },
}

type Ints<'py, I> = PyReadonlyArray1<'py, I>;

/// What is borrowed of a graph, for any thread.
pub enum Lent<'a> {
    F32(Form<'a, f32>),
    F64(Form<'a, f64>),
    I32(Form<'a, i32>),
    U16(Form<'a, u16>),
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(graph) = object.cast::<FileGraph>() {
            return Ok(Self::File(graph.to_owned()));
        }
        let form = object.cast::<PyTuple>()?;
        let weights = form.get_item(form.len().saturating_sub(1))?;
        match weights.getattr("dtype")?.getattr("name")?.extract::<String>()?.as_str() {
            "float32" => Ok(Self::F32(Held::of(form.as_any(), &weights)?)),
            "float64" => Ok(Self::F64(Held::of(form.as_any(), &weights)?)),
            "int32" => Ok(Self::I32(Held::of(form.as_any(), &weights)?)),
            "uint16" => Ok(Self::U16(Held::of(form.as_any(), &weights)?)),
            other => Err(raise("GraphTypeError", (format!("{other} is no type of weights"),))),
        }
    }
}

impl<'py, T: Number> Held<'py, T> {
    fn of(form: &Bound<'py, PyAny>, weights: &Bound<'py, PyAny>) -> PyResult<Self> {
        let part = |at: usize| form.get_item(at);
        match part(0)?.extract::<String>()?.as_str() {
            "dense" => Ok(Self::Dense { zeros_absent: part(1)?.extract()?, weights: weights.extract()? }),
            "csr" => {
                let (n, weights) = (part(1)?.extract()?, weights.extract()?);
                let both_ways = part(4)?.extract()?;
                if let (Ok(offsets), Ok(heads)) = (part(2)?.extract(), part(3)?.extract()) {
                    return Ok(Self::Csr32 { n, offsets, heads, weights, both_ways });
                }
                Ok(Self::Csr64 {
                    n,
                    offsets: part(2)?.extract()?,
                    heads: part(3)?.extract()?,
                    weights,
                    both_ways,
                })
            }
            "arcs" => Ok(Self::Arcs {
                n: part(1)?.extract()?,
                ends: [part(2)?.extract()?, part(3)?.extract()?],
                both_ways: part(4)?.extract()?,
                weights: weights.extract()?,
            }),
            other => Err(raise("GraphTypeError", (format!("{other} is no form of a graph"),))),
        }
    }

    fn lend(&self) -> PyResult<Form<'_, T>> {
        Ok(match self {
            Self::Dense { weights, zeros_absent } => {
                let [rows, columns] = [weights.shape()[0], weights.shape()[1]];
                if rows != columns {
                    let message =
                        format!("the matrix has shape ({rows}, {columns}): give as many rows as columns");
                    return Err(raise("GraphError", (message,)));
                }
                Form::Dense { n: rows, weights: weights.as_slice()?, zeros_absent: *zeros_absent }
            }
            Self::Csr32 { n, offsets, heads, weights, both_ways } => Form::Csr32 {
                n: *n,
                offsets: offsets.as_slice()?,
                heads: heads.as_slice()?,
                weights: weights.as_slice()?,
                both_ways: *both_ways,
            },
            Self::Csr64 { n, offsets, heads, weights, both_ways } => Form::Csr64 {
                n: *n,
                offsets: offsets.as_slice()?,
                heads: heads.as_slice()?,
                weights: weights.as_slice()?,
                both_ways: *both_ways,
            },
            Self::Arcs { n, ends: [tails, heads], weights, both_ways } => Form::Arcs {
                n: *n,
                tails: tails.as_slice()?,
                heads: heads.as_slice()?,
                weights: weights.as_slice()?,
                both_ways: *both_ways,
            },
        })
    }
}

impl Given<'_> {
    /// What threads work on.
    ///
    /// # Errors
    /// When an array is no matrix, or its numbers do not lie side by side.
    pub fn lend(&self) -> PyResult<Lent<'_>> {
        Ok(match self {
            Self::F32(held) => Lent::F32(held.lend()?),
            Self::F64(held) => Lent::F64(held.lend()?),
            Self::I32(held) => Lent::I32(held.lend()?),
            Self::U16(held) => Lent::U16(held.lend()?),
            Self::File(graph) => match graph.get().typed() {
                AnyGraph::F32(loaded) => Lent::F32(Form::Loaded(loaded)),
                AnyGraph::F64(loaded) => Lent::F64(Form::Loaded(loaded)),
                AnyGraph::I32(loaded) => Lent::I32(Form::Loaded(loaded)),
                AnyGraph::U16(loaded) => Lent::U16(Form::Loaded(loaded)),
            },
        })
    }
}

/// Evaluates `$value` for a form of whatever type of weights.
#[macro_export]
macro_rules! each_lent {
    ($lent:expr, $form:ident => $value:expr) => {
        match $lent {
            $crate::given::Lent::F32($form) => $value,
            $crate::given::Lent::F64($form) => $value,
            $crate::given::Lent::I32($form) => $value,
            $crate::given::Lent::U16($form) => $value,
        }
    };
}

impl Lent<'_> {
    /// The number of vertices, where it is known before the arcs are looked at.
    pub fn n(&self) -> Option<usize> {
        each_lent!(self, form => form.n())
    }
}

/// So many arcs are looked at, and so many vertices searched, in some milliseconds.
const FEW: usize = 1 << 16;

impl Lent<'_> {
    /// Whether arcs are listed and a search takes less time than to start threads, or little more.
    pub fn is_small(&self) -> bool {
        let arcs = each_lent!(self, form => form.listed());
        arcs.is_some_and(|arcs| arcs <= FEW) && self.n().is_some_and(|n| n <= FEW)
    }
}
