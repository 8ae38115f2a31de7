//! From a scene to a simulation.

use crate::built_in::built_in_file;
use crate::parts::Parts;
use crate::scene::{Picture, Scene, SurfaceFile};
use crate::setup::Setup;
use crate::sleep::SleepEntry;
use crate::solver_choice::choose;
use crate::solver_settings::{self, SettingsError};
use crate::step_lengths::{MOST_VARIED_STEPS, StepLengths};
use muslin::apparent_stiffness::apparent_stiffness;
use muslin::builder::{BuildError, Surface, Surroundings};
use muslin::contact::settings::REST_DISTANCE;
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::elements::SpringFamily;
use muslin::math::{Real, Rotation};
use muslin::mesh::{Face, Mesh};
use muslin::model::Model;
use muslin::shape::Shape;
use muslin::solver::SolverConfig;
use muslin::solvers::XpbdConfig;
use muslin::state::State;
use std::path::{Component, Path, PathBuf};

/// Where files named in a scene are looked for.
pub(crate) struct Files<'a> {
    /// The folder of the scene's own file; none for a built-in scene.
    pub folder: Option<&'a Path>,
}

impl Files<'_> {
    pub fn mesh(&self, file: &str) -> Result<Mesh, String> {
        let read = match (self.folder, built_in_file(file)) {
            (Some(folder), _) => muslin_io::read_mesh_unchecked(&folder.join(file)),
            (None, Some(bytes)) => muslin_io::parse_mesh(Path::new(file), bytes),
            (None, None) => muslin_io::read_mesh_unchecked(&PathBuf::from(file)),
        };
        read.map_err(|error| error.to_string())
    }
}

/// Seams that gather more cloth than anybody means to: three times the length of the other border.
fn gather_warnings(model: &Model, state: &State) -> Vec<String> {
    let x = &state.positions;
    let length = |[a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
    let ratios = model.seams.iter().map(|seam| seam.check(&model.faces, x, length).unwrap_or(1.0));
    let strong = ratios.enumerate().filter(|(_, ratio)| ratio.max(1.0 / ratio) > 3.0);
    strong
        .map(|(k, ratio)| {
            let (longer, shorter) = if ratio > 1.0 { ("first", "second") } else { ("second", "first") };
            let times = ratio.max(1.0 / ratio);
            format!("seam[{k}] gathers: its {longer} border is {times:.1} times as long as its {shorter} one")
        })
        .collect()
}

/// Borders of cloth at the same place, which nothing joins and no seam is to.
fn unsewn_warning(model: &Model, state: &State) -> Option<String> {
    if model.cloths.is_empty() || !model.seams.is_empty() {
        return None;
    }
    let faces = model
        .cloths
        .iter()
        .flat_map(|cloth| &model.faces[cloth.faces.start as usize..cloth.faces.end as usize]);
    let mesh = Mesh { positions: state.positions.clone(), faces: faces.copied().collect() };
    let unsewn = mesh.unsewn_borders()?;
    let [a, b] = unsewn.first;
    Some(format!(
        "{} pairs of particles on borders of cloth are at the same place, but nothing joins them (the first is {a} and {b}): a [[seam]] would",
        unsewn.pairs
    ))
}

/// Time step if a scene names none [s].
const DEFAULT_STEP: Real = 1.0 / 120.0;

/// Longest run that is not a slip of the pen, in steps and in frames.
const MOST_STEPS: Real = 1e10;
const MOST_FRAMES: Real = 1e6;
const MOST_SUBSTEPS: u32 = 1_000_000;

pub(crate) fn compile(scene: Scene, files: &Files) -> Result<Setup, BuildError> {
    check_name(&scene.name)?;
    let (dt, step_lengths) = read_steps(&scene)?;
    check_times(&scene, dt)?;
    check_picture(&scene.picture)?;
    check_expectations(&scene)?;
    let in_solver = |error: SettingsError| {
        let path = if error.key.is_empty() { "solver".to_owned() } else { format!("solver.{}", error.key) };
        BuildError { path, message: error.message }
    };
    let named = solver_settings::read(&scene.solver).map_err(in_solver)?;
    let mut warnings = Vec::new();
    let covered = (scene.duration / dt).round() * dt;
    if step_lengths.is_none() && (covered - scene.duration).abs() > 1e-6 * scene.duration {
        warnings.push(format!(
            "{} s are not a whole number of steps of {dt} s: the run ends at {covered} s",
            scene.duration
        ));
    }
    let Parts { builder, parts } = Parts::of(&scene, files, &mut warnings)?;
    let mut colliders = Vec::new();
    for (k, entry) in scene.collider.into_iter().enumerate() {
        let under = |error: BuildError| error.under(&format!("collider[{k}]"));
        colliders.push(entry.read(files, &mut warnings).map_err(under)?);
    }
    let mut bodies = Vec::new();
    for (k, entry) in scene.body.into_iter().enumerate() {
        let under = |error: BuildError| error.under(&format!("body[{k}]"));
        bodies.push(entry.read(files, &mut warnings).map_err(under)?);
    }
    let surroundings = Surroundings {
        gravity: scene.gravity,
        wind: scene.wind,
        loads: scene.load,
        colliders,
        bodies,
        contact: scene.contact,
        strain_limit: scene.strain_limit,
        seams: scene.seam,
        blades: scene.blade,
        sleep: scene.sleep.and_then(SleepEntry::settings),
    };
    let (model, state) = builder.finish(&surroundings)?;
    let choice = choose(&model, &parts, dt, scene.substeps);
    let (solver, substeps, reason) = if let Some(solver) = named {
        (solver, scene.substeps.unwrap_or(1), None)
    } else {
        let solver = solver_settings::revise(&choice.solver, &scene.solver).map_err(in_solver)?;
        (solver, choice.substeps, Some(choice.reason))
    };
    warnings.extend(gather_warnings(&model, &state));
    warnings.extend(unsewn_warning(&model, &state));
    warnings.extend(loose_mesh_warning(&model));
    warnings.extend(thick_cloth_warning(&model, &state));
    warnings.extend(soft_cloth_warning(&model, &state, &solver, dt / Real::from(substeps)));
    Ok(Setup {
        name: scene.name,
        description: scene.description,
        model,
        state,
        parts,
        solver,
        solver_reason: reason,
        dt,
        step_lengths,
        substeps,
        duration: scene.duration,
        frame_rate: scene.frame_rate,
        picture: scene.picture,
        expect: scene.expect,
        warnings,
    })
}

/// But for the law of surfaces, particles touch solids, faces and springs do not: a solid smaller than a cell slips through.
fn loose_mesh_warning(model: &Model) -> Option<String> {
    if matches!(model.contact, ContactLaw::Surface(_)) {
        return None;
    }
    let structural = model.elements.springs.iter().filter(|spring| spring.family == SpringFamily::Structural);
    let rods = model.elements.rods.iter().map(|rod| rod.length);
    let edges = model.edges.iter().map(|edge| edge.rest_length);
    let longest = structural.map(|spring| spring.rest_length).chain(rods).chain(edges).fold(0.0, Real::max);
    model.colliders.iter().enumerate().find_map(|(k, collider)| {
        let (what, size) = match collider.shape {
            Shape::Sphere { radius, .. }
            | Shape::Capsule { radius, .. }
            | Shape::Cylinder { radius, .. } => ("a radius", radius),
            // A board is wide: only the second of its edges lets it through.
            Shape::Cuboid { size, .. } => {
                let mut edges = size.to_array();
                edges.sort_by(Real::total_cmp);
                ("an edge", edges[1])
            }
            _ => return None,
        };
        (size + collider.thickness < longest).then(|| format!(
            "collider[{k}] has {what} of {size} m, less than the longest thread between two particles, {longest:.4} m: it can pass between them"
        ))
    })
}

/// What is shown of the authored stiffness at the least without a word. Hanging cloth stretches by some thousandths under its
/// own weight: ten times that can be seen.
const LEAST_STIFFNESS: Real = 0.1;

/// Cloth that is far softer than authored, since the solver's sweeps do not reach far enough.
fn soft_cloth_warning(model: &Model, state: &State, solver: &SolverConfig, step: Real) -> Option<String> {
    let SolverConfig::Xpbd(config) = solver else { return None };
    let shown = |substeps: u32| {
        let config = SolverConfig::Xpbd(XpbdConfig { substeps, ..config.clone() });
        apparent_stiffness(model, &state.positions, &config, step)
    };
    let part = shown(config.substeps).filter(|&part| part < LEAST_STIFFNESS)?;
    // It grows with the square of the substeps.
    let enough = (1..20)
        .map(|power| config.substeps.saturating_mul(1 << power))
        .find(|&substeps| shown(substeps).is_some_and(|part| part >= 0.5))?;
    Some(format!(
        "xpbd shows about {} % of the cloth's stiffness with {} substeps and {} iterations of a step of {step:.3e} s: it will stretch about {:.0} times as far as its fabric says; solver.substeps = {enough} shows more than half of it, or take solver.name = \"pncg\"",
        (100.0 * part * 10.0).round() / 10.0,
        config.substeps,
        config.iterations,
        1.0 / part
    ))
}

/// Cloth that is thicker than its edges are long keeps its own neighbours at less than its thickness.
fn thick_cloth_warning(model: &Model, state: &State) -> Option<String> {
    let ContactLaw::Surface(SurfaceContact { thickness: Some(thickness), .. }) = model.contact else {
        return None;
    };
    let sides = model.faces.iter().flat_map(Face::sides);
    let lengths = sides.map(|[a, b]| state.positions[a as usize].distance(state.positions[b as usize]));
    let shortest = lengths.fold(Real::INFINITY, Real::min);
    (thickness > shortest).then(|| format!(
        "contact.surface.thickness is {thickness} m, more than the shortest edge of the cloth, {shortest:.4} m: parts of it that start nearer to each other than that keep {REST_DISTANCE} of their distance instead"
    ))
}

pub(crate) fn read_surface(
    file: &SurfaceFile,
    files: &Files,
    warnings: &mut Vec<String>,
) -> Result<Surface, BuildError> {
    let wrong = |path: &str, message: String| BuildError { path: path.to_owned(), message };
    if file.file.is_empty() {
        return Err(wrong("file", "is missing: name an OBJ, STL or PLY file".to_owned()));
    }
    if !(file.scale > 0.0 && file.scale.is_finite()) {
        return Err(wrong("scale", format!("is {}, but must be greater than 0", file.scale)));
    }
    let turn = file
        .turn_axis
        .try_normalize()
        .map(|axis| Rotation::from_axis_angle(axis, file.turn_degrees.to_radians()));
    let Some(turn) = turn.filter(|turn| turn.is_finite() && file.origin.is_finite()) else {
        return Err(wrong(
            "turn_axis",
            format!(
                "is {} with {} degrees, but must be a finite direction and angle",
                file.turn_axis, file.turn_degrees
            ),
        ));
    };
    let mesh =
        files.mesh(&file.file).map_err(|message| wrong("file", format!("is no usable mesh: {message}")))?;
    let (mut mesh, repair) = mesh
        .repaired()
        .map_err(|error| wrong("file", format!("is no usable mesh: {}: {error}", file.file)))?;
    if !repair.is_empty() {
        warnings.push(format!("{}: repaired: {repair}", file.file));
    }
    let report = mesh.report();
    if !report.isolated_vertices.is_empty() {
        let count = report.isolated_vertices.len();
        let first = report.isolated_vertices[0];
        warnings.push(format!(
            "{}: {count} vertices belong to no face (the first is {first}); they will fall like dust",
            file.file
        ));
    }
    if report.flipped_edges > 0 {
        warnings.push(format!(
            "{}: at {} edges the two faces turn against each other; wind and shading will be wrong there",
            file.file, report.flipped_edges
        ));
    }
    for position in &mut mesh.positions {
        *position = file.origin + turn * (*position * file.scale);
    }
    Ok(Surface { pressure: file.pressure, ..Surface::new(mesh, file.cloth()) })
}

/// The name becomes a folder: it must be one, and stay where results belong.
fn check_name(name: &str) -> Result<(), BuildError> {
    let mut parts = Path::new(name).components();
    let single = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    if single && !name.contains(['/', '\\']) && !name.chars().any(char::is_control) {
        return Ok(());
    }
    Err(BuildError {
        path: "name".to_owned(),
        message: format!("is {name:?}, but must be a plain name for a folder"),
    })
}

fn check_expectations(scene: &Scene) -> Result<(), BuildError> {
    let is_range = |low: Real, high: Real| low <= high; // not so if either is no number
    match scene.expect.iter().find(|(_, [low, high])| !is_range(*low, *high)) {
        Some((key, [low, high])) => Err(BuildError {
            path: format!("expect.{key}"),
            message: format!("is [{low}, {high}], but must be a lowest and a highest value"),
        }),
        None => Ok(()),
    }
}

/// The longest time step [s], and the lengths of all if they vary.
fn read_steps(scene: &Scene) -> Result<(Real, Option<StepLengths>), BuildError> {
    let refuse = |message: String| Err(BuildError { path: "steps".to_owned(), message });
    match (scene.dt, &scene.steps) {
        (Some(_), Some(_)) => {
            refuse("and `dt` both say how long the steps are, but only one of them may stand".to_owned())
        }
        (dt, None) => Ok((dt.unwrap_or(DEFAULT_STEP), None)),
        (None, Some(steps)) => {
            let lengths = steps.clone().read()?;
            let [_, longest] = lengths.bounds();
            let (duration, most) = (scene.duration, MOST_VARIED_STEPS as Real);
            let count = duration / lengths.mean();
            if count > most && duration.is_finite() {
                return refuse(format!(
                    "makes about {count:e} steps; at most {most:e} that vary are allowed"
                ));
            }
            if longest > duration && duration > 0.0 {
                return refuse(format!(
                    "has lengths up to {longest} s, but they must be at most the duration, {duration} s"
                ));
            }
            Ok((longest, Some(lengths)))
        }
    }
}

fn check_times(scene: &Scene, dt: Real) -> Result<(), BuildError> {
    let refuse = |path: &str, message: String| Err(BuildError { path: path.to_owned(), message });
    for (path, value, unit) in [
        ("duration", scene.duration, "s"),
        ("dt", dt, "s"),
        ("frame_rate", scene.frame_rate, "frames a second"),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return refuse(path, format!("is {value}, but must be greater than 0 {unit} and finite"));
        }
    }
    if dt > scene.duration {
        return refuse("dt", format!("is {dt} s, but must be at most the duration, {} s", scene.duration));
    }
    if scene.duration / dt > MOST_STEPS {
        return refuse(
            "dt",
            format!(
                "is {dt} s, which makes {:e} steps; at most {MOST_STEPS:e} are allowed",
                scene.duration / dt
            ),
        );
    }
    if scene.duration * scene.frame_rate > MOST_FRAMES {
        return refuse(
            "frame_rate",
            format!(
                "is {}, which makes {:e} frames; at most {MOST_FRAMES:e} are allowed",
                scene.frame_rate,
                scene.duration * scene.frame_rate
            ),
        );
    }
    if let Some(substeps) = scene.substeps.filter(|substeps| !(1..=MOST_SUBSTEPS).contains(substeps)) {
        return refuse("substeps", format!("is {substeps}, but must be from 1 to {MOST_SUBSTEPS}"));
    }
    Ok(())
}

fn check_picture(picture: &Picture) -> Result<(), BuildError> {
    let refuse = |path: &str, message: String| Err(BuildError { path: format!("picture.{path}"), message });
    if picture.size.iter().any(|side| !(1..=8192).contains(side)) {
        return refuse("size", format!("is {:?}, but each side must be from 1 to 8192 pixels", picture.size));
    }
    if !(picture.field_of_view > 1.0 && picture.field_of_view < 170.0) {
        return refuse(
            "field_of_view",
            format!("is {}, but must be between 1 and 170 degrees", picture.field_of_view),
        );
    }
    if let Some(part) = picture.color.iter().find(|part| !(0.0..=1.0).contains(*part)) {
        return refuse("color", format!("has a part of {part}, but each must be from 0 to 1"));
    }
    for (name, number) in [("ground", picture.ground), ("time", picture.time)] {
        if let Some(number) = number.filter(|number| !number.is_finite()) {
            return refuse(name, format!("is {number}, but must be a finite number"));
        }
    }
    if picture.eye.is_some() && picture.eye == picture.target {
        return refuse("eye", "is where `target` is, but must be somewhere else".to_owned());
    }
    let points = [("eye", picture.eye), ("target", picture.target)];
    match points.iter().find_map(|(name, point)| point.filter(|p| !p.is_finite()).map(|p| (name, p))) {
        Some((name, point)) => refuse(name, format!("is {point}, but must be three finite numbers")),
        None => Ok(()),
    }
}
