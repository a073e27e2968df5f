//! Pages, figures and tables from stored records; never touches a device.

mod model;
mod plot;

pub use model::{Block, Figure, Machine, Report, Section, Table, Topic};
