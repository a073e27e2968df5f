//! What is written down: [`published`], what papers published; [`plan`], what an experiment asks for; [`protocol`], what a worker is asked and answers;
//! [`store`], what is stored of a run; [`results`], what stored runs say. It never measures and never prints, runs no solver and opens no
//! device: of theirs it names plain data, and asks the catalogue in `plan/catalogue.rs` alone.

pub mod plan;
pub mod protocol;
pub mod published;
pub mod results;
pub mod store;
