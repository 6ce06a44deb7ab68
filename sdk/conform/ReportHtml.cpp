// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as one page: operations by types, with the worst error of each
// beside its bound.
#include "Report.h"
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

void addMatrix(const Results &results, std::string &page) {
  Matrix matrix = matrixOf(results);
  page += "<h2>Operations by type</h2>\n<p>Numbers of cases; below them the "
          "worst error beside its bound, where results may err.</p>\n<table>"
          "<tr><th>operation</th><th>types</th></tr>\n";
  for (const auto &[op, types] : matrix) {
    page += "<tr><td>" + escaped(op) + "</td><td>";
    for (const auto &[type, counts] : types) {
      page += std::string("<span class=\"cell ") + classOf(counts) +
              "\" title=\"" + escaped(cellText(counts)) + "\"><b>" +
              escaped(type) + "</b> " + std::to_string(counts.passed) + "/" +
              std::to_string(counts.all());
      if (counts.worstShare > 0 && counts.worstBound > 0)
        page += "<br>" + numberText(counts.worstError) + " of " +
                numberText(counts.worstBound);
      page += "</span>";
    }
    page += "</td></tr>\n";
  }
  page += "</table>\n";
}

/// Cases with one fate, by message.
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
    std::string key =
        reproduces ? program.id + ": " + verdict.message : verdict.message;
    if (!verdict.declaration.empty())
      key += " (declared: " + verdict.declaration + ")";
    const Call &call = program.calls[one.call];
    lines[key].push_back(caseName(program, call));
    seeds.emplace(key, call.seed);
  });
  if (lines.empty())
    return;
  page += std::string("<h2>") + title + "</h2>\n";
  for (const auto &[message, names] : lines) {
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
<html lang="en"><head><meta charset="utf-8"><title>Conformance</title><style>
body { font: 14px/1.4 sans-serif; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; }
td, th { border-bottom: 1px solid #ddd; padding: 2px 8px; text-align: left; vertical-align: top; }
.cell { display: inline-block; margin: 2px; padding: 1px 6px; border-radius: 3px; font-size: 12px; }
.passed { background: #d5f0d5; } .failed { background: #f5b5b5; } .declined { background: #fbe3b0; }
.partly { background: #eef0b8; } .unsupported { background: #d8d8d8; } .declared { background: #d8d0f0; }
.none { background: #eee; } pre { font-size: 12px; overflow-x: auto; }
</style></head><body>
)";

} // namespace

std::string kiln::conform::toHtml(const Results &results) {
  Counts counts = countAll(results);
  std::string page = kHead;
  page += "<h1>Conformance of " + escaped(results.target) + "</h1>\n<p>" +
          std::to_string(counts.all()) + " cases, seed " +
          std::to_string(results.seed) + ": " + cellText(counts) +
          ". Prepared in " + numberText(results.prepareSeconds) +
          " s, run in " + numberText(results.runSeconds) + " s.</p>\n<p>";
  for (auto [name, what] : {std::pair("passed", "on the device"),
                            {"declined", "fell back"},
                            {"partly", "in part on the device"},
                            {"unsupported", "unsupported by table"},
                            {"declared", "failed as declared"},
                            {"failed", "failed"}})
    page +=
        std::string("<span class=\"cell ") + name + "\">" + what + "</span>";
  page += "</p>\n";
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
    page += "<h2>Operations without cases</h2>\n<table>";
    for (const Exemption &one : results.exempt)
      page += "<tr><td>" + escaped(one.op) + "</td><td>" + escaped(one.reason) +
              "</td></tr>\n";
    page += "</table>\n";
  }
  return page + "</body></html>\n";
}
