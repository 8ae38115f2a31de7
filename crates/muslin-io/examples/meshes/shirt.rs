//! Front and back of a sleeveless shirt, flat as they are cut: y across, z up, the front seen from +x, the back from −x.
//!
//! ```text
//!   shoulder  neck  shoulder        quads, COLUMNS × ROWS: a sheet in the shape of the panel
//!       ┌──╮         ╭──┐           top: shoulder, neck, shoulder; each side: seam, arm hole
//!  arm  │   ╰───────╯   │           within, each vertex is the mean of its four neighbours
//! hole ╭╯               ╰╮
//!      │ seam       seam │
//!      └───────hem───────┘
//! ```

use std::f64::consts::PI;

use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Grid, Mesh};

/// Cells along the hem: twice those of a shoulder, and those of the neck.
const COLUMNS: usize = 2 * SHOULDER + NECK;
const SHOULDER: usize = 7;
const NECK: usize = 16;
/// Cells along a side: those of the seam, and those of the arm hole.
const ROWS: usize = SEAM + ARM_HOLE;
const SEAM: usize = 30;
const ARM_HOLE: usize = 17;

/// Half of the width below the arms, heights of the hem and of the arm hole's lower end [m].
const HALF_WIDTH: Real = 0.275;
const HEM: Real = 0.72;
const UNDER_ARM: Real = 1.2;
/// Where the shoulder begins at the neck, and where it ends at the arm: y and z [m].
const SHOULDER_AT_NECK: [Real; 2] = [0.085, 1.52];
const SHOULDER_AT_ARM: [Real; 2] = [0.19, 1.485];
/// By how much the arm hole is cut in from the straight line between its ends [m].
const ARM_CUT: Real = 0.035;
/// Sweeps of the relaxation.
const SWEEPS: usize = 10;

/// The front, whose neck is cut deep.
pub fn front() -> Mesh {
    panel(0.08, false)
}

/// The back.
pub fn back() -> Mesh {
    panel(0.035, true)
}

/// A panel with a neck of some depth [m], seen from the other side if it `is_turned`.
fn panel(neck_depth: Real, is_turned: bool) -> Mesh {
    let grid = Grid { rows: ROWS + 1, columns: COLUMNS + 1 };
    let at = |i: usize, j: usize| i * grid.columns + j;
    let (top, side) = (top(neck_depth), side());
    let mut points = vec![[0.0; 2]; grid.rows * grid.columns];
    for (i, j) in grid.vertices() {
        // Coons: between hem and top, between the sides, less what both have of the corners.
        let (s, t) = (j as Real / COLUMNS as Real, i as Real / ROWS as Real);
        let hem = [HALF_WIDTH * (2.0 * s - 1.0), HEM];
        for k in 0..2 {
            let mirror = if k == 0 { -1.0 } else { 1.0 };
            let between = |i: usize| (1.0 - s) * mirror * side[i][k] + s * side[i][k];
            let of_corners = (1.0 - t) * between(0) + t * between(ROWS);
            points[at(i, j)][k] = (1.0 - t) * hem[k] + t * top[j][k] + between(i) - of_corners;
        }
    }
    relax(&mut points, grid);
    let faces = grid.quads().into_iter().map(|face| {
        let mut corners = face.corners().to_vec();
        if !is_turned {
            corners.reverse();
        }
        Face::quad(corners[0], corners[1], corners[2], corners[3])
    });
    Mesh { positions: points.iter().map(|&[y, z]| Vec3::new(0.0, y, z)).collect(), faces: faces.collect() }
}

/// The upper border, from −y to +y.
fn top(neck_depth: Real) -> Vec<[Real; 2]> {
    let shoulder = |part: Real| {
        let lerp = |k: usize| SHOULDER_AT_NECK[k] + (SHOULDER_AT_ARM[k] - SHOULDER_AT_NECK[k]) * part;
        [lerp(0), lerp(1)]
    };
    let neck = |part: Real| {
        // Steep at the shoulders, level in the middle.
        let angle = PI * part;
        [-SHOULDER_AT_NECK[0] * angle.cos(), SHOULDER_AT_NECK[1] - neck_depth * angle.sin().powf(1.6)]
    };
    let mirrored = |[y, z]: [Real; 2]| [-y, z];
    let mut top: Vec<[Real; 2]> =
        (0..SHOULDER).map(|k| mirrored(shoulder(1.0 - k as Real / SHOULDER as Real))).collect();
    top.extend(evenly(neck, NECK));
    top.extend((1..=SHOULDER).map(|k| shoulder(k as Real / SHOULDER as Real)));
    top
}

/// The border at +y, from the hem to the shoulder.
fn side() -> Vec<[Real; 2]> {
    let arm_hole = |part: Real| {
        let straight = HALF_WIDTH + (SHOULDER_AT_ARM[0] - HALF_WIDTH) * part;
        // Cut in most in its lower half.
        let cut = ARM_CUT * (PI * part.powf(0.75)).sin();
        [straight - cut, UNDER_ARM + (SHOULDER_AT_ARM[1] - UNDER_ARM) * part]
    };
    let mut side: Vec<[Real; 2]> =
        (0..SEAM).map(|k| [HALF_WIDTH, HEM + (UNDER_ARM - HEM) * k as Real / SEAM as Real]).collect();
    side.extend(evenly(arm_hole, ARM_HOLE));
    side
}

/// Points of a curve over [0, 1], its ends among them, at equal distances along it.
fn evenly(curve: impl Fn(Real) -> [Real; 2], cells: usize) -> Vec<[Real; 2]> {
    const FINE: usize = 2000;
    let points: Vec<[Real; 2]> = (0..=FINE).map(|k| curve(k as Real / FINE as Real)).collect();
    let mut lengths = vec![0.0];
    for pair in points.windows(2) {
        let length = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
        lengths.push(lengths[lengths.len() - 1] + length);
    }
    let place = |k: usize| {
        let wanted = lengths[FINE] * k as Real / cells as Real;
        let behind = lengths.partition_point(|&length| length < wanted).clamp(1, FINE);
        let part = (wanted - lengths[behind - 1]) / (lengths[behind] - lengths[behind - 1]);
        let lerp = |c: usize| points[behind - 1][c] + (points[behind][c] - points[behind - 1][c]) * part;
        [lerp(0), lerp(1)]
    };
    (0..=cells).map(place).collect()
}

/// Moves each vertex within to the mean of its neighbours, again and again.
fn relax(points: &mut [[Real; 2]], grid: Grid) {
    let columns = grid.columns;
    for _ in 0..SWEEPS {
        let before = points.to_vec();
        for i in 1..grid.rows - 1 {
            for j in 1..columns - 1 {
                let v = i * columns + j;
                for k in 0..2 {
                    // Both sides alike: sums in one order would round differently to the left and to the right.
                    points[v][k] = 0.25
                        * ((before[v - 1][k] + before[v + 1][k])
                            + (before[v - columns][k] + before[v + columns][k]));
                }
            }
        }
    }
}
