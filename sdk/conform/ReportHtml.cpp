// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as one page: outcomes as a bar, operations by types with the worst
// error of each as a share of its bound, failures with their commands.
#include "Report.h"
#include <algorithm>
#include <cstdio>

using namespace kiln::conform;

namespace {

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

/// What a cell is, the worst first.
const char *classOf(const Counts &counts) {
  if (counts.failed || counts.invalid || counts.unexpected)
    return "failed";
  if (counts.declined)
    return counts.passed ? "partly" : "declined";
  if (counts.unsupported)
    return counts.passed ? "partly" : "unsupported";
  if (counts.declared)
    return "declared";
  return counts.passed ? "passed" : "none";
}

std::string cellText(const Counts &counts) {
  std::string text;
  auto add = [&](int64_t count, const char *what) {
    if (count)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(counts.passed, "on the device");
  add(counts.failed, "failed");
  add(counts.unexpected, "passed against a declaration");
  add(counts.invalid, "invalid");
  add(counts.declared, "failed as declared");
  add(counts.declined, "fell back");
  add(counts.unsupported, "unsupported by table");
  add(counts.notRun, "not run");
  return text;
}

/// A share of a bound: 0.25 is 25%, and 2e-5 less than 1%.
std::string percentText(double share) {
  if (share < 0.01)
    return "&lt; 1%";
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", 100 * share);
  return text;
}

/// The outcomes of all cases as one bar, with a legend of those that occur.
void addOutcomes(const Counts &counts, std::string &page) {
  struct Part {
    const char *name, *what;
    int64_t count;
  };
  const Part parts[] = {
      {"passed", "passed on the device", counts.passed},
      {"failed", "failed", counts.failed},
      {"failed", "passed against a declaration", counts.unexpected},
      {"failed", "invalid", counts.invalid},
      {"declared", "failed as declared", counts.declared},
      {"declined", "fell back", counts.declined},
      {"unsupported", "unsupported by table", counts.unsupported},
      {"none", "not run", counts.notRun}};
  std::string bar, legend;
  for (const Part &part : parts) {
    if (part.count == 0)
      continue;
    double width = 100 * double(part.count) / double(counts.all());
    bar += std::string("<span class=\"") + part.name +
           "\" style=\"width:" + std::to_string(width) + "%\" title=\"" +
           part.what + "\"></span>";
    legend += std::string("<span class=\"cell ") + part.name + "\"><b>" +
              std::to_string(part.count) + "</b> " + part.what + "</span>";
  }
  page += "<div class=\"outcomes\">" + bar + "</div>\n<p>" + legend + "</p>\n";
}

void addMatrix(const Results &results, std::string &page) {
  Matrix matrix = matrixOf(results);
  page += "<h2>Operations by type</h2>\n<p>Each box: the cases of a type that "
          "passed, of all. Where results may err, the line below is the worst "
          "error as a share of its bound. A box whose cases passed in part and "
          "fell back in part is <span class=\"cell partly\">yellow</span>"
          "</p>\n<table><tr><th>operation</th><th>types</th></tr>\n";
  for (const auto &[op, types] : matrix) {
    page += "<tr><td>" + escaped(op) + "</td><td>";
    for (const auto &[type, counts] : types) {
      bool errs = counts.worstShare > 0 && counts.worstBound > 0;
      std::string title = cellText(counts);
      if (errs)
        title += "; worst error " + numberText(counts.worstError) +
                 " of a bound of " + numberText(counts.worstBound);
      page += std::string("<span class=\"cell ") + classOf(counts) +
              "\" title=\"" + escaped(title) + "\"><b>" + escaped(type) +
              "</b> " + std::to_string(counts.passed) + "/" +
              std::to_string(counts.all());
      if (errs)
        page += " <span class=\"share\">" + percentText(counts.worstShare) +
                "</span><span class=\"error\"><i style=\"width:" +
                std::to_string(std::min(100.0, 100 * counts.worstShare)) +
                "%\"></i></span>";
      page += "</span>";
    }
    page += "</td></tr>\n";
  }
  page += "</table>\n";
}

/// Cases with one fate, by message; the message of the most cases first.
template <typename Fn>
void addList(const Results &results, const char *title, bool reproduces,
             std::string &page, Fn belongs) {
  std::map<std::string, std::vector<std::string>> lines;
  std::map<std::string, uint64_t> seeds; // of the first of each
  forEachCase(results, [&](const ReadyModule &module, const Ready &one,
                           const Verdict &verdict) {
    if (!belongs(verdict))
      return;
    const Program &program = module.module.programs[one.program];
    std::string key = reproduces ? program.id + ": " + verdict.message
                                 : withoutPlace(verdict.message);
    if (!verdict.declaration.empty())
      key += " (declared: " + verdict.declaration + ")";
    const Call &call = program.calls[one.call];
    lines[key].push_back(caseName(program, call));
    seeds.emplace(key, call.seed);
  });
  if (lines.empty())
    return;
  page += std::string("<h2>") + title + "</h2>\n";
  std::vector<std::pair<std::string, std::vector<std::string>>> sorted(
      lines.begin(), lines.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return std::make_pair(b.second.size(), a.first) <
           std::make_pair(a.second.size(), b.first);
  });
  for (const auto &[message, names] : sorted) {
    page += "<details><summary>" + std::to_string(names.size()) + ": " +
            escaped(message) + "</summary><pre>";
    if (reproduces)
      page +=
          escaped(reproduction(results, names.front(), seeds[message])) + "\n";
    for (const std::string &name : names)
      page += escaped(name) + "\n";
    page += "</pre></details>\n";
  }
}

constexpr const char *kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Conformance</title><style>
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --back: #fff; --good: #d5f0d5; --bad: #f5b5b5;
  --fell: #fbe3b0; --partly: #eef0b8; --table: #d8d8d8; --declared: #d8d0f0; --none: #eee; --error: #2da04e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9198a1; --line: #3d444d; --back: #0d1117; --good: #12432a;
  --bad: #7d2320; --fell: #5c4310; --partly: #4a4d12; --table: #40454c; --declared: #3c3163; --none: #2a2f36; --error: #57c878; } }
body { font: 14px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 16px; max-width: 1100px; color: var(--text); background: var(--back); }
h1 { font-size: 22px; margin: 8px 0; } h2 { font-size: 17px; margin: 24px 0 8px; }
table { border-collapse: collapse; width: 100%; } td { overflow-wrap: anywhere; } td:first-child { min-width: 9em; }
td, th { border-bottom: 1px solid var(--line); padding: 4px 12px 4px 0; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: normal; } .soft, .share { color: var(--soft); }
.cell { display: inline-block; margin: 2px 4px 2px 0; padding: 1px 8px; border-radius: 4px; font-size: 12px; vertical-align: top; }
.outcomes { display: flex; height: 16px; border-radius: 4px; overflow: hidden; margin: 8px 0; } .outcomes span { min-width: 3px; }
.error { display: block; height: 3px; margin: 1px 0 3px; background: var(--back); border-radius: 2px; }
.error i { display: block; height: 3px; min-width: 1px; background: var(--error); border-radius: 2px; }
.passed { background: var(--good); } .failed { background: var(--bad); } .declined { background: var(--fell); }
.partly { background: var(--partly); } .unsupported { background: var(--table); } .declared { background: var(--declared); }
.none { background: var(--none); } details { margin: 4px 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
pre { font-size: 12px; overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; padding: 8px; }
</style></head><body>
)";

} // namespace

std::string kiln::conform::toHtml(const Results &results) {
  Counts counts = countAll(results);
  std::string page = kHead;
  page += "<h1>Conformance of " + escaped(results.target) + "</h1>\n<p>" +
          std::to_string(counts.all()) + " cases, seed " +
          std::to_string(results.seed);
  if (results.seeds > 1)
    page += " and the " + std::to_string(results.seeds - 1) + " after it";
  page += ", prepared in " + numberText(results.prepareSeconds) +
          " s, run in " + numberText(results.runSeconds) + " s.";
  if (counts.worstShare > 0)
    page += " The largest error is " + percentText(counts.worstShare) +
            " of its bound.";
  page += "</p>\n";
  addOutcomes(counts, page);
  addList(results, "Failures", true, page, [](const Verdict &v) {
    return v.status == Verdict::failed && v.declaration.empty();
  });
  addList(results, "Unexpected passes", true, page, [](const Verdict &v) {
    return v.status == Verdict::passed && !v.declaration.empty();
  });
  addList(results, "Invalid cases", true, page,
          [](const Verdict &v) { return v.status == Verdict::invalid; });
  addList(results, "Failed as declared", false, page, [](const Verdict &v) {
    return v.status == Verdict::failed && !v.declaration.empty();
  });
  addList(results, "Fell back, with the reasons", false, page,
          [](const Verdict &v) { return v.status == Verdict::declined; });
  addList(results, "Unsupported by table", false, page,
          [](const Verdict &v) { return v.status == Verdict::unsupported; });
  addMatrix(results, page);
  if (!results.exempt.empty()) {
    page += "<h2>Operations without cases</h2>\n<details><summary>" +
            std::to_string(results.exempt.size()) +
            " operations, with the reasons</summary><table>";
    for (const Exemption &one : results.exempt)
      page += "<tr><td>" + escaped(one.op) + "</td><td>" + escaped(one.reason) +
              "</td></tr>\n";
    page += "</table></details>\n";
  }
  return page + "</body></html>\n";
}
