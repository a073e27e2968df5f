//! Pages, figures and tables from stored records; never touches a device.

mod assemble;
pub(crate) mod draw;
mod figure;
mod files;
pub mod guard;
mod machines;
mod method;
mod model;
mod page;
mod ranking;
mod run;
pub mod text;
mod words;

pub use assemble::{assemble, claims};
pub use figure::counts;
pub use files::{ResultWords, claim_value, is_whole, stored_claims, write};
pub use machines::EMULATED;
pub use model::{
    Exhibit, ExperimentPage, Figure, Hardware, Machine, PanelSvg, Report, RunLine, VerdictCounts,
};
pub use page::{author_year, pages};
pub use ranking::{excluded, notes as ranking_notes, table as ranking_table};
pub use run::{Tables, gaps, head, marks, tables};
pub use words::history as history_words;
pub use words::{
    compared_as, contender, count, count_comparison, count_failures, count_tables, evidence, figures,
    needs_gpu, one_sided, published, short_label, statement, verdict,
};
