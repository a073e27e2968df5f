//! Implementations from files, for the commands that look at implementations.

use crate::external;
use repro_base::terminal::Error;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct With {
    /// An implementation of yours: a file that describes a CUDA kernel, as docs/your-own-kernel.md explains; `repro new-kernel` writes one. May be given several times
    #[arg(long = "with", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl With {
    /// Makes the implementations known, before anything asks for one by its name.
    ///
    /// # Errors
    /// When a file cannot be read, or describes none.
    pub fn register(&self) -> Result<(), Error> {
        for path in &self.files {
            external::register(&external::read(path)?)?;
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}
