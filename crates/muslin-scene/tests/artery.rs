//! The dagger and the artery: cut, and closed again, without an intersection in any frame, by two methods.

use muslin::math::Real;
use muslin::mesh::edges;
use muslin::world::World;
use muslin_scene::{End, Frame, Runner, Source};

/// Whether all faces hang together by edges.
fn is_one_piece(world: &World) -> bool {
    let mut piece_of: Vec<usize> = (0..world.model.faces.len()).collect();
    let edges = edges(&world.model.faces);
    loop {
        let before = piece_of.clone();
        for edge in &edges {
            let least = edge.faces.iter().map(|&face| piece_of[face as usize]).min().unwrap_or(0);
            edge.faces.iter().for_each(|&face| piece_of[face as usize] = least);
        }
        if piece_of == before {
            return piece_of.iter().all(|&piece| piece == 0);
        }
    }
}

#[test]
fn a_dagger_cuts_an_artery_which_closes_again() {
    for solver in ["pncg", "xpbd"] {
        let mut source = Source::open("artery-and-dagger").unwrap();
        source.replace_solver("test", solver);
        let setup = source.load().unwrap();
        let rest = setup.model.elements.pressures[0].rest_volume();
        let (mut largest, mut when_cut) = (0.0 as Real, None);
        let mut runner = Runner::of(&setup);
        let mut judge = |frame: &Frame| {
            let world = &frame.world;
            assert_eq!(world.intersections(), vec![], "{solver}, frame {}", frame.number);
            if let Some(pressure) = world.model.elements.pressures.first() {
                largest = largest.max(pressure.volume(&world.state.positions));
                assert_eq!(world.state.torn.edges, 0, "{solver}: what is open holds no pressure");
            } else {
                when_cut.get_or_insert(frame.time());
            }
            Ok(())
        };
        assert_eq!(runner.run(&mut [&mut judge], || true).unwrap(), End::Done);
        let world = runner.world();
        // p r = 48 N/m on threads of 500 N/m: some eight in a hundred more around, twice that in volume.
        assert!((1.08..1.3).contains(&(largest / rest)), "{solver}: {largest} of {rest} m³ under pressure");
        assert!(when_cut.is_some_and(|time| (0.3..1.0).contains(&time)), "{solver}: cut at {when_cut:?} s");
        assert!(world.state.torn.edges >= 3, "{solver}: {:?}", world.state.torn);
        assert!(is_one_piece(world), "{solver}: no splinters");
        let rest_positions = &world.model.rest_positions;
        let ways = world.state.positions.iter().zip(rest_positions).map(|(x, rest)| x.distance(*rest));
        let farthest = ways.fold(0.0, Real::max);
        assert!(farthest < 0.01, "{solver}: the wall is back at rest, but for {farthest} m");
    }
}
