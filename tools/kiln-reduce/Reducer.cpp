//===- Reducer.cpp - Delta debugging over operations ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reducer.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::reduce;

bool Tester::isInteresting(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << "\n";
  if (auto it = known.find(text); it != known.end())
    return it->second;
  llvm::SmallString<128> path;
  int fd = -1;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("kiln-reduce", "mlir", fd, path)) {
    message = "cannot create a temporary file: " + code.message();
    return false;
  }
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream file(fd, /*shouldClose=*/true);
  file << text;
  file.close();
  if (file.has_error()) {
    message =
        path.str().str() + ": cannot be written: " + file.error().message();
    file.clear_error();
    return false;
  }
  SmallVector<StringRef> command{program};
  command.append(args.begin(), args.end());
  command.push_back(path);
  std::string why;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(),
                                          StringRef()};
  ++runs;
  bool failed = false;
  int status =
      llvm::sys::ExecuteAndWait(program, command, std::nullopt, redirects,
                                seconds, /*MemoryLimit=*/0, &why, &failed);
  // What a shell says about a program that it does not find.
  if (failed || status == 126 || status == 127)
    message = program + ": cannot be run" + (why.empty() ? "" : ": " + why);
  return known[text] = status > 0 && status < 126;
}

Reducer::Reducer(ModuleOp module, Tester &tester)
    : best(module.clone()), tester(tester), cost(costOf(module)) {}

Reducer::~Reducer() = default;

/// Applies an edit to a copy, which becomes the best program if it is valid,
/// smaller and interesting.
bool Reducer::attempt(Edit edit) {
  if (!tester.error().empty())
    return false;
  ScopedDiagnosticHandler silent(best->getContext(),
                                 [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> copy = best->clone();
  if (!edit(*copy))
    return false;
  Cost smaller = costOf(*copy);
  if (!(smaller < cost) || failed(verify(*copy)) ||
      !tester.isInteresting(*copy))
    return false;
  best = std::move(copy);
  cost = smaller;
  return true;
}

/// Operations that can go: those of the module, or all that are in them.
static SmallVector<Operation *> droppable(ModuleOp module, bool nested) {
  SmallVector<Operation *> ops;
  if (!nested) {
    for (Operation &op : *module.getBody())
      ops.push_back(&op);
    return ops;
  }
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getParentOp() && op->getParentOp() != module &&
        !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

/// Drops the operations [begin, end) of those that can go, users first.
static bool dropRange(ModuleOp module, bool nested, size_t begin, size_t end,
                      Substitute with) {
  SmallVector<Operation *> ops = droppable(module, nested);
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin() + begin,
                                            ops.begin() + end);
  bool changed = false;
  for (size_t i = end; i > begin; --i) {
    // What is in another one goes with it.
    bool goesAlong = false;
    for (Operation *at = ops[i - 1]->getParentOp(); at; at = at->getParentOp())
      goesAlong |= inside.contains(at);
    if (!goesAlong)
      changed |= dropOperation(ops[i - 1], with);
  }
  return changed;
}

bool Reducer::dropAll(bool nested) {
  bool changed = false;
  size_t count = droppable(*best, nested).size();
  for (size_t size = std::max<size_t>(count, 1); size > 0; size /= 2) {
    // From the end: what is in front is needed by what is behind.
    for (size_t end = droppable(*best, nested).size(); end > 0;) {
      end = std::min(end, droppable(*best, nested).size());
      if (end == 0)
        break;
      size_t begin = end > size ? end - size : 0;
      for (Substitute with :
           {Substitute::Value, Substitute::Argument, Substitute::Constant})
        if (attempt([&](ModuleOp module) {
              return dropRange(module, nested, begin, end, with);
            })) {
          changed = true;
          break;
        }
      end = begin;
    }
  }
  return changed;
}

/// Operation number `index` of a walk that is the same in every copy.
static Operation *operationAt(ModuleOp module, size_t index) {
  Operation *found = nullptr;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (index-- != 0)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static size_t countOf(ModuleOp module) {
  size_t count = 0;
  module->walk([&](Operation *) { ++count; });
  return count;
}

/// Lets functions end earlier: the earliest operation whose results, returned,
/// keep the program interesting is searched by halving.
bool Reducer::shortenFunctions() {
  bool changed = false;
  size_t numTop =
      std::distance(best->getBody()->begin(), best->getBody()->end());
  for (size_t top = 0; top < numTop; ++top) {
    auto bodyOf = [&](ModuleOp module) -> Block * {
      auto function = dyn_cast<FunctionOpInterface>(
          *std::next(module.getBody()->begin(), top));
      return function && llvm::hasSingleElement(function.getFunctionBody())
                 ? &function.getFunctionBody().front()
                 : nullptr;
    };
    size_t low = 0, high = 0;
    if (Block *body = bodyOf(*best))
      high = body->getOperations().size();
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (attempt([&](ModuleOp module) {
            return returnResults(&*std::next(bodyOf(module)->begin(), middle));
          })) {
        changed = true;
        high = middle;
      } else {
        low = middle + 1;
      }
    }
  }
  return changed;
}

bool Reducer::inlineRegions() {
  bool changed = false;
  for (size_t index = countOf(*best); index > 0; --index) {
    Operation *op = operationAt(*best, index - 1);
    for (unsigned r = 0, e = op ? op->getNumRegions() : 0; r < e; ++r)
      if (attempt([&](ModuleOp module) {
            Operation *same = operationAt(module, index - 1);
            return inlineRegion(same, same->getRegion(r));
          })) {
        changed = true;
        break;
      }
  }
  return changed;
}

bool Reducer::shrinkSignatures() {
  bool changed = false;
  size_t numTop =
      std::distance(best->getBody()->begin(), best->getBody()->end());
  for (size_t top = 0; top < numTop; ++top) {
    auto at = [&](ModuleOp module) {
      return &*std::next(module.getBody()->begin(), top);
    };
    auto function = dyn_cast<FunctionOpInterface>(at(*best));
    for (unsigned i = function ? function.getNumResults() : 0; i > 0; --i)
      changed |= attempt(
          [&](ModuleOp module) { return dropResult(at(module), i - 1); });
    changed |= attempt(
        [&](ModuleOp module) { return dropUnusedArguments(at(module)); });
  }
  return changed;
}

bool Reducer::shrinkAttributes() {
  // All at once, else one by one.
  if (attempt([](ModuleOp module) {
        bool changed = false;
        module->walk([&](Operation *op) { changed |= simplifyAttributes(op); });
        return changed;
      }))
    return true;
  bool changed = false;
  for (size_t index = countOf(*best); index > 0; --index)
    changed |= attempt([&](ModuleOp module) {
      return simplifyAttributes(operationAt(module, index - 1));
    });
  return changed;
}

void Reducer::run() {
  bool changed = true;
  while (changed) {
    changed = dropAll(/*nested=*/false);
    changed |= shortenFunctions();
    changed |= dropAll(/*nested=*/true);
    changed |= inlineRegions();
    changed |= shrinkSignatures();
    changed |= shrinkAttributes();
  }
}
