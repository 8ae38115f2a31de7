//! The shirt of the scene `shirt-from-panels`: sewn around a mannequin without an intersection in any frame.

use muslin::mesh::Face;
use muslin::mesh::half_edge::{HalfEdgeMesh, Kind};
use muslin_scene::{End, Frame, Runner, Source};

#[test]
fn a_shirt_is_sewn_on_a_mannequin() {
    for (solver, substeps) in [("xpbd", "1"), ("pncg", "2")] {
        let mut source = Source::open("shirt-from-panels").unwrap();
        if solver != "xpbd" {
            source.replace_solver("test", solver);
        }
        source.set("test", "substeps", substeps);
        // Sewn after one second, let go after 1.3 s.
        source.set("test", "duration", "1.7");
        let setup = source.load().unwrap();
        let mut runner = Runner::of(&setup);
        let mut judge = |frame: &Frame| {
            assert_eq!(frame.world.intersections(), vec![], "{solver}, frame {}", frame.number);
            Ok(())
        };
        assert_eq!(runner.run(&mut [&mut judge], || true).unwrap(), End::Done);
        let world = runner.world();
        assert_eq!((world.state.sewn.joined, world.model.waiting_partners()), (78, 0), "{solver}");
        assert_eq!(world.state.sewn.gathers, [1.0; 4]);
        let faces: Vec<&[u32]> = world.model.faces.iter().map(Face::corners).collect();
        let (surface, repair) = HalfEdgeMesh::import(&faces, &world.state.positions).unwrap();
        assert!(repair.is_empty(), "{solver}: {repair}");
        // One piece with holes for the neck, the arms and the hips.
        assert_eq!((surface.components().len(), surface.loops_of(Kind::Border).count()), (1, 4), "{solver}");
        let lowest = world.state.positions.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.6, "{solver}: it hangs down to {lowest} m, not on the shoulders");
    }
}
