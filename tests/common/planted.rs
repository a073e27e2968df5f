//! Launches of the kernels with planted mistakes, and where the mistakes are.

use repro::device::emulated::{EmulatedDevice, Finding, FindingKind, SourceLocation};
use repro::device::{Argument, Buffer, Device, DeviceError, KernelSource, Launch};

pub static SOURCE: KernelSource =
    KernelSource::embedded("planted_bugs.cu", include_str!("../kernels/planted_bugs.cu"));
pub const ENTRIES: usize = 256;

/// The lines that end in `// planted: MARK`.
pub fn planted(mark: &str) -> Vec<u32> {
    let comment = format!("// planted: {mark}");
    let marked = SOURCE.text.lines().zip(1..).filter(|(line, _)| line.ends_with(&comment));
    let lines: Vec<u32> = marked.map(|(_, number)| number).collect();
    assert!(!lines.is_empty(), "no line is marked {mark}");
    lines
}

/// A buffer of [`ENTRIES`] zeros.
pub fn zeros(device: &EmulatedDevice) -> Buffer {
    let buffer = device.allocate(ENTRIES * 4).unwrap();
    device.queue().upload(&device.allocate_host(ENTRIES * 4).unwrap(), buffer.whole()).unwrap();
    buffer
}

/// What a buffer holds.
pub fn words<T: bytemuck::Pod>(device: &EmulatedDevice, buffer: &Buffer) -> Vec<T> {
    let mut host = device.allocate_host(buffer.bytes()).unwrap();
    device.queue().download(buffer.whole(), &mut host).unwrap();
    host.numbers::<T>()[..buffer.bytes() / size_of::<T>()].to_vec()
}

pub fn launch(
    device: &EmulatedDevice,
    kernel: &'static str,
    blocks: usize,
    arguments: &[Argument],
) -> Result<(), DeviceError> {
    let kernels = device.load(&SOURCE, &[kernel])?;
    // SAFETY: tests give each kernel what it takes; what it does wrong beyond that is to be found.
    unsafe { device.queue().launch(&kernels[0], Launch::rows_of((blocks, 1), 64), arguments) }
}

/// What is found in a launch of `blocks` blocks of 64 threads.
pub fn findings_of(
    device: &EmulatedDevice,
    kernel: &'static str,
    blocks: usize,
    arguments: &[Argument],
) -> Vec<Finding> {
    launch(device, kernel, blocks, arguments).unwrap();
    device.take_findings()
}

fn is_at(finding: &Finding, line: u32) -> bool {
    finding.place == Some(SourceLocation { file: SOURCE.file.to_string(), line, called_from: None })
}

/// Asserts that `findings` is one finding of this kind at the one line with this mark, and returns it.
pub fn the_one(findings: Vec<Finding>, kernel: &str, kind: FindingKind, mark: &str) -> Finding {
    let lines = planted(mark);
    let [finding] = &findings[..] else { panic!("{kernel}: {findings:#?}") };
    assert_eq!((finding.kernel.as_str(), finding.kind), (kernel, kind), "{finding}");
    assert!(matches!(lines[..], [line] if is_at(finding, line)), "{finding} is not at {lines:?}");
    finding.clone()
}

/// Asserts that there are findings, all of this kind at lines with this mark, and that one of them names both of two lines.
pub fn assert_collide(findings: &[Finding], kernel: &str, kind: FindingKind, mark: &str) {
    let lines = planted(mark);
    assert!(!findings.is_empty(), "{kernel}");
    for finding in findings {
        assert_eq!((finding.kernel.as_str(), finding.kind), (kernel, kind), "{finding}");
        assert!(lines.iter().any(|&line| is_at(finding, line)), "{finding} is not at {lines:?}");
    }
    let names =
        |finding: &Finding, line: &u32| finding.to_string().contains(&format!("{}:{line}", SOURCE.file));
    let both = findings.iter().any(|finding| lines.iter().all(|line| names(finding, line)));
    assert!(both, "{findings:#?} name not both of {lines:?}");
}
