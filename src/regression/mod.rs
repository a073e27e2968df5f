//! What keeps kernels from getting slower: figures of now against a baseline that is kept beside the code.

pub mod counts;
