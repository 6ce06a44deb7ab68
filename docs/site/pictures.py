#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the pictures of the pages, each for light and for dark backgrounds: the flow of a program, and the bars of
docs/performance.json. Usage: pictures.py DOCS OUT"""
import json
import math
import os
import sys
from xml.sax.saxutils import escape

PALETTES = {"light": {"text": "#1f2328", "soft": "#59636e", "line": "#d1d9e0", "box": "#f6f8fa", "main": "#2f6f8f", "good": "#2da04e",
                      "bad": "#c4512d"},
            "dark": {"text": "#e6edf3", "soft": "#9198a1", "line": "#3d444d", "box": "#212830", "main": "#7cc0e0", "good": "#57c878",
                     "bad": "#f0883e"}}
FONT = "font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\""


def svg(width, height, title, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{escape(title)}" {FONT}>\n<title>{escape(title)}</title>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, words, color, size=13, anchor="start", weight="normal"):
    return (f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}">'
            f"{escape(words)}</text>")


def box(x, y, width, height, title, note, c, main=False):
    stroke = c["main"] if main else c["line"]
    return [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{c["box"]}" stroke="{stroke}" stroke-width="{2 if main else 1}"/>',
            text(x + width / 2, y + height / 2 - (3 if note else -5), title, c["text"], 14 if note else 12, "middle", "600"),
            *([text(x + width / 2, y + height / 2 + 15, note, c["soft"], 12, "middle")] if note else [])]


def arrow(points, c):
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    return f'<path d="{path}" fill="none" stroke="{c["soft"]}" stroke-width="1.5" marker-end="url(#tip)"/>'


def flow(c):
    parts = [f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
             f'<path d="M0 0 L8 4 L0 8 z" fill="{c["soft"]}"/></marker></defs>']
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


def bars(data, c):
    """Each row is a line of words, with the bar below it: a narrow picture keeps its letters readable on a telephone."""
    width, left, right, row = 600, 10, 590, 38
    least, most = 0.1, 8.0

    def at(ratio):
        return left + (right - left) * math.log(ratio / least) / math.log(most / least)

    y, parts = 20, []
    for group in data["groups"]:
        y += 14
        parts.append(text(left, y, group["title"], c["text"], 15, weight="600"))
        y += 12
        bottom = y + row * len(group["rows"])
        for ratio in (0.1, 0.25, 0.5, 1, 2, 4, 8):
            anchor = "start" if ratio == least else "end" if ratio == most else "middle"
            parts.append(text(round(at(ratio), 1), bottom + 14, f"{ratio:g}", c["soft"], 12, anchor))
        for what, peer, low, high in group["rows"]:
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
            parts.append(text(left, y + 13, what, c["text"], 13))
            figure = f"{low:g}" if low == high else f"{low:g} to {high:g}"
            parts.append(text(right, y + 13, figure, c["soft"], 13, "end"))
            y += row
        y = bottom + 24
    parts.append(text(left, y + 8, "Bar: geometric mean of the range, on a logarithmic scale from 1. Line: the range.", c["soft"], 12))
    return svg(width, y + 18, "Speed of Kiln over that of its peers", parts)


def main():
    docs, out = sys.argv[1:]
    with open(os.path.join(docs, "performance.json"), encoding="utf-8") as file:
        data = json.load(file)
    os.makedirs(out, exist_ok=True)
    for name, palette in PALETTES.items():
        for picture, words in (("flow", flow(palette)), ("performance", bars(data, palette))):
            with open(os.path.join(out, f"{picture}-{name}.svg"), "w", encoding="utf-8") as file:
                file.write(words)


if __name__ == "__main__":
    main()
