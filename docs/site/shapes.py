# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Palettes for light and dark backgrounds, and the shapes that drawings are made of."""
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


def tip(c):
    """The head of arrows; a drawing that has arrows begins with it."""
    return [f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            f'<path d="M0 0 L8 4 L0 8 z" fill="{c["soft"]}"/></marker></defs>']
