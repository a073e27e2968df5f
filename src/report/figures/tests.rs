//! Checks on what figures show, with the committed reference runs.

use super::*;
use crate::record::published_papers;
use crate::report::plot::{Layout, draw, png_of};
use std::path::PathBuf;

fn reference(name: &str) -> StoredRun {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200").join(name);
    StoredRun::open(&folder).unwrap()
}

const ALL: [&str; 6] = ["ablation", "kappa-sweep", "occupancy", "shared-memory-steps", "table1", "timers"];

/// Writes every picture of the reference runs to a folder, to look at: `REPRO_FIGURES=folder cargo test figures`.
#[test]
fn pictures_are_written_where_someone_wants_to_look_at_them() {
    let Ok(folder) = std::env::var("REPRO_FIGURES") else { return };
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let papers = published_papers().unwrap();
    for name in ALL {
        for plot in of_run(&reference(name), &papers) {
            let start = std::time::Instant::now();
            let figure = draw(&plot);
            let stem = format!("{name}-{}", plot.id);
            println!(
                "{stem} {:?} svg {} {} png {}",
                start.elapsed(),
                figure.wide.len(),
                figure.narrow.len(),
                figure.png.len()
            );
            println!("  {}\n  {}", plot.title, plot.caption);
            std::fs::write(folder.join(format!("{stem}.png")), figure.png).unwrap();
            std::fs::write(folder.join(format!("{stem}.svg")), figure.wide).unwrap();
            std::fs::write(folder.join(format!("{stem}-narrow.png")), png_of(&plot, Layout::Narrow)).unwrap();
        }
    }
}
