//! From keys to lines of text and back.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The line of a byte, counted from 1.
pub fn line_of(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|&b| b == b'\n').count()
}

/// The line where a key like `sheet[0].fabric.density` stands; of the deepest part of it that is written.
pub fn line_of_key(text: &str, path: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let mut value: Option<&DeValue> = None;
    let mut span: Option<Range<usize>> = None;
    for part in parts(path) {
        let table = value.map_or(Some(root.get_ref()), DeValue::as_table);
        let next: Option<(Range<usize>, &Spanned<DeValue>)> = match part {
            Part::Key(key) => table
                .and_then(|table| table.iter().find(|(k, _)| k.get_ref() == key).map(|(k, v)| (k.span(), v))),
            Part::Index(index) => {
                value.and_then(DeValue::as_array).and_then(|array| array.get(index)).map(|v| (v.span(), v))
            }
        };
        let Some((found, inner)) = next else { break };
        span = Some(found);
        value = Some(inner.get_ref());
    }
    span.map(|span| line_of(text, span.start))
}

/// The key whose value stands at a byte of the text.
pub fn key_at(text: &str, byte: usize) -> Option<String> {
    let root = DeTable::parse(text).ok()?;
    let mut path = String::new();
    describe_table(root.get_ref(), byte, &mut path);
    (!path.is_empty()).then_some(path)
}

fn describe_table(table: &DeTable, byte: usize, path: &mut String) {
    // Tables written apart, [[sheet]] and [sheet.fabric], have spans of their heads only: prefer the value that holds the
    // byte, and otherwise look inside every table.
    for (key, value) in table {
        let mut inner = format!("{}{}{}", path, if path.is_empty() { "" } else { "." }, key.get_ref());
        let holds = key.span().contains(&byte) || value.span().contains(&byte);
        let before = inner.len();
        describe_value(value.get_ref(), byte, &mut inner);
        if holds || inner.len() > before {
            *path = inner;
            return;
        }
    }
}

fn describe_value(value: &DeValue, byte: usize, path: &mut String) {
    match value {
        DeValue::Table(table) => describe_table(table, byte, path),
        DeValue::Array(array) => {
            for (k, item) in array.iter().enumerate() {
                let mut inner = format!("{path}[{k}]");
                let before = inner.len();
                describe_value(item.get_ref(), byte, &mut inner);
                if inner.len() > before || item.span().contains(&byte) {
                    *path = inner;
                    return;
                }
            }
        }
        _ => {}
    }
}

/// A step of a path: a key or a place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A key.
    Key(&'a str),
    /// A place in a list.
    Index(usize),
}

/// Splits `sheet[0].size` or `sheet.0.size` into its steps.
pub fn parts(path: &str) -> Vec<Part<'_>> {
    let words = path.split(['.', '[', ']']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_or(Part::Key(word), Part::Index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "dt = 1\n[[sheet]]\nsize = [1, 2]\n[sheet.fabric]\ndensity = -3\n[[sheet]]\nsize = [4, 5]\n";

    #[test]
    fn keys_have_lines() {
        assert_eq!(line_of_key(TEXT, "dt"), Some(1));
        assert_eq!(line_of_key(TEXT, "sheet[0].fabric.density"), Some(5));
        assert_eq!(line_of_key(TEXT, "sheet[1].size[0]"), Some(7));
        assert_eq!(line_of_key(TEXT, "sheet[1].fabric.density"), Some(6));
        assert_eq!(line_of_key(TEXT, "wind"), None);
    }

    #[test]
    fn bytes_have_keys() {
        let at = |needle: &str| key_at(TEXT, TEXT.find(needle).unwrap());
        assert_eq!(at("-3").as_deref(), Some("sheet[0].fabric.density"));
        assert_eq!(at("5]").as_deref(), Some("sheet[1].size[1]"));
        assert_eq!(at("1\n").as_deref(), Some("dt"));
    }
}
