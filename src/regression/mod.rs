//! Whether anything became slower: a baseline against a run, with a rule that knows the noise of the machine.

mod noise;

pub use noise::{CellKind, Noise, NoiseFloor};
