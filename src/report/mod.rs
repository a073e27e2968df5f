//! Pages, figures and tables from stored records; never touches a device.

mod files;
mod model;
mod page;

pub use files::write;
pub use model::{Block, Figure, Machine, Report, Section, Table, Topic};
pub use page::render;
