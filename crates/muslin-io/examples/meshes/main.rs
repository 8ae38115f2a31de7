//! The meshes of the scenes `artery-and-dagger` and `shirt-from-panels`, made anew: `artery.obj` and `dagger.stl`, `shirt-front.obj`
//! and `shirt-back.obj`.
//!
//! `cargo run --release -p muslin-io --example meshes scenes` renews them.

mod artery;
mod dagger;
mod shirt;

use std::fmt::Write;
use std::path::PathBuf;

use muslin::math::Vec3;
use muslin::mesh::Mesh;
use muslin_io::read_mesh;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/meshes".into()));
    std::fs::create_dir_all(&folder)?;
    for (name, text) in files() {
        let path = folder.join(name);
        std::fs::write(&path, text)?;
        let mesh = read_mesh(&path)?;
        println!("{}: {} vertices, {} faces", path.display(), mesh.positions.len(), mesh.faces.len());
        assert!(!mesh.faces.is_empty());
    }
    Ok(())
}

/// All files, with their names.
fn files() -> [(&'static str, String); 4] {
    let vessel =
        "A forked vessel with three open ends; made by the example meshes for the scene artery-and-dagger.";
    let panel = |which: &str| {
        format!(
            "The {which} of a sleeveless shirt; made by the example meshes for the scene shirt-from-panels."
        )
    };
    [
        ("artery.obj", obj(vessel, &artery::artery())),
        ("dagger.stl", stl("dagger", &dagger::dagger())),
        ("shirt-front.obj", obj(&panel("front"), &shirt::front())),
        ("shirt-back.obj", obj(&panel("back"), &shirt::back())),
    ]
}

fn obj(title: &str, mesh: &Mesh) -> String {
    let mut text = format!("# {title}\n");
    for p in &mesh.positions {
        let _ = writeln!(text, "v {}", coordinates(*p, 1e5));
    }
    for face in &mesh.faces {
        let corners: Vec<String> = face.corners().iter().map(|corner| (corner + 1).to_string()).collect();
        let _ = writeln!(text, "f {}", corners.join(" "));
    }
    text
}

/// As text.
fn stl(name: &str, mesh: &Mesh) -> String {
    let mut text = format!("solid {name}\n");
    for triangle in mesh.faces.iter().flat_map(muslin::mesh::Face::triangles) {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let _ = writeln!(text, "facet normal {}\nouter loop", coordinates(normal, 1e3));
        for p in [a, b, c] {
            let _ = writeln!(text, "vertex {}", coordinates(p, 1e5));
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid " + name + "\n"
}

/// Rounded to whole parts of `per_unit`, and zero without a sign.
fn coordinates(p: Vec3, per_unit: f64) -> String {
    let rounded = p.to_array().map(|x| ((x * per_unit).round() + 0.0) / per_unit);
    format!("{} {} {}", rounded[0], rounded[1], rounded[2])
}

#[cfg(test)]
mod tests;
