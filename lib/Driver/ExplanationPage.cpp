//===- ExplanationPage.cpp - What surrounds the data of a page ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ExplanationPage.h"

const char *const kiln::driver::kPageHead = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Kiln: what became of a program</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 0; color: #222; }
h1 { font-size: 16px; margin: 8px 12px; } h2 { font-size: 14px; margin: 12px 0 4px; }
main { display: grid; grid-template-columns: 40% 60%; height: calc(100vh - 40px); }
section { overflow: auto; padding: 0 12px; border-top: 1px solid #ccc; }
pre, code, td, button { font-family: monospace; font-size: 12px; }
.line { white-space: pre; } .line b { color: #999; font-weight: normal; display: inline-block; width: 4em; }
.has { cursor: pointer; background: #f2f6ff; } .at { background: #ffe9a8; }
button { margin: 1px; border: 1px solid #bbb; background: #fff; cursor: pointer; }
button.on { background: #d6e4ff; } table { border-collapse: collapse; } td { padding: 1px 10px 1px 0; vertical-align: top; }
.declined { color: #a33; } svg text { font: 11px monospace; }
</style></head><body><h1 id="title"></h1><main><section id="source"></section><section id="detail"></section></main>
<script id="data" type="application/json">)html";

const char *const kiln::driver::kPageTail = R"html(</script>
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
const events = ((data.profile || {}).traceEvents || []).filter(e => e.ph === "X");
const runsOf = name => events.filter(e => e.args && e.args.kernel === name);
const timeOf = name => runsOf(name).reduce((sum, e) => sum + e.dur, 0);
// What launches compute and move: where sizes are static, of one call; else of the run, if there is one. Formulas are in the rows.
const costOf = k => {
  if (k.launches) return {launches: k.launches, flops: k.flops, bytes: k.bytes, where: ""};
  const runs = runsOf(k.name);
  if (!runs.length) return {where: ""};
  const sum = part => runs.reduce((all, e) => all + (e.args[part] || 0), 0);
  return {launches: runs.length, flops: sum("flops"), bytes: sum("bytes"), where: " in the run"};
};
const show = n => n === undefined ? "-" : n >= 1e9 ? (n / 1e9).toFixed(2) + " G" : n >= 1e6 ? (n / 1e6).toFixed(2) + " M" : String(n);

// The lines of the source, and the operations on each.
const opsAt = new Map();
for (const op of data.ops) {
  const cut = op.place.lastIndexOf(":"), line = op.place.lastIndexOf(":", cut - 1);
  const own = op.place.slice(0, line) === data.file;
  const key = own ? Number(op.place.slice(line + 1, cut)) : op.place;
  if (!opsAt.has(key)) opsAt.set(key, []);
  opsAt.get(key).push(op);
}
const choose = (row, ops) => {
  for (const e of document.querySelectorAll(".at")) e.classList.remove("at");
  row.classList.add("at");
  detail.replaceChildren();
  const seen = new Set();
  for (const op of ops) {
    make("h2", op.name + "  " + op.place, detail);
    const mine = data.rows.filter(r => r.place === op.place && !r.kernel);
    if (mine.length) table(mine, detail);
    if (!op.kernels.length)
      make("p", op.host ? "in no kernel: the host program does it" : "in no kernel: nothing is left of it", detail);
    for (const k of op.kernels) seen.add(k);
  }
  for (const k of seen) kernel(k);
};
const addLine = (text, number, key) => {
  const row = make("div", undefined, source, "line");
  make("b", number, row);
  row.appendChild(document.createTextNode(text));
  const ops = opsAt.get(key);
  if (ops) { row.classList.add("has"); row.onclick = () => choose(row, ops); }
};
data.source.split("\n").forEach((text, i) => addLine(text, i + 1, i + 1));
for (const key of opsAt.keys())
  if (typeof key === "string") addLine(opsAt.get(key).map(op => op.name).join(", "), "", key), source.lastChild.append("  " + key);

const table = (rows, parent) => {
  const t = make("table", undefined, parent);
  for (const r of rows) {
    const tr = make("tr", undefined, t);
    for (const text of [r.stage, r.subject + (r.count > 1 ? " x" + r.count : ""), "\u2192 " + (r.chosen || "nothing"), "[" + r.target + "]", r.detail])
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
  const bar = make("div", undefined, parent), text = make("pre", "", parent);
  list.forEach((step, i) => {
    const b = make("button", step.pass, bar);
    b.onclick = () => {
      for (const other of bar.children) other.classList.remove("on");
      b.classList.add("on");
      text.textContent = step.text;
    };
    if (i === 0) b.onclick();
  });
};
const kernel = name => {
  const k = kernels.get(name);
  make("h2", "kernel " + name, detail);
  const time = timeOf(name), cost = costOf(k);
  make("p", (cost.launches ? cost.launches + (cost.launches > 1 ? " launches" : " launch") + cost.where + ", " + show(cost.flops) + "FLOP, " + show(cost.bytes) + "B" : "sizes are known when it runs") +
    (time ? ", " + (time / 1000).toFixed(3) + " ms" : ""), detail);
  table(data.rows.filter(r => r.kernel === name), detail);
  steps(k.steps, detail);
};
const timeline = () => {
  if (!events.length) return;
  make("h2", "a run, by device and queue", detail);
  const lanes = [...new Set(events.map(e => e.pid + " / " + e.tid))];
  const names = new Map(((data.profile || {}).traceEvents || []).filter(e => e.ph === "M" && e.name === "process_name").map(e => [e.pid, e.args.name]));
  const begin = Math.min(...events.map(e => e.ts)), end = Math.max(...events.map(e => e.ts + e.dur));
  const ns = "http://www.w3.org/2000/svg", width = 900, height = 24 * lanes.length + 8;
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("width", width); svg.setAttribute("height", height);
  const x = t => (t - begin) / Math.max(end - begin, 1e-9) * (width - 2);
  for (const e of events) {
    const box = document.createElementNS(ns, "rect"), y = 24 * lanes.indexOf(e.pid + " / " + e.tid) + 4;
    box.setAttribute("x", x(e.ts)); box.setAttribute("y", y);
    box.setAttribute("width", Math.max(x(e.ts + e.dur) - x(e.ts), 1)); box.setAttribute("height", 18);
    box.setAttribute("fill", "hsl(" + [...e.name].reduce((h, c) => (h * 31 + c.charCodeAt(0)) % 360, 7) + ",60%,70%)");
    const tip = document.createElementNS(ns, "title");
    tip.textContent = e.name + ": " + e.dur.toFixed(1) + " us";
    box.appendChild(tip);
    if (e.args && kernels.has(e.args.kernel)) { box.style.cursor = "pointer"; box.onclick = () => { detail.replaceChildren(); kernel(e.args.kernel); }; }
    svg.appendChild(box);
  }
  detail.appendChild(svg);
  make("p", lanes.map(l => names.get(Number(l.split(" / ")[0])) || l).join(", ") + ": " + ((end - begin) / 1000).toFixed(3) + " ms", detail);
};
// What is seen first: the run, all kernels, the host program.
const overview = () => {
  detail.replaceChildren();
  timeline();
  make("h2", "kernels", detail);
  const t = make("table", undefined, detail);
  for (const k of data.kernels) {
    const tr = make("tr", undefined, t), cell = make("td", undefined, tr);
    make("button", k.name, cell).onclick = () => { detail.replaceChildren(); kernel(k.name); };
    const placed = data.rows.filter(r => r.kernel === k.name && r.stage === "placement"), cost = costOf(k);
    for (const text of [placed.map(r => r.chosen).join(", "), cost.launches ? cost.launches + " x" : "", show(cost.flops) + "FLOP", show(cost.bytes) + "B", timeOf(k.name) ? (timeOf(k.name) / 1000).toFixed(3) + " ms" : ""])
      make("td", text, tr);
    for (const r of placed) for (const d of r.declines) make("td", "declined by " + d.name + ": " + d.reason, tr, "declined");
  }
  for (const f of data.functions) { make("h2", "function " + f.name, detail); steps(f.steps, detail); }
};
byId("title").onclick = overview;
byId("title").style.cursor = "pointer";
overview();
</script></body></html>
)html";
