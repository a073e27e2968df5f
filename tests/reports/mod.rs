//! Verdicts and the report: from stored runs to pages, without and with a browser.

mod figures;
pub mod fixture;
mod judge;
pub mod reference_report;
mod report;
mod report_page;
