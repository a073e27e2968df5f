//! What a report shows of programs: a figure and a table of their own, beside no time of a kernel.

use crate::common::stored::{copy, edit_rows, redigest};
use repro::report::{Report, Section, assemble};
use repro::results::StoredRun;
use std::path::Path;

fn stored() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs")
}

fn report(folder: &Path) -> Report {
    assemble(&[StoredRun::open(folder).unwrap()], &[], Vec::new(), &[])
}

/// Of the experiment itself.
fn section(report: &Report) -> &Section {
    report.sections.iter().find(|section| section.id == "programs").unwrap()
}

fn shown(section: &Section) -> Vec<&str> {
    section.figures.iter().map(|figure| figure.shows.as_str()).collect()
}

#[test]
fn programs_have_a_figure_and_a_table_of_their_own_and_the_text_says_why() {
    let report = report(&stored());
    let section = section(&report);
    assert_eq!(shown(section).iter().filter(|shows| **shows == "Seconds of programs by n").count(), 1);
    let told = section.intro.join(" ");
    assert!(told.contains("5 cells measured, 30 samples"), "{told}");
    assert!(told.contains("Programs stand in figures and tables of their own"), "{told}");
    let table = section.tables.iter().find(|table| table.grid.title.starts_with("Foreign programs")).unwrap();
    assert_eq!(table.grid.rows.len(), 3);
    // The others are drawn without them.
    for figure in section.figures.iter().filter(|figure| figure.shows != "Seconds of programs by n") {
        assert!(!figure.alt.contains("scipy"), "{}", figure.alt);
    }
}

#[test]
fn a_run_beside_the_papers_that_has_not_finished_says_so_on_its_own_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("peers");
    copy("h200/peers", &folder);
    let manifest = folder.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("  \"finished\"")).collect();
    assert_eq!(lines.len() + 1, text.lines().count());
    std::fs::write(&manifest, lines.join("\n")).unwrap();
    let report = report(&folder);
    let section = report.sections.iter().find(|section| section.id == "peers").unwrap();
    // So that the front page does not begin with it.
    let unfinished = "peers has not finished: ";
    assert!(section.intro.iter().any(|line| line.starts_with(unfinished)), "{:?}", section.intro);
    assert!(!report.notices.iter().any(|line| line.contains(unfinished)), "{:?}", report.notices);
}

#[test]
fn a_run_of_programs_alone_is_of_its_machine_and_not_counted_for_untimed() {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(stored()).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    edit_rows(&folder.path().join("samples.csv"), |row| row.get("implementation").starts_with("scipy"));
    std::fs::remove_file(folder.path().join("counts.csv")).unwrap();
    redigest(folder.path());
    let report = report(folder.path());
    assert_eq!(report.machines.len(), 1);
    let section = section(&report);
    assert_eq!(shown(section), ["Seconds of programs by n"]);
    assert!(section.intro.join(" ").contains("3 cells measured, 18 samples"), "{:?}", section.intro);
}
