//! Gives the task loops of a compiled file another order: `reorder LISTING.json FILE.cubin TO.cubin`; with the listing of the new file as a
//! fourth it checks that instead of writing it.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [listing, from, to, ..] = &arguments[..] else {
        return Err("usage: reorder LISTING.json FILE.cubin TO.cubin [NEW-LISTING.json]".into());
    };
    let compiled = std::fs::read(from)?;
    let kernels = repro_machine_code::read(&std::fs::read(listing)?, &compiled)?;
    if let Some(listing) = arguments.get(3) {
        let after = repro_machine_code::read(&std::fs::read(listing)?, &std::fs::read(to)?)?;
        for (before, after) in kernels.iter().zip(&after) {
            println!("{}: {:?}", before.name, repro_machine_code::reorder::check(before, after));
        }
        return Ok(());
    }
    let (file, outcomes) = repro_machine_code::reorder::reorder(&compiled, &kernels)?;
    for outcome in outcomes {
        println!("{}: {}", outcome.kernel, outcome.left.as_deref().unwrap_or("in another order"));
    }
    std::fs::write(to, file)?;
    Ok(())
}
