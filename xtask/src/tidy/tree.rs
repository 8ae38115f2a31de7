//! Rules about which files stand together.

use super::{Finding, SourceFile};

/// A scene of the gallery comes with its picture.
pub fn scene_pictures(files: &[SourceFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let name = file.path.strip_prefix("scenes/").and_then(|name| name.strip_suffix(".toml"));
        let Some(name) = name.filter(|name| !name.contains('/')) else { continue };
        let picture = format!("scenes/{name}.png");
        if files.iter().all(|other| other.path != picture) {
            findings
                .push(file.finding(1, format!("{picture} is not tracked; `cargo xtask gallery` draws it")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::examples::printed;
    use super::*;

    #[test]
    fn a_scene_without_picture_is_found() {
        let files =
            [("scenes/a.toml", ""), ("scenes/a.png", ""), ("scenes/b.toml", ""), ("scenes/c/d.toml", "")];
        let found = printed(scene_pictures, &files);
        assert_eq!(found, ["scenes/b.toml:1: scenes/b.png is not tracked; `cargo xtask gallery` draws it"]);
    }
}
