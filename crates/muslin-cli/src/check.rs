//! `muslin check`.

use crate::output::elements_in_words;
use crate::scene_changes::SceneChanges;
use crate::{Failure, tangle};
use muslin::math::Real;
use muslin::measure::Energy;
use muslin::mesh::Mesh;
use muslin::mesh::half_edge::Repair;
use muslin::stability::largest_stable_step;
use muslin_scene::Setup;
use std::path::Path;

/// Report on a scene or a mesh file without running it.
#[derive(clap::Args)]
pub struct CheckArguments {
    /// A scene file, a built-in scene's name, or an OBJ, STL or PLY file
    target: String,
    #[command(flatten)]
    changes: SceneChanges,
}

/// Checks a scene or a mesh and prints what it consists of.
pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let path = Path::new(&arguments.target);
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    if matches!(extension.as_deref(), Some("obj" | "stl" | "ply")) {
        return check_mesh(path);
    }
    print_scene(&arguments.changes.load(&arguments.target)?);
    Ok(())
}

fn check_mesh(path: &Path) -> Result<(), Failure> {
    let mesh = muslin_io::read_mesh_unchecked(path).map_err(|error| Failure::Input(error.to_string()))?;
    let (mesh, repair) = mesh.repaired().map_err(|error| {
        Failure::Input(format!("{}: {error} (faces and vertices counted from 0)", path.display()))
    })?;
    print_mesh(path, &mesh, &repair);
    Ok(())
}

fn print_mesh(path: &Path, mesh: &Mesh, repair: &Repair) {
    let ([low, high], report) = (mesh.bounds(), mesh.report());
    let what = if repair.is_empty() { "a sound mesh" } else { "no manifold; cloth of it is repaired" };
    say!("{}: {what}", path.display());
    say!("  vertices      {}", mesh.positions.len());
    say!("  faces         {} triangles, {} quads", report.triangles, report.quads);
    let kind = if report.border_edges == 0 { "closed" } else { "open" };
    say!("  edges         {} ({} at the border: the surface is {kind})", report.edges, report.border_edges);
    say!("  edge length   {:.4} to {:.4} m", report.shortest_edge, report.longest_edge);
    say!("  area          {:.4} m²", report.area);
    say!("  size          {:.4} × {:.4} × {:.4} m", high.x - low.x, high.y - low.y, high.z - low.z);
    for line in repair.lines() {
        say!("repaired: {line}");
    }
    if let Some(unsewn) = mesh.unsewn_borders() {
        let [a, b] = unsewn.first;
        say!(
            "warning: {} pairs of vertices of borders are at the same place, but not joined (the first is {a} and {b}); a [[seam]] can close them",
            unsewn.pairs
        );
    }
    if report.flipped_edges > 0 {
        say!(
            "warning: at {} edges the two faces turn against each other; wind and shading would be wrong there",
            report.flipped_edges
        );
    }
    if !report.isolated_vertices.is_empty() {
        let shown: Vec<String> = report.isolated_vertices.iter().take(5).map(u32::to_string).collect();
        say!(
            "warning: {} vertices belong to no face ({}{}); they would fall like dust",
            report.isolated_vertices.len(),
            shown.join(", "),
            if report.isolated_vertices.len() > 5 { ", …" } else { "" }
        );
    }
}

fn print_scene(setup: &Setup) {
    let held = (0..setup.model.len()).filter(|&p| setup.model.is_held(p)).count();
    let mass: Real = setup.model.masses.iter().sum();
    say!("{}: {}", setup.name, setup.description);
    say!("  particles     {} ({held} held), {mass:.4} kg", setup.model.len());
    say!("  elements      {}", elements_in_words(&setup.model.elements));
    say!("  faces         {}", setup.model.faces.len());
    let shapes: Vec<&str> = setup.model.colliders.iter().map(|collider| collider.shape.name()).collect();
    let list = if shapes.is_empty() { String::new() } else { format!(" ({})", shapes.join(", ")) };
    say!("  colliders     {}{list}", shapes.len());
    for (k, seam) in setup.model.seams.iter().enumerate() {
        let x = &setup.state.positions;
        let length = |[a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
        let gather = seam.check(&setup.model.faces, x, length).unwrap_or(1.0);
        let edges = [&seam.first, &seam.second].map(|border| border.len() - 1);
        say!("  seam {k}        {} edges to {}, lengths as {gather:.3} to 1", edges[0], edges[1]);
    }
    if !setup.model.bodies.is_empty() {
        let mass: Real = setup.model.bodies.iter().map(|body| body.mass).sum();
        say!("  bodies        {}, {mass:.4} kg", setup.model.bodies.len());
    }
    say!("  solver        {}", setup.solver_in_words());
    say!(
        "  time          {} s in {} steps of {} × {} substeps",
        setup.duration,
        setup.steps(),
        setup.steps_in_words(),
        setup.substeps
    );
    let energy = Energy::of(&setup.model, &setup.state);
    say!(
        "  start energy  kinetic {:.4e} J, elastic {:.4e} J, gravity {:.4e} J",
        energy.kinetic,
        energy.elastic,
        energy.gravity
    );
    let penetration = setup.unrepaired_world().max_penetration();
    if penetration > 0.0 {
        say!("warning: the start reaches {penetration:.4} m into a collider");
    }
    if let Some(report) = setup.clone().start(|_| ()).repair {
        for line in tangle::list(setup, &report) {
            say!("{line}");
        }
    }
    match largest_stable_step(&setup.model, &setup.state.positions, &setup.solver) {
        None => say!("  step limit    none in linear theory for {}", setup.solver.name()),
        Some(limit) => say!("  step limit    {limit:.3e} s in linear theory for {}", setup.solver.name()),
    }
    for warning in &setup.warnings {
        say!("warning: {warning}");
    }
}
