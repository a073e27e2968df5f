//! Why a dense graph was not solved.

use repro_device::{DeviceError, Selection};
use repro_graph::{ElementType, MatrixError, NegativeCycle};
use shortest_paths::SearchError;
use thiserror::Error;

/// Why a device was not opened, or a matrix not solved. Every message names the thing, its value and a remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields of a variant are")]
pub enum DenseError {
    /// There is no such device, it has no room, or it failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Several devices were asked for.
    #[error(
        "one device solves a graph, and --device {0} asks for several: choose cuda, or cuda:N for the one numbered N"
    )]
    Several(Selection),
    /// The kernels of the device do not take matrices of this size.
    #[error("{0}: choose the CPU for this graph")]
    Size(String),
    /// The thread of the device is gone, after a defect of this crate or a device that was lost.
    #[error("the device's thread has ended, so nothing can be solved there any more: open the device again")]
    ThreadEnded,
    /// Distances that a device found are not those of the graph.
    #[error(
        "the device's distance from vertex {from} to {to} is not that of the graph: the device is broken, or this is a defect of repro"
    )]
    Wrong { from: usize, to: usize },
    /// Weights on a device that does not take their type, or that this solver does not have.
    #[error("no device of this solver takes weights in {element}: open a device, or choose f32, i32 or u16")]
    NoDevice { element: ElementType },
    /// An entry of a matrix on the device is no weight.
    #[error(
        "the weight at [{row}, {column}] is {weight}, which is no weight in {element}: give a number up to {} in magnitude, or what stands for \
         no edge",
        element.most()
    )]
    NotAWeight { row: usize, column: usize, weight: f64, element: ElementType },
    /// A weight of a matrix on the device is negative, which needs the host's proof that there is no negative cycle.
    #[error(
        "the weight at [{row}, {column}] is {weight}, and a graph in a GPU's memory is solved there only where no weight is negative: copy it \
         to the host first"
    )]
    NegativeWeight { row: usize, column: usize, weight: f64 },
    /// Distances of a matrix on the device do not exist.
    #[error(transparent)]
    NegativeCycle(NegativeCycle),
    /// A path in a matrix on the device may be longer than the type of distances holds.
    #[error("{0}")]
    TooLong(String),
    /// The caller's flag was set, or there is no room on the host.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// No matrix could be made.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}
