//! Rules about the text of one file, whatever it means.

use super::code::is_name_part;
use super::{Finding, SourceFile};

/// Lines that one can hold in mind, with some slack over the 400 to aim at.
const MAX_LINES: usize = 450;
const MAX_BYTES: usize = 400 * 1024;

// Put together from halves, so that this file does not find itself.
const LEFTOVERS: [&str; 6] = [
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
    concat!("db", "g!"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("#[ig", "nore"),
];
const MACHINE_FOLDERS: [&str; 4] = ["home", "root", "tmp", "work"];

/// No tabs, no blanks at the end of a line, no carriage returns, and a line break at the end.
pub fn whitespace(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !is_written_by_hand(file) || file.text.is_empty() {
        return findings;
    }
    for (number, line) in file.lines() {
        if line.contains('\t') {
            findings.push(file.finding(number, "a tab; indent with spaces"));
        }
        if line.ends_with(char::is_whitespace) {
            findings.push(file.finding(number, "whitespace at the end of the line"));
        }
    }
    if let Some(at) = file.text.find('\r') {
        let line = super::code::line_of(&file.text, at);
        findings.push(file.finding(line, "a carriage return; lines end in a line feed alone"));
    }
    if !file.text.ends_with('\n') {
        findings.push(file.finding(file.text.lines().count(), "no line break at the end of the file"));
    }
    findings
}

/// Sample meshes and written results keep the form in which their programs left them.
fn is_written_by_hand(file: &SourceFile) -> bool {
    match file.extension() {
        None => true,
        Some(extension) => {
            let by_hand = [
                "rs", "toml", "md", "ts", "tsx", "js", "mjs", "css", "html", "json", "sh", "yml", "yaml",
                "txt",
            ];
            by_hand.contains(&extension)
        }
    }
}

/// Nothing that says "not finished" or "not tested" stays in the code.
pub fn leftovers(file: &SourceFile) -> Vec<Finding> {
    if !is_code(file) {
        return Vec::new();
    }
    let found = |line: &str| LEFTOVERS.into_iter().filter(|word| line.contains(word)).collect::<Vec<_>>();
    file.lines()
        .flat_map(|(number, line)| found(line).into_iter().map(move |word| (number, word)))
        .map(|(number, word)| file.finding(number, format!("`{word}` is left in the code")))
        .collect()
}

/// No path that exists on one machine only.
pub fn machine_paths(file: &SourceFile) -> Vec<Finding> {
    if file.extension() == Some("lock") {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in file.lines() {
        for folder in MACHINE_FOLDERS {
            let path = format!("/{folder}/");
            let begins_there = |at: usize| !line[..at].ends_with(|c| is_name_part(c) || c == '.');
            if line.match_indices(&path).any(|(at, _)| begins_there(at)) {
                findings.push(file.finding(number, format!("a path below `{path}` belongs to one machine")));
            }
        }
    }
    findings
}

/// A source file stays short; its unit tests at the end do not count.
pub fn length(file: &SourceFile) -> Vec<Finding> {
    let lines = lines_before_tests(&file.text);
    if !is_code(file) || lines <= MAX_LINES {
        return Vec::new();
    }
    let message = format!("{lines} lines without the tests; more than {MAX_LINES}, divide it by concept");
    vec![file.finding(MAX_LINES + 1, message)]
}

fn lines_before_tests(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let begins_tests = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod tests {");
    lines.windows(2).position(begins_tests).unwrap_or(lines.len())
}

/// What is large does not belong under version control.
pub fn size(file: &SourceFile) -> Vec<Finding> {
    if file.bytes <= MAX_BYTES {
        return Vec::new();
    }
    vec![file.finding(1, format!("{} KB, more than {}", file.bytes / 1024, MAX_BYTES / 1024))]
}

/// Every library begins by saying what it is.
pub fn front_page(file: &SourceFile) -> Vec<Finding> {
    let parts: Vec<&str> = file.path.split('/').collect();
    if !matches!(parts[..], ["crates", _, "src", "lib.rs"]) || file.text.starts_with("//!") {
        return Vec::new();
    }
    vec![file.finding(1, "a library begins with a `//!` comment on what it is")]
}

fn is_code(file: &SourceFile) -> bool {
    matches!(file.extension(), Some("rs" | "ts"))
}

#[cfg(test)]
mod tests {
    use super::super::examples::lines;
    use super::*;

    #[test]
    fn clean_text_passes() {
        assert_eq!(lines(whitespace, "a.rs", "fn main() {\n    one();\n}\n"), []);
        assert_eq!(lines(whitespace, "a.rs", ""), []);
    }

    #[test]
    fn stray_whitespace_is_found() {
        assert_eq!(lines(whitespace, "a.rs", "a\n\tb\nc \n"), [2, 3]);
        assert_eq!(lines(whitespace, "a.rs", "a\nb\r\nc\r\n"), [2]);
        assert_eq!(lines(whitespace, "a.rs", "a\nb"), [2]);
        assert_eq!(lines(whitespace, ".gitignore", "a"), [1]);
        assert_eq!(lines(whitespace, "mesh.obj", "v\t0 0 0\r\n"), []);
    }

    #[test]
    fn leftovers_are_found() {
        for word in LEFTOVERS {
            assert_eq!(lines(leftovers, "a.rs", &format!("fn f() {{\n    {word}\n}}\n")), [2], "{word}");
            assert_eq!(lines(leftovers, "a.md", word), [], "{word}");
        }
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in MACHINE_FOLDERS {
            assert_eq!(lines(machine_paths, "a.md", &format!("see\n`/{folder}/x`")), [2]);
            assert_eq!(lines(machine_paths, "a.md", &format!("/{folder}/x")), [1]);
            assert_eq!(lines(machine_paths, "a.md", &format!("x.org/{folder}/ ../{folder}/")), []);
            assert_eq!(lines(machine_paths, "Cargo.lock", &format!("/{folder}/x")), []);
        }
    }

    #[test]
    fn length_counts_no_tests() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "\n".repeat(MAX_LINES));
        assert_eq!(lines(length, "a.rs", &("\n".repeat(MAX_LINES) + &tests)), []);
        assert_eq!(lines(length, "a.rs", &("\n".repeat(MAX_LINES + 1) + &tests)), [MAX_LINES + 1]);
        assert_eq!(lines(length, "a.rs", &"\n".repeat(MAX_LINES + 1)), [MAX_LINES + 1]);
        assert_eq!(lines(length, "a.md", &"\n".repeat(MAX_LINES + 1)), []);
    }

    #[test]
    fn large_files_are_found() {
        assert_eq!(lines(size, "a.csv", &"x".repeat(MAX_BYTES)), []);
        assert_eq!(lines(size, "a.csv", &"x".repeat(MAX_BYTES + 1)), [1]);
    }

    #[test]
    fn a_library_needs_a_front_page() {
        assert_eq!(lines(front_page, "crates/x/src/lib.rs", "//! X.\n"), []);
        assert_eq!(lines(front_page, "crates/x/src/lib.rs", "mod x;\n"), [1]);
        assert_eq!(lines(front_page, "crates/x/src/main.rs", "mod x;\n"), []);
    }
}
