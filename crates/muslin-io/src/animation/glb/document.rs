//! The JSON chunk of a GLB, and where everything lies in its binary chunk.

use muslin::mesh::Face;
use serde_json::{Value, json};

use super::spool::FrameBounds;
use crate::animation::Topology;

// Component types, targets of buffer views and modes of primitives, as glTF numbers them.
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const POINTS: u32 = 0;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

/// The sections of the binary chunk, in their order: positions of all frames, corners of triangles, ends of lines, times,
/// weights. Each starts at a multiple of 4 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    vertices: u64,
    frames: u64,
    triangles: u64,
    lines: u64,
}

impl Layout {
    pub fn new(topology: &Topology, frames: usize) -> Self {
        let triangles: usize = topology.faces.iter().map(|face: &Face| face.corners().len() - 2).sum();
        Self {
            vertices: topology.particle_count as u64,
            frames: frames as u64,
            triangles: triangles as u64,
            lines: topology.lines.len() as u64,
        }
    }

    /// A single frame is a mesh at rest.
    pub fn is_animated(&self) -> bool {
        self.frames > 1
    }

    /// Lengths of the sections [bytes].
    fn sections(&self) -> [u64; 5] {
        let positions = 12 * self.vertices * self.frames;
        let (times, weights) =
            if self.is_animated() { (4 * self.frames, self.frames * (self.frames - 1)) } else { (0, 0) };
        [positions, 12 * self.triangles, 8 * self.lines, times, weights]
    }

    /// Length of the binary chunk [bytes].
    pub fn length(&self) -> u64 {
        self.sections().iter().map(|length| length.next_multiple_of(4)).sum()
    }

    /// What the whole file will not be longer than [bytes].
    pub fn file_length_bound(&self) -> u64 {
        // Of each frame the document holds an accessor with six numbers of up to 24 digits, a target and a name.
        self.length() + 512 * self.frames + 4096
    }

    /// The JSON chunk.
    pub fn document(&self, frames: &[FrameBounds]) -> Value {
        let mut parts = Parts::default();
        let [positions, triangles, lines, times, weights] = self.sections();

        let view = parts.view(positions, json!({ "target": ARRAY_BUFFER, "byteStride": 12 }));
        for (number, frame) in frames.iter().enumerate() {
            parts.accessors.push(json!({
                "bufferView": view,
                "byteOffset": 12 * self.vertices * number as u64,
                "componentType": FLOAT,
                "type": "VEC3",
                "count": self.vertices,
                "min": frame.low.map(f64::from),
                "max": frame.high.map(f64::from),
            }));
        }
        let primitives = self.primitives(&mut parts, triangles, lines);
        let animations = self.is_animated().then(|| {
            let input = parts.scalars(times, FLOAT, self.frames);
            let bounds =
                [frames.first(), frames.last()].map(|frame| frame.map_or(0.0, |f| f64::from(f.time)));
            parts.accessors[input]["min"] = json!([bounds[0]]);
            parts.accessors[input]["max"] = json!([bounds[1]]);
            let output = parts.scalars(weights, UNSIGNED_BYTE, weights);
            parts.accessors[output]["normalized"] = json!(true);
            json!([{
                "name": "simulation",
                "samplers": [{ "input": input, "output": output, "interpolation": "LINEAR" }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
            }])
        });

        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("Muslin ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": [{ "name": "cloth", "mesh": 0 }],
            "meshes": [{ "name": "cloth", "primitives": primitives }],
            "materials": [{
                "name": "cloth",
                "doubleSided": true,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [0.8, 0.77, 0.7, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.9,
                },
            }],
            "accessors": parts.accessors,
            "bufferViews": parts.views,
            "buffers": [{ "byteLength": self.length() }],
        });
        if let Some(animations) = animations {
            document["animations"] = animations;
            let names: Vec<String> = (1..self.frames).map(|frame| format!("frame {frame}")).collect();
            document["meshes"][0]["extras"] = json!({ "targetNames": names });
        }
        document
    }

    /// Triangles and lines of the same vertices; points if there are neither.
    fn primitives(&self, parts: &mut Parts, triangles: u64, lines: u64) -> Vec<Value> {
        let targets: Vec<Value> = (1..self.frames).map(|frame| json!({ "POSITION": frame })).collect();
        let primitive = |mode: u32, indices: Option<usize>| {
            let mut primitive = json!({ "attributes": { "POSITION": 0 }, "material": 0, "mode": mode });
            if let Some(indices) = indices {
                primitive["indices"] = json!(indices);
            }
            if !targets.is_empty() {
                primitive["targets"] = json!(targets);
            }
            primitive
        };
        let mut primitives = Vec::new();
        for (mode, length) in [(TRIANGLES, triangles), (LINES, lines)] {
            if length > 0 {
                let indices = parts.scalars(length, UNSIGNED_INT, length / 4);
                primitives.push(primitive(mode, Some(indices)));
            }
        }
        if primitives.is_empty() {
            primitives.push(primitive(POINTS, None));
        }
        primitives
    }
}

/// Views and accessors so far.
#[derive(Default)]
struct Parts {
    views: Vec<Value>,
    accessors: Vec<Value>,
    /// Where the next section begins [bytes].
    next: u64,
}

impl Parts {
    /// A view of the next section, with further properties.
    fn view(&mut self, length: u64, properties: Value) -> usize {
        let mut view = properties;
        view["buffer"] = json!(0);
        view["byteOffset"] = json!(self.next);
        view["byteLength"] = json!(length);
        self.next += length.next_multiple_of(4);
        self.views.push(view);
        self.views.len() - 1
    }

    /// An accessor of a section of single numbers.
    fn scalars(&mut self, length: u64, component_type: u32, count: u64) -> usize {
        let properties = match component_type {
            UNSIGNED_INT => json!({ "target": ELEMENT_ARRAY_BUFFER }),
            _ => json!({}),
        };
        let view = self.view(length, properties);
        self.accessors.push(
            json!({ "bufferView": view, "componentType": component_type, "type": "SCALAR", "count": count }),
        );
        self.accessors.len() - 1
    }
}
