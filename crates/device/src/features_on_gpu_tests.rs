//! The kernels that the emulator is tested with, on a CUDA device: what each feature and each right kernel leaves there is what the
//! emulator is held to.

#[path = "../../emulator/tests/common/mod.rs"]
mod common;

use crate::cuda::CudaDevice;
use crate::{Argument, Buffer, Device, DeviceError, Kernel, KernelSource};
use common::{Case, WORDS, cases, digest, groups, input, text_of};
use cudarc::driver::sys;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A map of a row-major matrix of floats at `address`, as the driver encodes it: "WIDTH,HEIGHT,BOX_W,BOX_H".
fn tensor_map(text: &str, address: u64) -> Vec<u8> {
    let sides: Vec<u32> = text.split(',').map(|side| side.parse().unwrap()).collect();
    let mut map = sys::CUtensorMap { opaque: [0; 16] };
    let sizes = [u64::from(sides[0]), u64::from(sides[1])];
    let strides = [u64::from(sides[0]) * 4];
    // SAFETY: the arrays have as many numbers as the rank says, and the address is one of the device's.
    let code = unsafe {
        sys::cuTensorMapEncodeTiled(
            &mut map,
            sys::CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            2,
            address as *mut std::ffi::c_void,
            sizes.as_ptr(),
            strides.as_ptr(),
            [sides[2], sides[3]].as_ptr(),
            [1, 1].as_ptr(),
            sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
            sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
            sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
            sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    };
    assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
    map.opaque.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn struct_bytes(text: &str, address: u64) -> Vec<u8> {
    if let Some(words) = text.strip_prefix("struct:") {
        return words.split(',').flat_map(|word| word.parse::<u32>().unwrap().to_le_bytes()).collect();
    }
    text.strip_prefix("tensor:f32,").map(|map| tensor_map(map, address)).unwrap_or_default()
}

fn filled(device: &dyn Device, words: &[u32]) -> Result<Buffer, DeviceError> {
    let buffer = device.allocate(WORDS * 4)?;
    let mut host = device.allocate_host(WORDS * 4)?;
    host.numbers_mut::<u32>().copy_from_slice(words);
    device.queue().upload(&host, buffer.whole())?;
    Ok(buffer)
}

/// What a kernel leaves in its output.
fn run(device: &dyn Device, kernel: &Kernel, case: &Case) -> Result<Vec<u32>, DeviceError> {
    let (input, output) = (filled(device, &input())?, filled(device, &[0; WORDS])?);
    let structs: Vec<Vec<u8>> =
        case.arguments.iter().map(|text| struct_bytes(text, input.address())).collect();
    let arguments: Vec<Argument> = case
        .arguments
        .iter()
        .zip(&structs)
        .map(|(text, bytes)| match text.split_once(':') {
            None if text == "in" => Argument::Buffer(&input),
            None => Argument::Buffer(&output),
            Some(("int", value)) => Argument::Int(value.parse().unwrap()),
            Some(("uint", value)) => Argument::Int(value.parse::<u32>().unwrap().cast_signed()),
            Some(("float", value)) => Argument::Float(value.parse().unwrap()),
            Some(("double", value)) => Argument::Double(value.parse().unwrap()),
            Some(("long", value)) => Argument::Long(value.parse().unwrap()),
            Some(("size", value)) => Argument::Long(value.parse::<u64>().unwrap().cast_signed()),
            Some(_) => Argument::Struct(bytes),
        })
        .collect();
    for _ in 0..case.repeat {
        // SAFETY: the arguments are those that the kernel's first lines name.
        unsafe { device.queue().launch(kernel, case.launch, &arguments)? };
    }
    let mut host = device.allocate_host(WORDS * 4)?;
    device.queue().download(output.whole(), &mut host)?;
    device.queue().synchronize()?;
    Ok(host.numbers::<u32>()[..WORDS].to_vec())
}

/// What every kernel of a folder leaves, twice.
fn outputs(folder: &str) -> BTreeMap<String, String> {
    let device = CudaDevice::open(0).unwrap();
    let cases = cases(folder);
    let mut all = BTreeMap::new();
    for group in groups(&cases, 40) {
        let source = KernelSource {
            text: text_of(&group).into(),
            architecture_specific: group[0].architecture.ends_with('a'),
            ..KernelSource::embedded("cases.cu", "")
        };
        let names: Vec<&str> = group.iter().map(|case| case.kernel.as_str()).collect();
        let kernels = device.load(&source, &names).unwrap_or_else(|error| panic!("{error}"));
        for (kernel, case) in kernels.iter().zip(group) {
            let [first, again] = [(); 2].map(|()| {
                run(&device, kernel, case).unwrap_or_else(|error| panic!("{}: {error}", case.name))
            });
            assert_eq!(first, again, "{} differs from run to run", case.name);
            all.insert(case.name.clone(), digest(&first));
        }
    }
    all
}

/// Holds what a CUDA device gives to what is committed; with `WRITE_EXPECTED` it is written instead.
fn compare(folder: &str) {
    let found: String = outputs(folder).iter().fold(String::new(), |mut text, (name, digest)| {
        let _ = writeln!(text, "{name} {digest}");
        text
    });
    if let Some(to) = std::env::var_os("WRITE_EXPECTED") {
        std::fs::write(to, found).unwrap();
        return;
    }
    assert_eq!(found, std::fs::read_to_string(common::tests().join(folder).join("expected.txt")).unwrap());
}

#[test]
#[ignore = "needs a CUDA device of compute capability 9.0"]
fn features_leave_what_the_emulator_is_held_to() {
    compare("features");
}

#[test]
#[ignore = "needs a CUDA device of compute capability 9.0"]
fn right_kernels_leave_what_the_emulator_is_held_to() {
    compare("planted/right");
}
