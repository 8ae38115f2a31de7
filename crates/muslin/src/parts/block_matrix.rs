//! The matrix M − γ² ∂f/∂x − γ ∂f/∂v of implicit methods, in 3 × 3 blocks, a row a particle.

use crate::elements::{Element, ElementVisitor, Elements, Tangent};
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::par;

/// A square matrix of 3 × 3 blocks with the pattern of a model's elements.
#[derive(Clone, Debug, Default)]
pub struct BlockMatrix {
    starts: Vec<u32>,
    columns: Vec<u32>,
    blocks: Vec<Mat3>,
    diagonal: Vec<u32>,
    /// For each element its N × N places in `blocks`, row by row.
    places: Vec<u32>,
}

impl BlockMatrix {
    /// The zero matrix with a block wherever two particles share an element.
    pub fn with_pattern(elements: &Elements, particles: usize) -> Self {
        let pairs = Pairs::of(elements).0;
        let mut cells: Vec<[u32; 2]> = pairs.clone();
        cells.extend((0..particles as u32).map(|p| [p, p]));
        cells.sort_unstable();
        cells.dedup();

        let mut starts = vec![0u32; particles + 1];
        for &[row, _] in &cells {
            starts[row as usize + 1] += 1;
        }
        for row in 0..particles {
            starts[row + 1] += starts[row];
        }
        let place = |cell: &[u32; 2]| cells.binary_search(cell).expect("every pair is a cell") as u32;
        Self {
            starts,
            columns: cells.iter().map(|cell| cell[1]).collect(),
            blocks: vec![Mat3::ZERO; cells.len()],
            diagonal: (0..particles as u32).map(|p| place(&[p, p])).collect(),
            places: pairs.iter().map(place).collect(),
        }
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// The blocks of one row with their columns.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Mat3)> {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.columns[range.clone()].iter().map(|&column| column as usize).zip(&self.blocks[range])
    }

    /// The block on the diagonal of one row.
    #[inline]
    pub fn diagonal(&self, row: usize) -> &Mat3 {
        &self.blocks[self.diagonal[row] as usize]
    }

    /// Σⱼ Aᵢⱼ uⱼ.
    #[inline]
    pub fn row_times(&self, row: usize, u: &[Vec3]) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (column, block) in self.row(row) {
            sum += *block * u[column];
        }
        sum
    }

    /// Σ_{j≠i} Aᵢⱼ uⱼ.
    #[inline]
    pub fn neighbours_times(&self, row: usize, u: &[Vec3]) -> Vec3 {
        self.row_times(row, u) - *self.diagonal(row) * u[row]
    }

    /// A u in the rows that are free, zero in the others. Each row is summed alike on any number of threads.
    pub fn times(&self, free: &[bool], u: &[Vec3], out: &mut [Vec3]) {
        let update = |row: usize, out: &mut Vec3| {
            *out = if free[row] { self.row_times(row, u) } else { Vec3::ZERO };
        };
        if par::worthwhile(self.blocks.len()) {
            par::update_each(out, update);
        } else {
            out.iter_mut().enumerate().for_each(|(row, out)| update(row, out));
        }
    }

    /// What is not of elements in one block of the diagonal: m I − γ ∂f/∂v of air and wind [kg].
    pub fn outer_inertia(model: &Model, particle: usize, normals: &[Vec3], gamma: Real) -> Mat3 {
        let normal = normals.get(particle).copied().unwrap_or(Vec3::ZERO);
        Mat3::from_diagonal(Vec3::splat(model.masses[particle]))
            + model.forces.damping_tangent(particle, normal) * gamma
    }

    /// Fills in M − γ² ∂f/∂x − γ ∂f/∂v at (x, v); `normals` are the surface normals, zero without wind.
    pub fn assemble(&mut self, model: &Model, at: &Linearization, normals: &[Vec3], gamma: Real) {
        self.blocks.fill(Mat3::ZERO);
        for (particle, &place) in self.diagonal.iter().enumerate() {
            self.blocks[place as usize] = Self::outer_inertia(model, particle, normals, gamma);
        }
        model.elements.accept(&mut Add { at, gamma, places: &self.places, blocks: &mut self.blocks });
    }
}

/// Where the forces are linearised.
#[derive(Clone, Copy, Debug)]
pub struct Linearization<'a> {
    /// Positions [m].
    pub x: &'a [Vec3],
    /// Velocities [m/s].
    pub v: &'a [Vec3],
    /// Which derivatives.
    pub tangent: Tangent,
}

impl Linearization<'_> {
    /// −∂f/∂x and −∂f/∂v of an element, by its strains.
    #[inline]
    fn tangents<const N: usize, const M: usize, E: Element<N, M>>(&self, element: &E) -> [[[Mat3; M]; M]; 2] {
        element.tangents(&element.strain(self.x), &element.strain(self.v), self.tangent)
    }

    /// Adds (∂f/∂x) u to `out`; of pressures the bulk term.
    pub fn add_stiffness_product(&self, elements: &Elements, u: &[Vec3], out: &mut [Vec3]) {
        struct Product<'a> {
            at: &'a Linearization<'a>,
            u: &'a [Vec3],
            out: &'a mut [Vec3],
        }
        impl ElementVisitor for Product<'_> {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                for element in elements {
                    let [stiffness, _] = self.at.tangents(element);
                    let strain = element.strain(self.u);
                    let stress = std::array::from_fn(|m| {
                        (0..M).fold(Vec3::ZERO, |sum, l| sum + stiffness[m][l] * strain[l])
                    });
                    for (particle, force) in element.particles().into_iter().zip(element.transpose(&stress)) {
                        self.out[particle] -= force;
                    }
                }
            }
        }
        elements.accept(&mut Product { at: self, u, out: &mut *out });
        for pressure in &elements.pressures {
            pressure.add_stiffness_product(self.x, u, out);
        }
    }
}

/// Adds γ² AᵀSA + γ AᵀVA of every element.
struct Add<'a> {
    at: &'a Linearization<'a>,
    gamma: Real,
    places: &'a [u32],
    blocks: &'a mut [Mat3],
}

impl ElementVisitor for Add<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        let (mine, rest) = self.places.split_at(N * N * elements.len());
        self.places = rest;
        for (element, places) in elements.iter().zip(mine.chunks_exact(N * N)) {
            let [stiffness, viscosity] = self.at.tangents(element);
            let operator = element.operator();
            for m in 0..M {
                for l in 0..M {
                    let block = (stiffness[m][l] * self.gamma + viscosity[m][l]) * self.gamma;
                    for (cell, &place) in places.iter().enumerate() {
                        self.blocks[place as usize] +=
                            block * (operator[m][cell / N] * operator[l][cell % N]);
                    }
                }
            }
        }
    }
}

/// Every ordered pair of particles of every element, N × N an element.
struct Pairs(Vec<[u32; 2]>);

impl Pairs {
    fn of(elements: &Elements) -> Self {
        let mut pairs = Self(Vec::new());
        elements.accept(&mut pairs);
        pairs
    }
}

impl ElementVisitor for Pairs {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let particles = element.particles().map(|p| p as u32);
            self.0
                .extend(particles.iter().flat_map(|&row| particles.iter().map(move |&column| [row, column])));
        }
    }
}
