//! Whether a kernel has become slower: what was measured before beside what is measured now.

pub mod history;
