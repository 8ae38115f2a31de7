//! Dense panels times three vectors at once: the inner loops of the factored solve.
//!
//! A panel of r × c numbers is stored in blocks of eight rows, each block column by column, the last one padded with zeros:
//! eight rows of one column lie side by side and fill a wide register.

use crate::simd::{Kept, LANES, Quad, Register, Scalar, Width};

/// Numbers that a panel of this shape takes.
pub const fn panel_len(rows: usize, columns: usize) -> usize {
    rows.next_multiple_of(LANES) * columns
}

/// The place of (row, column) in a panel.
#[inline]
pub const fn panel_index(columns: usize, row: usize, column: usize) -> usize {
    ((row / LANES) * columns + column) * LANES + row % LANES
}

/// Eight rows of three coordinates.
type Rows<T, W> = [<T as Scalar>::Lanes<W>; 3];

/// Panel · b, for B blocks of eight rows; written to `out`, eight rows a block.
#[inline(always)]
fn multiply_blocks<T: Scalar, K: Kept<T>, W: Width, const B: usize>(
    blocks: &[[K; LANES]],
    b: &[Quad<T>],
    out: &mut [[Quad<T>; LANES]],
) {
    let stride = b.len();
    let mut sums: [Rows<T, W>; B] = [[T::Lanes::<W>::splat(T::default()); 3]; B];
    for (j, b) in b.iter().enumerate() {
        let (x, y, z) = (T::Lanes::<W>::splat(b[0]), T::Lanes::<W>::splat(b[1]), T::Lanes::<W>::splat(b[2]));
        for k in 0..B {
            let g = K::load::<W>(&blocks[k * stride + j]);
            sums[k][0] = g.mul_add(x, sums[k][0]);
            sums[k][1] = g.mul_add(y, sums[k][1]);
            sums[k][2] = g.mul_add(z, sums[k][2]);
        }
    }
    for k in 0..B {
        out[k] = T::Lanes::<W>::rows(sums[k]);
    }
}

/// Panel · b, eight rows at a time. The panel has as many columns as `b` has entries.
///
/// Kernels take no closures: those would be compiled apart, without wide registers.
#[inline(always)]
pub fn panel_times<T: Scalar, K: Kept<T>, W: Width>(
    panel: &[K],
    b: &[Quad<T>],
    out: &mut [[Quad<T>; LANES]],
) {
    let (panel, _) = panel.as_chunks::<LANES>();
    let stride = b.len();
    let blocks = out.len();
    let mut block = 0;
    // Four blocks at a time fill the registers; fewer at the end.
    while block + 4 <= blocks {
        multiply_blocks::<T, K, W, 4>(
            &panel[block * stride..(block + 4) * stride],
            b,
            &mut out[block..block + 4],
        );
        block += 4;
    }
    if block + 2 <= blocks {
        multiply_blocks::<T, K, W, 2>(
            &panel[block * stride..(block + 2) * stride],
            b,
            &mut out[block..block + 2],
        );
        block += 2;
    }
    if block < blocks {
        multiply_blocks::<T, K, W, 1>(
            &panel[block * stride..(block + 1) * stride],
            b,
            &mut out[block..=block],
        );
    }
}

/// x −= panelᵀ · y. `y` holds the rows of the panel, eight at a time, zero where padded.
#[inline(always)]
pub fn subtract_panel_transpose_times<T: Scalar, K: Kept<T>, W: Width>(
    panel: &[K],
    y: &[[[T; LANES]; 3]],
    x: &mut [Quad<T>],
) {
    const TILE: usize = 4;
    let (panel, _) = panel.as_chunks::<LANES>();
    let columns = x.len();
    let mut j = 0;
    while j + TILE <= columns {
        subtract_columns::<T, K, W, TILE>(panel, columns, j, y, x);
        j += TILE;
    }
    while j < columns {
        subtract_columns::<T, K, W, 1>(panel, columns, j, y, x);
        j += 1;
    }
}

/// The same for B columns from `first` on.
#[inline(always)]
fn subtract_columns<T: Scalar, K: Kept<T>, W: Width, const B: usize>(
    panel: &[[K; LANES]],
    columns: usize,
    first: usize,
    y: &[[[T; LANES]; 3]],
    x: &mut [Quad<T>],
) {
    let mut sums: [Rows<T, W>; B] = [[T::Lanes::<W>::splat(T::default()); 3]; B];
    for (block, y) in y.iter().enumerate() {
        let rows: Rows<T, W> =
            [T::Lanes::<W>::load(&y[0]), T::Lanes::<W>::load(&y[1]), T::Lanes::<W>::load(&y[2])];
        let row = &panel[block * columns + first..block * columns + first + B];
        for k in 0..B {
            let g = K::load::<W>(&row[k]);
            for c in 0..3 {
                sums[k][c] = g.mul_add(rows[c], sums[k][c]);
            }
        }
    }
    let x = &mut x[first..first + B];
    for k in 0..B {
        x[k] = T::quad_minus(x[k], T::Lanes::<W>::sums(sums[k]));
    }
}
