//! Whether the two builds of a pair found the same machine.

use super::introduction::PairError;
use crate::store::Environment;

/// Says what else is not the same: another compiler makes other kernels of the same source, which is not an error, since
/// other kernels are what pairs are for.
///
/// The device is compared by its identity, not by everything that is known of it: a later build may know more.
///
/// # Errors
/// When device, driver or host differ.
pub fn compare(base: &Environment, new: &Environment) -> Result<Option<String>, PairError> {
    let named = |of: Option<&String>| of.map_or_else(|| "none".to_string(), Clone::clone);
    let device = |of: &Environment| match (&of.device, &of.device_problem) {
        (Some(device), _) => device.info.uuid.clone(),
        (None, Some(problem)) => format!("none ({problem})"),
        (None, None) => "none".to_string(),
    };
    let driver = |of: &Environment| named(of.device.as_ref().and_then(|device| device.driver.as_ref()));
    let compiler = |of: &Environment| named(of.device.as_ref().and_then(|device| device.compiler.as_ref()));
    let host = |of: &Environment| format!("{}, {} threads, {}", of.host.cpu, of.host.threads, of.host.kernel);
    let mut differs = Vec::new();
    let mut compare = |what: &str, base: String, new: String| {
        if base != new {
            differs.push(format!("{what} {base} for base and {new} for new"));
        }
    };
    if base.device.is_some() || new.device.is_some() {
        compare("device", device(base), device(new));
        compare("driver", driver(base), driver(new));
    }
    compare("host", host(base), host(new));
    if !differs.is_empty() {
        let remedy = match base.gpu().or(new.gpu()) {
            Some(_) => "let both see the same device, for example with --device cuda:0",
            None => "let both see the same CPU alone, with --device cpu",
        };
        return Err(PairError::Machines { differs: differs.join(", "), remedy });
    }
    let (base, new) = (compiler(base), compiler(new));
    Ok((base != new)
        .then(|| format!("base is compiled by {base} and new by {new}: times may differ by that alone")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures;

    #[test]
    fn who_has_no_gpu_is_not_told_to_take_one() {
        for (gpus, remedy) in [(1, "for example with --device cuda:0"), (0, "with --device cpu")] {
            let base = fixtures::environment(gpus);
            let mut new = base.clone();
            new.host.threads += 1;
            let told = compare(&base, &new).unwrap_err().to_string();
            assert!(told.ends_with(remedy), "{told}");
        }
    }
}
