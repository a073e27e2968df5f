//! Errors of the library as exceptions of the Python half, `shortest_paths.errors`.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyIsADirectoryError, PyOSError};
use pyo3::prelude::*;
use repro_dense::DenseError;
use repro_device::FailureKind;
use repro_graph::{ElementType, MatrixError, NegativeCycle};
use shortest_paths::read::{ReadError, ReadProblem};
use shortest_paths::{Element, GraphError, PathError, SearchError, SolveError};

/// Why there is no answer, as an exception.
#[derive(Debug)]
pub struct Failure(PyErr);

impl Failure {
    /// The exception of this name in `shortest_paths.errors`. Any thread may call this, also one that Python did not start.
    pub fn new(class: &str, message: impl Into<String>) -> Self {
        Self::with(class, (message.into(),))
    }

    fn with(class: &str, arguments: impl for<'py> PyCallArgs<'py>) -> Self {
        Self(Python::attach(|py| {
            let class = py.import("shortest_paths.errors").and_then(|errors| errors.getattr(class));
            let made = class.and_then(|class| class.call1(arguments));
            made.map_or_else(|error| error, PyErr::from_value)
        }))
    }

    /// A defect of this package, such as a thread that has panicked.
    pub fn panic(message: impl Into<String>) -> Self {
        Self::new("InternalError", message)
    }

    /// The same failure, with the number of the graph in a list.
    pub fn of_graph(self, number: usize) -> Self {
        // An exception that is none of this package's has no number.
        let _ = Python::attach(|py| self.0.value(py).setattr("graph", number));
        self
    }

    /// The failure for an entry of a matrix that is no weight.
    pub fn weight<T: Element>(row: usize, column: usize, weight: T) -> Self {
        Self::no_weight(&format!("the weight at [{row}, {column}]"), &weight.to_string(), T::TYPE)
    }

    fn no_weight(what: &str, weight: &str, element: ElementType) -> Self {
        let most = element.most();
        let allowed = if element.is_integer() {
            format!("{} is used here up to {most}: choose smaller weights or another dtype", name(element))
        } else {
            "weights must be numbers above -inf; inf stands for no arc".to_string()
        };
        Self::new("GraphError", format!("{what} is {weight}, and {allowed}"))
    }

    fn cycle(message: String, cycle: &NegativeCycle) -> Self {
        Self::with("NegativeCycle", (message, cycle.cycle.clone(), cycle.weight))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

/// The types of weights, by what NumPy calls them.
pub const ELEMENTS: [(&str, Option<ElementType>); 5] = [
    ("None", None),
    ("float32", Some(ElementType::F32)),
    ("float64", Some(ElementType::F64)),
    ("int32", Some(ElementType::I32)),
    ("uint16", Some(ElementType::U16)),
];

/// What NumPy calls a type.
pub fn name(element: ElementType) -> &'static str {
    ELEMENTS.iter().find(|(_, known)| *known == Some(element)).map_or("", |(name, _)| *name)
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::NegativeCycle(cycle) => Self::cycle(cycle.to_string(), &cycle),
            GraphError::NoRoom(error) => error.into(),
            GraphError::OutOfRange { arc, tail, head, weight, element, .. } => {
                let ends = format!("from vertex {tail} to vertex {head} (counted from 0)");
                Self::no_weight(&format!("the weight of arc {arc}, {ends},"), &weight, element)
            }
            other => Self::new("GraphError", other.to_string()),
        }
    }
}

impl From<MatrixError> for Failure {
    fn from(error: MatrixError) -> Self {
        match error {
            MatrixError::NoRoom(error) => error.into(),
            other => Self::new("GraphError", other.to_string()),
        }
    }
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        let class = match &error {
            SearchError::NegativeCycle(cycle) => return Self::cycle(cycle.to_string(), cycle),
            SearchError::NotEnoughMemory { .. } => "NotEnoughMemory",
            SearchError::OutOfRange { .. } => "DistanceOverflow",
            _ => "InternalError",
        };
        Self::new(class, error.to_string())
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        let message = error.to_string();
        let class = match error {
            SolveError::Search(error) => return error.into(),
            SolveError::Matrix(error) => return error.into(),
            SolveError::Path(error) => return error.into(),
            SolveError::MayOverflow { .. } => "DistanceOverflow",
            SolveError::NotDistances { .. } => "VerificationError",
            // The matrix fits, and the workspace in addition to it does not.
            SolveError::Dense(cause) => match cause.downcast_ref() {
                Some(
                    DenseError::Search(SearchError::NotEnoughMemory { .. })
                    | DenseError::Matrix(MatrixError::NoRoom(_)),
                ) => "NotEnoughMemory",
                _ => "DeviceError",
            },
            SolveError::Sink(_) => "InternalError",
            _ => "RequestError",
        };
        Self::new(class, message)
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        let is_request = matches!(error, PathError::NotAVertex { .. });
        Self::new(if is_request { "RequestError" } else { "VerificationError" }, error.to_string())
    }
}

impl From<DenseError> for Failure {
    fn from(error: DenseError) -> Self {
        let message = error.to_string();
        match error {
            DenseError::NotAWeight { row, column, weight, element } => {
                Self::no_weight(&format!("the weight at [{row}, {column}]"), &weight.to_string(), element)
            }
            DenseError::NegativeCycle(cycle) => Self::cycle(message, &cycle),
            DenseError::Matrix(error) => error.into(),
            DenseError::NegativeWeight { .. } => {
                Self::new("GraphError", format!("{message}, as with x.cpu()"))
            }
            DenseError::TooLong(_) => Self::new("DistanceOverflow", message),
            DenseError::Search(error) => error.into(),
            DenseError::Device(error) if error.kind == FailureKind::OutOfMemory => {
                Self::new("NotEnoughMemory", message)
            }
            // Remedies of the command line as arguments of Python.
            _ => {
                let emulated = "--device emulated at small sizes, or --device cpu for what runs there";
                let message = message.replace(emulated, "device='cpu'").replace("--device ", "device ");
                Self::new("DeviceError", message)
            }
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let (message, line, path) = (error.to_string(), error.line, error.path.display().to_string());
        match *error.problem {
            // From the errno, Python chooses FileNotFoundError and the like itself.
            ReadProblem::Unreadable(system) if system.raw_os_error().is_some() => {
                Self(PyOSError::new_err((system.raw_os_error(), system.to_string(), path)))
            }
            ReadProblem::Unreadable(_) => Self(PyOSError::new_err(message)),
            ReadProblem::Directory => Self(PyIsADirectoryError::new_err(message)),
            ReadProblem::NegativeLoop { cycle, .. } => Self::cycle(message, &cycle),
            ReadProblem::Graph(error @ (GraphError::NegativeCycle(_) | GraphError::NoRoom(_))) => {
                error.into()
            }
            ReadProblem::NoRoom(error) | ReadProblem::Matrix(MatrixError::NoRoom(error)) => error.into(),
            _ => Self::with("ReadError", (message, path, line)),
        }
    }
}
