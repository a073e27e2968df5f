//! Pages, figures and tables from stored records; never touches a device.

mod assemble;
mod figures;
mod files;
mod findings;
mod machines;
mod method;
mod model;
mod page;
use repro_plot as plot;
mod sections;
mod words;

pub use assemble::{assemble, claims};
pub use figures::{of_run, trend};
pub use files::{is_whole, write};
pub use findings::{Fastest, Finding, What};
pub use machines::tally;
pub use model::{Block, Figure, Hardware, Home, Lead, Machine, Report, Section, Table, Tally, Topic};
pub use page::{pages, short};
pub use plot::{Plot, dark_variants, draw, draw_all};
pub use words::{
    compared_as, contender, evidence, figures, measured, one_sided, published, reason, sensitivity,
    short_label, statement, verdict,
};
