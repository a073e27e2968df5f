//! Errors of the library as exceptions of the Python half, `shortest_paths.errors`.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyIsADirectoryError, PyOSError};
use pyo3::prelude::*;
use repro_dense::DenseError;
use repro_device::FailureKind;
use repro_graph::{ElementType, MatrixError, NegativeCycle};
use shortest_paths::read::{ReadError, ReadProblem};
use shortest_paths::{CheckError, Element, GraphError, PathError, SearchError, SolveError};

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// What was given is no graph.
    Graph(GraphError),
    /// An entry of a matrix is no weight.
    Weight {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry, as Python would print it.
        weight: String,
        /// The type of weights.
        element: ElementType,
    },
    /// The graph was not solved.
    Solve(SolveError),
    /// A path that was walked is wrong.
    Path(PathError),
    /// A file is no graph.
    Read(ReadError),
    /// A device was not opened.
    Device(DenseError),
    /// One of several graphs has no answer.
    OfGraph(usize, Box<Self>),
    /// The program is wrong: a thread has panicked.
    Panic(String),
}

impl Failure {
    /// Of one of several graphs.
    pub fn of_graph(self, number: usize) -> Self {
        Self::OfGraph(number, Box::new(self))
    }

    /// Of an entry that is no weight.
    pub fn weight<T: Element>(row: usize, column: usize, weight: T) -> Self {
        Self::Weight { row, column, weight: weight.to_string(), element: T::TYPE }
    }
}

macro_rules! from {
    ($error:ident => $variant:ident) => {
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    };
}

from!(GraphError => Graph);
from!(SolveError => Solve);
from!(PathError => Path);
from!(ReadError => Read);
from!(DenseError => Device);

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        Self::Solve(error.into())
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Row(error) => Self::Solve(error),
            CheckError::Path(error) => Self::Path(error),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Graph(error) => of_graph(error),
            Failure::Weight { row, column, weight, element } => {
                let most = element.most();
                let allowed = if element.is_integer() {
                    format!(
                        "{} is used here up to {most}: choose smaller weights or another dtype",
                        name(element)
                    )
                } else {
                    "weights must be numbers above -inf; inf stands for no arc".to_string()
                };
                raise("GraphError", (format!("the weight at [{row}, {column}] is {weight}, and {allowed}"),))
            }
            Failure::Solve(error) => of_solve(error),
            Failure::Path(error @ PathError::NotAVertex { .. }) => {
                raise("RequestError", (error.to_string(),))
            }
            Failure::Path(error) => raise("VerificationError", (error.to_string(),)),
            Failure::Read(error) => of_read(error),
            Failure::Device(error) => of_device(error),
            Failure::OfGraph(number, failure) => {
                let error = Self::from(*failure);
                // An exception that is none of this package's has no number.
                let _ = Python::attach(|py| error.value(py).setattr("graph", number));
                error
            }
            Failure::Panic(message) => raise("InternalError", (message,)),
        }
    }
}

/// What NumPy calls a type.
pub fn name(element: ElementType) -> &'static str {
    match element {
        ElementType::F32 => "float32",
        ElementType::F64 => "float64",
        ElementType::I32 => "int32",
        ElementType::U16 => "uint16",
    }
}

/// The exception of this name in `shortest_paths.errors`.
pub fn raise(name: &str, arguments: impl for<'py> PyCallArgs<'py>) -> PyErr {
    Python::attach(|py| {
        let class = py.import("shortest_paths.errors").and_then(|errors| errors.getattr(name));
        let made = class.and_then(|class| class.call1(arguments));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

fn of_cycle(cycle: &NegativeCycle) -> PyErr {
    raise("NegativeCycle", (cycle.to_string(), cycle.cycle.clone(), cycle.weight))
}

fn of_device(error: DenseError) -> PyErr {
    let message = error.to_string();
    match error {
        DenseError::NotAWeight { row, column, weight, element } => {
            Failure::Weight { row, column, weight: weight.to_string(), element }.into()
        }
        DenseError::NegativeCycle(cycle) => of_cycle(&cycle),
        DenseError::NegativeWeight { .. } => raise("GraphError", (format!("{message}, as with x.cpu()"),)),
        DenseError::TooLong(_) => raise("DistanceOverflow", (message,)),
        DenseError::Matrix(error) => of_matrix(&error),
        DenseError::NoRoom { .. } => raise("NotEnoughMemory", (message,)),
        DenseError::Device(error) if error.kind == FailureKind::OutOfMemory => {
            raise("NotEnoughMemory", (message,))
        }
        _ => raise("DeviceError", (in_words_of_python(&message),)),
    }
}

/// Remedies of the command line as arguments of Python.
fn in_words_of_python(message: &str) -> String {
    message
        .replace("--device emulated at small sizes, or --device cpu for what runs there", "device='cpu'")
        .replace("--device ", "device ")
}

fn of_graph(error: GraphError) -> PyErr {
    match error {
        GraphError::NegativeCycle(cycle) => of_cycle(&cycle),
        GraphError::NoRoom(error) => of_solve(error.into()),
        other => raise("GraphError", (other.to_string(),)),
    }
}

fn of_matrix(error: &MatrixError) -> PyErr {
    let class = match error {
        MatrixError::TooLarge { .. } | MatrixError::NotEnoughMemory { .. } => "NotEnoughMemory",
        _ => "GraphError",
    };
    raise(class, (error.to_string(),))
}

fn of_solve(error: SolveError) -> PyErr {
    let class = match &error {
        SolveError::Search(SearchError::NegativeCycle(cycle)) => return of_cycle(cycle),
        SolveError::Matrix(error) => return of_matrix(error),
        SolveError::Search(SearchError::NotEnoughMemory { .. }) => "NotEnoughMemory",
        SolveError::Search(SearchError::OutOfRange { .. }) | SolveError::MayOverflow { .. } => {
            "DistanceOverflow"
        }
        SolveError::WrongLength { .. } | SolveError::NotDistances { .. } => "VerificationError",
        // The matrix fits, and the workspace in addition to it does not.
        SolveError::Dense(cause) if is_lack_of_room(cause.as_ref()) => "NotEnoughMemory",
        SolveError::Dense(_) => "DeviceError",
        SolveError::Sink(_) | SolveError::Search(SearchError::Cancelled) => "InternalError",
        _ => "RequestError",
    };
    raise(class, (error.to_string(),))
}

fn is_lack_of_room(cause: &(dyn std::error::Error + 'static)) -> bool {
    matches!(
        cause.downcast_ref(),
        Some(
            DenseError::NoRoom { .. }
                | DenseError::Matrix(MatrixError::TooLarge { .. } | MatrixError::NotEnoughMemory { .. })
        )
    )
}

fn of_read(error: ReadError) -> PyErr {
    let message = error.to_string();
    let path = error.path.display().to_string();
    match *error.problem {
        // With its number, Python chooses FileNotFoundError and the like itself.
        ReadProblem::Unreadable(system) if system.raw_os_error().is_some() => {
            PyOSError::new_err((system.raw_os_error(), system.to_string(), path))
        }
        ReadProblem::Unreadable(_) => PyOSError::new_err(message),
        ReadProblem::Directory => PyIsADirectoryError::new_err(message),
        ReadProblem::NegativeLoop { cycle, .. } => {
            raise("NegativeCycle", (message, cycle.cycle.clone(), cycle.weight))
        }
        ReadProblem::Graph(GraphError::NegativeCycle(cycle)) => of_cycle(&cycle),
        ReadProblem::NoRoom(error) | ReadProblem::Graph(GraphError::NoRoom(error)) => of_solve(error.into()),
        ReadProblem::Matrix(error @ (MatrixError::TooLarge { .. } | MatrixError::NotEnoughMemory { .. })) => {
            of_matrix(&error)
        }
        _ => raise("ReadError", (message, path, error.line)),
    }
}
