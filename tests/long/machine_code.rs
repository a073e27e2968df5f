//! Machine code that NVRTC makes of this project's kernels: what the reader of listings says of it. The tests need NVRTC and a disassembler.

use repro::device::KernelSource;
use repro::device::cuda::{Disassembler, Nvrtc, find_nvrtc};
use repro::graph::ElementType;
use repro::regression::counts::{ARCHITECTURE, Subject};
use repro_machine_code::Kernel;

struct Tools(Nvrtc, Disassembler);

impl Tools {
    fn find() -> Self {
        let found = find_nvrtc(None).and_then(|found| Nvrtc::load(&found));
        match found.and_then(|nvrtc| Ok(Self(nvrtc, Disassembler::find()?))) {
            Ok(tools) => tools,
            Err(error) => crate::common::missing_tool(error),
        }
    }

    fn kernels(&self, source: &KernelSource) -> Vec<Kernel> {
        let compiled = self.0.compile(source, ARCHITECTURE).unwrap();
        self.1.kernels(&source.file, &compiled.image).unwrap()
    }
}

fn named<'a>(kernels: &'a [Kernel], name: &str) -> &'a Kernel {
    kernels.iter().find(|kernel| kernel.name == name).unwrap()
}

/// A kernel does as many tasks in integers, whose additions and comparisons also do other things.
#[test]
#[ignore = "long"]
fn every_element_type_of_a_kernel_does_as_many_tasks() {
    let tools = Tools::find();
    for name in ["staged-load", "katz-kider", "optimized-blocked"] {
        let subject = Subject::all().into_iter().find(|subject| subject.name == name).unwrap();
        let of = |element| tools.kernels(&subject.source.clone().for_element(element));
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
