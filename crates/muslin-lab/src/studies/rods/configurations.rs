//! Rods that form something else than a flag.

use super::{DAMPING, ROD, STEP};
use muslin::builder::{BuildError, Builder, Mass, Net, NetSpring, Pin, Place, Rope, Surroundings};
use muslin::math::{Real, Vec3};
use muslin::model::PartId;
use muslin::solver::SolverConfig;
use muslin::solvers::RodsConfig;
use muslin::world::World;
use muslin_scene::watch_steps;

/// Something else than a flag, and how well its rods hold.
pub struct Shape {
    pub name: &'static str,
    pub rods: usize,
    /// Largest residual met.
    pub residual: Real,
}

/// Other configurations by the same code; and the residual that rods which contradict one another keep.
pub fn configurations() -> anyhow::Result<(Vec<Shape>, Real)> {
    let rod = |ends: [u32; 2]| NetSpring { ends, link: ROD, rest_length: None, family: None };
    let net = |particles: Vec<Vec3>, rods: &[[u32; 2]], held: Vec<u32>| Net {
        particles,
        springs: rods.iter().map(|&ends| rod(ends)).collect(),
        mass: Mass::Each(0.1),
        pins: if held.is_empty() { Vec::new() } else { vec![Pin::at(Place::Particles(held))] },
        ..Net::default()
    };
    let corner = |x: Real, y: Real, z: Real| Vec3::new(x, y, z);
    let tetrahedron = net(
        vec![Vec3::ZERO, corner(1.0, 0.0, 0.0), corner(0.5, 0.9, 0.0), corner(0.5, 0.3, 0.8)],
        &[[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]],
        vec![0],
    );
    let chain: Vec<Vec3> = (0..=6).map(|k| corner(Real::from(k), 0.0, 0.0)).collect();
    let upper: Vec<Vec3> = (0..6).map(|k| corner(Real::from(k) + 0.5, 0.0, 0.9)).collect();
    let mut members: Vec<[u32; 2]> = (0..6).map(|k| [k, k + 1]).collect();
    members.extend((7..12).map(|k| [k, k + 1]));
    members.extend((0..6).flat_map(|k| [[k, k + 7], [k + 7, k + 1]]));
    let bridge = net([chain, upper].concat(), &members, vec![0, 6]);
    let mut contradiction =
        net(vec![Vec3::ZERO, corner(1.2, 0.1, 0.0), corner(3.0, 0.0, 0.0)], &[[0, 1], [1, 2]], vec![0, 2]);
    contradiction.springs.iter_mut().for_each(|spring| spring.rest_length = Some(1.0));

    let settle = |build: &dyn Fn(&mut Builder) -> Result<PartId, BuildError>| -> anyhow::Result<_> {
        let mut builder = Builder::default();
        build(&mut builder)?;
        let gravity = Vec3::Z * -9.81;
        let (model, state) = builder.finish(&Surroundings { gravity, ..Surroundings::default() })?;
        let rods = model.elements.rods.len();
        let config = RodsConfig { sweeps: 500, tolerance: 1e-4, damping: DAMPING, ..RodsConfig::default() };
        let mut world = World::new(model, state, &SolverConfig::Rods(config), STEP);
        let (mut worst, mut last): (Real, Real) = (0.0, 0.0);
        watch_steps(&mut world, 300, |_, report| {
            last = report.residual;
            worst = worst.max(last);
        })?;
        Ok((rods, worst, last))
    };
    let rope = Rope { structural: ROD, pins: vec![Pin::at(Place::Particles(vec![0]))], ..Rope::default() };
    let mut shapes = Vec::new();
    let (rods, residual, _) = settle(&|builder| builder.add_rope(&rope))?;
    shapes.push(Shape { name: "rope of 21 particles, let go from the horizontal", rods, residual });
    let (rods, residual, _) = settle(&|builder| builder.add_net(&tetrahedron))?;
    shapes.push(Shape { name: "tetrahedron on one corner, swinging", rods, residual });
    let (rods, residual, _) = settle(&|builder| builder.add_net(&bridge))?;
    shapes.push(Shape { name: "bridge of triangles between two pins", rods, residual });
    let (.., contradiction) = settle(&|builder| builder.add_net(&contradiction))?;
    Ok((shapes, contradiction))
}
