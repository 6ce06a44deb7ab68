//===- Report.cpp - The what-lowered-where report -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::target;

Report &Report::of(MLIRContext *context) {
  if (auto *dialect = context->getLoadedDialect<KilnDialect>())
    return dialect->getReport();
  static thread_local Report unread;
  unread.clear();
  return unread;
}

std::string kiln::target::locationString(Location loc) {
  std::string text;
  loc->walk([&](Location part) {
    // A place in a file that has no lines has a name.
    if (auto named = dyn_cast<NameLoc>(part))
      if (auto file = dyn_cast<FileLineColLoc>(named.getChildLoc()))
        if (file.getLine() == 0 && file.getColumn() == 0) {
          text = (file.getFilename().getValue() + ": " +
                  named.getName().getValue())
                     .str();
          return WalkResult::interrupt();
        }
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    text = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

ReportRow Report::describe(Operation *op) const {
  ReportRow row;
  row.subject = op->getName().getStringRef().str();
  if (auto kind = op->getAttrOfType<StringAttr>("kind"))
    row.subject += "<" + kind.getValue().str() + ">";
  row.location = locationString(op->getLoc());
  // The name that a schedule gives to the kernel of a group.
  if (auto name = dyn_cast_or_null<StringAttr>(getReported(op, kKernelEntry)))
    row.kernel = name.getValue().str();
  for (Operation *at = op; at; at = at->getParentOp()) {
    auto name = at->getAttrOfType<StringAttr>("sym_name");
    if (!name)
      continue;
    bool isKernel = at->getName().getStringRef() == "tile.kernel";
    std::string &slot = isKernel ? row.kernel : row.function;
    if (slot.empty() && (isKernel || at->getNumRegions()) &&
        at->getName().getStringRef() != "builtin.module")
      slot = name.getValue().str();
    if (auto origin =
            dyn_cast_or_null<StringAttr>(getReported(at, kFunctionEntry)))
      row.function = origin.getValue().str();
  }
  return row;
}

/// What makes rows equal.
static std::string keyOf(const ReportRow &row) {
  return llvm::join_items('\0', row.stage, row.function, row.kernel,
                          row.subject, row.target, row.chosen, row.detail);
}

void Report::add(ReportRow row) {
  // Its declines are kept elsewhere, see Declines.cpp.
  if (row.stage.empty())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  auto [number, isNew] = numbers.try_emplace(keyOf(row), table.size());
  if (isNew) {
    table.push_back(std::move(row));
    return;
  }
  ReportRow &old = table[number->second];
  ++old.count;
  for (Decline &decline : row.declines)
    if (llvm::none_of(old.declines, [&](const Decline &known) {
          return known.name == decline.name && known.reason == decline.reason;
        }))
      old.declines.push_back(std::move(decline));
}

void Report::orderByKernel(size_t first, const llvm::StringMap<size_t> &order) {
  std::lock_guard<std::mutex> lock(mutex);
  // Rows of one kernel come from one thread, in order; others are sorted.
  std::vector<std::tuple<size_t, std::string, size_t>> keys;
  for (size_t number = first; number < table.size(); ++number) {
    auto known = order.find(table[number].kernel);
    if (known == order.end())
      keys.emplace_back(0, keyOf(table[number]), number);
    else
      keys.emplace_back(known->second + 1, "", number);
  }
  llvm::sort(keys);
  std::vector<ReportRow> sorted;
  for (const auto &key : keys)
    sorted.push_back(std::move(table[std::get<2>(key)]));
  std::move(sorted.begin(), sorted.end(), table.begin() + first);
  numbers.clear();
  for (auto [number, row] : llvm::enumerate(table))
    numbers[keyOf(row)] = number;
}

void Report::declined(Operation *op, StringRef name, const Twine &reason) {
  std::lock_guard<std::mutex> lock(mutex);
  pending[op].push_back({name.str(), reason.str()});
}

std::vector<Decline> Report::pendingDeclines(Operation *op) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = pending.find(op);
  return it == pending.end() ? std::vector<Decline>() : it->second;
}

void Report::broke(Operation *op, StringRef owner) {
  std::lock_guard<std::mutex> lock(mutex);
  broken.insert(op);
  if (!llvm::is_contained(brokenBy, owner))
    brokenBy.push_back(owner.str());
}

std::vector<std::string> Report::brokenOwners() const {
  std::lock_guard<std::mutex> lock(mutex);
  return brokenBy;
}

void Report::truncate(size_t first) {
  std::lock_guard<std::mutex> lock(mutex);
  table.resize(std::min(first, table.size()));
  numbers.clear();
  for (auto [number, row] : llvm::enumerate(table))
    numbers[keyOf(row)] = number;
}

bool Report::takeBroken(Operation *op) {
  std::lock_guard<std::mutex> lock(mutex);
  if (broken.empty())
    return false;
  bool found = false;
  op->walk([&](Operation *inner) { found |= broken.erase(inner); });
  return found;
}

void Report::refusedAsync(Operation *function) {
  std::lock_guard<std::mutex> lock(mutex);
  refused.insert(function);
}

bool Report::takeRefusedAsync(Operation *function) {
  std::lock_guard<std::mutex> lock(mutex);
  return refused.erase(function);
}

void Report::chose(const ReportRow &subject, Operation *key, StringRef stage,
                   StringRef target, StringRef name, const Twine &detail) {
  ReportRow row = subject;
  row.stage = stage.str();
  row.target = target.str();
  row.chosen = name.str();
  row.detail = detail.str();
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = pending.find(key);
    if (it != pending.end()) {
      row.declines = std::move(it->second);
      pending.erase(it);
    }
  }
  add(std::move(row));
}

void Report::chose(Operation *op, StringRef stage, StringRef target,
                   StringRef name, const Twine &detail) {
  chose(describe(op), op, stage, target, name, detail);
}

void Report::failed(Operation *op, StringRef stage, StringRef target) {
  chose(describe(op), op, stage, target, "", "");
}

std::vector<ReportRow> Report::rows() const {
  std::lock_guard<std::mutex> lock(mutex);
  return table;
}

void Report::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  table.clear();
  numbers.clear();
  pending.clear();
  broken.clear();
  brokenBy.clear();
}

/// One row, and one line per decline.
static void printRow(const ReportRow &row, llvm::raw_ostream &os) {
  os << "  " << llvm::left_justify(row.stage, 10) << " ";
  if (!row.kernel.empty())
    os << row.kernel << ": ";
  os << row.subject;
  if (row.count > 1)
    os << " x" << row.count;
  os << " -> " << (row.chosen.empty() ? "nothing" : row.chosen);
  if (!row.target.empty() && row.target != row.chosen)
    os << " [" << row.target << "]";
  if (!row.detail.empty())
    os << " " << row.detail;
  if (!row.location.empty())
    os << "  (" << row.location << ")";
  os << "\n";
  for (const Decline &decline : row.declines)
    os << "               declined by " << decline.name << ": "
       << decline.reason << "\n";
}

void Report::printText(llvm::raw_ostream &os) const {
  // Function by function, in the order in which they first appear.
  llvm::MapVector<StringRef, std::vector<const ReportRow *>> functions;
  std::vector<ReportRow> all = rows();
  for (const ReportRow &row : all)
    functions[row.function].push_back(&row);
  for (const auto &[function, list] : functions) {
    os << (function.empty() ? std::string("module")
                            : "function " + function.str())
       << "\n";
    for (const ReportRow *row : list)
      printRow(*row, os);
  }
}

void Report::printJson(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, 2);
  json.arrayBegin();
  for (const ReportRow &row : rows()) {
    json.objectBegin();
    json.attribute("stage", row.stage);
    json.attribute("function", row.function);
    json.attribute("kernel", row.kernel);
    json.attribute("subject", row.subject);
    json.attribute("target", row.target);
    json.attribute("chosen", row.chosen);
    json.attribute("detail", row.detail);
    json.attribute("location", row.location);
    json.attribute("count", static_cast<int64_t>(row.count));
    json.attributeArray("declines", [&] {
      for (const Decline &decline : row.declines)
        json.object([&] {
          json.attribute("name", decline.name);
          json.attribute("reason", decline.reason);
        });
    });
    json.objectEnd();
  }
  json.arrayEnd();
  os << "\n";
}
