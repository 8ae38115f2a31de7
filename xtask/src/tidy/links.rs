//! The rule that relative links in Markdown lead somewhere.

use std::collections::BTreeSet;

use super::{Finding, SourceFile};

/// Every relative link leads to a tracked file, or to a folder that holds one.
pub fn links_resolve(files: &[SourceFile]) -> Vec<Finding> {
    let places = places(files);
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.extension() == Some("md")) {
        for (line, target) in links(&file.text) {
            let Some(path) = local_path(&target) else { continue };
            if !resolve(&file.path, path).is_some_and(|place| places.contains(place.as_str())) {
                findings.push(file.finding(line, format!("the link `{target}` leads to no tracked file")));
            }
        }
    }
    findings
}

/// All files and all folders above them; the root is the empty path.
fn places(files: &[SourceFile]) -> BTreeSet<&str> {
    let mut places = BTreeSet::from([""]);
    for file in files {
        places.insert(&file.path);
        places.extend(file.path.match_indices('/').map(|(at, _)| &file.path[..at]));
    }
    places
}

/// The part of a link that names a file here; none for other sites and for places within the page.
fn local_path(target: &str) -> Option<&str> {
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_url = !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let path = target.split(['#', '?']).next().unwrap_or_default();
    (!is_url && !target.starts_with("//") && !path.is_empty()).then_some(path)
}

/// A link seen from a page, as a path from the root; none if it leaves the tree.
fn resolve(page: &str, path: &str) -> Option<String> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (from, path) = path.strip_prefix('/').map_or((folder, path), |path| ("", path));
    let path = path.replace("%20", " ");
    let mut parts: Vec<&str> = Vec::new();
    for part in from.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The targets of all links in a page, with their lines; code is no link.
fn links(page: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in page.lines().enumerate() {
        let text = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
            (None, None) => links.extend(targets(&without_code(line)).map(|target| (index + 1, target))),
        }
    }
    links
}

/// The targets in one line: `](target "title")`, `](<target>)`, and `[name]: target`.
fn targets(line: &str) -> impl Iterator<Item = String> {
    let inline =
        line.match_indices("](").map(|(at, mark)| &line[at + mark.len()..]).filter_map(inline_target);
    let is_definition = line.starts_with('[') && !line.starts_with("[^");
    let defined = line.split_once("]: ").filter(|_| is_definition).and_then(|(_, target)| first_word(target));
    inline.chain(defined).map(str::to_owned)
}

fn inline_target(after: &str) -> Option<&str> {
    if let Some(after) = after.strip_prefix('<') {
        return after.split_once('>').map(|(target, _)| target);
    }
    // A target may hold pairs of parentheses.
    let mut depth = 0;
    let end = after.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    })?;
    first_word(&after[..end])
}

fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next().map(|word| word.trim_start_matches('<').trim_end_matches('>'))
}

/// A line with its `code` taken out.
fn without_code(line: &str) -> String {
    let pieces: Vec<&str> = line.split('`').collect();
    // With an odd number of marks the last opens nothing.
    let unclosed = if pieces.len().is_multiple_of(2) { pieces.len() - 1 } else { pieces.len() };
    let kept = pieces.iter().enumerate().filter(|(index, _)| index % 2 == 0 || *index == unclosed);
    kept.map(|(_, piece)| *piece).collect()
}

#[cfg(test)]
mod tests {
    use super::super::examples::printed;
    use super::*;

    fn broken(page: &str) -> Vec<String> {
        let files = [("docs/book/page.md", page), ("docs/other.md", ""), ("src/a b.rs", ""), ("a(1).md", "")];
        printed(links_resolve, &files)
    }

    #[test]
    fn good_links_pass() {
        for target in
            ["page.md", "../other.md#part", "../../src", "../../src/", "../../src/a%20b.rs", "/docs", "../.."]
        {
            assert_eq!(broken(&format!("[x]({target})")), Vec::<String>::new(), "{target}");
        }
        for target in ["https://x.org/y.md", "mailto:a@b.c", "#part", "//x.org/y"] {
            assert_eq!(broken(&format!("[x]({target})")), Vec::<String>::new(), "{target}");
        }
        assert_eq!(broken("[x](../../a(1).md) [y](<../../src/a b.rs>) ![z](page.md \"title\")"), [""; 0]);
    }

    #[test]
    fn broken_links_are_found() {
        let message = |line: usize, target: &str| {
            format!("docs/book/page.md:{line}: the link `{target}` leads to no tracked file")
        };
        assert_eq!(broken("a\n[x](page.md) [y](none.md)"), [message(2, "none.md")]);
        assert_eq!(broken("[`code`](none.md)"), [message(1, "none.md")]);
        assert_eq!(broken("[![x](none.png)](page.md)"), [message(1, "none.png")]);
        assert_eq!(broken("[x](../../../page.md)"), [message(1, "../../../page.md")]);
        assert_eq!(broken("[name]: none.md \"title\""), [message(1, "none.md")]);
        assert_eq!(broken("a ` b [x](none.md)"), [message(1, "none.md")]);
    }

    #[test]
    fn code_is_no_link() {
        assert_eq!(broken("```rust\nx[i](none)\n```\n`y[i](none)`\n[^1]: a note\n"), [""; 0]);
        assert_eq!(
            broken("```\n~~~\n[x](none)\n```\n[x](none)"),
            ["docs/book/page.md:5: the link `none` leads to no tracked file"]
        );
    }
}
