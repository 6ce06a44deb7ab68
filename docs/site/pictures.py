#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the pictures of the pages, each for light and for dark backgrounds: the flow of a program, whole and in few words, the bars of
docs/performance.json, and the drawings of diagrams.py. Usage: pictures.py DOCS OUT"""
import json
import math
import os
import sys
import textwrap

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from diagrams import DIAGRAMS  # noqa: E402
from shapes import PALETTES, arrow, box, svg, text, tip  # noqa: E402


def flow(c):
    parts = tip(c)
    for x, name in ((10, "PyTorch"), (130, "JAX, StableHLO"), (250, "ONNX"), (370, "TOSA, linalg")):
        parts += box(x, 10, 110, 40, name, "", c)
        parts.append(arrow([(x + 55, 50), (x + 55, 80)], c))
    parts += box(510, 10, 130, 40, "Triton kernels", "", c)
    parts += box(10, 82, 470, 56, "prim", "operations on whole tensors: recognise, simplify, fuse", c, True)
    parts.append(arrow([(160, 138), (160, 172)], c))
    parts.append(arrow([(390, 138), (390, 172)], c))
    parts.append(text(275, 160, "schedules", c["soft"], 12, "middle"))
    parts.append(arrow([(575, 50), (575, 172)], c))
    parts += box(10, 174, 270, 56, "program", "host code: buffers, launches", c, True)
    parts += box(310, 174, 330, 56, "tile", "block programs: one kernel for every target", c, True)
    parts.append(arrow([(475, 230), (475, 264)], c))
    parts += box(310, 266, 330, 56, "code generators", "stage, simt: storage, pipelining, layouts", c)
    for x, name in ((310, "CPU"), (394, "NVIDIA"), (478, "AMD"), (562, "yours")):
        parts += box(x, 358, 78, 36, name, "", c)
        parts.append(arrow([(x + 39, 322), (x + 39, 356)], c))
        parts.append(arrow([(x + 39, 394), (x + 39, 424)], c))
    parts.append(arrow([(145, 230), (145, 424)], c))
    parts += box(10, 426, 630, 50, "package and runtime", "one file for one or several targets; the runtime needs no LLVM", c, True)
    return svg(650, 486, "How a program goes through Kiln", parts)


def overview(c):
    """The flow in few words, small enough to stand beside the first sentences of the README."""
    parts = tip(c)
    for x, y, width, name, main in ((2, 2, 218, "PyTorch, JAX, ONNX, TOSA", False), (236, 2, 102, "Triton", False),
                                    (2, 45, 218, "prim: whole tensors", True), (2, 88, 102, "program", True),
                                    (120, 88, 218, "tile: kernels by block", True), (2, 174, 336, "package; its runtime needs no LLVM", True)):
        parts += box(x, y, width, 26, name, "", c, main)
    for x, name in ((120, "CPU"), (175, "NVIDIA"), (230, "AMD"), (285, "yours")):
        parts += box(x, 131, 53, 26, name, "", c)
        parts += [arrow([(x + 26, 114), (x + 26, 129)], c), arrow([(x + 26, 157), (x + 26, 172)], c)]
    for x, start, end in ((111, 28, 43), (53, 71, 86), (170, 71, 86), (287, 28, 86), (53, 114, 172)):
        parts.append(arrow([(x, start), (x, end)], c))
    return svg(340, 202, "From a program to a package", parts)


def bars(data, c):
    """Each row is one or more lines of words, with the bar below: a narrow picture keeps its letters readable on a telephone."""
    width, left, right, row, line_height, letters = 600, 10, 590, 38, 16, 72
    least, most = 0.1, 8.0

    def at(ratio):
        ratio = min(max(ratio, least), most)
        return left + (right - left) * math.log(ratio / least) / math.log(most / least)

    y, parts = 20, []
    for group in data["groups"]:
        y += 14
        parts.append(text(left, y, group["title"], c["text"], 15, weight="600"))
        y += 12
        labels = [textwrap.wrap(label, letters) for label, *_ in group["rows"]]
        bottom = y + sum(row + line_height * (len(lines) - 1) for lines in labels)
        for ratio in (0.1, 0.25, 0.5, 1, 2, 4, 8):
            anchor = "start" if ratio == least else "end" if ratio == most else "middle"
            parts.append(text(round(at(ratio), 1), bottom + 14, f"{ratio:g}", c["soft"], 12, anchor))
        for lines, (_, peer, low, high) in zip(labels, group["rows"]):
            first = y
            y += line_height * (len(lines) - 1)
            center = (low * high) ** 0.5
            color = c["good"] if center >= 1 else c["bad"]
            x, end = sorted((at(1), at(center)))
            middle = y + 26
            for ratio in (0.1, 0.25, 0.5, 1, 2, 4, 8):
                line = c["text"] if ratio == 1 else c["line"]
                parts.append(f'<line x1="{at(ratio):.1f}" x2="{at(ratio):.1f}" y1="{y + 18}" y2="{y + 34}" stroke="{line}"/>')
            parts.append(f'<rect x="{x:.1f}" y="{middle - 6}" width="{max(end - x, 1):.1f}" height="12" fill="{color}" opacity="0.8"/>')
            if low != high:
                parts.append(f'<line x1="{at(low):.1f}" x2="{at(high):.1f}" y1="{middle}" y2="{middle}" stroke="{c["text"]}" stroke-width="2"/>')
            parts += [text(left, first + 13 + line_height * number, words, c["text"], 13) for number, words in enumerate(lines)]
            figure = f"{low:g}" if low == high else f"{low:g} to {high:g}"
            parts.append(text(right, first + 13, figure, c["soft"], 13, "end"))
            y += row
        y = bottom + 32
    parts.append(text(left, y + 8, "Bar: geometric mean of the range, on a logarithmic scale from 1. Line: the range. Both are cut at 8.", c["soft"], 12))
    return svg(width, y + 18, "Speed of Kiln over that of its peers", parts)


def drawn(data):
    """Yields the name and the text of each picture, given the rows of performance.json."""
    for name, palette in PALETTES.items():
        yield f"flow-{name}.svg", flow(palette)
        yield f"overview-{name}.svg", overview(palette)
        yield f"performance-{name}.svg", bars(data, palette)
        for picture, draw in DIAGRAMS.items():
            yield f"{picture}-{name}.svg", draw(palette)


def main():
    docs, out = sys.argv[1:]
    with open(os.path.join(docs, "performance.json"), encoding="utf-8") as file:
        data = json.load(file)
    os.makedirs(out, exist_ok=True)
    for name, words in drawn(data):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(words)


if __name__ == "__main__":
    main()
