//! Refusals of kernels from files.

use super::Case;
use super::place::Place;

/// `own.toml` and `own.cu`, as `repro new-kernel` writes them.
fn start(place: &Place) {
    assert!(place.command("new-kernel own").output().unwrap().status.success());
}

fn nothing(_: &Place) {}

fn read_only_empty(place: &Place) {
    place.make_read_only("empty");
}

fn only_the_source(place: &Place) {
    place.write("own.cu", "mine");
}

fn without_a_source(place: &Place) {
    start(place);
    place.remove("own.cu");
}

fn with_a_wrong_key(place: &Place) {
    start(place);
    place.replace("own.toml", "\nsource = ", "\nsauce = ");
}

fn with_a_wrong_expression(place: &Place) {
    start(place);
    place.replace("own.toml", "{ padded = \"tile\" }", "{ padded = \"n\" }");
}

fn with_a_wrong_script(place: &Place) {
    start(place);
    place.replace("own.toml", "[1], [matrix", "[0], [matrix");
}

fn with_a_name_of_ours(place: &Place) {
    start(place);
    place.replace("own.toml", "name = \"own\"", "name = \"staged-load\"");
}

fn with_another_of_its_name(place: &Place) {
    start(place);
    place.copy_file("own.toml", "other-own.toml");
    place.replace("other-own.toml", "values = [16, 32]", "values = [8, 32]");
}

fn with_a_source_elsewhere(place: &Place) {
    start(place);
    place.replace("own.toml", "\"own.cu\"", "\"../own.cu\"");
}

pub const NEW_KERNEL: &[Case] = &[
    ("new-kernel", nothing, &["<NAME>"]),
    ("new-kernel Own", nothing, &["\"Own\"", "lower-case"]),
    ("new-kernel a/b", nothing, &["\"a/b\"", "lower-case"]),
    ("new-kernel ..", nothing, &["\"..\"", "lower-case"]),
    ("new-kernel layout", nothing, &["\"layout\"", "another name"]),
    ("new-kernel staged-load", nothing, &["'staged-load'", "choose another name", "repro list"]),
    ("new-kernel own", only_the_source, &["own.cu is there already", "another name", "--out"]),
    ("new-kernel own", start, &["own.toml is there already"]),
    ("new-kernel own --out run", nothing, &["--out run holds a run"]),
    ("new-kernel own --out file", nothing, &["cannot make file", "--out"]),
    ("new-kernel own --out file/deeper", nothing, &["cannot make file/deeper", "--out"]),
    ("new-kernel own --out empty", read_only_empty, &["cannot write empty/own.toml", "--out"]),
    ("new-kernel own --out empty/deeper", read_only_empty, &["cannot make empty/deeper", "--out"]),
];

pub const WITH: &[Case] = &[
    ("list --with none.toml", nothing, &["cannot read none.toml"]),
    ("list --with empty", nothing, &["cannot read empty: is a directory"]),
    ("list --with file", nothing, &["file:1: "]),
    ("list --with own.toml", without_a_source, &["own.toml:8: source: cannot read ", "own.cu"]),
    ("list --with own.toml", with_a_source_elsewhere, &["own.toml:8: '../own.cu' leads out of the folder"]),
    ("verify --with own.toml", with_a_wrong_key, &["own.toml:8: unknown field `sauce`, expected one of"]),
    (
        "inspect own --with own.toml",
        with_a_wrong_expression,
        &["own.toml:14: layout.padded: 'n': Variable not found: n", "tile"],
    ),
    (
        "run mine.toml --with own.toml --device cpu --out new",
        with_a_wrong_script,
        &["own.toml:41: script: a grid of 0 blocks for diagonal: expected 1 to"],
    ),
    (
        "counts --with own.toml",
        with_a_name_of_ours,
        &["own.toml:4: name = \"staged-load\"", "repro's own has"],
    ),
    (
        "list --with own.toml --with other-own.toml",
        with_another_of_its_name,
        &["other-own.toml:4: name = \"own\": own.toml has this name already"],
    ),
    ("run scaling --with own.toml --device cpu", start, &["--with: own", "sharded", "scaling"]),
    ("counts --update --with own.toml", start, &["--with: own", "results/counts/baseline.csv", "--baseline"]),
    ("counts --check --with own.toml --only own", start, &["--with: own", "--baseline"]),
    (
        "inspect own --with own.toml --param tile=24",
        start,
        &["own has no parameter tile = 24: it takes 16, 32"],
    ),
    ("inspect own --with own.toml", start, &["REPRO_CXX"]),
    ("new-kernel own --out new --with own.toml", start, &["'own'", "choose another name"]),
];
