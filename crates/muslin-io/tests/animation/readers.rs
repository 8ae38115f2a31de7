//! Minimal readers of the exported formats, which share no code with their writers.

use serde_json::Value;
use std::path::Path;

pub type Frame = Vec<[f32; 3]>;

/// An OBJ file: vertices, faces and lines, counted from 0.
#[derive(Debug, Default, PartialEq)]
pub struct Obj {
    pub comments: Vec<String>,
    pub vertices: Vec<[f64; 3]>,
    pub faces: Vec<Vec<u32>>,
    pub lines: Vec<Vec<u32>>,
}

pub fn read_obj(path: &Path) -> Obj {
    let mut obj = Obj::default();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let (keyword, rest) = line.split_once(' ').unwrap();
        let indices = || rest.split(' ').map(|word| word.parse::<u32>().unwrap() - 1).collect();
        match keyword {
            "#" => obj.comments.push(rest.to_owned()),
            "v" => {
                let numbers: Vec<f64> = rest.split(' ').map(|word| word.parse().unwrap()).collect();
                obj.vertices.push(numbers.try_into().unwrap());
            }
            "f" => obj.faces.push(indices()),
            "l" => obj.lines.push(indices()),
            _ => panic!("{line}"),
        }
    }
    obj
}

/// The frames of a PC2 file, which must be exactly as long as its header says.
pub fn read_pc2(path: &Path) -> Vec<Frame> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!(u32_at(&bytes, 12), 1, "version");
    let (points, samples) = (u32_at(&bytes, 16) as usize, u32_at(&bytes, 28) as usize);
    assert_eq!([f32_at(&bytes, 20), f32_at(&bytes, 24)], [0.0, 1.0], "first frame and frames per sample");
    assert_eq!(bytes.len(), 32 + 12 * points * samples);
    let frame = |k: usize| (0..points).map(|p| vec3_at(&bytes, 32 + 12 * (k * points + p))).collect();
    (0..samples).map(frame).collect()
}

/// A GLB file.
pub struct Glb {
    pub json: Value,
    pub binary: Vec<u8>,
}

impl Glb {
    /// Reads the two chunks and checks lengths and alignment.
    pub fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(&bytes[..4], b"glTF");
        assert_eq!(u32_at(&bytes, 4), 2);
        assert_eq!(u32_at(&bytes, 8) as usize, bytes.len());
        let json_length = u32_at(&bytes, 12) as usize;
        assert_eq!(&bytes[16..20], b"JSON");
        assert!(json_length.is_multiple_of(4));
        let rest = &bytes[20 + json_length..];
        let binary_length = u32_at(rest, 0) as usize;
        assert_eq!(&rest[4..8], b"BIN\0");
        assert!(binary_length.is_multiple_of(4));
        assert_eq!(rest.len(), 8 + binary_length);
        let json: Value = serde_json::from_slice(&bytes[20..20 + json_length]).unwrap();
        assert_eq!(json["buffers"][0]["byteLength"], binary_length);
        let glb = Self { json, binary: rest[8..].to_vec() };
        glb.check_accessors();
        glb
    }

    /// Every accessor lies within its view, every view within the buffer, both aligned; views do not overlap.
    fn check_accessors(&self) {
        let mut end = 0;
        for view in self.json["bufferViews"].as_array().unwrap() {
            assert!(number(&view["byteOffset"]) >= end && number(&view["byteOffset"]).is_multiple_of(4));
            end = number(&view["byteOffset"]) + number(&view["byteLength"]);
        }
        assert!(end <= self.binary.len());
        for (index, accessor) in self.json["accessors"].as_array().unwrap().iter().enumerate() {
            let view = &self.json["bufferViews"][number(&accessor["bufferView"])];
            let (width, _) = self.width(index);
            let end = number(&accessor["byteOffset"]) + number(&accessor["count"]) * width;
            assert!(end <= number(&view["byteLength"]), "{accessor}");
            assert!(number(&accessor["count"]) > 0, "{accessor}");
            if accessor["type"] == "VEC3" {
                let values = self.vectors(index);
                // serde_json reads decimals to within one unit of double precision, which single precision does not see.
                let bound = |name: &str, axis: usize| accessor[name][axis].as_f64().unwrap() as f32;
                for axis in 0..3 {
                    let values = || values.iter().map(|v| v[axis]);
                    assert_eq!(bound("min", axis), values().fold(f32::INFINITY, f32::min));
                    assert_eq!(bound("max", axis), values().fold(f32::NEG_INFINITY, f32::max));
                }
            }
        }
    }

    /// Bytes per element of an accessor, and where it starts.
    fn width(&self, accessor: usize) -> (usize, usize) {
        let accessor = &self.json["accessors"][accessor];
        let component = match number(&accessor["componentType"]) {
            5121 => 1,
            5125 | 5126 => 4,
            other => panic!("component type {other}"),
        };
        let width = component * if accessor["type"] == "VEC3" { 3 } else { 1 };
        let view = &self.json["bufferViews"][number(&accessor["bufferView"])];
        (width, number(&view["byteOffset"]) + number(&accessor["byteOffset"]))
    }

    fn elements(&self, accessor: usize) -> impl Iterator<Item = &[u8]> {
        let (width, start) = self.width(accessor);
        let count = number(&self.json["accessors"][accessor]["count"]);
        self.binary[start..start + width * count].chunks_exact(width)
    }

    pub fn vectors(&self, accessor: usize) -> Frame {
        self.elements(accessor).map(|bytes| vec3_at(bytes, 0)).collect()
    }

    pub fn indices(&self, primitive: usize) -> Vec<u32> {
        let accessor = number(&self.json["meshes"][0]["primitives"][primitive]["indices"]);
        self.elements(accessor).map(|bytes| u32_at(bytes, 0)).collect()
    }

    pub fn times(&self) -> Vec<f32> {
        let input = number(&self.json["animations"][0]["samplers"][0]["input"]);
        self.elements(input).map(|bytes| f32_at(bytes, 0)).collect()
    }

    /// The mesh at each keyframe as a viewer computes it: x₀ + Σ wₖ Δₖ; z-up.
    pub fn frames(&self) -> Vec<Frame> {
        let primitive = &self.json["meshes"][0]["primitives"][0];
        let base = self.vectors(number(&primitive["attributes"]["POSITION"]));
        let Some(targets) = primitive["targets"].as_array() else { return vec![z_up(&base)] };
        let targets: Vec<Frame> = targets.iter().map(|t| self.vectors(number(&t["POSITION"]))).collect();
        let sampler = &self.json["animations"][0]["samplers"][0];
        assert_eq!(sampler["interpolation"], "LINEAR");
        let output = number(&sampler["output"]);
        assert_eq!(self.json["accessors"][output]["normalized"], true);
        let weights: Vec<f32> = self.elements(output).map(|byte| f32::from(byte[0]) / 255.0).collect();
        assert_eq!(weights.len(), targets.len() * self.times().len());
        let mut frames = Vec::new();
        for row in weights.chunks_exact(targets.len()) {
            let mut frame = base.clone();
            for (target, weight) in targets.iter().zip(row) {
                for (x, delta) in frame.iter_mut().zip(target) {
                    *x = [0, 1, 2].map(|k| x[k] + weight * delta[k]);
                }
            }
            frames.push(z_up(&frame));
        }
        frames
    }
}

fn z_up(frame: &[[f32; 3]]) -> Frame {
    frame.iter().map(|&[x, y, z]| [x, -z, y]).collect()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}

fn vec3_at(bytes: &[u8], at: usize) -> [f32; 3] {
    [0, 4, 8].map(|offset| f32_at(bytes, at + offset))
}
