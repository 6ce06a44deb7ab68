# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The drawings of single pages: what a plug-in can replace, the two processes of an isolated target, the parts of the runtime, and
the way of a kernel to NVIDIA's and AMD's GPUs. Each function takes a palette and returns an SVG; pictures.py writes the files."""
import shapes
from shapes import arrow, box, text


def column(x, y, width, rows, c, height=46, gap=26):
    """Boxes below each other, (title, note, main), with arrows between them."""
    parts = []
    for at, (title, note, main) in enumerate(rows):
        top = y + at * (height + gap)
        parts += box(x, top, width, height, title, note, c, main)
        if at:
            parts.append(arrow([(x + width / 2, top - gap), (x + width / 2, top - 2)], c))
    return parts


def frame(x, y, width, height, title, c):
    """A dashed border with its title inside: a library or a process."""
    return [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="10" fill="none" stroke="{c["main"]}" stroke-width="1.5" '
            f'stroke-dasharray="6 4"/>', text(x + 12, y + 20, title, c["main"], 13, weight="600")]


def plugins(c):
    """The pipeline on the left, and beside each stage the functions by which a plug-in joins it."""
    stages = [("frontend", "file or module to prim, tile", "addFrontend"),
              ("prim", "operations on whole tensors", "addPrimClaim; addPass at core.after-raise, core.after-fuse"),
              ("schedule", "fused groups to kernels", "addSchedule"),
              ("tile", "one kernel, block by block", "addPass at core.tile; Target::claimProgram"),
              ("code generator", "tile to thread or vector code", "addLowering, addDescribedTarget, or Target::buildPipeline"),
              ("serialiser", "machine code", "Target::serialize"),
              ("device driver", "memory, queues, launches", "the C table of kiln-c/Device.h")]
    parts = shapes.tip(c) + frame(10, 10, 650, 452, "libkiln-target-NAME.so: loaded by programs that compile", c)
    parts += frame(10, 500, 650, 90, "libkiln-device-NAME.so: loaded by programs that run packages", c)
    for at, (title, note, hooks) in enumerate(stages):
        y = 532 if at == 6 else 40 + at * 70
        parts += box(26, y, 220, 46, title, note, c)
        parts.append(text(262, y + 28, hooks, c["text"], 13))
        if 0 < at < 6:
            parts.append(arrow([(136, y - 24), (136, y - 2)], c))
    parts += [arrow([(136, 436), (136, 498)], c), text(148, 484, "a package, which is a file", c["soft"], 12)]
    return shapes.svg(670, 600, "What a plug-in can replace, from frontend to device driver", parts)


def isolated(c):
    """Two processes, and what crosses between them."""
    parts = shapes.tip(c) + frame(10, 10, 230, 250, "kiln-compile: one process", c) + frame(430, 10, 230, 250, "kiln-target-NAME: another", c)
    parts += column(26, 40, 198, [("tile kernels", "in text of the wire form", False), ("cache of answers", "asked first", False),
                                  ("package", "code of all kernels", True)], c, 46, 28)
    parts += column(446, 40, 198, [("your compiler", "any language", True), ("your LLVM, or none", "any version", False)], c, 46, 28)
    for y, words in ((70, "hello, describe"), (100, "tile, claims, accepts"), (130, "compile, emit: kernels")):
        parts += [text(335, y - 7, words, c["text"], 13, "middle"), arrow([(244, y), (426, y)], c)]
    for y, words in ((180, "description, block sizes"), (210, "machine code, as bytes"), (240, "declined: reason")):
        parts += [text(335, y - 7, words, c["text"], 13, "middle"), arrow([(426, y), (244, y)], c)]
    parts.append(text(446, 212, "no memory, classes or LLVM", c["soft"], 12))
    parts.append(text(446, 230, "are shared with Kiln", c["soft"], 12))
    parts.append(arrow([(125, 234), (125, 292)], c))
    parts += box(26, 294, 198, 46, "kiln-run, runtime", "on any machine", c)
    parts += box(286, 294, 198, 46, "libkiln-device-NAME.so", "your driver, in C", c)
    parts += box(546, 294, 98, 46, "chip", "", c)
    parts += [arrow([(224, 317), (284, 317)], c), arrow([(484, 317), (544, 317)], c)]
    return shapes.svg(670, 352, "The two processes of an isolated target, and what they exchange", parts)


def runtime(c):
    """The program above, the runtime with the parts that it loads when they are needed, the drivers and machines below."""
    parts = shapes.tip(c)
    for x, name in ((10, "C or C++"), (133, "Python"), (256, "kiln-run")):
        parts += box(x, 10, 113, 40, name, "", c)
        parts.append(arrow([(x + 56, 50), (x + 56, 78)], c))
    parts += box(440, 10, 220, 40, "model.kiln, a package", "", c, True)
    parts.append(arrow([(550, 50), (550, 78)], c))
    parts += frame(10, 80, 650, 176, "libkiln-runtime.so, without LLVM", c)
    parts += box(26, 112, 190, 50, "session", "a package on its devices", c)
    parts += box(240, 112, 190, 50, "host program", "interpreted", c)
    parts += box(454, 112, 190, 50, "memory", "arena, kept for next call", c)
    parts += [arrow([(216, 137), (238, 137)], c), arrow([(430, 137), (452, 137)], c)]
    parts.append(text(26, 190, "Parts, each loaded on first use:", c["soft"], 12))
    for x, name in ((26, "linear algebra (LAPACK)"), (240, "signature"), (454, "package writer")):
        parts += box(x, 200, 190, 40, name, "", c)
    for x, name, note in ((10, "device cpu", "threads of oneTBB"), (177, "device nvidia", "CUDA's driver"), (344, "device amd", "HIP, or simulated"),
                          (511, "yours", "a table in C")):
        parts.append(arrow([(x + 74, 256), (x + 74, 286)], c))
        parts += box(x, 288, 149, 50, name, note, c)
    return shapes.svg(670, 350, "The runtime: programs, package, parts and device drivers", parts)


def nvidia(c):
    """From a tile kernel to a GPU, with the options that print each stage."""
    parts = shapes.tip(c) + column(10, 10, 300, [
        ("tile kernel", "--emit=tile prints it", True), ("GPU code generator", "layouts, pipelining, matrix instructions", False),
        ("targets/nvidia", "wgmma, mma.sync, cp.async; --emit=llvm", False), ("PTX", "--emit=ptx; needs no CUDA", True)], c)
    parts += box(360, 226, 300, 46, "ptxas, if it is found", "machine code, registers and spills", c)
    parts.append(arrow([(310, 249), (358, 249)], c))
    parts += box(10, 316, 650, 46, "package", "machine code for one chip, or PTX, which NVIDIA's driver compiles as it loads the package", c, True)
    parts += [arrow([(160, 272), (160, 314)], c), arrow([(510, 272), (510, 314)], c)]
    parts += box(10, 394, 650, 46, "libkiln-device-nvidia.so on a machine with a GPU", "libcuda.so.1: streams, graphs, printing and assertions", c)
    parts.append(arrow([(335, 362), (335, 392)], c))
    parts += [text(360, 32, "Same tile kernel as for every target", c["soft"], 12), text(360, 104, "Knows GPUs by their description only", c["soft"], 12),
              text(360, 176, "All that is NVIDIA's own", c["soft"], 12)]
    return shapes.svg(670, 450, "From a tile kernel to an NVIDIA GPU", parts)


def amd(c):
    """Two ways to a code object, and two devices that run it."""
    parts = shapes.tip(c)
    parts += box(10, 10, 310, 46, "tile kernel", "from Triton, PyTorch, ONNX, StableHLO, ...", c, True)
    parts += box(350, 10, 310, 46, "hipcc, Triton, or clang", "outside of Kiln", c)
    parts += box(10, 84, 310, 46, "targets/amd", "MFMA or WMMA, LDS, buffers; needs no ROCm", c)
    parts += [arrow([(165, 56), (165, 82)], c), arrow([(505, 56), (505, 156)], c), arrow([(165, 130), (165, 156)], c)]
    parts += box(10, 158, 310, 46, "package with a code object", "kiln-compile, kiln-run", c, True)
    parts += box(350, 158, 310, 46, "code object", "kiln-run --code-object=FILE", c, True)
    for x in (165, 505):
        parts.append(arrow([(x, 204), (x, 260)], c))
    parts += [f'<path d="M165 232 H505" fill="none" stroke="{c["soft"]}" stroke-width="1.5"/>']
    parts += box(10, 262, 310, 46, "device amd, through HIP", "ROCm 5.6 or newer and a GPU: not tried so far", c)
    parts += box(350, 262, 310, 46, "device=sim, on any x86-64 machine", "checks bounds, waits and races", c)
    return shapes.svg(670, 318, "From a kernel to an AMD GPU or the simulated device", parts)


DIAGRAMS = {"plugins": plugins, "isolated-targets": isolated, "runtime": runtime, "nvidia": nvidia, "amd": amd}
