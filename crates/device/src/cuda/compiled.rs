//! What a compilation made, and the assembler's figures of it.

/// Machine code or PTX.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// A cubin, or PTX text ending in a zero byte.
    pub image: Vec<u8>,
    /// The compiler's log, the resources of each kernel included.
    pub log: String,
}

/// What a kernel takes of a multiprocessor, according to the assembler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelBuild {
    /// Registers a thread.
    pub registers: u64,
    /// Bytes of registers a thread that are stored to local memory for want of others, store by store.
    pub spill_store_bytes: u64,
    /// Bytes of registers a thread that are loaded from local memory for want of others, load by load.
    pub spill_load_bytes: u64,
    /// Local memory a thread for spills, arrays and calls, bytes.
    pub stack_bytes: u64,
    /// Shared memory of fixed size, bytes a block.
    pub shared_bytes: u64,
}

impl Compiled {
    /// Registers a thread of `kernel`, according to the assembler; None of PTX, which it has not seen.
    pub fn registers(&self, kernel: &str) -> Option<u64> {
        self.builds().into_iter().find(|(name, _)| name == kernel).map(|(_, build)| build.registers)
    }

    /// What every kernel takes, in the assembler's order. None of PTX, and none of which the log has only a part.
    pub fn builds(&self) -> Vec<(String, KernelBuild)> {
        let parts = self.log.split("Compiling entry function '").skip(1);
        parts.filter_map(|part| Some((part.split_once('\'')?.0.to_string(), build(part)?))).collect()
    }
}

/// Of the part of a log that is about one kernel.
fn build(part: &str) -> Option<KernelBuild> {
    Some(KernelBuild {
        registers: before(part, " registers")?,
        spill_store_bytes: before(part, " bytes spill stores")?,
        spill_load_bytes: before(part, " bytes spill loads")?,
        stack_bytes: before(part, " bytes stack frame")?,
        // The log leaves it out for kernels without any.
        shared_bytes: before(part, " bytes smem").unwrap_or(0),
    })
}

/// The number in front of `words`.
fn before(text: &str, words: &str) -> Option<u64> {
    text.split_once(words)?.0.rsplit([' ', ',', '\n']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
ptxas         .     16 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 56 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers
";

    #[test]
    fn every_kernel_has_what_the_log_says_of_it() {
        let compiled = Compiled { image: Vec::new(), log: LOG.to_string() };
        let first = KernelBuild {
            registers: 56,
            spill_store_bytes: 24,
            spill_load_bytes: 40,
            stack_bytes: 16,
            shared_bytes: 1024,
        };
        let second = KernelBuild { registers: 8, ..KernelBuild::default() };
        assert_eq!(compiled.builds(), [("first".to_string(), first), ("second".to_string(), second)]);
        assert_eq!((compiled.registers("second"), compiled.registers("third")), (Some(8), None));
    }

    #[test]
    fn a_kernel_of_which_the_log_does_not_tell_everything_is_left_out() {
        let cut = LOG.split("Used 8").next().unwrap().to_string();
        let compiled = Compiled { image: Vec::new(), log: cut };
        assert_eq!(compiled.builds().len(), 1);
        let none = Compiled { image: Vec::new(), log: String::new() };
        assert_eq!(none.builds(), []);
    }
}
