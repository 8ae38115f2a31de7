//! Rust source without its comments and literals, for rules about what code names.

/// The source with every comment, string and character blanked out; line breaks stay where they were.
pub fn without_comments_and_literals(source: &str) -> String {
    let characters: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < characters.len() {
        let end = at + opaque_length(&characters, at);
        if end == at {
            code.push(characters[at]);
            at += 1;
        } else {
            code.extend(characters[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    code
}

/// Where a name stands as a word of its own: the byte offsets of its first letter.
pub fn words<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        !code[..at].ends_with(is_name_part) && !code[at + name.len()..].starts_with(is_name_part)
    })
}

/// Whether a character can stand inside an identifier.
pub fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number of the line, counted from one, that holds a byte offset.
pub fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// How many characters from `at` on are one comment or one literal; none if code begins there.
fn opaque_length(all: &[char], at: usize) -> usize {
    let rest = &all[at..];
    let after_name = at > 0 && is_name_part(all[at - 1]);
    match rest {
        ['/', '/', ..] => rest.iter().position(|&c| c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment_length(rest),
        ['"', ..] => quoted_length(rest, '"'),
        // Raw only where the `r` is not the end of a longer name; `br` and `cr` are raw prefixes too.
        ['r', ..] if !after_name => raw_string_length(rest),
        ['b' | 'c', 'r', ..] if !after_name => match raw_string_length(&rest[1..]) {
            0 => 0,
            length => length + 1,
        },
        // A quote opens a character if it closes after one (escaped or not); else it begins a lifetime.
        ['\'', '\\', ..] => quoted_length(rest, '\''),
        ['\'', _, '\'', ..] => 3,
        _ => 0,
    }
}

fn block_comment_length(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted_length(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// `r"…"`, `r#"…"#` and so on; none if this `r` begins a name.
fn raw_string_length(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let body = &rest[2 + hashes..];
    let closes =
        |at: &usize| body[*at] == '"' && body[at + 1..].iter().take_while(|&&c| c == '#').count() >= hashes;
    match (0..body.len()).find(closes) {
        Some(at) => 2 + hashes + at + 1 + hashes,
        None => rest.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(source: &str) -> String {
        let code = without_comments_and_literals(source);
        assert_eq!(code.matches('\n').count(), source.matches('\n').count());
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_go() {
        assert_eq!(kept("a // b\nc /* d /* e */\n f */ g\n/// h\n//! i"), "a c g");
        assert_eq!(kept("a /* never closed"), "a");
    }

    #[test]
    fn literals_go() {
        assert_eq!(kept(r#"a "b \" // c" d"#), "a d");
        assert_eq!(kept("a r#\"b \" c\"# d r\"\\\" e"), "a d e");
        assert_eq!(kept("a b\"x\" br#\"y\"# c"), "a b c");
        assert_eq!(kept(r"a 'b' '\'' '\u{1F600}' '\\' '/' c"), "a c");
        assert_eq!(kept("a \"never closed"), "a");
        assert_eq!(kept("a r#\"never closed\""), "a");
    }

    #[test]
    fn code_stays() {
        assert_eq!(kept("fn f<'a>(x: &'a str) -> &'a r#type"), "fn f<'a>(x: &'a str) -> &'a r#type");
        assert_eq!(kept("a / b * c; var\"\""), "a / b * c; var");
    }

    #[test]
    fn a_word_stands_alone() {
        let found: Vec<usize> = words("glam glam::x aglam glam_ (glam)", "glam").collect();
        assert_eq!(found, [0, 5, 26]);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
