//! Random cuts through random cloth that moves and touches itself: whatever is split, mass and momenta stay, nothing intersects, and a
//! checkpoint goes on to the same bits.

use crate::support::noise;
use muslin::hash::state_hash;
use muslin::model::EditError;
use muslin::prelude::*;

/// Some number below a bound, by a seed and a count.
fn below(seed: u64, count: usize, bound: usize) -> usize {
    let number = noise(seed, count).x.abs() * 1e6;
    number as usize % bound
}

/// A fan of neighbouring faces at a vertex: a random one, and those that follow it across edges.
fn fan(world: &World, vertex: u32, seed: u64) -> Vec<u32> {
    let faces = &world.model.faces;
    let mut around: Vec<u32> =
        (0..faces.len() as u32).filter(|&face| faces[face as usize].corners().contains(&vertex)).collect();
    if around.len() < 2 {
        return Vec::new();
    }
    let size = 1 + below(seed, 1, around.len() - 1);
    let mut chosen = vec![around.swap_remove(below(seed, 2, around.len()))];
    while chosen.len() < size {
        let shares_edge = |face: u32| {
            let corners = faces[face as usize].corners();
            chosen.iter().any(|&other| {
                let others = faces[other as usize].corners();
                corners.iter().filter(|corner| others.contains(corner)).count() >= 2
            })
        };
        let Some(k) = around.iter().position(|&face| shares_edge(face)) else { break };
        chosen.push(around.swap_remove(k));
    }
    chosen
}

#[test]
fn random_cuts_keep_what_is_promised() {
    let (mut splits, mut refused) = (0, 0);
    for seed in 0..8 {
        let mut builder = Builder::default();
        let resolution = Resolution::Cells([7, 6]);
        let pins = vec![Pin::at(Place::Corners)];
        let sheet = Sheet { resolution, pins, axes: [Vec3::X, Vec3::Y], ..Sheet::default() };
        builder.add_sheet(&sheet).unwrap();
        builder.add_sheet(&Sheet { origin: Vec3::new(0.05, 0.03, 0.03), pins: Vec::new(), ..sheet }).unwrap();
        let ball = Shape::Sphere { center: Vec3::new(0.5, 0.5, -0.25), radius: 0.2 };
        let contact = ContactLaw::Surface(SurfaceContact::default());
        let around = Surroundings { colliders: vec![ball.into()], contact, ..Surroundings::default() };
        let (model, state) = builder.finish(&around).unwrap();
        let name = ["pncg", "xpbd", "bdf2", "newton"][seed % 4];
        let mut world = World::new(model, state, &SolverConfig::named(name).unwrap(), 1.0 / 120.0);
        for step in 0..24 {
            let key = (seed * 100 + step) as u64;
            for attempt in 0..2 {
                let vertex = below(key, 10 + attempt, world.model.len()) as u32;
                let faces = fan(&world, vertex, key * 2 + attempt as u64);
                let before = world.clone();
                let sums = |world: &World| {
                    let (x, v, m) = (&world.state.positions, &world.state.velocities, &world.model.masses);
                    let linear: Vec3 = (0..m.len()).map(|p| v[p] * m[p]).sum();
                    let angular: Vec3 = (0..m.len()).map(|p| x[p].cross(v[p] * m[p])).sum();
                    (m.iter().sum::<Real>(), linear, angular)
                };
                match world.split(vertex, &faces) {
                    Ok(map) => {
                        splits += 1;
                        let (old, new) = (sums(&before), sums(&world));
                        assert!((old.0 - new.0).abs() < 1e-14, "mass {} {}", old.0, new.0);
                        assert!(
                            old.1.distance(new.1) < 1e-13 && old.2.distance(new.2) < 1e-13,
                            "{old:?} {new:?}"
                        );
                        assert_eq!(map.new_count(), before.model.len() + 1);
                        assert_eq!(world.intersections(), [], "seed {seed}, step {step}");
                    }
                    Err(error) => {
                        refused += usize::from(matches!(error, EditError::NoRoom(_)));
                        assert_eq!(world.state, before.state);
                        assert_eq!(world.model, before.model);
                    }
                }
            }
            let mut resumed = (step % 6 == 0).then(|| World::restore(&world.checkpoint()).unwrap());
            world.step().unwrap();
            assert_eq!(world.intersections(), [], "seed {seed}, step {step}");
            if let Some(resumed) = &mut resumed {
                resumed.step().unwrap();
                assert_eq!(state_hash(&resumed.state), state_hash(&world.state), "seed {seed}, step {step}");
            }
        }
    }
    assert!(splits > 200 && refused * 10 < splits, "{splits} splits, {refused} had to wait");
}
