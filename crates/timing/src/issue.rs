//! What the issue slots of a multiprocessor allow, whatever a kernel in registers was found to reach.
//!
//! Every multiprocessor from compute capability 7.5 to 12.0 has four schedulers that issue one instruction of a warp a clock each:
//! 128 lanes (CUDA C++ Programming Guide, sections on compute capabilities). Of those, additions take up to 128 and minima 64 (its
//! table of the throughput of native arithmetic instructions, by compute capability); a three-input minimum is one instruction and
//! does two tasks. How many slots a task takes at least follows:
//!
//! - `f32` before 9.0: FADD + FMNMX, 2. On 9.0: two FADD and one VIMNMX3 for two tasks, 3/2 (the minimum on bit patterns). From 10.0
//!   on: one packed FADD2 and one FMNMX3 for two tasks, 1.
//! - `i32` before 9.0: IADD + IMNMX, 2. From 9.0 on VIADDMNMX does a task in one slot, 64 lanes a clock; with two thirds of the tasks as
//!   IMAD on the other pipe and VIMNMX3, eight instructions for six tasks, 4/3.
//! - 16 bit: the same with two numbers a register, half of it.
//!
//! An H200 was measured at 99% of the first (22.1 of 22.3e12 tasks/s) and 98% of the second, with registers chosen by hand.

use repro_base::ElementType;
use repro_device::DeviceInfo;

/// Lanes that all schedulers of a multiprocessor issue for in a clock.
const LANES: f64 = 128.0;

/// Issue slots a task, at least; the first entry of which the compute capability is not below a device's. `f32`, `i32`, `u16`.
const SLOTS: [((u32, u32), [f64; 3]); 3] = [
    ((10, 0), [1.0, 4.0 / 3.0, 2.0 / 3.0]),
    ((9, 0), [3.0 / 2.0, 4.0 / 3.0, 2.0 / 3.0]),
    ((7, 5), [2.0, 2.0, 1.0]),
];

/// Tasks/s of a device at this clock in MHz, or at the highest that its driver names. None of devices that the table does not have,
/// and of types that have no kernels.
pub fn issue_tasks_per_s(info: &DeviceInfo, element: ElementType, clock_mhz: Option<u32>) -> Option<f64> {
    let at = match element {
        ElementType::F32 => 0,
        ElementType::I32 => 1,
        ElementType::U16 => 2,
        ElementType::F64 => return None,
    };
    let (_, slots) = SLOTS.iter().find(|(from, _)| info.compute_capability >= *from)?;
    let clock = f64::from(clock_mhz.unwrap_or(info.clock_mhz)) * 1e6;
    (clock > 0.0).then(|| f64::from(info.multiprocessors) * LANES * clock / slots[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(compute_capability: (u32, u32), clock_mhz: u32) -> DeviceInfo {
        let info = serde_json::json!({
            "ordinal": 0, "name": "", "uuid": "", "compute_capability": compute_capability, "multiprocessors": 132,
            "memory_bytes": 0, "l2_bytes": 0, "shared_bytes_per_multiprocessor": 0, "shared_bytes_per_block": 0,
            "registers_per_multiprocessor": 0, "threads_per_multiprocessor": 0, "clock_mhz": clock_mhz,
            "driver_cuda": "", "emulated": false,
        });
        serde_json::from_value(info).unwrap()
    }

    #[test]
    fn an_h200_issues_22_tera_tasks_and_lower_clocks_fewer() {
        let h200 = device((9, 0), 1980);
        let of = |element, clock| issue_tasks_per_s(&h200, element, clock).unwrap();
        assert!((of(ElementType::F32, None) - 22.3e12).abs() < 0.1e12);
        assert!((of(ElementType::I32, None) - 25.1e12).abs() < 0.1e12);
        assert_eq!(of(ElementType::U16, None), 2.0 * of(ElementType::I32, None));
        assert_eq!(of(ElementType::F32, Some(990)), of(ElementType::F32, None) / 2.0);
    }

    #[test]
    fn nothing_is_said_of_devices_and_types_that_the_table_lacks() {
        assert_eq!(issue_tasks_per_s(&device((7, 0), 1980), ElementType::F32, None), None);
        assert_eq!(issue_tasks_per_s(&device((9, 0), 0), ElementType::F32, None), None);
        assert_eq!(issue_tasks_per_s(&device((9, 0), 1980), ElementType::F64, None), None);
        assert!(issue_tasks_per_s(&device((12, 1), 1980), ElementType::F32, None).is_some());
    }
}
