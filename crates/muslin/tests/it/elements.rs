//! Membranes, hinges, solids and pressure: derivatives, and what a rigid motion must not do to them.

use crate::jacobians::{
    check_element, check_positive, check_stiffness, check_stress, check_viscosity, check_viscous_potential,
    check_weights,
};
use crate::support::noise;
use muslin::elements::{
    Attachment, CorotatedMembrane, Element, Fibre, FibreTriangle, Hinge, Membrane, Moduli, Pressure,
    PressureLaw, QuadraticHinge, Spring, SpringLaw, Tet, Weave,
};
use muslin::math::{Mat3, Real, Rotation, Vec3};

const TRIANGLE: [[Real; 2]; 3] = [[0.0, 0.0], [1.1, 0.2], [0.3, 0.9]];

fn membranes() -> Vec<Membrane> {
    let moduli = Moduli::<2>::orthotropic([9.0, 4.0], 0.3, 2.0).unwrap();
    let isotropic = Moduli::<2>::orthotropic([6.0, 6.0], 0.3, 6.0 / 2.6).unwrap();
    let with =
        |moduli, wrinkles| Membrane { damping: 0.4, wrinkles, ..Membrane::new([0, 1, 2], TRIANGLE, moduli) };
    vec![with(moduli, false), with(isotropic, false), with(isotropic, true)]
}

fn corotated() -> CorotatedMembrane {
    CorotatedMembrane { damping: 0.4, ..CorotatedMembrane::new([0, 1, 2], TRIANGLE, 8.0) }
}

/// Four particles around a fold, each a little off its place.
fn fold(seed: u64, size: Real) -> [Vec3; 4] {
    let flat = [Vec3::ZERO, Vec3::X, Vec3::new(0.4, 0.9, 0.0), Vec3::new(0.6, -0.8, 0.0)];
    std::array::from_fn(|k| flat[k] + noise(seed, k) * size)
}

fn hinge() -> Hinge {
    Hinge { damping: 0.2, ..Hinge::new([0, 1, 2, 3], fold(3, 0.3), 2.0).unwrap() }
}

fn quadratic_hinge() -> QuadraticHinge {
    QuadraticHinge { damping: 0.2, ..QuadraticHinge::new([0, 1, 2, 3], fold(0, 0.0), 2.0).unwrap() }
}

fn tet() -> Tet {
    let rest = [Vec3::ZERO, Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 1.1, 0.1), Vec3::new(0.1, 0.2, 0.9)];
    Tet { damping: 0.3, ..Tet::new([0, 1, 2, 3], rest, 10.0, 0.3).unwrap() }
}

/// Columns near a random rotation, with stretches of up to `size`.
fn gradient<const M: usize>(seed: u64, size: Real) -> [Vec3; M] {
    let turn = rotation(seed);
    std::array::from_fn(|m| turn * [Vec3::X, Vec3::Y, Vec3::Z][m] + noise(seed, 10 + m) * size)
}

fn rotation(seed: u64) -> Rotation {
    Rotation::from_axis_angle(noise(seed, 7).normalize(), 3.0 * noise(seed, 8).x)
}

fn rates<const M: usize>(seed: u64) -> [Vec3; M] {
    std::array::from_fn(|m| noise(seed, 20 + m))
}

#[test]
fn membranes_have_the_derivatives_they_claim() {
    for seed in 0..60 {
        let size = [0.1, 0.4, 0.8][seed as usize % 3];
        for membrane in membranes() {
            check_element(&membrane, &gradient(seed, size), &rates(seed));
        }
        // Its third derivative grows as 1/σ², without bound where it collapses: stay away from there.
        check_element(&corotated(), &gradient(seed, size.min(0.4)), &rates(seed));
    }
}

#[test]
fn solids_have_the_derivatives_they_claim() {
    for seed in 0..60 {
        check_element(&tet(), &gradient(seed, [0.1, 0.4, 0.8][seed as usize % 3]), &rates(seed));
        // Any matrix: as often inside out as not.
        check_element(&tet(), &std::array::from_fn(|m| noise(seed, m)), &rates(seed));
    }
}

#[test]
fn hinges_have_the_derivatives_they_claim() {
    for seed in 0..60 {
        let strain = hinge().strain(&fold(seed, 0.35));
        check_stress(&hinge(), &strain);
        check_stiffness(&hinge(), &strain);
        check_viscosity(&hinge(), &strain, &rates(seed));
        check_viscous_potential(&hinge(), &strain, &rates(seed));
        check_positive(&hinge().positive_stiffness(&strain), "hinge");
        let bent = quadratic_hinge().strain(&fold(seed, 0.35));
        check_element(&quadratic_hinge(), &bent, &rates(seed));
        let attachment = Attachment { particle: 0, point: noise(seed, 0), stiffness: 3.0, damping: 0.2 };
        check_element(&attachment, &[noise(seed, 1)], &rates(seed));
    }
}

#[test]
fn weights_bound_the_stiffness_at_rest() {
    for seed in 0..10 {
        for membrane in membranes() {
            check_weights(&membrane, &gradient(seed, 0.0));
        }
        check_weights(&corotated(), &gradient(seed, 0.0));
        check_weights(&tet(), &gradient(seed, 0.0));
        let turned = fold(3, 0.3).map(|x| rotation(seed) * x);
        check_weights(&hinge(), &hinge().strain(&turned));
    }
}

/// Rotated and shifted from rest: no stress. Spinning about any axis: no viscous stress, however deformed.
fn check_rigid_motion<const N: usize, const M: usize, E: Element<N, M>>(element: &E, rest: &[Vec3; N]) {
    for seed in 0..20 {
        let turned: Vec<Vec3> = rest.iter().map(|x| rotation(seed) * *x + noise(seed, 1)).collect();
        let stress = element.stress(&element.strain(&turned));
        // Some roundings of stiffnesses of some tens.
        assert!(stress.iter().all(|s| s.length() < 1e-13), "{stress:?}");
        assert!(element.energy(&element.strain(&turned)).abs() < 1e-13);

        let deformed: Vec<Vec3> = (0..N).map(|k| turned[k] + noise(seed, 30 + k) * 0.2).collect();
        let spin: Vec<Vec3> = deformed.iter().map(|x| noise(seed, 2).cross(*x) + noise(seed, 3)).collect();
        let viscous = element.viscous_stress(&element.strain(&deformed), &element.strain(&spin));
        assert!(viscous.iter().all(|s| s.length() < 1e-13), "{viscous:?}");
        let forces = element.forces(&deformed, &spin);
        let (push, turn) = (0..N).fold((Vec3::ZERO, Vec3::ZERO), |(push, turn), k| {
            (push + forces[k], turn + deformed[k].cross(forces[k]))
        });
        assert!(push.length() < 1e-12 && turn.length() < 1e-12, "net force {push}, net moment {turn}");
    }
}

#[test]
fn rigid_motion_costs_nothing() {
    let flat = TRIANGLE.map(|[x, y]| Vec3::new(x, y, 0.0));
    for membrane in membranes() {
        check_rigid_motion(&membrane, &flat);
    }
    check_rigid_motion(&corotated(), &flat);
    check_rigid_motion(&hinge(), &fold(3, 0.3));
    check_rigid_motion(&quadratic_hinge(), &fold(0, 0.0));
    let rest = [Vec3::ZERO, Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.2, 1.1, 0.1), Vec3::new(0.1, 0.2, 0.9)];
    check_rigid_motion(&tet(), &rest);
}

/// A collapsed or inverted element has finite forces and derivatives.
#[test]
fn collapse_is_finite() {
    let line = [Vec3::X, Vec3::X * 2.0];
    for f in [[Vec3::ZERO; 2], line] {
        assert!(corotated().stress(&f).iter().all(|s| s.is_finite()));
        assert!(corotated().positive_stiffness(&f).iter().flatten().all(Mat3::is_finite));
        for membrane in membranes() {
            assert!(membrane.positive_stiffness(&f).iter().flatten().all(Mat3::is_finite));
        }
    }
    for f in [[Vec3::ZERO; 3], [Vec3::X, Vec3::X, Vec3::X], [Vec3::X, Vec3::Y, -Vec3::Z]] {
        assert!(tet().stress(&f).iter().all(|s| s.is_finite()));
        assert!(tet().positive_stiffness(&f).iter().flatten().all(Mat3::is_finite), "{f:?}");
        check_positive(&tet().positive_stiffness(&f), "collapsed tet");
    }
    let folded = [Vec3::X, Vec3::X * 0.5, Vec3::Y];
    assert_eq!(hinge().stress(&folded), [Vec3::ZERO; 3]);
}

/// A uniform strain ε in any direction costs what Hooke's law says, up to the third power of ε.
#[test]
fn small_strains_cost_what_the_moduli_say() {
    let (young, poisson, size) = (10.0, 0.3, 1e-5);
    let tet = tet();
    // Uniaxial tension: ε along, −ν ε across.
    let turn = rotation(5);
    let pulled: [Vec3; 3] =
        [Vec3::X * (1.0 + size), Vec3::Y * (1.0 - poisson * size), Vec3::Z * (1.0 - poisson * size)];
    let pulled = pulled.map(|f| turn * f);
    crate::assert_close!(tet.energy(&pulled) / tet.volume / (size * size), 0.5 * young, 1e-3, "tet");
    let stress = tet.stress(&pulled).map(|s| (turn.inverse() * s) / tet.volume / size);
    let expected = [Vec3::X * young, Vec3::ZERO, Vec3::ZERO];
    for a in 0..3 {
        assert!(stress[a].distance(expected[a]) < 1e-3, "{stress:?}");
    }
    for (membrane, axis, young, poisson) in [
        (membranes()[0], 0, 9.0, 0.3),
        (membranes()[0], 1, 4.0, 0.3 * 4.0 / 9.0),
        (membranes()[2], 0, 6.0, 0.3),
    ] {
        let mut pulled = [Vec3::X, Vec3::Y];
        pulled[axis] *= 1.0 + size;
        pulled[1 - axis] *= 1.0 - poisson * size;
        let stress = membrane.stress(&pulled).map(|s| s / membrane.area / size);
        crate::assert_close!(stress[axis][axis], young, 1e-3, "membrane along {axis}");
        assert!(stress[1 - axis].length() < 1e-3, "membrane across {axis}: {stress:?}");
    }
}

/// A wrinkled membrane pulls like a thread, a slack one not at all.
#[test]
fn wrinkles_carry_no_compression() {
    let membrane = membranes()[2];
    let (long, young) = (1.2, 6.0);
    let strain = 0.5 * (long * long - 1.0);
    for narrow in [0.1, 0.5, 0.9] {
        let pulled = [Vec3::X * long, Vec3::Y * narrow];
        let expected = 0.5 * young * strain * strain * membrane.area;
        crate::assert_close!(membrane.energy(&pulled), expected, 1e-14, "narrowed to {narrow}");
        assert!(membrane.stress(&pulled)[1].length() < 1e-15);
    }
    assert_eq!(membrane.energy(&[Vec3::X * 0.9, Vec3::Y * 0.8]), 0.0);
}

/// An octahedron with its corners a little off.
fn enclosed(law: PressureLaw) -> (Pressure, Vec<Vec3>) {
    let axes = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z];
    let positions: Vec<Vec3> = axes.iter().enumerate().map(|(k, x)| *x + noise(4, k) * 0.2).collect();
    let triangles =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    (Pressure::new(triangles, &positions, law).unwrap(), positions)
}

#[test]
fn pressure_has_the_derivatives_it_claims() {
    const STEP: Real = 1e-5;
    let gas = PressureLaw::Gas { over: 0.5, ambient: 2.0 };
    for law in [PressureLaw::Constant(3.0), gas, PressureLaw::Volume { factor: 1.3, stiffness: 4.0 }] {
        let (pressure, positions) = enclosed(law);
        for part in [5e-4, 0.5, 1.0, 2.0] {
            let volume = part * pressure.rest_volume();
            let step = STEP * volume;
            let slope = |f: &dyn Fn(Real) -> Real| (f(volume + step) - f(volume - step)) / (2.0 * step);
            let (p, b) = (pressure.pressure(volume), pressure.bulk(volume));
            // Second derivatives of a gas at a thousandth of its volume are a million times those at all of it.
            crate::assert_close!(
                slope(&|v| pressure.energy(v)),
                -p,
                1e-7 * (1.0 + p.abs()),
                "{law:?} at {part}"
            );
            crate::assert_close!(slope(&|v| pressure.pressure(v)), -b, 1e-7 * (1.0 + b), "{law:?} at {part}");
        }
        let mut gradient = vec![Vec3::ZERO; 6];
        pressure.gradient(&positions, &mut gradient);
        let mut forces = vec![Vec3::ZERO; 6];
        pressure.add_forces(&positions, &mut forces);
        let p = pressure.pressure(pressure.volume(&positions));
        for (k, axis) in (0..6).flat_map(|k| (0..3).map(move |axis| (k, axis))) {
            let volume = |s: Real| {
                let mut moved = positions.clone();
                moved[k][axis] += s;
                pressure.volume(&moved)
            };
            let expected = (volume(STEP) - volume(-STEP)) / (2.0 * STEP);
            crate::assert_close!(gradient[k][axis], expected, 1e-9, "∂V of corner {k}");
            crate::assert_close!(
                forces[k][axis],
                p * expected,
                1e-9 * (1.0 + p.abs()),
                "force on corner {k}"
            );
        }
        assert!(forces.iter().sum::<Vec3>().length() < 1e-14, "pressure pushes nothing as a whole");
        let direction: Vec<Vec3> = (0..6).map(|k| noise(9, k)).collect();
        let mut product = vec![Vec3::ZERO; 6];
        pressure.add_stiffness_product(&positions, &direction, &mut product);
        let change: Real = gradient.iter().zip(&direction).map(|(g, u)| g.dot(*u)).sum();
        let bulk = pressure.bulk(pressure.volume(&positions));
        for k in 0..6 {
            assert!(product[k].distance(gradient[k] * (-bulk * change)) < 1e-13);
        }
    }
}

/// Fibres along the sides of a triangle, and one across, of every law.
fn fibre_triangles() -> Vec<FibreTriangle> {
    let laws =
        [SpringLaw::TwoSided, SpringLaw::TensionOnly, SpringLaw::CompressionOnly, SpringLaw::DeadZone(0.1)];
    let triangle = |law: SpringLaw| {
        let fibre = |x: Real, y: Real, stiffness: Real| Fibre {
            direction: Vec3::new(x, y, 0.0).normalize(),
            spring: Spring { damping: 0.7, slack: law.slack(1.0), ..Spring::new([0; 2], 1.0, stiffness) },
        };
        let weave = Weave { fibres: vec![fibre(1.0, 0.0, 9.0), fibre(0.0, 1.0, 4.0), fibre(1.0, 1.0, 2.0)] };
        let places = [Vec3::ZERO, Vec3::new(1.1, 0.2, 0.0), Vec3::new(0.3, 0.9, 0.0)];
        FibreTriangle::new([0, 1, 2], places, &weave).unwrap()
    };
    laws.into_iter().map(triangle).collect()
}

#[test]
fn fibre_triangles_have_the_derivatives_they_claim() {
    for triangle in fibre_triangles() {
        for seed in 0..30 {
            let f = gradient::<2>(seed, 0.4);
            check_element(&triangle, &f, &rates::<2>(seed));
        }
        check_weights(&triangle, &gradient::<2>(1, 0.05));
    }
}
