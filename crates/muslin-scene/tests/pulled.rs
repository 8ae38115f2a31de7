//! A table cloth pulled off its table at several speeds: nothing passes through anything in any frame.

use muslin_scene::{End, Frame, Runner, Source};

#[test]
fn a_table_cloth_comes_off_at_any_speed() {
    for solver in ["xpbd", "pncg"] {
        for speed in [1, 2, 4] {
            let mut source = Source::open("table-cloth-pulled").unwrap();
            source.replace_solver("test", solver);
            let velocity = format!("[{speed}, 0, 0]");
            for (key, value) in [
                ("sheet.0.resolution", "{ cells = [16, 16] }"),
                ("sheet.0.pins.0.motion.translate.velocity", velocity.as_str()),
                ("sheet.0.pins.0.motion.translate.from", "0.4"),
                ("sheet.0.pins.0.motion.translate.until", "1.0"),
                ("dt", "0.004166666666666667"),
                ("duration", "1.0"),
            ] {
                source.set("test", key, value);
            }
            let setup = source.load().unwrap();
            let mut runner = Runner::of(&setup);
            let mut judge = |frame: &Frame| {
                assert_eq!(frame.world.intersections(), vec![], "{solver}, {speed} m/s, {}", frame.number);
                Ok(())
            };
            assert_eq!(runner.run(&mut [&mut judge], || true).unwrap(), End::Done);
            assert_eq!(runner.world().contact_report().unwrap().lag, 0.0, "{solver}, {speed} m/s");
        }
    }
}
