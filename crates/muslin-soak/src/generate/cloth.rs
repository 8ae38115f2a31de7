//! Sheets, meshes, ropes, nets, balls, pillows and blocks, with fabrics and pins.

use super::motions::motion;
use super::settings::stiffness;
use super::{Plan, meshes, push, table, vector};
use crate::random::Random;
use muslin::math::{Real, Rotation, Vec3};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Adds one to four bodies.
pub fn add(random: &mut Random, plan: &Plan, scene: &mut Table, files: &mut BTreeMap<String, String>) {
    let count = random.pick(&[1, 1, 2, 2, 2, 3, 4]);
    let mut place = plan.center;
    for number in 0..count {
        match random.whole(0, 11) {
            0..=5 => push(scene, "sheet", sheet(random, plan, place)),
            6 | 7 => {
                let file = format!("cloth-{number}.obj");
                push(scene, "surface", surface(random, plan, place, &file, files));
            }
            8 => push(scene, "rope", rope(random, plan, place)),
            9 => push(scene, "net", net(random, plan, place)),
            10 if number > 0 => push(scene, "block", block(random, plan, place)),
            _ => {
                let (kind, entry) = closed(random, plan, place);
                push(scene, kind, entry);
            }
        }
        let way = if random.chance(0.7) { plan.normal } else { random.direction() };
        place += way * gap(random, plan);
    }
}

/// How far the next one is [m].
fn gap(random: &mut Random, plan: &Plan) -> Real {
    match random.whole(0, 3) {
        0 => plan.thickness * random.log(0.3, 3.0),
        1 => plan.size * random.log(0.2, 1.0),
        _ => plan.edge * random.log(0.05, 2.0),
    }
}

fn cells(random: &mut Random, plan: &Plan) -> [u32; 2] {
    [0, 1].map(|_| random.whole(plan.cells.div_ceil(2), plan.cells + 1).max(1))
}

fn sheet(random: &mut Random, plan: &Plan, place: Vec3) -> Value {
    let [n, m] = cells(random, plan);
    let stretch = if random.chance(0.15) { random.log(0.05, 1.0) } else { 1.0 };
    let size = [plan.edge * Real::from(n), plan.edge * Real::from(m) * stretch];
    // Like the first one, a little turned, or anyhow.
    let [x, y] = plan.axes();
    let turn = match random.whole(0, 4) {
        0 | 1 => Rotation::IDENTITY,
        2 => Rotation::from_axis_angle(plan.normal, random.between(0.0, 3.0)),
        3 => Rotation::from_scaled_axis(random.direction() * random.log(1e-9, 0.1)),
        _ => Rotation::from_scaled_axis(random.direction() * random.between(0.0, 3.0)),
    };
    let (x, y) = (turn * x, turn * y);
    let slant = if random.chance(0.1) { random.between(-0.7, 0.7) } else { 0.0 };
    let origin = place - 0.5 * (x * size[0] + y * size[1]);
    let mut entry = Table::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("size", Value::Array(size.map(Value::Float).to_vec()));
    put("resolution", table([("cells", whole(&[n, m]))]));
    put("origin", vector(origin));
    put("axes", Value::Array(vec![vector(x), vector(y + x * slant)]));
    put("fabric", fabric(random, plan, true));
    put("mass", mass(random, plan));
    let pins = pins(random, plan, place, Some([n, m]));
    if !pins.is_empty() {
        if random.chance(0.1) {
            let tether = [("stiffness", Value::Float(stiffness(random, plan)))];
            put("tether", table(tether));
        }
        put("pins", Value::Array(pins));
    }
    if random.chance(0.1) {
        put("drag", table([("each", Value::Float(plan.mass / plan.dt * random.log(1e-3, 0.3)))]));
    }
    Value::Table(entry)
}

fn whole(numbers: &[u32]) -> Value {
    Value::Array(numbers.iter().map(|&n| Value::Integer(n.into())).collect())
}

fn mass(random: &mut Random, plan: &Plan) -> Value {
    let factor = if random.chance(0.2) { random.log(1e-2, 1e2) } else { 1.0 };
    table([("each", Value::Float(plan.mass * factor))])
}

fn surface(
    random: &mut Random,
    plan: &Plan,
    place: Vec3,
    file: &str,
    files: &mut BTreeMap<String, String>,
) -> Value {
    let is_closed = random.chance(0.4);
    let detail = plan.cells.min(8);
    let mesh = if is_closed { meshes::closed(random, detail) } else { meshes::open(random, detail) };
    files.insert(file.to_owned(), mesh.obj());
    let mut entry = Table::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("file", Value::String(file.to_owned()));
    put("scale", Value::Float(plan.size * random.log(0.4, 1.2)));
    put("turn_axis", vector(random.direction()));
    put("turn_degrees", Value::Float(random.pick(&[0.0, 90.0, 37.0, 10.0])));
    put("origin", vector(place));
    put("fabric", fabric(random, plan, false));
    put("mass", mass(random, plan));
    if is_closed && random.chance(0.6) {
        put("pressure", pressure(random, plan));
    }
    if random.chance(0.4) {
        let particles = mesh.positions.len() as u32;
        let chosen: Vec<u32> = (0..particles).filter(|_| random.chance(0.15)).collect();
        if !chosen.is_empty() && (chosen.len() as u32) < particles {
            put("pins", Value::Array(vec![pin(random, plan, place, table([("particles", whole(&chosen))]))]));
        }
    }
    Value::Table(entry)
}

fn pressure(random: &mut Random, plan: &Plan) -> Value {
    // A force of some units of stiffness times a part of an edge, over the area of a cell.
    let unit = plan.unit_stiffness() / plan.edge * if plan.is_explicit { 0.01 } else { 0.3 };
    match random.whole(0, 2) {
        0 => table([("constant", Value::Float(unit * random.log(0.01, 1.0)))]),
        1 => {
            let entries = [
                ("over", Value::Float(unit * random.log(0.01, 1.0))),
                ("ambient", Value::Float(unit * random.log(0.1, 3.0))),
            ];
            table([("gas", table(entries))])
        }
        _ => {
            let entries = [
                ("factor", Value::Float(random.between(0.3, 2.0))),
                ("stiffness", Value::Float(unit * random.log(0.01, 1.0))),
            ];
            table([("volume", table(entries))])
        }
    }
}

fn rope(random: &mut Random, plan: &Plan, place: Vec3) -> Value {
    let way = plan.axes()[0].lerp(random.direction(), random.pick(&[0.0, 0.0, 0.5, 1.0]));
    let way = way.normalize_or(Vec3::X) * (0.5 * plan.size * random.log(0.5, 1.5));
    let particles = random.whole(2, 2 * plan.cells + 1);
    let mut entry = Table::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("from", vector(place - way));
    put("to", vector(place + way));
    put("particles", Value::Integer(particles.into()));
    put("mass", mass(random, plan));
    put("structural", link(random, plan));
    if random.chance(0.5) {
        put("flexion", link(random, plan));
    }
    if random.chance(0.5) {
        let at = Value::String("corners".to_owned());
        put("pins", Value::Array(vec![pin(random, plan, place, at)]));
    }
    Value::Table(entry)
}

fn net(random: &mut Random, plan: &Plan, place: Vec3) -> Value {
    let n = random.whole(2, plan.cells.clamp(2, 6));
    let [x, y] = plan.axes().map(|axis| axis * plan.edge);
    let at = |i: u32, j: u32| {
        place + x * (Real::from(i) - 0.5 * Real::from(n)) + y * (Real::from(j) - 0.5 * Real::from(n))
    };
    let places: Vec<[u32; 2]> = (0..n).flat_map(|i| (0..n).map(move |j| [i, j])).collect();
    let particles = places.iter().map(|&[i, j]| vector(at(i, j)));
    let spring =
        |a: u32, b: u32, random: &mut Random| table([("ends", whole(&[a, b])), ("link", link(random, plan))]);
    let mut springs = Vec::new();
    for &[i, j] in &places {
        let number = i * n + j;
        if i + 1 < n {
            springs.push(spring(number, number + n, random));
        }
        if j + 1 < n {
            springs.push(spring(number, number + 1, random));
        }
    }
    let mut entry = Table::new();
    entry.insert("particles".to_owned(), Value::Array(particles.collect()));
    entry.insert("mass".to_owned(), mass(random, plan));
    entry.insert("springs".to_owned(), Value::Array(springs));
    if random.chance(0.6) {
        let chosen = table([("particles", whole(&[0, n * n - 1]))]);
        entry.insert("pins".to_owned(), Value::Array(vec![pin(random, plan, place, chosen)]));
    }
    Value::Table(entry)
}

fn closed(random: &mut Random, plan: &Plan, place: Vec3) -> (&'static str, Value) {
    let mut entry = Table::new();
    let radius = 0.5 * plan.size * random.log(0.3, 1.0);
    let is_ball = random.chance(0.6);
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("center", vector(place));
    put("radius", Value::Float(radius));
    if is_ball {
        put("subdivisions", Value::Integer(random.whole(0, 2).into()));
    } else {
        put("rings", Value::Integer(random.whole(1, 5).into()));
        put("normal", vector(plan.normal));
        put("bulge", Value::Float(random.log(0.01, 1.0)));
    }
    put("fabric", fabric(random, plan, false));
    put("mass", mass(random, plan));
    if random.chance(0.7) {
        put("pressure", pressure(random, plan));
    }
    (if is_ball { "ball" } else { "pillow" }, Value::Table(entry))
}

fn block(random: &mut Random, plan: &Plan, place: Vec3) -> Value {
    let cells = [0; 3].map(|_| random.whole(1, 3));
    let size = cells.map(|n| Value::Float(plan.edge * Real::from(n)));
    let young = stiffness(random, plan) / plan.edge * if plan.is_explicit { 0.3 } else { 1.0 };
    let material = [
        ("density", Value::Float(plan.mass / plan.edge.powi(3))),
        ("young", Value::Float(young)),
        ("poisson", Value::Float(random.between(0.0, 0.45))),
        ("damping", Value::Float(plan.dt * random.log(1e-3, 0.1))),
    ];
    table([
        ("center", vector(place)),
        ("size", Value::Array(size.to_vec())),
        ("cells", whole(&cells)),
        ("turn_axis", vector(random.direction())),
        ("turn_degrees", Value::Float(random.between(0.0, 90.0))),
        ("material", table(material)),
    ])
}

fn link(random: &mut Random, plan: &Plan) -> Value {
    let mut entry = Table::new();
    entry.insert("stiffness".to_owned(), Value::Float(stiffness(random, plan)));
    if random.chance(0.6) {
        entry.insert("damping".to_owned(), Value::Float(damping(random, plan)));
    }
    if random.chance(0.2) {
        let law = match random.whole(0, 2) {
            0 => Value::String("tension-only".to_owned()),
            1 => Value::String("compression-only".to_owned()),
            _ => table([("dead-zone", Value::Float(random.log(1e-3, 0.3)))]),
        };
        entry.insert("law".to_owned(), law);
    }
    Value::Table(entry)
}

fn damping(random: &mut Random, plan: &Plan) -> Real {
    plan.mass / plan.dt * if plan.is_explicit { random.log(1e-4, 0.02) } else { random.log(1e-3, 10.0) }
}

fn fabric(random: &mut Random, plan: &Plan, is_flat: bool) -> Value {
    if random.chance(0.1) && !plan.is_explicit {
        return table([(
            "base",
            Value::String(random.pick(&["cotton", "silk", "denim", "study"]).to_owned()),
        )]);
    }
    let mut entry = Table::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    if random.chance(0.6) {
        put("structural", link(random, plan));
        put("shear", link(random, plan));
        put("flexion", if random.chance(0.7) { link(random, plan) } else { Value::Table(Table::new()) });
    } else {
        let mut membrane = Table::new();
        let mut put_in = |key: &str, value: Value| membrane.insert(key.to_owned(), value);
        put_in("warp", Value::Float(stiffness(random, plan)));
        if random.chance(0.5) {
            put_in(
                "damping",
                Value::Float(plan.dt * random.log(1e-3, if plan.is_explicit { 0.05 } else { 3.0 })),
            );
        }
        let laws = ["st-venant-kirchhoff", "wrinkling", "corotated"];
        let law = random.pick(&laws);
        if law != "corotated" {
            put_in("poisson", Value::Float(random.between(0.0, 0.4)));
        }
        put_in("law", Value::String(law.to_owned()));
        put("membrane", Value::Table(membrane));
    }
    if random.chance(0.4) {
        let rigidity = stiffness(random, plan) * plan.edge * plan.edge * random.log(1e-4, 0.05);
        let law = if is_flat && random.chance(0.5) { "quadratic" } else { "angle" };
        put("bending", table([("rigidity", Value::Float(rigidity)), ("law", Value::String(law.to_owned()))]));
    }
    Value::Table(entry)
}

fn pins(random: &mut Random, plan: &Plan, place: Vec3, grid: Option<[u32; 2]>) -> Vec<Value> {
    let count = random.pick(&[0, 0, 1, 1, 2]);
    (0..count)
        .map(|_| {
            let at = match (random.whole(0, 4), grid) {
                (0, _) => Value::String("corners".to_owned()),
                (1, _) => Value::String("border".to_owned()),
                (2, Some([n, m])) => {
                    let corner = [random.whole(0, n), random.whole(0, m)];
                    table([("grid", Value::Array(vec![whole(&corner)]))])
                }
                (3, Some([n, m])) => table([("grid", Value::Array(vec![whole(&[n / 2, m / 2])]))]),
                _ => {
                    let side = random.pick(&["i-min", "i-max", "j-min", "j-max"]);
                    table([("side", Value::String(side.to_owned()))])
                }
            };
            pin(random, plan, place, at)
        })
        .collect()
}

fn pin(random: &mut Random, plan: &Plan, place: Vec3, at: Value) -> Value {
    // Often towards the middle of the scene, where the others are.
    let from = place + random.in_cube() * plan.edge;
    match motion(random, plan, from, None) {
        Some(motion) => table([("at", at), ("motion", motion)]),
        None => table([("at", at)]),
    }
}
