//===- ExplanationPage.cpp - What surrounds the data of a page ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExplanationPage.h"

const char *const kiln::driver::kPageHead = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kiln: what became of a program</title>
<style>
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --back: #fff; --box: #f6f8fa; --has: #eef4ff;
  --at: #fff3c4; --link: #0b57a4; --bad: #b3261e; --word: #8250df; --value: #0550ae; --type: #116329; --string: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9198a1; --line: #3d444d; --back: #0d1117; --box: #151b23;
  --has: #13233a; --at: #4a3f10; --link: #7cc0e0; --bad: #f47067; --word: #d2a8ff; --value: #79c0ff; --type: #7ee787; --string: #e3b341; } }
* { box-sizing: border-box; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 0; color: var(--text); background: var(--back); }
header { padding: 10px 16px; border-bottom: 1px solid var(--line); display: flex; gap: 16px; align-items: baseline; flex-wrap: wrap; }
h1 { font-size: 16px; margin: 0; cursor: pointer; color: var(--link); overflow-wrap: anywhere; } header span { color: var(--soft); }
h2 { font-size: 15px; margin: 18px 0 6px; overflow-wrap: anywhere; } p { margin: 4px 0; }
main { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); height: calc(100vh - 46px); }
section { overflow: auto; min-width: 0; padding: 4px 16px 32px; } #source { border-right: 1px solid var(--line); padding: 4px 0; }
@media (max-width: 900px) { main { display: flex; flex-direction: column-reverse; height: auto; } section { overflow-x: auto; }
  #source { border-right: 0; border-top: 1px solid var(--line); } }
pre, code, .line, td.n, button, .name { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12px; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 8px; overflow-x: auto; line-height: 1.45; }
.line { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 8px 0 60px; position: relative; min-height: 18px; line-height: 1.5; }
.line b { position: absolute; left: 0; width: 36px; text-align: right; color: var(--soft); font-weight: normal; user-select: none; }
.line i { position: absolute; left: 42px; top: 2px; bottom: 2px; width: 6px; border-radius: 2px; }
.has { cursor: pointer; } .has:hover { background: var(--has); } .at { background: var(--at); }
button { margin: 2px 4px 2px 0; padding: 2px 6px; border: 1px solid var(--line); border-radius: 4px; background: var(--box); color: inherit;
  cursor: pointer; text-align: left; overflow-wrap: anywhere; } button:hover { border-color: var(--link); }
button.on { background: var(--has); border-color: var(--link); }
.wide { overflow-x: auto; } table { border-collapse: collapse; } td, th { padding: 2px 12px 2px 0; vertical-align: top; text-align: left; }
th { color: var(--soft); font-weight: normal; white-space: nowrap; } td.n, th.n { text-align: right; white-space: nowrap; } td.name { white-space: nowrap; }
.bar { display: inline-block; height: 10px; border-radius: 2px; vertical-align: middle; } .bars { min-width: 140px; white-space: nowrap; }
.chip { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.declined { color: var(--bad); } .soft { color: var(--soft); }
.lane { position: relative; height: 26px; background: var(--box); border-radius: 4px; overflow: hidden; margin-bottom: 8px; }
.lane span { position: absolute; top: 0; bottom: 0; overflow: hidden; white-space: nowrap; font-size: 11px; line-height: 26px; padding-left: 3px;
  color: #16191d; border-right: 1px solid var(--back); cursor: pointer; }
svg { max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } svg .dot { cursor: pointer; }
.w { color: var(--word); } .v { color: var(--value); } .t { color: var(--type); } .s { color: var(--string); } .c { color: var(--soft); }
</style></head><body><header><h1 id="title"></h1><span id="sum"></span></header>
<main><section id="source"></section><section id="detail"></section></main>
<script id="data" type="application/json">)html";

// In pieces, as compilers limit the length of a text.
const char *const kiln::driver::kPageTail =
    // The data.
    R"html(</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const make = (tag, text, parent, cls) => {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  if (cls) e.className = cls;
  if (parent) parent.appendChild(e);
  return e;
};
const byId = id => document.getElementById(id);
byId("title").textContent = data.file;
const source = byId("source"), detail = byId("detail");
const kernels = new Map(data.kernels.map(k => [k.name, k]));
const profile = data.profile || {}, trace = profile.traceEvents || [], ceiling = (profile.otherData || {}).ceiling;
const events = trace.filter(e => e.ph === "X");
const runsOf = name => events.filter(e => e.args && e.args.kernel === name);
const timeOf = name => runsOf(name).reduce((sum, e) => sum + e.dur, 0);
const allTime = events.reduce((sum, e) => sum + e.dur, 0);
const mergedInto = name => { const row = data.rows.find(r => r.kernel === name && r.stage === "merge"); return row && row.chosen; };
const colorOf = name => "hsl(" + ([...kernels.keys()].indexOf(mergedInto(name) || name) * 137 + 205) % 360 + ", 60%, 68%)";
// What launches compute and move: where sizes are static, of one call; else of the run, if there is one. Formulas are in the rows.
const costOf = k => {
  if (k.launches) return {launches: k.launches, flops: k.flops, bytes: k.bytes, where: ""};
  const runs = runsOf(k.name);
  if (!runs.length) return {where: ""};
  const sum = part => runs.reduce((all, e) => all + (e.args[part] || 0), 0);
  return {launches: runs.length, flops: sum("flops"), bytes: sum("bytes"), where: " in the run"};
};
const show = (n, unit) => {
  if (n === undefined) return "";
  for (const [most, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (n >= most) return (n / most).toPrecision(3) + " " + letter + unit;
  return Math.round(n) + " " + unit;
};
const ms = us => us >= 1000 ? (us / 1000).toPrecision(3) + " ms" : us.toPrecision(3) + " us";
// Colours of MLIR and assembly; texts stay texts.
const words = /(\/\/.*)|("(?:[^"\\]|\\.)*")|([%@#^][\w$.\-]+)|(![\w.]+|\b(?:tensor|memref|vector|index|none|[su]?[if]\d+|bf16|f8E\w+|tf32)\b(?:<[^<>]*>)?)|(\b[a-z_]+\.[a-z_][\w.]*)/g;
const paint = (text, parent) => {
  let at = 0;
  for (const m of text.matchAll(words)) {
    parent.append(text.slice(at, m.index));
    make("span", m[0], parent, m[1] ? "c" : m[2] ? "s" : m[3] ? "v" : m[4] ? "t" : "w");
    at = m.index + m[0].length;
  }
  parent.append(text.slice(at));
};
)html"

    // The source.
    R"html(
// The lines of the source, the operations on each, and which kernels these became.
const opsAt = new Map(), rowsOfKernel = new Map();
for (const op of data.ops) {
  const cut = op.place.lastIndexOf(":"), line = op.place.lastIndexOf(":", cut - 1);
  const own = op.place.slice(0, line) === data.file;
  const key = own ? Number(op.place.slice(line + 1, cut)) : op.place;
  if (!opsAt.has(key)) opsAt.set(key, []);
  opsAt.get(key).push(op);
}
const unmark = () => { for (const e of document.querySelectorAll(".at")) e.classList.remove("at"); };
const choose = (row, ops) => {
  unmark();
  row.classList.add("at");
  detail.replaceChildren();
  const seen = new Set();
  for (const op of ops) {
    make("h2", op.name + "  " + op.place, detail);
    const mine = data.rows.filter(r => r.place === op.place && !r.kernel);
    if (mine.length) table(mine, detail);
    if (!op.kernels.length)
      make("p", op.host ? "The host program executes it; no kernel does." : "Nothing is left of it: a pass removed it.", detail, "soft");
    for (const k of op.kernels) seen.add(k);
  }
  for (const k of seen) kernel(k, false);
  detail.scrollTop = 0;
};
const addLine = (text, number, key) => {
  const row = make("div", undefined, source, "line");
  make("b", number, row);
  paint(text, row);
  const ops = opsAt.get(key);
  if (!ops) return row;
  row.classList.add("has");
  row.onclick = () => choose(row, ops);
  const mine = [...new Set(ops.flatMap(op => op.kernels))];
  for (const k of mine) rowsOfKernel.set(k, (rowsOfKernel.get(k) || []).concat(row));
  if (mine.length) {
    make("i", "", row).style.background = mine.length > 1 ? "linear-gradient(" + mine.map(colorOf).join(",") + ")" : colorOf(mine[0]);
    row.title = "in " + mine.join(", ");
  }
  return row;
};
data.source.split("\n").forEach((text, i) => addLine(text, i + 1, i + 1));
for (const key of opsAt.keys())
  if (typeof key === "string") addLine(opsAt.get(key).map(op => op.name).join(", ") + "  " + key, "", key);
)html"

    // A kernel.
    R"html(
const table = (rows, parent) => {
  const t = make("table", undefined, make("div", undefined, parent, "wide"));
  for (const r of rows) {
    const tr = make("tr", undefined, t);
    for (const text of [r.stage, r.subject + (r.count > 1 ? " x" + r.count : ""), "\u2192 " + (r.chosen || "nothing"), r.target && "[" + r.target + "]", r.detail])
      make("td", text, tr);
    for (const d of r.declines) {
      const no = make("tr", undefined, t);
      make("td", "", no);
      const cell = make("td", "declined by " + d.name + ": " + d.reason, no, "declined");
      cell.colSpan = 4;
    }
  }
};
const steps = (list, parent) => {
  make("p", "Text after each pass that changed it:", parent, "soft");
  const bar = make("div", undefined, parent), text = make("pre", "", parent);
  list.forEach((step, i) => {
    const b = make("button", step.pass, bar);
    b.onclick = () => {
      for (const other of bar.children) other.classList.remove("on");
      b.classList.add("on");
      text.replaceChildren();
      paint(step.text, text);
    };
    if (i === 0) b.onclick();
  });
};
const chip = (name, parent) => { make("span", "", parent, "chip").style.background = colorOf(name); };
// One kernel, and the lines of the source that it came from.
const kernel = (name, marks = true) => {
  const k = kernels.get(name), into = mergedInto(name), title = make("h2", undefined, detail);
  chip(name, title);
  title.append("kernel " + name);
  if (into) {
    const p = make("p", "It is equal to another kernel, whose code runs in its place: ", detail);
    make("button", into, p).onclick = () => open(into);
  }
  const time = timeOf(name), cost = costOf(k);
  if (cost.launches)
    make("p", cost.launches + (cost.launches > 1 ? " launches" : " launch") + cost.where + ", " + show(cost.flops, "FLOP") + ", " + show(cost.bytes, "B") +
      (time ? "; " + ms(time) + ", " + (time / allTime * 100).toFixed(0) + "% of the run, " + show(cost.flops / time * 1e6, "FLOP/s") + ", " + show(cost.bytes / time * 1e6, "B/s") : ""), detail);
  else if (!into)
    make("p", "Its work is known when it runs.", detail, "soft");
  table(data.rows.filter(r => r.kernel === name), detail);
  steps(k.steps, detail);
  if (!marks) return;
  unmark();
  const rows = rowsOfKernel.get(name) || [];
  for (const row of rows) row.classList.add("at");
  if (rows.length && innerWidth > 900) source.scrollTop = rows[0].offsetTop - source.offsetTop - 80;
};
const open = name => { detail.replaceChildren(); kernel(name); detail.scrollTop = 0; };
)html"

    // The overview.
    R"html(
const timeline = () => {
  make("h2", "Timeline of the run, by device", detail);
  const lanes = [...new Set(events.map(e => e.pid + " / " + e.tid))];
  const names = new Map(trace.filter(e => e.ph === "M" && e.name === "process_name").map(e => [e.pid, e.args.name]));
  const begin = Math.min(...events.map(e => e.ts)), end = Math.max(...events.map(e => e.ts + e.dur)), all = Math.max(end - begin, 1e-9);
  for (const lane of lanes) {
    make("p", (names.get(Number(lane.split(" / ")[0])) || lane) + ": " + ms(all), detail, "soft");
    const row = make("div", undefined, detail, "lane");
    for (const e of events.filter(e => e.pid + " / " + e.tid === lane)) {
      const share = e.dur / all, box = make("span", share > 0.05 ? e.name : "", row);
      box.style.left = (e.ts - begin) / all * 100 + "%";
      box.style.width = "max(2px, " + share * 100 + "%)";
      box.style.background = colorOf((e.args || {}).kernel);
      box.title = e.name + ": " + ms(e.dur);
      if (e.args && kernels.has(e.args.kernel)) box.onclick = () => open(e.args.kernel);
    }
  }
};
// Work for each byte against speed; the roof is what the machine was measured to do.
const roofline = () => {
  const points = data.kernels.map(k => ({name: k.name, time: timeOf(k.name), cost: costOf(k)})).filter(p => p.time && p.cost.flops && p.cost.bytes)
    .map(p => ({name: p.name, x: p.cost.flops / p.cost.bytes, y: p.cost.flops / p.time * 1e6, share: p.time / allTime}));
  if (!points.length) return;
  make("h2", "Roofline", detail);
  const roof = ceiling && ceiling.bytes_per_second > 0 && ceiling.flops_per_second > 0 ? ceiling : null;
  make("p", roof ? "The roof is the copy bandwidth and the f32 multiply-adds that kiln-run measured on the host. Kernels above it take their data from caches, or use faster units."
    : "No ceiling of this device was measured, so the plot has no roof.", detail, "soft");
  const xs = points.map(p => p.x), ys = points.map(p => p.y).concat(roof ? [roof.flops_per_second] : []);
  const low = v => Math.floor(Math.log10(Math.min(...v)) - 0.2), high = v => Math.ceil(Math.log10(Math.max(...v)) + 0.1);
  const x0 = low(xs), x1 = Math.max(high(xs), x0 + 1), y0 = low(ys), y1 = Math.max(high(ys), y0 + 1), width = 640, height = 300;
  const px = v => 60 + (Math.log10(v) - x0) / (x1 - x0) * (width - 80), py = v => height - 40 - (Math.log10(v) - y0) / (y1 - y0) * (height - 60);
  const ns = "http://www.w3.org/2000/svg", svg = detail.appendChild(document.createElementNS(ns, "svg"));
  svg.setAttribute("viewBox", "0 0 " + width + " " + height);
  svg.setAttribute("width", width);
  const draw = (tag, values, text) => {
    const e = svg.appendChild(document.createElementNS(ns, tag));
    for (const name in values) e.setAttribute(name, values[name]);
    if (text) e.textContent = text;
    return e;
  };
  for (let i = x0; i <= x1; ++i) {
    draw("line", {x1: px(10 ** i), x2: px(10 ** i), y1: 20, y2: height - 40, stroke: "var(--line)"});
    draw("text", {x: px(10 ** i), y: height - 24, "text-anchor": "middle"}, String(10 ** i));
  }
  for (let i = y0; i <= y1; ++i) {
    draw("line", {x1: 60, x2: width - 20, y1: py(10 ** i), y2: py(10 ** i), stroke: "var(--line)"});
    draw("text", {x: 54, y: py(10 ** i) + 4, "text-anchor": "end"}, show(10 ** i, ""));
  }
  draw("text", {x: width / 2, y: height - 6, "text-anchor": "middle"}, "FLOP for each byte");
  draw("text", {x: 4, y: 12}, "FLOP/s");
  if (roof) {
    const ridge = roof.flops_per_second / roof.bytes_per_second, clamp = v => Math.min(Math.max(v, 10 ** x0), 10 ** x1);
    const at = v => Math.min(v * roof.bytes_per_second, roof.flops_per_second);
    const corners = [10 ** x0, clamp(ridge), 10 ** x1].map(v => px(v) + "," + Math.min(py(at(v)), height - 40));
    draw("polyline", {points: corners.join(" "), fill: "none", stroke: "var(--text)", "stroke-width": 1.5});
  }
  for (const p of points) {
    const dot = draw("circle", {cx: px(p.x), cy: py(p.y), r: 4 + 8 * Math.sqrt(p.share), fill: colorOf(p.name), stroke: "var(--back)", class: "dot"});
    dot.onclick = () => open(p.name);
    dot.appendChild(document.createElementNS(ns, "title")).textContent = p.name + ": " + show(p.y, "FLOP/s") + ", " + p.x.toPrecision(3) + " FLOP/B";
  }
};
// What is seen first: the run, all kernels, the host program.
const overview = () => {
  detail.replaceChildren();
  unmark();
  if (events.length) timeline();
  make("h2", "Kernels", detail);
  make("p", events.length ? "By their share of the run. A line of the source has the colours of its kernels; choose either one to see the other."
    : "A line of the source has the colours of its kernels; choose either one to see the other. --trace adds the times of a run.", detail, "soft");
  const t = make("table", undefined, make("div", undefined, detail, "wide")), head = make("tr", undefined, t);
  const columns = ["kernel", ...(events.length ? ["share", "time"] : []), "launches", "work", "memory", ...(events.length ? ["work/s", "memory/s"] : []), "on", ""];
  columns.forEach(c => make("th", c, head, /work|memory|launches|time/.test(c) ? "n" : ""));
  const sorted = [...data.kernels].sort((a, b) => timeOf(b.name) - timeOf(a.name) || !!mergedInto(a.name) - !!mergedInto(b.name));
  for (const k of sorted) {
    const tr = make("tr", undefined, t), cell = make("td", undefined, tr, "name"), time = timeOf(k.name), into = mergedInto(k.name), cost = costOf(k);
    chip(k.name, cell);
    make("button", k.name, cell).onclick = () => open(k.name);
    if (into && !cost.launches) {
      make("td", "merged into " + into + ", which is equal", tr, "soft").colSpan = columns.length - 1;
      continue;
    }
    if (events.length) {
      const share = make("td", undefined, tr, "bars"), part = allTime ? time / allTime : 0, bar = make("span", "", share, "bar");
      bar.style.width = part * 90 + "px";
      bar.style.background = colorOf(k.name);
      share.append(time ? " " + (part * 100).toFixed(part < 0.1 ? 1 : 0) + "%" : "");
      make("td", time ? ms(time) : "", tr, "n");
    }
    make("td", cost.launches ? String(cost.launches) : "", tr, "n");
    for (const [n, unit] of [[cost.flops, "FLOP"], [cost.bytes, "B"]]) make("td", show(n, unit), tr, "n");
    if (events.length) for (const [n, unit] of [[cost.flops, "FLOP/s"], [cost.bytes, "B/s"]]) make("td", time && n ? show(n / time * 1e6, unit) : "", tr, "n");
    const placed = data.rows.filter(r => r.kernel === k.name && r.stage === "placement");
    make("td", placed.map(r => r.chosen).join(", "), tr);
    const no = make("td", cost.launches ? "" : "work known at run time", tr, "soft");
    for (const r of placed) for (const d of r.declines) make("div", "declined by " + d.name + ": " + d.reason, no, "declined");
  }
  if (events.length) roofline();
  for (const f of data.functions) { make("h2", "Function " + f.name, detail); steps(f.steps, detail); }
};
byId("title").onclick = overview;
byId("title").title = "all kernels and the host program";
const own = data.kernels.filter(k => !mergedInto(k.name)).length;
byId("sum").textContent = own + (own === 1 ? " kernel" : " kernels") + (own < data.kernels.length ? " (" + (data.kernels.length - own) + " more were merged)" : "") +
  (events.length ? ", " + events.length + " launches, " + ms(allTime) + " in kernels" : "");
overview();
</script></body></html>
)html";
