//! `muslin run`.

use crate::output::{Metrics, Outcome, elements_in_words, final_state, summary};
use crate::picture::{Album, PictureKind};
use crate::scene_changes::SceneChanges;
use crate::{Failure, progress, tangle};
use anyhow::Context;
use indicatif::ProgressBar;
use muslin::math::Real;
use muslin::measure::Measures;
use muslin::par;
use muslin::stability::largest_stable_step;
use muslin::state::State;
use muslin::world::Diverged;
use muslin_scene::Setup;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Instant;

/// Run a scene and write its results.
#[derive(clap::Args)]
pub struct RunArguments {
    /// A scene file, or the name of a built-in scene
    #[arg(default_value = "drape")]
    scene: String,
    /// Folder for the results [default: out/<scene>]
    #[arg(short, long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    changes: SceneChanges,
    /// Threads [default: all cores]; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Pictures to draw
    #[arg(long, value_enum, value_delimiter = ',', default_value = "png")]
    picture: Vec<PictureKind>,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

impl Default for RunArguments {
    /// What `muslin` without arguments does.
    fn default() -> Self {
        Self {
            scene: "drape".to_owned(),
            output: None,
            changes: SceneChanges::default(),
            threads: None,
            picture: vec![PictureKind::Png, PictureKind::Gif],
            quiet: false,
        }
    }
}

/// Runs a scene.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let mut setup = arguments.changes.load(&arguments.scene)?;
    let untangled = tangle::repair(&mut setup);
    let folder = arguments.output.clone().unwrap_or_else(|| Path::new("out").join(&setup.name));
    let mut recorder = Recorder::open(&setup, &folder, arguments)?;
    if !arguments.quiet {
        introduce(&setup);
        for line in untangled.iter().flat_map(|report| tangle::tell(&setup, report)) {
            eprintln!("warning: {line}");
        }
    }
    recorder.outcome.untangled = untangled;
    let diverged = match arguments.threads {
        Some(threads) => par::try_with_threads(usize::from(threads), || recorder.record())
            .map_err(|error| Failure::Run(format!("--threads {threads}: {error}")))?,
        None => recorder.record(),
    }?;
    let summary = recorder.finish(diverged.is_some())?;
    if let Some(diverged) = diverged {
        return Err(Failure::Run(explain(&setup, &diverged, &folder)));
    }
    if !arguments.quiet {
        recorder.conclude();
    }
    check_expectations(&setup, &summary)
}

/// What a value holds under a name, or at a place of a list.
fn inner<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    part.parse::<usize>().map_or_else(|_| value.get(part), |place| value.get(place))
}

/// Compares the results with what the scene says of itself.
fn check_expectations(setup: &Setup, summary: &Value) -> Result<(), Failure> {
    let mut broken = Vec::new();
    for (key, [low, high]) in &setup.expect {
        let found = key.split('.').try_fold(summary, inner).and_then(Value::as_f64);
        match found {
            Some(value) if (*low..=*high).contains(&value) => {}
            Some(value) => broken.push(format!("`{key}` is {value}, but the scene expects {low} to {high}")),
            None => broken.push(format!("`{key}` is expected, but is no number of summary.json")),
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(Failure::Run(format!("{}: {}", setup.name, broken.join("; "))))
    }
}

fn introduce(setup: &Setup) {
    say!("{}: {}", setup.name, setup.description);
    say!(
        "{} particles, {}; {} with steps of {} s for {} s",
        setup.model.len(),
        elements_in_words(&setup.model.elements),
        setup.solver.name(),
        setup.dt / Real::from(setup.substeps),
        setup.duration
    );
    for warning in &setup.warnings {
        eprintln!("warning: {warning}");
    }
    let step = setup.dt / Real::from(setup.substeps);
    if let Some(limit) = largest_stable_step(&setup.model, &setup.state.positions, &setup.solver)
        && step > limit
    {
        eprintln!(
            "warning: a step of {step} s is above the limit of linear theory for {} here, {limit:.2e} s",
            setup.solver.name()
        );
    }
}

/// What went wrong, and which step would do better.
fn explain(setup: &Setup, diverged: &Diverged, folder: &Path) -> String {
    let step = setup.dt / Real::from(setup.substeps);
    let limit = largest_stable_step(&setup.model, &setup.state.positions, &setup.solver);
    let (reason, advice) = match limit {
        Some(limit) if step > limit => {
            (format!("the step of {step} s is above the linear limit of {limit:.3e} s"), 0.9 * limit)
        }
        Some(limit) => (
            format!(
                "the step of {step} s is below the linear limit of {limit:.3e} s, but this motion needs less"
            ),
            0.5 * step,
        ),
        None => (
            format!("linear theory sets no limit to {}, but this motion does", setup.solver.name()),
            0.5 * step,
        ),
    };
    format!(
        "{}: {diverged}\n{reason}; try --dt {}\nthe frames up to there are in {}",
        setup.name,
        round_down(advice * Real::from(setup.substeps)),
        folder.display()
    )
}

/// Two significant digits, towards zero.
fn round_down(value: Real) -> Real {
    let scale = 10f64.powf(1.0 - value.log10().floor());
    (value * scale).floor() / scale
}

/// The clock of time budgets: seconds since it was first asked.
fn seconds() -> Real {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Runs the world and keeps what the frames say.
struct Recorder<'a> {
    setup: &'a Setup,
    folder: PathBuf,
    bar: ProgressBar,
    metrics: Metrics,
    album: Album<'a>,
    last: Measures,
    state: State,
    outcome: Outcome,
}

impl<'a> Recorder<'a> {
    fn open(setup: &'a Setup, folder: &Path, arguments: &RunArguments) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::Input(format!("the folder {} cannot be made: {error}", folder.display()))
        })?;
        Ok(Self {
            setup,
            folder: folder.to_owned(),
            bar: progress::bar(setup.steps(), arguments.quiet),
            metrics: Metrics::new(),
            album: Album::open(setup, folder, &arguments.picture)?,
            last: Measures::default(),
            state: setup.state.clone(),
            outcome: Outcome {
                frames: 0,
                steps: 0,
                wall_seconds: 0.0,
                threads: 1,
                worst_stretch: 0.0,
                max_penetration: 0.0,
                intersections: None,
                contact: None,
                untangled: None,
                out_of_time: 0,
                diverged: false,
            },
        })
    }

    /// Steps through all frames; an early end is told, not an error.
    fn record(&mut self) -> anyhow::Result<Option<Diverged>> {
        self.outcome.threads = par::threads();
        let mut world = self.setup.world();
        world.use_clock(seconds);
        // Some sixty times a frame follows the motion, and costs explicit methods little.
        world.heat_interval = Some(1.0 / (64.0 * self.setup.frame_rate));
        self.bar.set_message(self.setup.name.clone());
        self.take_frame(&world)?;
        let mut done = 0;
        for mark in self.setup.frame_steps() {
            while done < mark {
                // A few steps at a time, so that the bar moves and the clock is not asked too often.
                let batch = (mark - done).min(256);
                let clock = Instant::now();
                let result = (0..batch).try_for_each(|_| {
                    self.outcome.out_of_time += u64::from(world.step()?.out_of_time);
                    Ok(())
                });
                self.outcome.wall_seconds += clock.elapsed().as_secs_f64();
                self.outcome.steps = world.steps();
                done += batch;
                self.bar.set_position(done);
                if let Err(diverged) = result {
                    self.bar.abandon();
                    return Ok(Some(diverged));
                }
            }
            self.take_frame(&world)?;
        }
        self.outcome.intersections = Some(world.intersections().len());
        self.outcome.contact = world.contact_report();
        self.bar.finish_and_clear();
        Ok(None)
    }

    fn take_frame(&mut self, world: &muslin::world::World) -> anyhow::Result<()> {
        self.last = Measures::of(&world.model, &world.state, world.dissipated);
        self.metrics.add(self.outcome.frames, &self.last);
        self.outcome.frames += 1;
        self.outcome.worst_stretch = self.outcome.worst_stretch.max(self.last.stretch.max);
        self.outcome.max_penetration = self.outcome.max_penetration.max(self.last.max_penetration);
        self.state.clone_from(&world.state);
        self.album.add(&world.model, &world.state)
    }

    /// Writes everything, each file whole or not at all.
    fn finish(&mut self, diverged: bool) -> anyhow::Result<Value> {
        self.outcome.diverged = diverged;
        let summary = summary(self.setup, &self.state, &self.last, &self.outcome);
        self.write("metrics.csv", self.metrics.text())?;
        self.write("final.csv", &final_state(&self.state))?;
        self.album.finish(&self.state)?;
        self.write("summary.json", &format!("{summary:#}\n"))?;
        Ok(summary)
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let (part, path) = (self.folder.join(format!("{name}.part")), self.folder.join(name));
        std::fs::write(&part, text)
            .and_then(|()| std::fs::rename(&part, &path))
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(())
    }

    fn conclude(&self) {
        let Outcome { steps, wall_seconds, max_penetration, out_of_time, .. } = self.outcome;
        if max_penetration > 1e-6 {
            eprintln!("warning: the cloth reached {max_penetration:.2e} m into a collider");
        }
        if let Some(contact) = self.outcome.contact {
            if contact.too_fast > 0 {
                say!(
                    "{} of {steps} steps were too fast for contact, which slowed them down",
                    contact.too_fast
                );
            }
            if contact.slowed > 0 {
                say!("cloth was slowed down {} times: too much of it could have met at once", contact.slowed);
            }
            if contact.lag > 0.0 {
                say!("solids are {:.3} s behind their scripts: cloth was in their way", contact.lag);
            }
        }
        if self.outcome.intersections.is_some_and(|count| count > 0) {
            let count = self.outcome.intersections.unwrap_or(0);
            eprintln!("warning: {count} pairs of triangles intersect at the end");
        }
        if out_of_time > 0 {
            say!("{out_of_time} steps ended when their time budget was spent");
        }
        say!(
            "{steps} steps in {wall_seconds:.2} s: {:.1} times real time; largest stretch {:.2} %, state {:016x}",
            self.state.time / wall_seconds.max(Real::MIN_POSITIVE),
            100.0 * self.last.stretch.max,
            muslin::hash::state_hash(&self.state)
        );
        say!("→ {}", self.folder.display());
    }
}
