//! The sentences of a document, without its code, tables and headings; and how no doc comment begins.

use super::rooms::files;
use std::path::Path;

/// How many words each sentence of Markdown text has. Code in a line counts as one word, a link as its text.
pub fn sentences(text: &str) -> Vec<usize> {
    let mut paragraphs = vec![String::new()];
    let mut in_code = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            in_code = !in_code;
        }
        let is_prose = !in_code && !trimmed.starts_with(['#', '|', '<', '!']) && !trimmed.starts_with("```");
        let item = trimmed.strip_prefix("- ").or_else(|| {
            let (number, rest) = trimmed.split_once(". ")?;
            number.parse::<u32>().is_ok().then_some(rest)
        });
        if !is_prose || trimmed.is_empty() || item.is_some() {
            paragraphs.push(String::new());
        }
        if is_prose {
            let paragraph = paragraphs.last_mut().unwrap();
            *paragraph += item.unwrap_or(trimmed);
            paragraph.push(' ');
        }
    }
    paragraphs.iter().flat_map(|paragraph| of_paragraph(&plain(paragraph))).collect()
}

fn of_paragraph(text: &str) -> Vec<usize> {
    let mut counts = vec![0];
    for word in text.split_whitespace() {
        *counts.last_mut().unwrap() += 1;
        if word.trim_end_matches(['*', '"', ')']).ends_with(['.', '!', '?', ':']) && word != "al." {
            counts.push(0);
        }
    }
    counts.retain(|words| *words > 0);
    counts
}

/// Code as one word, links as their texts.
fn plain(paragraph: &str) -> String {
    let code: Vec<&str> = paragraph.split('`').collect();
    let without_code: String =
        code.iter().enumerate().map(|(index, part)| if index % 2 == 1 { "code" } else { part }).collect();
    let mut text = String::new();
    let mut rest = without_code.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        text += before;
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    text + rest
}

#[test]
fn words_are_counted_by_sentence() {
    let text = "# A heading of five words\n\nOne two. Three `a b c` five\nsix [seven](x.y) eight.\n\n- item one\n- item (two).\n\n| a | b |\n\n```sh\nno words\n```\n";
    assert_eq!(sentences(text), [2, 6, 2, 2]);
}

#[test]
fn a_doc_comment_says_what_an_item_is_without_the_one_above() {
    let mut wrong = Vec::new();
    for path in ["src", "crates"].iter().flat_map(|folder| files(Path::new(folder))) {
        let text = std::fs::read_to_string(&path).unwrap();
        let is_wrong = |line: &&str| {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            comment.is_some_and(|comment| comment.trim_start().starts_with("The same"))
        };
        wrong.extend(text.lines().filter(is_wrong).map(|line| format!("{}: {line}", path.display())));
    }
    assert_eq!(wrong, Vec::<String>::new());
}
