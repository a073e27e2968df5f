//! Arguments of a launch.

use crate::memory::DeviceMemory;

/// One argument, in the order of the kernel's parameters.
#[derive(Clone, Copy)]
pub enum ArgumentValue<'a> {
    /// The address of its first byte.
    Memory(&'a DeviceMemory),
    /// The address of the byte at this offset of the memory.
    Within(&'a DeviceMemory, usize),
    /// An address of device memory, or any other number of 64 bits.
    Bits(u64),
    /// A signed number of 32 bits.
    Int(i32),
    /// An unsigned number of 32 bits.
    Uint(u32),
    /// A number of single precision.
    Float(f32),
    /// A number of double precision.
    Double(f64),
    /// A struct by value: its bytes.
    Struct(&'a [u8]),
}

/// The arguments of a launch, kept where a kernel reads them.
#[derive(Clone, Debug, Default)]
pub struct PackedArguments(Vec<PackedArgument>);

#[derive(Clone, Debug)]
struct PackedArgument {
    bytes: usize,
    /// The bytes in words of 16, so that they are aligned as any parameter of a kernel is. Only tensor maps ask for more,
    /// and the emulator reads those at any address.
    words: Vec<u128>,
}

impl PackedArguments {
    /// Copies the values of `arguments`. The device memory that they name must live until the launch.
    pub fn new(arguments: &[ArgumentValue]) -> Self {
        let pack = |argument: &ArgumentValue| match argument {
            ArgumentValue::Memory(memory) => PackedArgument::of(&memory.address().to_le_bytes()),
            ArgumentValue::Within(memory, bytes) => {
                PackedArgument::of(&(memory.address() + *bytes as u64).to_le_bytes())
            }
            ArgumentValue::Bits(bits) => PackedArgument::of(&bits.to_le_bytes()),
            ArgumentValue::Int(int) => PackedArgument::of(&int.to_le_bytes()),
            ArgumentValue::Uint(uint) => PackedArgument::of(&uint.to_le_bytes()),
            ArgumentValue::Float(float) => PackedArgument::of(&float.to_le_bytes()),
            ArgumentValue::Double(double) => PackedArgument::of(&double.to_le_bytes()),
            ArgumentValue::Struct(bytes) => PackedArgument::of(bytes),
        };
        Self(arguments.iter().map(pack).collect())
    }

    /// The address of each argument's bytes.
    pub(crate) fn pointers(&self) -> Vec<usize> {
        self.0.iter().map(|packed| packed.words.as_ptr() as usize).collect()
    }

    /// The bytes that each argument has.
    pub(crate) fn sizes(&self) -> impl ExactSizeIterator<Item = usize> {
        self.0.iter().map(|packed| packed.bytes)
    }
}

impl PackedArgument {
    fn of(bytes: &[u8]) -> Self {
        let word = |chunk: &[u8]| {
            let mut word = [0; size_of::<u128>()];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        };
        Self { bytes: bytes.len(), words: bytes.chunks(size_of::<u128>()).map(word).collect() }
    }
}
