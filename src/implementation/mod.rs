//! The catalogue: one file per implementation.
