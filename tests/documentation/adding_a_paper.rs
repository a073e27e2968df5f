//! The page on adding a paper names everything that a claim can use.

use super::root;
use repro::published::{Combine, Figure, Relation};
use serde::de::DeserializeOwned;

/// The names of an enum's variants, from what it says of a wrong one.
fn names<T: DeserializeOwned>() -> Vec<String> {
    let Err(error) = serde_json::from_value::<T>("no-such".into()) else { panic!("a name of nothing") };
    let text = error.to_string();
    let (_, expected) = text.split_once("expected one of ").unwrap();
    expected.split(", ").map(|name| name.trim_matches('`').to_string()).collect()
}

#[test]
fn the_page_on_adding_a_paper_names_every_figure_and_relation() {
    let page = std::fs::read_to_string(root().join("docs/adding-a-paper.md")).unwrap();
    for name in [names::<Figure>(), names::<Relation>(), names::<Combine>()].concat() {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
