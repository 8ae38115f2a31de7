//! `muslin run`.

use crate::output::elements_in_words;
use crate::picture::PictureKind;
use crate::recorder::Recorder;
use crate::resume::Recipe;
use crate::scene_changes::SceneChanges;
use crate::summary::{Summary, Untangled};
use crate::{Failure, export, interrupt, leftovers, tangle};
use muslin::math::Real;
use muslin::stability::largest_stable_step;
use muslin::world::{Diverged, World};
use muslin_io::animation::AnimationFormat;
use muslin_scene::{End, Runner, Setup};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What Ctrl-C brings about.
const PROMISE: &str = "what there is will be written after the present step";

/// Run a scene and write its results.
#[derive(clap::Args)]
#[command(
    override_usage = "muslin run [OPTIONS] [SCENE]\n       muslin run [--threads <N>] [--quiet] --resume <DIR>"
)]
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
    /// Animated meshes to write, frame by frame: obj (a sequence), pc2 (with its mesh), glb (with morph targets)
    #[arg(long, value_delimiter = ',', value_name = "FORMAT")]
    export: Vec<AnimationFormat>,
    /// Go on with an interrupted run in this folder, to the same end as without the interruption
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["scene", "output", "solver", "dt", "substeps", "duration", "set", "picture", "export"]
    )]
    resume: Option<PathBuf>,
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
            export: Vec::new(),
            resume: None,
            quiet: false,
        }
    }
}

/// Runs a scene, or goes on with a run.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    match &arguments.resume {
        Some(folder) => resume(arguments, folder),
        None => start(arguments),
    }
}

/// Runs a scene from its start.
fn start(arguments: &RunArguments) -> Result<(), Failure> {
    let mut setup = arguments.changes.load(&arguments.scene)?;
    export::check(&setup, &arguments.export)?;
    let folder = arguments.output.clone().unwrap_or_else(|| Path::new("out").join(&setup.name));
    std::fs::create_dir_all(&folder).map_err(|error| {
        Failure::Input(format!("the folder {} cannot be made: {error}", folder.display()))
    })?;
    if leftovers::clear(&folder)? {
        arguments.warn(&format!("the interrupted run in {} is discarded", folder.display()));
    }
    interrupt::watch(PROMISE);
    if !arguments.quiet {
        introduce(&setup);
    }
    let mut recipe =
        Recipe::new(&arguments.scene, &setup, &arguments.changes, &arguments.picture, &arguments.export);
    let warnings = warnings_of_start(&setup);
    for line in &warnings {
        arguments.warn(line);
    }
    let start = setup.start(|faults| arguments.warn(&tangle::announce(faults)));
    for line in start.repair.iter().flat_map(|report| tangle::tell(&setup, report)) {
        arguments.warn(&line);
    }
    recipe.untangled = start.repair.as_ref().map(Untangled::from);
    let runner = runner(&setup, start.world);
    record(arguments, &setup, &folder, recipe, runner, warnings)
}

/// Goes on with an interrupted run.
fn resume(arguments: &RunArguments, folder: &Path) -> Result<(), Failure> {
    let (recipe, world) = Recipe::read(folder)?;
    let mut setup = recipe.changes.load(&recipe.scene)?;
    recipe.check_scene(&setup)?;
    let warnings = warnings_of_start(&setup);
    if recipe.untangled.is_some() {
        // The camera looks at the start as it was repaired.
        let _ = setup.start(|_| ());
    }
    recipe.check_model(&setup, &world)?;
    interrupt::watch(PROMISE);
    if !arguments.quiet {
        introduce(&setup);
        say!("resumed at {:.4} of {} s", world.state.time, setup.duration);
    }
    let runner = runner(&setup, world).starting_at(recipe.progress());
    record(arguments, &setup, folder, recipe, runner, warnings)
}

/// Runs to the end, and writes what there is to a folder.
fn record(
    arguments: &RunArguments,
    setup: &Setup,
    folder: &Path,
    recipe: Recipe,
    mut runner: Runner,
    warnings: Vec<String>,
) -> Result<(), Failure> {
    let summary = Summary::new(setup, folder, recipe.untangled, warnings);
    let step = recipe.progress().step;
    let frames = if step == 0 { 0 } else { 1 + setup.schedule().last_frame(step) };
    let so_far = (frames, runner.world().state.time);
    let mut recorder = Recorder::open(setup, folder, recipe, arguments.quiet, summary, so_far)?;
    let has_failed = recorder.has_failed.clone();
    let goes_on = || !interrupt::is_asked() && !has_failed.load(Ordering::Relaxed);
    let mut record = || runner.run(&mut [&mut recorder], goes_on);
    let end = match arguments.threads {
        Some(threads) => muslin::threads::try_with_count(usize::from(threads), record)
            .map_err(|error| Failure::Run(format!("--threads {threads}: {error}")))?,
        None => record(),
    }?;
    let summary = &recorder.summary;
    for line in &summary.warnings {
        arguments.warn(line);
    }
    if !recorder.errors.is_empty() {
        return Err(Failure::Run(format!("{}\n{}", recorder.errors.join("\n"), summary.stopped())));
    }
    match end {
        End::Diverged(diverged) => Err(Failure::Run(explain(setup, &diverged, folder))),
        End::Interrupted => Err(Failure::Interrupted(summary.interrupted())),
        End::Done => {
            if !arguments.quiet {
                summary.conclude();
            }
            check_expectations(setup, &summary.json)
        }
    }
}

impl RunArguments {
    fn warn(&self, line: &str) {
        if !self.quiet {
            eprintln!("warning: {line}");
        }
    }
}

/// The clock of time budgets: seconds since it was first asked.
fn seconds() -> Real {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

fn runner(setup: &Setup, mut world: World) -> Runner {
    // Some sixty times per frame follows the motion, and costs explicit methods little.
    world.heat_interval = Some(1.0 / (64.0 * setup.frame_rate));
    Runner::new(world, setup.schedule()).with_clock(seconds)
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
    let steps = match &setup.step_lengths {
        Some(lengths) if setup.substeps == 1 => lengths.to_string(),
        Some(lengths) => format!("{lengths}, in {} substeps each,", setup.substeps),
        None => format!("{} s", setup.dt / Real::from(setup.substeps)),
    };
    say!("{}: {}", setup.name, setup.description);
    say!(
        "{} particles, {}; steps of {steps} for {} s",
        setup.model.len(),
        elements_in_words(&setup.model.elements),
        setup.duration
    );
    say!("solver: {}", setup.solver_in_words());
}

/// What there is to warn of before the first step.
fn warnings_of_start(setup: &Setup) -> Vec<String> {
    let step = setup.dt / Real::from(setup.substeps);
    let limit = largest_stable_step(&setup.model, &setup.state.positions, &setup.solver);
    let too_long = limit.filter(|limit| step > *limit).map(|limit| {
        let name = setup.solver.name();
        format!("a step of {step} s is above the limit of linear theory for {name} here, {limit:.2e} s")
    });
    setup.warnings.iter().cloned().chain(too_long).collect()
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
