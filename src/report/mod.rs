//! Pages, figures and tables from stored records; never touches a device.

mod figures;
mod model;
mod plot;

pub use figures::{of_run, trend};
pub use model::{Block, Figure, Machine, Report, Section, Table, Topic};
pub use plot::{Plot, dark_variants, draw, draw_all};
