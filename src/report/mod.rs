//! Pages, figures and tables from stored records; never touches a device.

mod assemble;
mod figures;
mod files;
mod findings;
mod machines;
mod method;
mod model;
mod page;
mod sections;
mod words;

pub use crate::plot::{Plot, dark_variants, draw, draw_all};
pub use crate::show::of_run;
pub use assemble::{assemble, claims};
pub use figures::trend;
pub use files::{ResultWords, claim_value, is_whole, stored_claims, write};
pub use findings::{Fastest, Finding, What};
pub use machines::tally;
pub use model::{Block, Figure, Hardware, Home, Lead, Machine, Report, Section, Table, Tally, Topic};
pub use page::{pages, short};
pub use words::{
    compared_as, contender, count, evidence, figures, needs_gpu, one_sided, published, short_label,
    statement, verdict,
};
