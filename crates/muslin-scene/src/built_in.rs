//! The scenes that come along.

/// A scene that can be run by its name.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// Every built-in scene, the default first.
        pub const BUILT_IN: &[BuiltIn] =
            &[$(BuiltIn { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }),*];
    };
}

built_in!(
    "drape",
    "two-point-drop",
    "sphere-drape",
    "flag",
    "equilibrium-1",
    "equilibrium-2",
    "equilibrium-3",
    "equilibrium-4",
    "rope-pendulum",
    "flag-rods",
    "torn-flag",
    "curtain-cut",
    "spike-on-net",
    "artery-and-dagger",
    "hammock-break",
    "ball-or-lance",
    "rope-2d",
    "rope-3d",
    "pbd-sheet",
    "hanging-sheet",
    "curtain",
    "cotton-curtain",
    "round-cloth",
    "closed-mesh",
    "balloon",
    "jelly",
    "table-cloth",
    "round-table",
    "folded-drop",
    "twisted-tube",
    "curtain-and-ball",
    "rotating-sphere",
    "pressed-on-surface",
    "moving-mannequin",
    "hang-50",
    "hang-100",
    "hang-200",
    "ball-in-net",
    "stack-on-cloth",
    "cube-on-net-1",
    "cube-on-net-2",
    "cube-on-net-2-torn",
    "cube-on-net-3",
    "cube-on-net-4",
    "table-cloth-pulled",
    "sleeping-carpet",
    "shirt-from-panels",
);

/// A mesh that a built-in scene names.
pub(crate) fn built_in_file(file: &str) -> Option<&'static [u8]> {
    match file {
        "round-cloth.obj" => Some(include_bytes!("../../../scenes/round-cloth.obj")),
        "tube.obj" => Some(include_bytes!("../../../scenes/tube.obj")),
        "poncho.obj" => Some(include_bytes!("../../../scenes/poncho.obj")),
        "net-of-stars.obj" => Some(include_bytes!("../../../scenes/net-of-stars.obj")),
        "net-of-triangles.obj" => Some(include_bytes!("../../../scenes/net-of-triangles.obj")),
        "artery.obj" => Some(include_bytes!("../../../scenes/artery.obj")),
        "shirt-front.obj" => Some(include_bytes!("../../../scenes/shirt-front.obj")),
        "shirt-back.obj" => Some(include_bytes!("../../../scenes/shirt-back.obj")),
        "dagger.stl" => Some(include_bytes!("../../../scenes/dagger.stl")),
        _ => None,
    }
}
