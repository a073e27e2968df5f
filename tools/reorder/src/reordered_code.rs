//! From a kernel file to machine code in another order that is proven.

use crate::ToolResult;
use crate::kernel::Kernel;
use crate::pass::reorder;
use crate::proof::check;
use repro_device::cuda::{LINES, Nvrtc, find_nvrtc, options};
use repro_device::{KernelSource, code_hash};
use repro_machine_code::Disassembler;

/// The architecture of which it is known how long instructions take.
pub const ARCHITECTURE: &str = "sm_90";

/// How often code is compiled to be given another order, and to come out as it is known: NVRTC does not give the same each time, now and
/// then a loop that the pass does not take.
const COMPILATIONS: usize = 4;

/// The compiler and the disassembler, as `scripts/fetch nvrtc` gets them.
pub struct Tools {
    pub nvrtc: Nvrtc,
    disassembler: Disassembler,
}

/// Machine code with its loops in another order.
pub struct ReorderedCode {
    pub image: Vec<u8>,
    /// Its kernels as compiled, and as they are now.
    pub before: Vec<Kernel>,
    pub after: Vec<Kernel>,
}

impl ReorderedCode {
    /// Clocks of the model for two tasks of a kernel, as compiled and now, with as many warps a scheduler as two blocks of 128 threads have.
    pub fn clocks(&self, kernel: &str) -> Option<[f64; 2]> {
        let of = |kernels: &[Kernel]| {
            let found = kernels.iter().find(|one| one.name() == kernel)?.task_loop().ok()?;
            found.estimate(2).map(|estimate| estimate.of_two_tasks(estimate.clocks))
        };
        Some([of(&self.before)?, of(&self.after)?])
    }
}

impl Tools {
    /// # Errors
    /// When one of them is missing: what to do.
    pub fn find() -> ToolResult<Self> {
        let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found))?;
        Ok(Self { nvrtc, disassembler: Disassembler::find()? })
    }

    /// # Errors
    /// When the file cannot be listed.
    pub fn kernels(&self, file: &str, compiled: &[u8]) -> ToolResult<Vec<Kernel>> {
        Ok(Kernel::all(self.disassembler.kernels(file, compiled)?, compiled)?)
    }

    pub fn compile(&self, source: &KernelSource) -> ToolResult<Vec<u8>> {
        let options = options(source, ARCHITECTURE).into_iter().filter(|option| option != LINES);
        Ok(self.nvrtc.compile_with(source, ARCHITECTURE, options.collect())?.image)
    }

    /// The code of a source in another order, of which it is proven that it computes the same: that with the hash `known`, where one of several
    /// compilations gives that.
    ///
    /// # Errors
    /// When it does not compile, when no loop can have another order, and when one that has is not found to be right.
    pub fn make(&self, source: &KernelSource, known: Option<&str>) -> ToolResult<ReorderedCode> {
        let is_known = |made: &ReorderedCode| known.is_none_or(|known| code_hash(&made.image) == known);
        let mut made = self.reordered(source)?;
        for _ in 1..COMPILATIONS {
            if is_known(&made) {
                break;
            }
            made = self.reordered(source)?;
        }
        Ok(made)
    }

    /// Code that the pass leaves alone is compiled again. Code that it made wrong is not.
    fn reordered(&self, source: &KernelSource) -> ToolResult<ReorderedCode> {
        let file = &source.file;
        let cannot = |why: &str| format!("cannot give the machine code of {file} another order: {why}");
        let mut tried = 1;
        let (before, image) = loop {
            let compiled = self.compile(source)?;
            let before = self.kernels(file, &compiled)?;
            match reorder(&compiled, &before) {
                Ok(image) => break (before, image),
                Err(_) if tried < COMPILATIONS => tried += 1,
                Err(why) => return Err(cannot(&why).into()),
            }
        };
        let after = self.kernels(file, &image)?;
        if before.len() != after.len() {
            return Err(cannot("it has other kernels than before").into());
        }
        for (before, after) in before.iter().zip(&after) {
            check(before, after).map_err(|why| cannot(&format!("in {} {why}", before.name())))?;
        }
        Ok(ReorderedCode { image, before, after })
    }
}
