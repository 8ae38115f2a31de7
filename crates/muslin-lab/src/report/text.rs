//! Escaping, and the small inline markup of paragraphs and captions.
//!
//! The markup is `` `code` ``, `*emphasis*` and `**strong**`, and nothing else. A mark without its partner, or
//! inside a word (`2*3*4`), stands for itself.

/// A piece of a paragraph.
#[derive(Debug, PartialEq)]
enum Span<'a> {
    Plain(&'a str),
    Code(&'a str),
    Emphasis(Vec<Span<'a>>),
    Strong(Vec<Span<'a>>),
}

/// Escapes for html and svg, as text and inside double-quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(character),
            // Other control characters are not allowed in xml, not even escaped.
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Escapes for GitHub's markdown, on one line and safe inside a table.
pub(super) fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => escaped.extend(['\\', character]),
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A paragraph with inline markup as html.
pub(super) fn html(text: &str) -> String {
    spans(text).iter().map(html_span).collect()
}

/// A paragraph with inline markup as markdown.
pub(super) fn markdown(text: &str) -> String {
    spans(text).iter().map(markdown_span).collect()
}

/// A paragraph without its inline markup.
pub(super) fn plain(text: &str) -> String {
    spans(text).iter().map(plain_span).collect()
}

fn html_span(span: &Span) -> String {
    let inner = |spans: &[Span]| spans.iter().map(html_span).collect::<String>();
    match span {
        Span::Plain(text) => escape(text),
        Span::Code(text) => format!("<code>{}</code>", escape(text)),
        Span::Emphasis(spans) => format!("<em>{}</em>", inner(spans)),
        Span::Strong(spans) => format!("<strong>{}</strong>", inner(spans)),
    }
}

fn markdown_span(span: &Span) -> String {
    let inner = |spans: &[Span]| spans.iter().map(markdown_span).collect::<String>();
    match span {
        Span::Plain(text) => escape_markdown(text),
        Span::Code(text) => format!("`{}`", text.replace(char::is_control, " ")),
        Span::Emphasis(spans) => format!("*{}*", inner(spans)),
        Span::Strong(spans) => format!("**{}**", inner(spans)),
    }
}

fn plain_span(span: &Span) -> String {
    match span {
        Span::Plain(text) | Span::Code(text) => (*text).to_string(),
        Span::Emphasis(spans) | Span::Strong(spans) => spans.iter().map(plain_span).collect(),
    }
}

fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut start = 0; // of the plain text not yet taken
    let mut at = 0;
    while let Some(offset) = text[at..].find(['`', '*']) {
        at += offset;
        let mark = mark_at(&text[at..]);
        let Some(inner) = marked(text, at, mark) else {
            at += mark.len();
            continue;
        };
        if start < at {
            spans.push(Span::Plain(&text[start..at]));
        }
        spans.push(match mark {
            "`" => Span::Code(inner),
            "*" => Span::Emphasis(self::spans(inner)),
            _ => Span::Strong(self::spans(inner)),
        });
        at += inner.len() + 2 * mark.len();
        start = at;
    }
    if start < text.len() {
        spans.push(Span::Plain(&text[start..]));
    }
    spans
}

fn mark_at(text: &str) -> &'static str {
    match text.as_bytes() {
        [b'`', ..] => "`",
        [b'*', b'*', ..] => "**",
        _ => "*",
    }
}

/// What stands between the mark at byte `at` and its partner, if it opens a marked piece there.
fn marked<'a>(text: &'a str, at: usize, mark: &str) -> Option<&'a str> {
    let rest = &text[at + mark.len()..];
    if mark == "`" {
        return rest.split_once(mark).map(|(inner, _)| inner).filter(|inner| !inner.is_empty());
    }
    let opens = !text[..at].ends_with(char::is_alphanumeric) && !rest.starts_with([' ', '*']);
    let closes = |&(end, _): &(usize, &str)| {
        let (inner, after) = (&rest[..end], &rest[end + mark.len()..]);
        let alone = mark == "**" || !(inner.ends_with('*') || after.starts_with('*'));
        alone && !inner.is_empty() && !inner.ends_with(' ') && !after.starts_with(char::is_alphanumeric)
    };
    let (end, _) = opens.then(|| rest.match_indices(mark).find(closes))??;
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a `x < y` b", "a <code>x &lt; y</code> b"),
            ("*so* it is", "<em>so</em> it is"),
            ("**very** *so*", "<strong>very</strong> <em>so</em>"),
            ("**a *b* `c`**", "<strong>a <em>b</em> <code>c</code></strong>"),
            ("*a **b** c*", "<em>a <strong>b</strong> c</em>"),
            ("`*not*`", "<code>*not*</code>"),
            ("2*3*4", "2*3*4"),
            ("a * b * c", "a * b * c"),
            ("one ` and one *", "one ` and one *"),
            ("****", "****"),
            ("``", "``"),
            ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"),
            ("*<i>*", "<em>&lt;i&gt;</em>"),
            ("(*größe*)", "(<em>größe</em>)"),
        ] {
            assert_eq!(html(text), expected, "{text}");
        }
    }

    #[test]
    fn markdown_keeps_the_markup_and_escapes_the_rest() {
        assert_eq!(markdown("**a_b** | `c|d` <x>"), "**a\\_b** \\| `c|d` &lt;x&gt;");
        assert_eq!(escape_markdown("a\n|b*"), "a \\|b\\*");
    }

    #[test]
    fn plain_drops_the_markup() {
        assert_eq!(plain("**a** `b` *c*"), "a b c");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_escaped(text in "[`*<>&\"' a-cö\u{7}]{0,24}") {
            let html = html(&text);
            let rest = ["code", "em", "strong"].iter().fold(html, |html, tag| {
                html.replace(&format!("<{tag}>"), "").replace(&format!("</{tag}>"), "")
            });
            let unescaped = rest.contains(['<', '>', '"', '\u{7}']);
            proptest::prop_assert!(!unescaped, "{}", rest);
            proptest::prop_assert!(plain(&text).len() <= text.len());
        }
    }
}
