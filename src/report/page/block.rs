//! A piece of running text on a page.

use super::table::TableView;
use crate::report::{Block, Topic};
use askama::Template;

#[derive(Template)]
#[template(path = "block.html")]
pub(super) enum BlockView<'a> {
    Text(&'a str),
    List(&'a [String]),
    Commands(String),
    Table(TableView<'a>),
}

/// The blocks of a topic, on a page from which the report's folder is at `root`.
pub(super) fn blocks<'a>(topic: &'a Topic, root: &'static str) -> Vec<BlockView<'a>> {
    let blocks = topic.blocks.iter().map(|block| match block {
        Block::Text(text) => BlockView::Text(text),
        Block::List(items) => BlockView::List(items),
        Block::Commands(lines) => BlockView::Commands(lines.join("\n")),
        Block::Table(table) => BlockView::Table(TableView::new(table, true, root)),
    });
    blocks.collect()
}
