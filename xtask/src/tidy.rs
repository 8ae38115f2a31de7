//! `cargo xtask tidy`: textual rules over the files under version control.
//!
//! A rule is a function from a file (or from the whole tree) to findings; all findings are listed before the
//! command fails.

mod code;
mod cycles;
mod layers;
mod links;
mod text;
mod tree;

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::Workspace;

type FileRule = fn(&SourceFile) -> Vec<Finding>;
type TreeRule = fn(&[SourceFile]) -> Vec<Finding>;

const FILE_RULES: [FileRule; 9] = [
    text::whitespace,
    text::leftovers,
    text::machine_paths,
    text::length,
    text::size,
    text::front_page,
    layers::unsafe_code,
    layers::dependencies,
    layers::dead_tests,
];

const TREE_RULES: [TreeRule; 5] = [
    layers::solvers_apart,
    tree::scene_pictures,
    links::links_resolve,
    cycles::folders_have_no_cycles,
    cycles::map_is_true,
];

/// Applies every rule to every tracked file.
pub fn run(workspace: &Workspace) -> Result<(), String> {
    let files = tracked_files(&workspace.root)?;
    let findings = check(&files);
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => {
            println!("tidy: {} files, nothing to mend", files.len());
            Ok(())
        }
        1 => Err("1 finding".to_owned()),
        count => Err(format!("{count} findings")),
    }
}

fn check(files: &[SourceFile]) -> Vec<Finding> {
    let by_file = files.iter().flat_map(|file| FILE_RULES.iter().flat_map(move |rule| rule(file)));
    let by_tree = TREE_RULES.iter().flat_map(|rule| rule(files));
    let mut findings: Vec<Finding> = by_file.chain(by_tree).collect();
    findings.sort();
    findings
}

/// A file as the rules see it.
pub struct SourceFile {
    /// From the root, with `/` between the parts.
    pub path: String,
    /// Its length in bytes.
    pub bytes: usize,
    /// Empty if the file is not text.
    pub text: String,
}

impl SourceFile {
    fn new(path: &str, bytes: Vec<u8>) -> Self {
        let length = bytes.len();
        let text =
            if bytes.contains(&0) { String::new() } else { String::from_utf8(bytes).unwrap_or_default() };
        Self { path: path.to_owned(), bytes: length, text }
    }

    /// What follows the last dot of the name, if something stands before it.
    pub fn extension(&self) -> Option<&str> {
        Path::new(&self.path).extension()?.to_str()
    }

    pub fn is_rust(&self) -> bool {
        self.extension() == Some("rs")
    }

    /// The lines with their numbers, counted from one.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    pub fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }
}

/// A rule broken at a place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}

fn tracked_files(root: &Path) -> Result<Vec<SourceFile>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("git did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("`git ls-files` failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut files = Vec::new();
    // A name that is no file here was deleted but not yet committed, or is a link to a folder.
    for name in names.split_terminator('\0').filter(|name| root.join(name).is_file()) {
        let bytes = fs::read(root.join(name)).map_err(|error| format!("cannot read {name}: {error}"))?;
        files.push(SourceFile::new(name, bytes));
    }
    Ok(files)
}

/// What the tests of every rule share.
#[cfg(test)]
mod examples {
    use super::{FileRule, Finding, SourceFile, TreeRule};

    pub fn file(path: &str, text: &str) -> SourceFile {
        SourceFile::new(path, text.as_bytes().to_vec())
    }

    /// The numbers of the lines at which a rule finds something.
    pub fn lines(rule: FileRule, path: &str, text: &str) -> Vec<usize> {
        rule(&file(path, text)).iter().map(|finding| finding.line).collect()
    }

    /// What a rule finds in a tree of files, as printed.
    pub fn printed(rule: TreeRule, files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<SourceFile> = files.iter().map(|(path, text)| file(path, text)).collect();
        rule(&files).iter().map(Finding::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_sorted_and_say_where() {
        let files = [examples::file("b.md", "x \n"), examples::file("a.md", "one\n\ttwo")];
        let printed: Vec<String> = check(&files).iter().map(Finding::to_string).collect();
        assert_eq!(printed.len(), 3);
        assert!(printed[0].starts_with("a.md:2: ") && printed[1].starts_with("a.md:2: "), "{printed:?}");
        assert!(printed[2].starts_with("b.md:1: "), "{printed:?}");
    }

    #[test]
    fn a_binary_file_has_no_text() {
        assert_eq!(SourceFile::new("a.png", vec![0x89, b'P', 0, b'\t']).text, "");
        assert_eq!(SourceFile::new("a.png", vec![0xff, 0xfe]).text, "");
    }

    #[test]
    fn this_very_tree_can_be_listed() {
        let files = tracked_files(&Workspace::locate().root).unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/Cargo.toml"));
    }
}
