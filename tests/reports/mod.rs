//! Verdicts and the report: from stored runs to pages, without and with a browser.

mod claims;
mod fixture;
mod not_run;
mod programs;
mod reference_report;
mod report;
mod report_browser;
mod report_page;
