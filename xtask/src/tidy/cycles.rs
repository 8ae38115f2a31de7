//! Rules about the structure of the source: folders do not import each other in circles, and the map names what exists.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{is_name_part, line_of, without_comments_and_literals, words};
use super::{Finding, SourceFile};

/// Modules that hold tests alone may import anything.
const TEST_MODULE: &str = "#[cfg(test)]\nmod tests";

/// Within every folder, the files and folders in it import each other in one direction; files alone may be entangled.
pub fn folders_have_no_cycles(files: &[SourceFile]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<Source>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_rust() && !file.path.ends_with("/tests.rs")) {
        if let Some((root, path)) = file.path.split_once("/src/") {
            crates.entry(root).or_default().push(Source::new(file, path));
        }
    }
    crates.values().flat_map(|sources| cycles(sources)).collect()
}

/// A file as a module.
struct Source<'a> {
    file: &'a SourceFile,
    /// Names of the modules from the root of the crate on.
    module: Vec<String>,
    code: String,
}

impl<'a> Source<'a> {
    fn new(file: &'a SourceFile, path: &str) -> Self {
        let mut module: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
            module.pop();
        }
        let text = file.text.split(TEST_MODULE).next().unwrap_or_default();
        Self { file, module, code: without_comments_and_literals(text) }
    }

    /// The paths that the file names, from the root of the crate on, with their lines.
    fn imports(&self) -> Vec<(usize, Vec<String>)> {
        let mut found = Vec::new();
        for start in ["crate", "super"] {
            for at in words(&self.code, start) {
                // The second `super` of `super::super` belongs to the first.
                if self.code[..at].ends_with("::") {
                    continue;
                }
                let mut base = if start == "crate" { Vec::new() } else { self.module.clone() };
                let mut rest = &self.code[at..];
                while let Some(after) = rest.strip_prefix("super::") {
                    base.pop();
                    rest = after;
                }
                rest = rest.strip_prefix("crate::").unwrap_or(rest);
                for names in paths(rest) {
                    let line = line_of(&self.code, at);
                    found.push((line, base.iter().cloned().chain(names).collect()));
                }
            }
        }
        found
    }
}

/// The paths that begin here: `a::b` is one, `a::{b::c, d}` are two.
fn paths(text: &str) -> Vec<Vec<String>> {
    let end = text.find(|c| !is_name_part(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let own = || vec![vec![name.to_owned()]];
    let (inner, is_list) = match rest.strip_prefix("::") {
        Some(after) if name.is_empty() => return paths(after),
        Some(after) => (after, after.starts_with('{')),
        None if name.is_empty() && rest.starts_with('{') => (rest, true),
        None => return own(),
    };
    let tails = if is_list { list(inner) } else { paths(inner) };
    if name.is_empty() {
        return tails;
    }
    let joined = |tail: Vec<String>| [name.to_owned()].into_iter().chain(tail).collect();
    let all: Vec<Vec<String>> = tails.into_iter().map(joined).collect();
    if all.is_empty() { own() } else { all }
}

/// The paths of a list in braces.
fn list(text: &str) -> Vec<Vec<String>> {
    let (mut depth, mut from, mut found) = (0, 1, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || depth == 0 {
            found.extend(paths(text[from..at].trim_start()).into_iter().filter(|path| !path[0].is_empty()));
            from = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// Which entry of a folder imports which, and where first.
type Imports<'a> = BTreeMap<[String; 2], (&'a Source<'a>, usize)>;

fn cycles(sources: &[Source]) -> Vec<Finding> {
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| &source.module[..]).collect();
    let is_folder = |entry: &[String]| {
        modules.iter().any(|module| module.len() > entry.len() && module.starts_with(entry))
    };
    let mut edges: BTreeMap<Vec<String>, Imports> = BTreeMap::new();
    for source in sources {
        for (line, path) in source.imports() {
            let Some(length) = (1..=path.len()).rev().find(|&n| modules.contains(&path[..n])) else {
                continue;
            };
            let shared = source.module.iter().zip(&path[..length]).take_while(|(a, b)| a == b).count();
            if shared < source.module.len() && shared < length {
                let pair = [source.module[shared].clone(), path[shared].clone()];
                edges.entry(path[..shared].to_vec()).or_default().entry(pair).or_insert((source, line));
            }
        }
    }
    let mut findings = Vec::new();
    for (folder, edges) in &edges {
        let leads = |from: &str, to: &str| {
            let mut reached = BTreeSet::from([from]);
            loop {
                let next: Vec<&str> = edges
                    .keys()
                    .filter(|[a, b]| reached.contains(a.as_str()) && !reached.contains(b.as_str()))
                    .map(|[_, b]| b.as_str())
                    .collect();
                if next.is_empty() {
                    return reached.contains(to);
                }
                reached.extend(next);
            }
        };
        for ([a, b], (source, line)) in edges {
            let path = |name: &String| [&folder[..], std::slice::from_ref(name)].concat();
            if (is_folder(&path(a)) || is_folder(&path(b))) && leads(b, a) {
                let message = format!(
                    "`{}` imports `{}`, which imports it in turn",
                    path(a).join("/"),
                    path(b).join("/")
                );
                findings.push(source.file.finding(*line, message));
            }
        }
    }
    findings
}

/// Every file and folder that the map names exists.
pub fn map_is_true(files: &[SourceFile]) -> Vec<Finding> {
    let exists = |path: &str| {
        let path = path.trim_end_matches('/');
        files.iter().any(|file| {
            let mut ends = file.path.match_indices('/').map(|(at, _)| at).chain([file.path.len()]);
            ends.any(|end| {
                let place = &file.path[..end];
                place.strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            })
        })
    };
    let maps = files.iter().filter(|file| file.path == "ARCHITECTURE.md");
    maps.flat_map(|map| map.lines().map(move |line| (map, line)))
        .flat_map(|(map, (number, line))| {
            let is_path_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
            let words = line.split(move |c| !is_path_part(c)).map(|word| word.trim_end_matches('.'));
            let is_file = |word: &str| word.rsplit_once('.').is_some_and(|(_, extension)| extension == "rs");
            let paths = words.filter(move |word| is_file(word) || word.ends_with('/') && word.len() > 1);
            paths.map(move |path| (map, number, path))
        })
        .filter(|(_, _, path)| !exists(path))
        .map(|(map, number, path)| map.finding(number, format!("there is no `{path}`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::examples::printed;
    use super::*;

    #[test]
    fn folders_that_import_each_other_are_found() {
        let files = [
            ("crates/a/src/lib.rs", "mod x;\nmod y;\n"),
            ("crates/a/src/x/mod.rs", "mod deep;\nuse crate::z::Z;\n"),
            ("crates/a/src/x/deep.rs", "use crate::{z::Z, y::{self, Y}};\n"),
            ("crates/a/src/y.rs", "// crate::x\nuse super::x::X;\n"),
            ("crates/a/src/z.rs", "\n#[cfg(test)]\nmod tests {\n    use crate::x::X;\n}\n"),
        ];
        let found = printed(folders_have_no_cycles, &files);
        assert_eq!(
            found,
            [
                "crates/a/src/x/deep.rs:1: `x` imports `y`, which imports it in turn",
                "crates/a/src/y.rs:2: `y` imports `x`, which imports it in turn",
            ]
        );
    }

    #[test]
    fn files_of_one_folder_and_parents_may_be_entangled() {
        let files = [
            ("crates/a/src/x/mod.rs", "mod one;\nmod two;\nuse one::One;\n"),
            ("crates/a/src/x/one.rs", "use super::two::Two;\nuse super::X;\n"),
            ("crates/a/src/x/two.rs", "use super::super::x::one::One;\n"),
        ];
        assert_eq!(printed(folders_have_no_cycles, &files), Vec::<String>::new());
    }

    #[test]
    fn cycles_over_a_third_are_found() {
        let files = [
            ("crates/a/src/x/mod.rs", "use crate::y::Y;\n"),
            ("crates/a/src/x/in.rs", ""),
            ("crates/a/src/y.rs", "use crate::z::Z;\n"),
            ("crates/a/src/z.rs", "fn f() { crate::x::g() }\n"),
        ];
        assert_eq!(printed(folders_have_no_cycles, &files).len(), 2);
    }

    #[test]
    fn a_map_that_names_what_is_gone_is_found() {
        let files = [
            ("ARCHITECTURE.md", "crates/\n  a/  x.rs (see `x/deep.rs`), gone.rs, none/\n"),
            ("crates/a/src/x.rs", ""),
            ("crates/a/src/x/deep.rs", ""),
        ];
        let found = printed(map_is_true, &files);
        assert_eq!(
            found,
            ["ARCHITECTURE.md:2: there is no `gone.rs`", "ARCHITECTURE.md:2: there is no `none/`"]
        );
    }
}
