//! Machine code that NVRTC makes of this project's kernels: what the reader of listings says of it. The tests need NVRTC and a disassembler.

use repro::device::KernelSource;
use repro::device::cuda::{Nvrtc, find_nvrtc};
use repro::graph::ElementType;
use repro::regression::counts::{ARCHITECTURE, CountTarget};
use repro_machine_code::Disassembler;
use repro_machine_code::KernelListing;

struct Tools(Nvrtc, Disassembler);

impl Tools {
    fn find() -> Self {
        let found = find_nvrtc(None).and_then(|found| Nvrtc::load(&found));
        match found.and_then(|nvrtc| Ok(Self(nvrtc, Disassembler::find()?))) {
            Ok(tools) => tools,
            Err(error) => crate::common::missing_tool(error),
        }
    }

    fn kernels(&self, source: &KernelSource) -> Vec<KernelListing> {
        let compiled = self.0.compile(source, ARCHITECTURE).unwrap();
        self.1.kernels(&source.file, &compiled.image).unwrap()
    }
}

fn named<'a>(kernels: &'a [KernelListing], name: &str) -> &'a KernelListing {
    kernels.iter().find(|kernel| kernel.name == name).unwrap()
}

#[test]
#[ignore = "long"]
fn kernels_in_registers_do_the_tasks_that_their_source_says() {
    let kernels = Tools::find().kernels(&KernelSource::CEILINGS);
    // Tasks a round by the source: 2 x 16 chains, 2 x 36 cells, and twice as many of two numbers a register. Instructions a task: an
    // addition and a minimum; two and one for two tasks; one for one; of three columns two the former and one the latter.
    let cases = [
        ("add_min_registers", 32, 2.0),
        ("f32_min3_registers", 72, 1.5),
        ("i32_min3_registers", 72, 1.5),
        ("i32_add_min_registers", 72, 1.0),
        ("i32_mixed_registers", 72, 4.0 / 3.0),
        ("u16_add_min_registers", 144, 0.5),
        ("u16_mixed_registers", 144, 2.0 / 3.0),
    ];
    assert_eq!(kernels.len(), cases.len());
    for (name, tasks, instructions) in cases {
        let code = named(&kernels, name).task_loop().unwrap().code;
        // The compiler may do several rounds in one.
        assert!(matches!((code.tasks / tasks, code.tasks % tasks), (1 | 2 | 4, 0)), "{name}: {code:?}");
        assert_eq!(code.task_instructions as f64, instructions * code.tasks as f64, "{name}: {code:?}");
    }
}

/// A kernel does as many tasks in integers, whose additions and comparisons also do other things.
#[test]
#[ignore = "long"]
fn every_element_type_of_a_kernel_does_as_many_tasks() {
    let tools = Tools::find();
    for name in ["staged-load", "katz-kider", "optimized-blocked"] {
        let target = CountTarget::all().into_iter().find(|target| target.name == name).unwrap();
        let of = |element| tools.kernels(&target.source.clone().for_element(element));
        let floats = of(ElementType::F32);
        for element in [ElementType::I32, ElementType::U16] {
            for kernel in of(element) {
                let expected = named(&floats, &kernel.name).task_loop().unwrap().code.tasks;
                let code = kernel.task_loop().unwrap().code;
                assert_eq!(code.tasks, expected, "{name} {} {element:?}: {code:?}", kernel.name);
            }
        }
    }
}
