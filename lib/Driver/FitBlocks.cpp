//===- FitBlocks.cpp - Blocks for the target that takes a kernel ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks are chosen before a target gets a kernel, for the first target. Where
// several targets share a program (A+B), what A declines is made again from the
// program in prim with the blocks that suit B, and so on.
//
//===----------------------------------------------------------------------===//

#include "Phases.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Target/KernelTargets.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

namespace {
/// Which kernels are made for which target of one program, as far as known.
class BlockFitter {
public:
  BlockFitter(Session &session, Program &program)
      : session(session), program(program), report(session.report),
        isPackage(session.stopsAt(Emit::Package) &&
                  !session.options.referenceKernels) {}

  Outcome run();

private:
  /// Compiles the kernels, until one of them has to be made again.
  LogicalResult tryKernels(ModuleOp module);
  /// Notes the groups all of whose kernels have come to target number `next`,
  /// with blocks for an earlier one.
  bool findMoved(size_t next, const llvm::StringMap<size_t> &placed);
  /// Where the kernels of each group have come to.
  llvm::MapVector<StringRef, size_t>
  placeGroups(const llvm::StringMap<size_t> &placed);
  /// The group that a kernel comes from; the kernel itself if it came as one.
  StringRef groupOf(StringRef kernel) const;
  void takeDeclines(ModuleOp module);
  void giveDeclines(ModuleOp module);
  Outcome makeAgain();

  Session &session;
  Program &program;
  Report &report;
  /// Whether the code is wanted. Else the kernels are, as they are before they
  /// are compiled: to print them, or to evaluate them as a check.
  bool isPackage;
  std::vector<ReportRow> rows;
  llvm::StringMap<size_t> chosenFor; ///< groups with blocks for a later target
  llvm::StringMap<std::vector<Decline>> declines; ///< of such groups
  KeptKernels kept;
  std::vector<ReportRow> keptRows; ///< about these
  std::vector<std::string> moved;  ///< groups, in this attempt
  size_t movedTo = 0;
  size_t numBefore = 0; ///< rows of the report, before this attempt
};
} // namespace

/// The kernels of a module.
static SmallVector<Operation *> kernelsOf(ModuleOp module) {
  SmallVector<Operation *> kernels;
  for (Operation &op : *module.getBody())
    if (op.getName().getStringRef() == "tile.kernel")
      kernels.push_back(&op);
  return kernels;
}

static StringRef nameOf(Operation *kernel) {
  return SymbolTable::getSymbolName(kernel).getValue();
}

StringRef BlockFitter::groupOf(StringRef kernel) const {
  StringRef group = kernel;
  size_t best = 0;
  for (const ReportRow &row : rows) {
    StringRef rest = kernel;
    if (row.stage == "schedule" && !row.kernel.empty() &&
        rest.consume_front(row.kernel) && row.kernel.size() > best &&
        (rest.empty() || rest.starts_with("_"))) {
      best = row.kernel.size();
      group = row.kernel;
    }
  }
  return group;
}

llvm::MapVector<StringRef, size_t>
BlockFitter::placeGroups(const llvm::StringMap<size_t> &placed) {
  llvm::MapVector<StringRef, size_t> groups;
  auto add = [&](StringRef kernel, size_t place) {
    auto [entry, isNew] = groups.try_emplace(groupOf(kernel), place);
    entry->second = std::min(entry->second, place);
  };
  for (Operation *kernel : kernelsOf(*program.module))
    if (auto place = placed.find(nameOf(kernel)); place != placed.end())
      add(place->first(), place->second);
  // Equal kernels of several groups are one.
  for (const ReportRow &row : rows)
    if (row.stage == "merge" && !placed.contains(row.kernel))
      if (auto place = placed.find(row.chosen); place != placed.end())
        add(row.kernel, place->second);
  return groups;
}

bool BlockFitter::findMoved(size_t next,
                            const llvm::StringMap<size_t> &placed) {
  rows = report.rows();
  for (const auto &[group, place] : placeGroups(placed))
    if (size_t &known = chosenFor[group]; place == next && known < next) {
      known = next;
      moved.push_back(group.str());
    }
  movedTo = next;
  if (moved.empty())
    return false;
  for (const ReportRow &row : ArrayRef(rows).drop_front(numBefore))
    if (auto place = placed.find(row.kernel);
        place != placed.end() && place->second < next)
      keptRows.push_back(row);
  return true;
}

LogicalResult BlockFitter::tryKernels(ModuleOp module) {
  LoweringPlan plan = planLowering(session);
  if (!isPackage) {
    plan.oneModule = false;
    plan.lowered = nullptr;
  }
  plan.kept = &kept;
  plan.chooseAgain = [&](size_t next, const llvm::StringMap<size_t> &placed) {
    return findMoved(next, placed);
  };
  program.kernels = CompiledKernels();
  if (isPackage)
    return compileKernels(module, program.targets, session.printer,
                          session.timing, plan, program.kernels);
  // What is said of kernels is said when they are printed, if they are at all.
  std::vector<std::string> lines;
  LogicalResult result = success();
  {
    DiagnosticPrinter collector(
        session.printer, [&](StringRef line) { lines.push_back(line.str()); });
    result = compileKernels(module, program.targets, collector, session.timing,
                            plan, program.kernels);
  }
  if (succeeded(result))
    return success();
  for (StringRef line : lines)
    line.contains("error: ") ? session.printer.raw(line)
                             : session.printer.note(line);
  return result;
}

void BlockFitter::takeDeclines(ModuleOp module) {
  for (Operation *kernel : kernelsOf(module)) {
    std::vector<Decline> found = report.pendingDeclines(kernel);
    if (found.empty())
      continue;
    // They belong to this operation, which ends here.
    report.failed(kernel, "placement", "");
    StringRef name = nameOf(kernel);
    declines[groupOf(name)] = found;
    for (const ReportRow &row : rows)
      if (row.stage == "merge" && row.chosen == name)
        declines[groupOf(row.kernel)] = found;
  }
}

void BlockFitter::giveDeclines(ModuleOp module) {
  for (Operation *kernel : kernelsOf(module))
    if (kernel->hasAttr(kSpecAttr))
      for (const Decline &one : declines.lookup(groupOf(nameOf(kernel))))
        report.declined(kernel, one.name, one.reason);
}

Outcome BlockFitter::makeAgain() {
  report.truncate(program.numRows);
  setKernelTarget(*program.before, moved, program.targets[movedTo]);
  moved.clear();
  program.module = program.before->clone();
  for (const Phase &phase : targetPhases())
    if (llvm::is_contained({"tile", "numerics", "claim"}, phase.name))
      if (Outcome outcome = phase.run(session, program);
          outcome != Outcome::Continue)
        return outcome;
  for (const ReportRow &row : keptRows)
    report.add(row);
  rows = report.rows();
  return Outcome::Continue;
}

Outcome BlockFitter::run() {
  while (true) {
    numBefore = report.rows().size();
    OwningOpRef<ModuleOp> copy =
        isPackage ? OwningOpRef<ModuleOp>() : program.module->clone();
    ModuleOp module = isPackage ? *program.module : *copy;
    giveDeclines(module);
    if (failed(tryKernels(module)))
      return Outcome::Failed;
    if (moved.empty()) {
      program.isLowered = isPackage;
      if (!isPackage) {
        program.kernels = CompiledKernels();
        report.truncate(numBefore);
        giveDeclines(*program.module);
      }
      return Outcome::Continue;
    }
    takeDeclines(module);
    if (Outcome outcome = makeAgain(); outcome != Outcome::Continue)
      return outcome;
  }
}

Outcome kiln::driver::fitBlocks(Session &session, Program &program) {
  if (program.targets.size() < 2 || !program.before || program.isTakenWhole ||
      session.options.printPipeline)
    return Outcome::Continue;
  return BlockFitter(session, program).run();
}
