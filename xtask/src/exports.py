"""Opens the animated exports of a run in Blender and compares every frame. `cargo xtask exports` runs it.

    python exports.py FOLDER

FOLDER holds frames/NNNN.obj, cloth.pc2 with cloth.obj, cloth.glb, metrics.csv and final.csv of the same run. The reference are the
numbers in frames/NNNN.obj as text, of which the last must be those of final.csv to the bit. Needs the package bpy (Blender as a
Python module), and numpy, which comes with it.
"""

import contextlib
import csv
import math
import os
import sys
from pathlib import Path

import bpy
import numpy

LARGEST_ERROR = 1e-6  # m: single precision, twice rounded


def main(folder):
    times = [float(row["time"]) for row in rows(folder / "metrics.csv")]
    paths = sorted((folder / "frames").glob("*.obj"), key=lambda path: int(path.stem))
    if not paths:
        sys.exit(f"{folder / 'frames'} holds no OBJ files")
    reference, of_faces, of_lines = read_reference(paths)
    # Blender drops vertices that no face or line uses, and reads a GLB primitive by primitive: triangles, then lines.
    orders = {"obj": sorted({*of_faces, *of_lines}), "glb": of_faces + of_lines}
    orders["pc2"] = orders["obj"]
    frames = len(reference)
    if frames != len(times):
        sys.exit(f"frames holds {frames} frames, but metrics.csv has {len(times)}")
    last = numpy.array([[float(row[axis]) for axis in "xyz"] for row in rows(folder / "final.csv")])
    if not numpy.array_equal(reference[-1], last):
        sys.exit(f"{paths[-1].name} is not final.csv: {distance(reference[-1], last):.3g} m apart")

    # Frame numbers of Blender are integers: the rate is that of the first frames, the last may come earlier.
    rate = round(1 / (times[1] - times[0])) if frames > 1 else 60
    failures = []
    for name, read in [("obj", read_obj), ("pc2", read_pc2), ("glb", read_glb)]:
        with silence():
            start_scene(rate)
            found = read(folder, paths, times, rate)
        failures += compare(name, found, reference[:, orders[name] or slice(None)])
    if failures:
        sys.exit("\n".join(failures))


def compare(name, found, reference):
    """Prints the largest error of a format; what is wrong with it, if so."""
    if found.shape != reference.shape:
        return [f"{name}: {found.shape} frames, vertices and axes, but {reference.shape} were written"]
    error = distance(found, reference)
    # The proof that the check can fail: the same frames, each compared with the one after it.
    shifted = distance(found[:-1], reference[1:])
    size = f"{len(found)} frames, {found.shape[1]} vertices"
    print(f"{name}: {size}, largest error {error:.2e} m (one frame off: {shifted:.2e} m)")
    failures = []
    if not error <= LARGEST_ERROR:
        failures.append(f"{name}: the error of {error:.3g} m is above {LARGEST_ERROR} m")
    if not shifted > LARGEST_ERROR:
        failures.append(f"{name}: one frame off shows no error, so that this comparison proves nothing")
    return failures


def distance(a, b):
    """The largest difference of any coordinate [m]; infinite if one is not a number."""
    if a.size == 0:
        return math.inf
    largest = numpy.abs(a - b).max()
    return largest if numpy.isfinite(largest) else math.inf


@contextlib.contextmanager
def silence():
    """Blender prints a line per file."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_reference(paths):
    """Positions of all frames, and which vertices faces and lines use; without Blender."""
    frames = []
    for path in paths:
        lines = [line.split() for line in path.read_text().splitlines()]
        frames.append([[float(x) for x in words[1:]] for words in lines if words[0] == "v"])

    def used_by(keyword):
        return sorted({int(corner) - 1 for words in lines if words[0] == keyword for corner in words[1:]})

    return numpy.array(frames), used_by("f"), used_by("l")


def start_scene(rate):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = rate


def read_obj(folder, paths, times, rate):
    frames = []
    for path in paths:
        thing = import_obj(path)
        frames.append(positions_of(thing))
        mesh = thing.data
        bpy.data.objects.remove(thing)
        bpy.data.meshes.remove(mesh)
    return numpy.array(frames)


def read_pc2(folder, paths, times, rate):
    thing = import_obj(folder / "cloth.obj")
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = str(folder / "cloth.pc2")
    cache.frame_start = 0
    return at_frames(thing, range(len(times)))


def read_glb(folder, paths, times, rate):
    bpy.ops.import_scene.gltf(filepath=str(folder / "cloth.glb"))
    meshes = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    if len(meshes) != 1:
        sys.exit(f"glb: Blender made {len(meshes)} meshes of it, but it has one")
    return at_frames(meshes[0], [time * rate for time in times])


def import_obj(path):
    bpy.ops.wm.obj_import(filepath=str(path), forward_axis="Y", up_axis="Z")
    (thing,) = bpy.context.selected_objects
    return thing


def at_frames(thing, numbers):
    frames = []
    for number in numbers:
        # Times are rounded: what is just below a whole frame is that frame.
        whole = math.floor(number + 1e-3)
        bpy.context.scene.frame_set(whole, subframe=max(number - whole, 0.0))
        frames.append(positions_of(thing))
    return numpy.array(frames)


def positions_of(thing):
    """Vertices as modifiers, shape keys and the object's pose leave them."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    flat = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", flat)
    evaluated.to_mesh_clear()
    pose = numpy.array(evaluated.matrix_world)
    return flat.reshape(-1, 3).astype(float) @ pose[:3, :3].T + pose[:3, 3]


main(Path(sys.argv[1]))
