//! Rules about which code may name what: the layers of the design.

use super::code::{is_name_part, line_of, without_comments_and_literals, words};
use super::{Finding, SourceFile};

/// Threads; wide registers; and allocators that count, in tests that nothing is allocated in a step.
const UNSAFE_PLACES: [&str; 3] =
    ["crates/muslin/src/par.rs", "crates/muslin/src/simd/", "crates/muslin/tests/"];

/// Each dependency with the only file that names it.
const OWNERS: [(&str, &str); 5] = [
    ("glam", "crates/muslin/src/math.rs"),
    ("faer", "crates/muslin/src/parts/sparse.rs"),
    ("parry3d_f64", "crates/muslin/src/shape/parry.rs"),
    ("rapier3d_f64", "crates/muslin/src/rigid/rapier.rs"),
    ("rayon", "crates/muslin/src/par.rs"),
];

const SOLVERS: &str = "crates/muslin/src/solvers/";

/// `unsafe` only where threads and wide registers need it.
pub fn unsafe_code(file: &SourceFile) -> Vec<Finding> {
    let allowed = UNSAFE_PLACES.iter().any(|place| file.path.starts_with(place));
    if !file.is_rust() || allowed {
        return Vec::new();
    }
    named(file, "unsafe", &format!("`unsafe` only in {}", UNSAFE_PLACES.join(", ")))
}

/// A dependency that may be exchanged one day is named in one file.
pub fn dependencies(file: &SourceFile) -> Vec<Finding> {
    if !file.is_rust() {
        return Vec::new();
    }
    let foreign = OWNERS.iter().filter(|(_, owner)| file.path != *owner);
    foreign
        .flat_map(|(name, owner)| named(file, name, &format!("`{name}` is named only in {owner}")))
        .collect()
}

/// A test is not switched off under a condition either.
pub fn dead_tests(file: &SourceFile) -> Vec<Finding> {
    if !file.is_rust() {
        return Vec::new();
    }
    let code = without_comments_and_literals(&file.text);
    words(&code, "ignore")
        .filter(|&at| code[..at].rfind("#[cfg_attr(").is_some_and(|from| !code[from..at].contains(']')))
        .map(|at| file.finding(line_of(&code, at), "a test is ignored under a condition"))
        .collect()
}

/// A solver does not build on another: what they share belongs into `parts`.
pub fn solvers_apart(files: &[SourceFile]) -> Vec<Finding> {
    let solvers: Vec<&str> = files.iter().filter_map(|file| solver_of(&file.path)).collect();
    let mut findings = Vec::new();
    for file in files {
        let Some(own) = solver_of(&file.path) else { continue };
        let code = without_comments_and_literals(&file.text);
        for prefix in ["super", "solvers"] {
            for at in words(&code, prefix) {
                let imported = imported_names(&code[at + prefix.len()..]);
                let other =
                    imported.iter().find(|name| !same(name, own) && solvers.iter().any(|s| same(s, name)));
                if let Some(other) = other {
                    let message =
                        format!("solver `{own}` imports `{other}`; what they share belongs into `parts`");
                    findings.push(file.finding(line_of(&code, at), message));
                }
            }
        }
    }
    findings
}

/// The solver that a file belongs to: `solvers/NAME.rs` or `solvers/NAME/…`.
fn solver_of(path: &str) -> Option<&str> {
    let path = path.strip_prefix(SOLVERS)?;
    let name = path.split_once('/').map_or_else(|| path.strip_suffix(".rs"), |(folder, _)| Some(folder))?;
    (name != "mod").then_some(name)
}

/// Whether two names mean one solver: the module `implicit_euler` and its type `ImplicitEuler`.
fn same(a: &str, b: &str) -> bool {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    plain(a) == plain(b)
}

/// The names that a path goes on with: `::a…` gives a, `::{a::b, c}` gives a, b and c.
fn imported_names(after: &str) -> Vec<&str> {
    let Some(after) = after.strip_prefix("::") else { return Vec::new() };
    let end = if after.starts_with('{') { closing_brace(after) } else { after.find(|c| !is_name_part(c)) };
    let list = &after[..end.unwrap_or(after.len())];
    list.split(|c| !is_name_part(c)).filter(|name| !name.is_empty()).collect()
}

fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    })
}

fn named(file: &SourceFile, name: &str, message: &str) -> Vec<Finding> {
    let code = without_comments_and_literals(&file.text);
    words(&code, name).map(|at| file.finding(line_of(&code, at), message)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::examples::{lines, printed};
    use super::*;

    #[test]
    fn unsafe_has_its_places() {
        let text = "// unsafe\nfn f() {\n    unsafe { g() }\n}\n#![deny(unsafe_code)]\n";
        assert_eq!(lines(unsafe_code, "crates/muslin/src/world.rs", text), [3]);
        for path in [
            "crates/muslin/src/par.rs",
            "crates/muslin/src/simd/kernel.rs",
            "crates/muslin/tests/it/alloc.rs",
        ] {
            assert_eq!(lines(unsafe_code, path, text), []);
        }
    }

    #[test]
    fn dependencies_have_one_file_each() {
        let text = "use glam::DVec3;\nuse faer as f;\nfn f() { rayon::join(a, b) }\n// glam, faer, rayon\n";
        assert_eq!(lines(dependencies, "crates/muslin/src/world.rs", text), [1, 2, 3]);
        assert_eq!(lines(dependencies, "crates/muslin/src/math.rs", text), [2, 3]);
        assert_eq!(lines(dependencies, "crates/muslin/src/parts/sparse.rs", text), [1, 3]);
        assert_eq!(lines(dependencies, "crates/muslin/src/par.rs", text), [1, 2]);
        assert_eq!(lines(dependencies, "crates/muslin/Cargo.toml", text), []);
    }

    #[test]
    fn conditionally_ignored_tests_are_found() {
        assert_eq!(
            lines(dead_tests, "a.rs", "#[test]\n#[cfg_attr(debug_assertions, ignore)]\nfn f() {}\n"),
            [2]
        );
        assert_eq!(lines(dead_tests, "a.rs", "#[cfg_attr(test, allow(x))]\nfn f(ignore: bool) {}\n"), []);
    }

    #[test]
    fn solvers_that_import_one_another_are_found() {
        let files = [
            ("crates/muslin/src/solvers/mod.rs", "use self::xpbd::Xpbd;\nuse super::solvers::pbd;\n"),
            ("crates/muslin/src/solvers/pbd.rs", "use super::Pbd;\nuse crate::solvers::pbd::P;\n"),
            ("crates/muslin/src/solvers/xpbd.rs", "use super::pbd::P;\nuse super::{\n    A, pbd\n};\n"),
            ("crates/muslin/src/solvers/implicit_euler.rs", "// super::pbd\nuse crate::{solvers::Xpbd};\n"),
            ("crates/muslin/src/solvers/pncg/descent.rs", "use super::super::ImplicitEuler;\n"),
            ("crates/muslin/src/world.rs", "use crate::solvers::pbd;\n"),
        ];
        let begins = [
            "crates/muslin/src/solvers/xpbd.rs:1: solver `xpbd` imports `pbd`",
            "crates/muslin/src/solvers/xpbd.rs:2: solver `xpbd` imports `pbd`",
            "crates/muslin/src/solvers/implicit_euler.rs:2: solver `implicit_euler` imports `Xpbd`",
            "crates/muslin/src/solvers/pncg/descent.rs:1: solver `pncg` imports `ImplicitEuler`",
        ];
        let found = printed(solvers_apart, &files);
        assert_eq!(found.len(), begins.len(), "{found:?}");
        for (found, begin) in found.iter().zip(begins) {
            assert!(found.starts_with(begin), "{found}");
        }
    }
}
