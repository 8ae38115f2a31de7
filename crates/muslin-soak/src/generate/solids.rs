//! Solids of every kind with every motion, and rigid bodies.

use super::motions::{length, motion};
use super::{Plan, meshes, push, table, vector};
use crate::random::Random;
use muslin::math::{Real, Vec3};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Adds up to four solids and up to three bodies.
pub fn add(random: &mut Random, plan: &Plan, scene: &mut Table, files: &mut BTreeMap<String, String>) {
    let solids = random.pick(&[0, 1, 1, 1, 2, 2, 3, 4]);
    for number in 0..solids {
        let (kind, shape, place) = any_shape(random, plan, number, files);
        let mut entry = Table::new();
        entry.insert(kind.to_owned(), shape);
        let axis = (kind == "plane").then_some(plan.normal);
        if random.chance(0.7)
            && let Some(motion) = motion(random, plan, place, axis)
        {
            entry.insert("motion".to_owned(), motion);
        }
        layer(random, plan, &mut entry);
        push(scene, "collider", Value::Table(entry));
    }
    let bodies = random.pick(&[0, 0, 0, 1, 1, 2, 3]);
    for number in 0..bodies {
        push(scene, "body", body(random, plan, number, files));
    }
}

fn layer(random: &mut Random, plan: &Plan, entry: &mut Table) {
    if random.chance(0.2) {
        entry.insert("thickness".to_owned(), Value::Float(plan.edge * random.log(1e-3, 0.5)));
    }
}

/// A place beside the cloth for something of a radius [m].
fn beside(random: &mut Random, plan: &Plan, radius: Real) -> Vec3 {
    let gap = match random.whole(0, 2) {
        0 => plan.thickness * random.log(0.6, 3.0),
        1 => plan.edge * random.log(0.05, 2.0),
        _ => plan.size * random.log(0.1, 1.0),
    };
    let side = random.pick(&[-1.0, -1.0, 1.0]);
    let along = plan.axes().map(|axis| axis * (plan.size * random.between(-0.5, 0.5)));
    plan.center + plan.normal * (side * (radius + gap)) + along[0] + along[1]
}

fn any_shape(
    random: &mut Random,
    plan: &Plan,
    number: u32,
    files: &mut BTreeMap<String, String>,
) -> (&'static str, Value, Vec3) {
    match random.whole(0, 8) {
        0 | 1 => {
            let place = plan.center - plan.normal * beside_distance(random, plan);
            ("plane", table([("point", vector(place)), ("normal", vector(plan.normal))]), place)
        }
        2 => {
            let (field, place) = height_field(random, plan);
            ("height-field", field, place)
        }
        3 => {
            let radius = length(random, plan, 0.05, 1.0);
            let place = beside(random, plan, 0.5 * radius);
            let is_closed = random.chance(0.4);
            let detail = random.whole(1, 5);
            let mesh = if is_closed { meshes::closed(random, detail) } else { meshes::open(random, detail) };
            (("mesh"), mesh_file(random, radius, place, format!("solid-{number}.obj"), &mesh, files), place)
        }
        _ => closed_shape(random, plan, format!("solid-{number}.obj"), files),
    }
}

fn beside_distance(random: &mut Random, plan: &Plan) -> Real {
    match random.whole(0, 2) {
        0 => plan.thickness * random.log(0.6, 3.0),
        1 => plan.edge * random.log(0.05, 2.0),
        _ => plan.size * random.log(0.1, 1.0),
    }
}

fn mesh_file(
    random: &mut Random,
    size: Real,
    place: Vec3,
    file: String,
    mesh: &meshes::Triangles,
    files: &mut BTreeMap<String, String>,
) -> Value {
    files.insert(file.clone(), mesh.obj());
    table([
        ("file", Value::String(file)),
        ("scale", Value::Float(size)),
        ("translation", vector(place)),
        ("rotation", vector(random.direction() * random.pick(&[0.0, 1.0, 2.0]))),
    ])
}

/// A shape that a body can have, too.
fn closed_shape(
    random: &mut Random,
    plan: &Plan,
    file: String,
    files: &mut BTreeMap<String, String>,
) -> (&'static str, Value, Vec3) {
    let radius = length(random, plan, 0.02, 0.7);
    let place = beside(random, plan, radius);
    let turn = if random.chance(0.5) { Vec3::ZERO } else { random.direction() * random.between(0.0, 3.0) };
    let half = random.axis_or_direction() * (radius * random.log(0.1, 1.0));
    let ends = Value::Array(vec![vector(place - half), vector(place + half)]);
    match random.whole(0, 5) {
        0 => ("sphere", table([("center", vector(place)), ("radius", Value::Float(radius))]), place),
        1 => (
            "capsule",
            table([("ends", ends), ("radius", Value::Float(radius * random.log(0.1, 0.7)))]),
            place,
        ),
        2 => (
            "cylinder",
            table([("ends", ends), ("radius", Value::Float(radius * random.log(0.1, 0.8)))]),
            place,
        ),
        3 => {
            let size = Vec3::new(random.log(0.05, 1.0), random.log(0.05, 1.0), random.log(0.05, 1.0))
                * (1.2 * radius);
            let entries = [("center", vector(place)), ("size", vector(size)), ("rotation", vector(turn))];
            ("cuboid", table(entries), place)
        }
        4 => {
            let points = (0..random.whole(5, 12)).map(|_| vector(place + random.direction() * radius));
            ("hull", table([("points", Value::Array(points.collect()))]), place)
        }
        _ => {
            let detail = random.whole(1, 4);
            let mesh = meshes::closed(random, detail);
            ("mesh", mesh_file(random, radius, place, file, &mesh, files), place)
        }
    }
}

fn height_field(random: &mut Random, plan: &Plan) -> (Value, Vec3) {
    let (rows, columns) = (random.whole(2, 6), random.whole(2, 6));
    let size = [0, 1].map(|_| plan.size * random.between(0.5, 2.5));
    let high = plan.size * random.log(0.01, 0.5);
    let heights =
        (0..rows).map(|_| Value::Array((0..columns).map(|_| Value::Float(high * random.unit())).collect()));
    let heights = Value::Array(heights.collect());
    let below = Vec3::Z * (high + beside_distance(random, plan));
    let corner = plan.center - Vec3::new(0.5 * size[0], 0.5 * size[1], 0.0) - below;
    let entries = [
        ("corner", vector(corner)),
        ("size", Value::Array(size.map(Value::Float).to_vec())),
        ("heights", heights),
    ];
    (table(entries), corner + Vec3::new(0.5 * size[0], 0.5 * size[1], 0.0))
}

fn body(random: &mut Random, plan: &Plan, number: u32, files: &mut BTreeMap<String, String>) -> Value {
    let (kind, shape, place) = closed_shape(random, plan, format!("body-{number}.obj"), files);
    let mut entry = Table::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put(kind, shape);
    let cloth = plan.mass * Real::from(plan.cells * plan.cells);
    put("mass", Value::Float(cloth * random.log(1e-3, 1e3)));
    if random.chance(0.8) {
        let way = (plan.center - place).normalize_or(plan.normal);
        let way = if random.chance(0.7) { way } else { random.direction() };
        put("velocity", vector(way * plan.speed(random, 0.003, 5.0)));
    }
    if random.chance(0.4) {
        put("angular_velocity", vector(random.direction() * (random.log(1e-3, 1.0) / plan.dt)));
    }
    if random.chance(0.2) {
        put(
            "force",
            vector(random.direction() * (cloth * random.log(1e-3, 0.1) * plan.edge / (plan.dt * plan.dt))),
        );
    }
    layer(random, plan, &mut entry);
    Value::Table(entry)
}
