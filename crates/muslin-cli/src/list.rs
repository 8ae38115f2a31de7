//! `muslin list`.

use crate::Failure;
use muslin::material::FabricName;
use muslin::solver::SolverConfig;
use muslin_scene::{BUILT_IN, Source};

/// List solvers, scenes, fabrics and studies.
#[derive(clap::Args, Default)]
pub struct ListArguments {}

/// Prints what there is.
pub fn list(_: &ListArguments) -> Result<(), Failure> {
    say!("Solvers (muslin run --solver NAME)");
    for name in SolverConfig::NAMES {
        say!("  {name:24}{}", muslin::solver::summary(name));
    }
    say!("\nScenes (muslin run NAME)");
    for scene in BUILT_IN {
        let setup = Source::open(scene.name)?.load()?;
        say!("  {:24}{}", scene.name, setup.description);
    }
    say!("\nFabrics (fabric = {{ base = \"NAME\" }} in a scene)");
    for fabric in FabricName::ALL {
        let cloth = fabric.fabric();
        say!(
            "  {:24}{:.0} g/m², {} mm, springs of {} / {} / {} N/m (structural / shear / flexion)",
            fabric.name(),
            1e3 * cloth.area_density(),
            1e3 * cloth.thickness,
            cloth.structural.stiffness,
            cloth.shear.stiffness,
            cloth.flexion.stiffness
        );
    }
    say!("\nStudies (muslin lab NAME)");
    for study in muslin_lab::STUDIES {
        say!("  {:24}{}", study.name, study.about);
    }
    Ok(())
}
