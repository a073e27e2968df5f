//! Papers that are not begun.

use super::Case;
use super::place::Place;

fn nothing(_: &Place) {}

fn read_only_empty(place: &Place) {
    place.make_read_only("empty");
}

/// `experiments/published/own`, as `repro new-paper` writes it.
fn start(place: &Place) {
    assert!(place.command("new-paper own").output().unwrap().status.success());
}

fn only_the_claims(place: &Place) {
    std::fs::create_dir_all(place.path("new/own")).unwrap();
    place.write("new/own/claims.toml", "mine");
}

pub const NEW_PAPER: &[Case] = &[
    ("new-paper", nothing, &["<NAME>"]),
    ("new-paper Own", nothing, &["\"Own\"", "lower-case"]),
    ("new-paper 2012-own", nothing, &["\"2012-own\"", "a letter first"]),
    ("new-paper a/b", nothing, &["\"a/b\"", "lower-case"]),
    ("new-paper ..", nothing, &["\"..\"", "lower-case"]),
    ("new-paper lund-smith-2010", nothing, &["'lund-smith-2010'", "choose another name"]),
    ("new-paper own", start, &["own/paper.toml is there already", "another name", "--out"]),
    ("new-paper own --out new", only_the_claims, &["own/claims.toml is there already"]),
    ("new-paper own --out run", nothing, &["--out run holds a run"]),
    ("new-paper run --out .", nothing, &["run holds a run"]),
    ("new-paper own --out file", nothing, &["cannot make file/own", "--out"]),
    ("new-paper own --out empty", read_only_empty, &["cannot make empty/own", "--out"]),
];
