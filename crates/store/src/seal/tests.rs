use super::*;
use crate::sample::tests::row;
use crate::sample::write_rows;
use crate::{SampleRow, Status};
use proptest::prelude::*;
use std::path::PathBuf;

/// A line of a seal.
fn line_of(value: &impl Serialize) -> Vec<u8> {
    [serde_json::to_vec(value).unwrap(), b"\n".to_vec()].concat()
}

/// A sealed run of two cells with three samples each, taken in turns.
struct Run {
    folder: tempfile::TempDir,
    rows: Vec<SampleRow>,
}

impl Run {
    fn new() -> Self {
        let rows = (0..3)
            .flat_map(|sample| {
                let seconds = 1.0 + sample as f64;
                [row("a", 64, sample, seconds), row("b", 64, sample, seconds)].concat()
            })
            .collect();
        let run = Self { folder: tempfile::tempdir().unwrap(), rows };
        run.write("manifest.json", b"{}");
        run.write("counts.csv", b"counts\n");
        run.write_rows(&run.rows);
        run.seal();
        run
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn write_rows(&self, rows: &[SampleRow]) {
        self.write("samples.csv", &write_rows(rows, true));
    }

    fn samples(&self) -> SampleFile {
        SampleFile::read(&self.path("samples.csv"), false).unwrap()
    }

    fn seal(&self) {
        let samples = self.samples();
        let mut seal = Seal::new(samples.header());
        seal.add_samples(&samples.rows, &samples);
        for name in ["manifest.json", "counts.csv"] {
            seal.replaced(name, &std::fs::read(self.path(name)).unwrap());
        }
        self.write(SEAL, &line_of(&seal));
    }

    fn check(&self, finished: bool) -> SealCheck {
        let seal = || Seal::read(self.folder.path());
        SealCheck::of(self.folder.path(), &seal(), &seal(), &self.samples(), finished)
    }

    /// The message for a finished run with these rows.
    fn printed(&self, rows: &[SampleRow]) -> String {
        self.write_rows(rows);
        self.check(true).to_string()
    }
}

fn broken(breaches: &[&str]) -> SealCheck {
    SealCheck::Broken(breaches.iter().map(|breach| breach.to_string()).collect())
}

#[test]
fn what_nobody_changed_is_sound_finished_or_not() {
    let run = Run::new();
    assert_eq!(run.check(true), SealCheck::Sound);
    assert_eq!(run.check(false), SealCheck::Sound);
}

#[test]
fn a_seal_that_grows_sample_by_sample_is_the_seal_of_the_whole() {
    let run = Run::new();
    let file = run.samples();
    let mut grown = Seal::new(file.header());
    let lines: Vec<&[u8]> = file.lines().collect();
    for (rows, lines) in file.rows.chunks(4).zip(lines.chunks(4)) {
        grown.add_sample(&rows[0].cell(), lines);
    }
    for name in ["manifest.json", "counts.csv"] {
        let content = std::fs::read(run.path(name)).unwrap();
        grown.replacing(name, &content);
        grown.replaced(name, &content);
    }
    assert_eq!(grown, Seal::read(run.folder.path()).unwrap());
    assert_eq!(grown.samples(), 6);
}

#[test]
fn a_sample_of_which_a_kill_tore_the_line_is_one_that_the_seal_does_not_have() {
    let run = Run::new();
    let file = run.samples();
    let lines: Vec<&[u8]> = file.lines().collect();
    let mut seal = Seal::new(file.header());
    for name in ["manifest.json", "counts.csv"] {
        seal.replaced(name, &std::fs::read(run.path(name)).unwrap());
    }
    let mut text = line_of(&seal);
    for (rows, lines) in file.rows.chunks(4).zip(lines.chunks(4)) {
        text.extend(line_of(&seal.add_sample(&rows[0].cell(), lines)));
    }
    run.write(SEAL, &text);
    assert!(run.check(true).is_sound());
    run.write(SEAL, &text[..text.len() - 1]);
    assert_eq!(Seal::read(run.folder.path()).unwrap().samples(), 5);
    assert!(run.check(false).is_sound() && !run.check(true).is_sound());
    let damaged = String::from_utf8(text).unwrap().replacen("\"rows\":4", "\"rows\":four", 1);
    run.write(SEAL, damaged.as_bytes());
    assert!(run.check(false).to_string().contains("seal.json cannot be read"));
}

#[test]
fn every_way_to_edit_samples_is_named() {
    let run = Run::new();
    let rows = &run.rows;
    let of = |name: &'static str| move |row: &&SampleRow| row.implementation == name;
    let without = |drop: &dyn Fn(&SampleRow) -> bool| -> Vec<SampleRow> {
        rows.iter().filter(|row| !drop(row)).cloned().collect()
    };
    let mut changed = rows.clone();
    changed[9].seconds = Some(1.1);
    let sample = "sample 1 of a n = 64 was edited";
    assert!(run.printed(&changed).ends_with(sample), "{}", run.printed(&changed));
    // The fastest of each cell alone.
    let printed = run.printed(&without(&|row| row.sample > 0));
    assert!(
        printed.contains("a n = 64 has 1 samples in place of 3, b n = 64 has 1 samples in place of 3"),
        "{printed}"
    );
    let printed = run.printed(&without(&|row| row.implementation == "b"));
    assert!(printed.ends_with("b n = 64 has 0 samples in place of 3"), "{printed}");
    let printed = run.printed(&without(&|row| row.implementation == "b" && row.sample == 2));
    assert!(printed.ends_with("b n = 64 has 2 samples in place of 3"), "{printed}");
    let sorted: Vec<SampleRow> =
        rows.iter().filter(of("a")).chain(rows.iter().filter(of("b"))).cloned().collect();
    assert!(run.printed(&sorted).ends_with("the samples are in another order"), "{}", run.printed(&sorted));
    for (name, sample, printed) in
        [("a", 3, "a n = 64 has 4 samples in place of 3"), ("c", 0, "c n = 64 has 1 samples in place of 0")]
    {
        assert!(
            run.printed(&[&rows[..], &row(name, 64, sample, 1.0)].concat()).ends_with(printed),
            "{printed}"
        );
    }
    assert_eq!(run.printed(rows), SealCheck::Sound.to_string());
    // What a kill cannot leave of a finished run.
    let text = std::fs::read(run.path("samples.csv")).unwrap();
    run.write("samples.csv", &[&text[..], b"a,64"].concat());
    assert_eq!(run.check(true), broken(&["samples.csv has 4 bytes after its last sample"]));
    assert_eq!(run.check(false), SealCheck::Sound);
    let text = String::from_utf8(text).unwrap().replacen(",sm_mhz,memory_mhz,", ",memory_mhz,sm_mhz,", 1);
    run.write("samples.csv", text.as_bytes());
    assert!(run.check(true).to_string().contains("the header of samples.csv was edited"));
}

#[test]
fn other_files_that_were_edited_removed_or_added_are_named() {
    let run = Run::new();
    run.write("manifest.json", b"{ }");
    run.write("kernels.csv", b"kernels\n");
    std::fs::remove_file(run.path("counts.csv")).unwrap();
    let expected = broken(&["manifest.json was edited", "counts.csv was removed", "kernels.csv was added"]);
    assert_eq!(run.check(true), expected);
    assert_eq!(run.check(false), expected);
}

#[test]
fn a_seal_that_is_gone_torn_of_another_layout_or_of_another_run_is_told() {
    let run = Run::new();
    let text = std::fs::read(run.path(SEAL)).unwrap();
    run.write(SEAL, &text[..text.len() / 2]);
    assert!(run.check(true).to_string().contains("seal.json cannot be read"), "{}", run.check(true));
    let newer = String::from_utf8(text).unwrap().replacen("\"schema_version\":1", "\"schema_version\":2", 1);
    run.write(SEAL, newer.as_bytes());
    assert!(run.check(true).to_string().contains("schema version 2 is not 1"), "{}", run.check(true));
    let other = Run::new();
    other.write("manifest.json", b"another");
    other.write_rows(&other.rows[4..8]);
    other.seal();
    std::fs::copy(other.path(SEAL), run.path(SEAL)).unwrap();
    let printed = run.check(true).to_string();
    assert!(printed.contains("manifest.json was edited"), "{printed}");
    assert!(printed.contains("a n = 64 has 3 samples in place of 0"), "{printed}");
    std::fs::remove_file(run.path(SEAL)).unwrap();
    assert_eq!(run.check(true), SealCheck::Missing);
}

#[test]
fn a_file_that_is_being_replaced_may_be_the_old_one_or_the_new() {
    let run = Run::new();
    let mut seal = Seal::read(run.folder.path()).unwrap();
    seal.replacing("manifest.json", b"new");
    seal.replacing("kernels.csv", b"first");
    run.write(SEAL, &line_of(&seal));
    assert_eq!(run.check(true), SealCheck::Sound);
    run.write("manifest.json", b"new");
    run.write("kernels.csv", b"first");
    assert_eq!(run.check(true), SealCheck::Sound);
    run.write("manifest.json", b"newer");
    assert_eq!(run.check(true), broken(&["manifest.json was edited"]));
    run.write("manifest.json", b"{}");
    seal.replaced("manifest.json", b"new");
    run.write(SEAL, &line_of(&seal));
    assert_eq!(run.check(true), broken(&["manifest.json was edited"]));
}

#[test]
fn an_unfinished_run_may_have_one_sample_more_than_its_seal_and_a_running_one_what_was_added_meanwhile() {
    let run = Run::new();
    let older = Seal::read(run.folder.path());
    let check = |rows: &[&[SampleRow]], newer, finished| {
        run.write_rows(&[&run.rows, &rows.concat()[..]].concat());
        SealCheck::of(run.folder.path(), &older, newer, &run.samples(), finished)
    };
    let [first, second] = [row("a", 64, 3, 4.0), row("b", 64, 3, 4.0)];
    let failed = vec![SampleRow::without_time(&first[0].cell(), 4, Status::Failed, "why")];
    assert!(check(&[&first], &older, false).is_sound());
    assert!(!check(&[&first], &older, true).is_sound());
    assert!(!check(&[&first, &second], &older, false).is_sound());
    let mut newer = older.clone().unwrap();
    newer.add_sample(&first[0].cell(), &[b"line"]);
    let newer = Ok(newer);
    assert!(check(&[&first, &second], &newer, false).is_sound());
    assert!(!check(&[&first, &second, &failed], &newer, false).is_sound());
}

proptest! {
    #[test]
    fn any_changed_byte_of_the_samples_is_noticed(at in 0usize..2000, with in 0u8..255) {
        let run = Run::new();
        let mut bytes = std::fs::read(run.path("samples.csv")).unwrap();
        let at = at % bytes.len();
        prop_assume!(bytes[at] != with);
        bytes[at] = with;
        run.write("samples.csv", &bytes);
        // What cannot be read is named as such.
        if let Ok(samples) = SampleFile::read(&run.path("samples.csv"), false) {
            let seal = || Seal::read(run.folder.path());
            prop_assert!(!SealCheck::of(run.folder.path(), &seal(), &seal(), &samples, true).is_sound());
        }
    }
}
