//! The tables that a run leaves behind: metrics.csv, final.csv.

use anyhow::Context;
use muslin::elements::Elements;
use muslin::math::Real;
use muslin::measure::Measures;
use muslin::state::State;
use muslin_scene::{Ending, Frame, Sink};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Writes a file, whole or not at all.
pub fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let (part, path) = (folder.join(format!("{name}.part")), folder.join(name));
    std::fs::write(&part, contents)
        .and_then(|()| std::fs::rename(&part, &path))
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// Removes a file, if it is there.
pub fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// How many there are of each kind of element, whatever their law.
pub fn element_counts(elements: &Elements) -> [(&'static str, usize); 7] {
    [
        ("springs", elements.springs.len()),
        ("rods", elements.rods.len()),
        ("membranes", elements.membranes.len() + elements.corotated_membranes.len()),
        ("hinges", elements.hinges.len() + elements.quadratic_hinges.len()),
        ("tets", elements.tets.len()),
        ("attachments", elements.attachments.len()),
        ("pressures", elements.pressures.len()),
    ]
}

/// The kinds of element that there are, in words.
pub fn elements_in_words(elements: &Elements) -> String {
    let present = element_counts(elements).into_iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = present.map(|(kind, count)| format!("{count} {kind}")).collect();
    if words.is_empty() { "no elements".to_owned() } else { words.join(", ") }
}

/// metrics.csv: one row per frame.
pub struct Metrics {
    folder: PathBuf,
    text: String,
}

impl Metrics {
    /// Goes on with the table of an interrupted run, after the rows of so many frames; besides, the largest stretch and the deepest
    /// penetration [m] in these.
    pub fn resume(folder: &Path, frames: usize) -> anyhow::Result<(Self, [Real; 2])> {
        let text =
            std::fs::read_to_string(folder.join("metrics.csv")).context("metrics.csv cannot be read")?;
        let mut metrics = Self::new(folder);
        let mut worst = [0.0; 2];
        let rows: Vec<&str> = text.lines().skip(1).take(frames).collect();
        anyhow::ensure!(rows.len() == frames, "metrics.csv has {} rows of {frames}", rows.len());
        for row in rows {
            let mut numbers = row.rsplit(',').map(str::parse::<Real>);
            let mut last =
                || numbers.next().and_then(Result::ok).context("metrics.csv has a row without numbers");
            let (penetration, _, stretch) = (last()?, last()?, last()?);
            worst = [Real::max(worst[0], stretch), Real::max(worst[1], penetration)];
            metrics.text.push_str(row);
            metrics.text.push('\n');
        }
        Ok((metrics, worst))
    }

    /// The head of the table, which will be written to a folder.
    pub fn new(folder: &Path) -> Self {
        let head = "frame,time,kinetic,elastic,gravity,total,dissipated,released,\
            momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z,max_stretch,mean_stretch,max_penetration\n";
        Self { folder: folder.to_owned(), text: head.to_owned() }
    }

    fn add(&mut self, frame: usize, m: &Measures) {
        let (e, p, l) = (m.energy, m.momentum, m.angular_momentum);
        let numbers = [
            m.time,
            e.kinetic,
            e.elastic,
            e.gravity,
            e.total(),
            m.dissipated,
            m.released,
            p.x,
            p.y,
            p.z,
            l.x,
            l.y,
            l.z,
            m.stretch.max,
            m.stretch.mean,
            m.max_penetration,
        ];
        let _ = write!(self.text, "{frame}");
        for number in numbers {
            let _ = write!(self.text, ",{number}");
        }
        self.text.push('\n');
    }
}

impl Sink for Metrics {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        self.add(frame.number, frame.measures());
        Ok(())
    }

    fn finish(&mut self, _ending: &Ending) -> anyhow::Result<()> {
        write(&self.folder, "metrics.csv", &self.text)
    }
}

/// final.csv: every particle in the last frame, in full precision.
pub struct FinalState {
    folder: PathBuf,
}

impl FinalState {
    /// Will be written to a folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }
}

impl Sink for FinalState {
    fn frame(&mut self, _frame: &Frame) -> anyhow::Result<()> {
        Ok(())
    }

    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        write(&self.folder, "final.csv", table(&ending.last.state))
    }
}

fn table(state: &State) -> String {
    let mut text = "particle,x,y,z,vx,vy,vz\n".to_owned();
    for (particle, (x, v)) in state.positions.iter().zip(&state.velocities).enumerate() {
        let _ = writeln!(text, "{particle},{},{},{},{},{},{}", x.x, x.y, x.z, v.x, v.y, v.z);
    }
    text
}
