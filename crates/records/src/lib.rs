//! What is written down: [`published`], what papers published; [`plan`], what an experiment asks for; [`protocol`], what a worker is asked and answers;
//! [`store`], what is stored of a run; [`results`], what stored runs say. It never measures and never prints, runs no solver and opens no
//! device: of their crates it names plain data alone, and asks the catalogue only in `plan/catalogue.rs`.

pub mod plan;
pub mod protocol;
pub mod published;
pub mod results;
pub mod store;
