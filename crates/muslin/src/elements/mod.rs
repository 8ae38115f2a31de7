//! Elastic elements: what holds particles together, one physical law a file.
//!
//! An element is a fixed linear map A from its N particles to M strain vectors, and a law on strain. Every
//! solver consumes the same elements: Aᵀ·stress is the force, Aᵀ·stiffness·A its derivative. The lab
//! therefore compares methods and not different cloths.

mod attachment;
mod corotated_membrane;
mod fibre_triangle;
mod green;
mod hinge;
mod lists;
mod membrane;
mod pressure;
mod quadratic_hinge;
mod rod;
mod spring;
mod tet;

pub use attachment::Attachment;
pub use corotated_membrane::CorotatedMembrane;
pub use fibre_triangle::{Fibre, FibreTriangle, MOST_FIBRES, Weave};
pub use green::Moduli;
pub use hinge::Hinge;
pub use membrane::{Membrane, plane_coordinates};
pub use pressure::{Pressure, PressureError, PressureLaw};
pub use quadratic_hinge::QuadraticHinge;
pub use rod::Rod;
pub use spring::{Spring, SpringFamily, SpringLaw};
pub use tet::Tet;

use crate::math::{Mat3, Real, Vec3};

/// An elastic and viscous law on `M` strain vectors, each a fixed combination of `N` particles.
pub trait Element<const N: usize, const M: usize>: Copy + Send + Sync {
    /// Whether wide registers have code of their own for this kind of element.
    const WIDE: bool = false;

    /// Numbers of the particles.
    fn particles(&self) -> [usize; N];

    /// A: row m holds the weights that combine the particles into strain vector m. Rows sum to zero.
    fn operator(&self) -> [[Real; N]; M];

    /// Stored energy ψ [J].
    fn energy(&self, strain: &[Vec3; M]) -> Real;

    /// ∂ψ/∂strain [N].
    fn stress(&self, strain: &[Vec3; M]) -> [Vec3; M];

    /// ∂²ψ/∂strain² [N/m].
    fn stiffness(&self, strain: &[Vec3; M]) -> [[Mat3; M]; M];

    /// The stiffness with its negative eigenvalues raised to zero [N/m].
    fn positive_stiffness(&self, strain: &[Vec3; M]) -> [[Mat3; M]; M];

    /// Stress that opposes the strain rate [N].
    fn viscous_stress(&self, strain: &[Vec3; M], rate: &[Vec3; M]) -> [Vec3; M];

    /// ∂(viscous stress)/∂rate [N·s/m]: symmetric and positive semidefinite.
    fn viscosity(&self, strain: &[Vec3; M]) -> [[Mat3; M]; M];

    /// ∂(viscous stress)/∂strain [N/m]: not symmetric in general.
    fn viscous_stiffness(&self, strain: &[Vec3; M], rate: &[Vec3; M]) -> [[Mat3; M]; M];

    /// Stiffness of each strain vector in the constant matrix Σ AᵀWA of projection methods [N/m]: at or above the
    /// eigenvalues of the stiffness near rest.
    fn weights(&self) -> [Real; M];

    /// Whether it only resists bending: such elements are weak, and reach farther than those that resist stretching.
    #[inline]
    fn bends(&self) -> bool {
        false
    }

    /// Constraint C and ∂C/∂strain of methods that hold C = 0, with ψ ∝ C²; none where C has no direction. Unless an element
    /// knows better, C = √(2ψ).
    #[inline]
    fn constraint(&self, strain: &[Vec3; M]) -> Option<(Real, [Vec3; M])> {
        let value = (2.0 * self.energy(strain)).sqrt();
        (value > 0.0).then(|| (value, self.stress(strain).map(|stress| stress / value)))
    }

    /// The damping over a step as a potential [J]: its derivative by strain is the viscous stress at the mean rate of
    /// the step. Zero for an element without damping.
    fn viscous_potential(&self, _strain: &[Vec3; M], _step: &Increment<M>) -> Real {
        0.0
    }

    /// ∂(viscous potential)/∂strain [N].
    fn viscous_potential_stress(&self, _strain: &[Vec3; M], _step: &Increment<M>) -> [Vec3; M] {
        [Vec3::ZERO; M]
    }

    /// ∂²(viscous potential)/∂strain² [N/m], or a positive semidefinite matrix close to it.
    fn viscous_potential_stiffness(&self, _strain: &[Vec3; M], _step: &Increment<M>) -> [[Mat3; M]; M] {
        [[Mat3::ZERO; M]; M]
    }

    /// What the damping adds to the [weights](Element::weights) for a step of γ [s] [N/m].
    fn viscous_weights(&self, _gamma: Real) -> [Real; M] {
        [0.0; M]
    }

    /// The strain vectors of `positions`, or their rates when given velocities.
    #[inline]
    fn strain(&self, positions: &[Vec3]) -> [Vec3; M] {
        let particles = self.particles();
        self.operator().map(|row| {
            let mut strain = Vec3::ZERO;
            for (weight, particle) in row.into_iter().zip(particles) {
                strain += positions[particle] * weight;
            }
            strain
        })
    }

    /// Aᵀ: what `M` vectors at the strains mean at the `N` particles.
    #[inline]
    fn transpose(&self, stress: &[Vec3; M]) -> [Vec3; N] {
        let operator = self.operator();
        std::array::from_fn(|n| {
            let mut sum = Vec3::ZERO;
            for m in 0..M {
                sum += stress[m] * operator[m][n];
            }
            sum
        })
    }

    /// The element's force on each of its particles, elastic and viscous [N].
    #[inline]
    fn forces(&self, positions: &[Vec3], velocities: &[Vec3]) -> [Vec3; N] {
        let (strain, rate) = (self.strain(positions), self.strain(velocities));
        let (elastic, viscous) = (self.stress(&strain), self.viscous_stress(&strain, &rate));
        self.transpose(&std::array::from_fn(|m| -(elastic[m] + viscous[m])))
    }

    /// Derivatives of the whole stress by strain [N/m] and by its rate [N·s/m].
    #[inline]
    fn tangents(&self, strain: &[Vec3; M], rate: &[Vec3; M], tangent: Tangent) -> [[[Mat3; M]; M]; 2] {
        let stiffness = match tangent {
            Tangent::Positive => self.positive_stiffness(strain),
            Tangent::Exact => {
                let (elastic, viscous) = (self.stiffness(strain), self.viscous_stiffness(strain, rate));
                std::array::from_fn(|m| std::array::from_fn(|l| elastic[m][l] + viscous[m][l]))
            }
        };
        [stiffness, self.viscosity(strain)]
    }

    /// Power turned into heat [W].
    fn dissipation(&self, positions: &[Vec3], velocities: &[Vec3]) -> Real {
        let (strain, rate) = (self.strain(positions), self.strain(velocities));
        self.viscous_stress(&strain, &rate).iter().zip(rate).map(|(stress, rate)| stress.dot(rate)).sum()
    }
}

/// A step in time, seen from an element: how the rate of a measure of strain follows from its value at the end.
///
/// A backward difference says q̇ = (q − (1 + β) q₀ + β q₁)/γ with q₀ at the start of the step and q₁ at the start of the one
/// before: γ = h, β = 0 for implicit Euler, γ = 2h/3, β = 1/3 for BDF2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Increment<const M: usize> {
    /// γ [s].
    pub gamma: Real,
    /// Strains at the starts of this step and of the one before.
    pub past: [[Vec3; M]; 2],
    /// β.
    pub beta: Real,
}

impl<const M: usize> Increment<M> {
    /// q₀ + β (q₀ − q₁): the value of a measure from which its rate counts.
    #[inline]
    pub fn origin(&self, measure: impl Fn(&[Vec3; M]) -> Real) -> Real {
        let now = measure(&self.past[0]);
        // With one past the other may be anything.
        if self.beta == 0.0 { now } else { now + self.beta * (now - measure(&self.past[1])) }
    }
}

/// Which derivatives of the forces implicit methods use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// All of them: neither symmetric nor definite in general.
    Exact,
    /// Elastic stiffness with negative eigenvalues raised to zero, and viscosity: symmetric positive semidefinite.
    Positive,
}

/// Every element of a model, one homogeneous list a kind.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Elements {
    /// Springs between two particles.
    pub springs: Vec<Spring>,
    /// Triangles that resist stretching, by Green's strain.
    pub membranes: Vec<Membrane>,
    /// Triangles that resist stretching, by the distance to a rotation.
    pub corotated_membranes: Vec<CorotatedMembrane>,
    /// Pieces of divided faces that had springs.
    pub fibre_triangles: Vec<FibreTriangle>,
    /// Edges that resist folding, by the angle.
    pub hinges: Vec<Hinge>,
    /// Edges that resist folding, by a constant matrix.
    pub quadratic_hinges: Vec<QuadraticHinge>,
    /// Pieces of solids.
    pub tets: Vec<Tet>,
    /// Particles tied to points in space.
    pub attachments: Vec<Attachment>,
    /// Pressures inside closed surfaces: not of the visitors' form, as they join any number of particles.
    pub pressures: Vec<Pressure>,
    /// Rigid bars between two particles.
    pub rods: Vec<Rod>,
}

/// Code that runs over every kind of element; monomorphic inside.
pub trait ElementVisitor {
    /// Visits all elements of one kind.
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]);
}

impl Elements {
    /// The single place that lists every kind of element, but for the pressures.
    pub fn accept(&self, visitor: &mut impl ElementVisitor) {
        self.accept_elastic(visitor);
        visitor.visit(&self.rods);
    }

    /// Every kind but the rods, which come last: for methods that hold these rigid.
    pub fn accept_elastic(&self, visitor: &mut impl ElementVisitor) {
        visitor.visit(&self.springs);
        visitor.visit(&self.membranes);
        visitor.visit(&self.corotated_membranes);
        visitor.visit(&self.fibre_triangles);
        visitor.visit(&self.hinges);
        visitor.visit(&self.quadratic_hinges);
        visitor.visit(&self.tets);
        visitor.visit(&self.attachments);
    }

    /// Number of all elements.
    pub fn len(&self) -> usize {
        struct Count(usize);
        impl ElementVisitor for Count {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                self.0 += elements.len();
            }
        }
        let mut count = Count(0);
        self.accept(&mut count);
        count.0
    }

    /// Whether there is no element at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Multiplies the stiffness, and the damping with it, of all elements of particles for which `is_meant`; not that of rods,
    /// attachments and pressures.
    pub(crate) fn scale_stiffness(&mut self, is_meant: impl Fn(u32) -> bool, factor: Real) {
        for spring in self.springs.iter_mut().filter(|spring| spring.ends.iter().all(|&p| is_meant(p))) {
            spring.stiffness *= factor;
            spring.damping *= factor;
        }
        for membrane in self.membranes.iter_mut().filter(|membrane| is_meant(membrane.corners[0])) {
            membrane.moduli.normal.iter_mut().flatten().for_each(|modulus| *modulus *= factor);
            membrane.moduli.shear *= factor;
        }
        for membrane in self.corotated_membranes.iter_mut().filter(|membrane| is_meant(membrane.corners[0])) {
            membrane.modulus *= factor;
        }
        for triangle in self.fibre_triangles.iter_mut().filter(|triangle| is_meant(triangle.corners[0])) {
            for fibre in &mut triangle.springs {
                fibre.stiffness *= factor;
                fibre.damping *= factor;
            }
        }
        for hinge in self.hinges.iter_mut().filter(|hinge| is_meant(hinge.particles[0])) {
            hinge.stiffness *= factor;
        }
        for hinge in self.quadratic_hinges.iter_mut().filter(|hinge| is_meant(hinge.particles[0])) {
            hinge.stiffness *= factor;
        }
        for tet in self.tets.iter_mut().filter(|tet| is_meant(tet.corners[0])) {
            tet.lame.iter_mut().for_each(|lame| *lame *= factor);
        }
    }

    /// Stored elastic energy [J].
    pub fn energy(&self, positions: &[Vec3]) -> Real {
        struct Sum<'a>(&'a [Vec3], Real);
        impl ElementVisitor for Sum<'_> {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                self.1 += elements.iter().map(|e| e.energy(&e.strain(self.0))).sum::<Real>();
            }
        }
        let mut sum = Sum(positions, 0.0);
        self.accept(&mut sum);
        let enclosed = |pressure: &Pressure| pressure.energy(pressure.volume(positions));
        sum.1 + self.pressures.iter().map(enclosed).sum::<Real>()
    }

    /// Elastic energy stored in the elements that have only particles of these [J].
    pub(crate) fn energy_within(&self, positions: &[Vec3], particles: &[bool]) -> Real {
        struct Sum<'a>(&'a [Vec3], &'a [bool], Real);
        impl ElementVisitor for Sum<'_> {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                let is_within = |element: &&E| element.particles().iter().all(|&p| self.1[p]);
                self.2 +=
                    elements.iter().filter(is_within).map(|e| e.energy(&e.strain(self.0))).sum::<Real>();
            }
        }
        let mut sum = Sum(positions, particles, 0.0);
        self.accept(&mut sum);
        let enclosed = |pressure: &Pressure| pressure.energy(pressure.volume(positions));
        sum.2 + self.pressures.iter().map(enclosed).sum::<Real>()
    }

    /// Power that the elements turn into heat [W].
    pub fn dissipation(&self, positions: &[Vec3], velocities: &[Vec3]) -> Real {
        struct Sum<'a>([&'a [Vec3]; 2], Real);
        impl ElementVisitor for Sum<'_> {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                let [positions, velocities] = self.0;
                self.1 += elements.iter().map(|e| e.dissipation(positions, velocities)).sum::<Real>();
            }
        }
        let mut sum = Sum([positions, velocities], 0.0);
        self.accept(&mut sum);
        sum.1
    }

    /// Adds every element's forces to `forces` [N], in the order of the elements.
    pub fn add_forces(&self, positions: &[Vec3], velocities: &[Vec3], forces: &mut [Vec3]) {
        self.accept(&mut Scatter([positions, velocities], forces));
        self.add_pressures(positions, forces);
    }

    /// Adds the forces of the pressures alone to `forces` [N].
    pub fn add_pressures(&self, positions: &[Vec3], forces: &mut [Vec3]) {
        for pressure in &self.pressures {
            pressure.add_forces(positions, forces);
        }
    }

    /// The same without the rods.
    pub fn add_elastic_forces(&self, positions: &[Vec3], velocities: &[Vec3], forces: &mut [Vec3]) {
        self.accept_elastic(&mut Scatter([positions, velocities], forces));
    }
}

/// Adds forces to particles, element after element.
struct Scatter<'a>([&'a [Vec3]; 2], &'a mut [Vec3]);

impl ElementVisitor for Scatter<'_> {
    #[inline]
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        let [positions, velocities] = self.0;
        for element in elements {
            let forces = element.forces(positions, velocities);
            for (particle, force) in element.particles().into_iter().zip(forces) {
                self.1[particle] += force;
            }
        }
    }
}
