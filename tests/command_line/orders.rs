//! Orders of blocks and threads on the emulated device.

use crate::common::{assert_refused, repro_with_compiler, run, stdout};

#[test]
fn orders_of_verify_multiply_its_checks_and_are_named() {
    let verify = |options: &[&str]| {
        let given = ["verify", "--device", "emulated:8.0", "--only", "katz-kider", "--sizes", "2", "--quiet"];
        stdout(&repro_with_compiler().args(given).args(options).output().unwrap())
    };
    let (once, twice) = (verify(&[]), verify(&["--orders", "2"]));
    let made = |text: &str| -> usize {
        let last = text.lines().last().unwrap_or_default();
        let number = last.strip_prefix("all ").and_then(|rest| rest.split(' ').next());
        number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    assert_eq!(made(&twice), 2 * made(&once));
    assert!(once.contains("as compute capability 8.0") && !once.contains("orders"), "{once}");
    assert!(twice.contains("in 2 orders of blocks and threads"), "{twice}");
    assert_refused(&run(&["verify", "--orders", "2"]), &["--orders", "--device emulated"]);
}
