//! From a report to a folder, all of it or nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::{Block, Report};

/// Why a report was not written. The folder is then as it was before.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message names each field")]
pub enum ReportError {
    #[error("{what} is named `{name}`, but a name must be of `a-z`, `0-9`, `-` and `_`, and not empty")]
    BadName { what: &'static str, name: String },
    #[error("two blocks would both be written to `{file}`; give one of them another name")]
    SameFile { file: String },
    #[error("table `{table}` has {cells} cells in row {row}, but {columns} columns")]
    RaggedTable { table: String, row: usize, cells: usize, columns: usize },
    #[error("picture `{picture}` is not a png file")]
    NotPng { picture: String },
    #[error("`{}` is not a folder that a report could be; give it a name", folder.display())]
    NoName { folder: PathBuf },
    #[error("`{}` holds other things than a report, so it was left alone; choose a new folder", folder.display())]
    NotAReport { folder: PathBuf },
    #[error("cannot write `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl Report {
    /// Writes the report as `folder`, in place of an older report there, and returns the files' paths.
    ///
    /// The files are first written beside `folder` and then moved, so a half-written report never exists. A
    /// folder that holds anything but a report is not touched.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
        let files = self.files()?;
        let parent = match (folder.file_name(), folder.parent()) {
            (Some(_), Some(parent)) if parent.as_os_str().is_empty() => Path::new("."),
            (Some(_), Some(parent)) => parent,
            _ => return Err(ReportError::NoName { folder: folder.into() }),
        };
        if !is_replaceable(folder).map_err(at(folder))? {
            return Err(ReportError::NotAReport { folder: folder.into() });
        }
        fs::create_dir_all(parent).map_err(at(parent))?;
        let stage = tempfile::Builder::new().prefix(".report-").tempdir_in(parent).map_err(at(parent))?;
        let fresh = stage.path().join("new");
        fs::create_dir(&fresh).map_err(at(&fresh))?;
        for (name, bytes) in &files {
            let path = fresh.join(name);
            fs::write(&path, bytes).map_err(at(&path))?;
        }
        swap(&fresh, folder, &stage.path().join("old")).map_err(at(folder))?;
        Ok(files.iter().map(|(name, _)| folder.join(name)).collect())
    }

    /// Name and content of every file, in the order of the report.
    fn files(&self) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
        self.check()?;
        let mut files = vec![
            ("report.html".to_string(), self.html().into_bytes()),
            ("summary.md".to_string(), self.markdown().into_bytes()),
        ];
        for block in self.blocks() {
            match block {
                Block::Text(_) | Block::Verdict(_) => {}
                Block::Table(table) => files.push((format!("{}.csv", table.name), table.csv().into_bytes())),
                Block::Figure(figure) => {
                    files.push((format!("{}.svg", figure.name), figure.svg().into_bytes()));
                    files.push((format!("{}.points.csv", figure.name), figure.csv().into_bytes()));
                }
                Block::Picture(picture) => files.push((format!("{}.png", picture.name), picture.png.clone())),
            }
        }
        let mut names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        names.push("manifest.json".into());
        let mut seen = BTreeSet::new();
        if let Some(file) = names.iter().find(|name| !seen.insert(*name)) {
            return Err(ReportError::SameFile { file: file.clone() });
        }
        files.push(("manifest.json".into(), self.manifest.json(&self.study, &names).into_bytes()));
        Ok(files)
    }

    fn check(&self) -> Result<(), ReportError> {
        for block in self.blocks() {
            match block {
                Block::Text(_) | Block::Verdict(_) => {}
                Block::Figure(figure) => check_name("a figure", &figure.name)?,
                Block::Picture(picture) => {
                    check_name("a picture", &picture.name)?;
                    if picture.size().is_none() {
                        return Err(ReportError::NotPng { picture: picture.name.clone() });
                    }
                }
                Block::Table(table) => {
                    check_name("a table", &table.name)?;
                    let columns = table.columns.len();
                    if let Some(row) = table.rows.iter().position(|row| row.len() != columns) {
                        let cells = table.rows[row].len();
                        return Err(ReportError::RaggedTable {
                            table: table.name.clone(),
                            row,
                            cells,
                            columns,
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

fn check_name(what: &'static str, name: &str) -> Result<(), ReportError> {
    // Lower case only: some file systems take `A.csv` and `a.csv` for one file.
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(ReportError::BadName { what, name: name.into() });
    }
    Ok(())
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ReportError {
    let path = path.to_path_buf();
    move |source| ReportError::Io { path, source }
}

/// Nothing, an empty folder or an older report may be replaced.
fn is_replaceable(folder: &Path) -> io::Result<bool> {
    let mut entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(false),
        entries => entries?,
    };
    if entries.next().is_none() {
        return Ok(true);
    }
    let Ok(json) = fs::read_to_string(folder.join("manifest.json")) else { return Ok(false) };
    let manifest: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
    Ok(manifest["study"].is_string() && manifest["files"].is_array())
}

/// Moves `fresh` to `folder`, and what was there to `old`; puts it back if that fails.
fn swap(fresh: &Path, folder: &Path, old: &Path) -> io::Result<()> {
    let replaces = folder.exists();
    if replaces {
        fs::rename(folder, old)?;
    }
    fs::rename(fresh, folder).inspect_err(|_| {
        if replaces {
            let _ = fs::rename(old, folder); // the first error is the one to tell
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_move_puts_the_old_folder_back() {
        let place = tempfile::tempdir().unwrap();
        let [folder, old, absent] = ["folder", "old", "absent"].map(|name| place.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("kept"), "as it was").unwrap();
        assert!(swap(&absent, &folder, &old).is_err());
        assert_eq!(fs::read_to_string(folder.join("kept")).unwrap(), "as it was");
        assert!(!old.exists());
    }

    #[test]
    fn a_place_that_cannot_be_written_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("file"), "").unwrap();
        let error = Report::default().write(&place.path().join("file/report")).unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
