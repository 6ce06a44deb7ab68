//===- Recognise.cpp - Whose input a module is ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Frontend/Frontend.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln::frontend;

Contents::Contents(ModuleOp module) : root(module) {
  module.getBody()->walk([&](Operation *op) {
    dialects.insert(op->getName().getDialectNamespace());
  });
  for (Operation &op : *module.getBody()) {
    StringRef name = op.getName().getStringRef();
    if (tops.try_emplace(name, &op).second)
      order.push_back(name.str());
  }
}

/// How well the contents fit one frontend.
static Match matchOf(const Frontend &frontend, const Contents &contents) {
  if (frontend.match)
    return frontend.match(contents);
  return llvm::any_of(frontend.dialects,
                      [&](StringRef name) { return contents.uses(name); })
             ? Match::Own
             : Match::None;
}

static bool takes(const Frontend &frontend, StringRef function) {
  return llvm::is_contained(frontend.functions, function);
}

/// The frontend for one kind of function; null after an error.
static const Frontend *choose(ArrayRef<std::pair<const Frontend *, Match>> all,
                              StringRef function, Operation *first) {
  Match best = Match::None;
  SmallVector<const Frontend *> fitting;
  for (auto [frontend, match] : all) {
    if (!takes(*frontend, function) || match == Match::None || match < best)
      continue;
    if (match > best)
      fitting.clear();
    best = match;
    fitting.push_back(frontend);
  }
  if (fitting.size() == 1)
    return fitting.front();
  if (fitting.empty()) {
    first->emitError("no frontend takes '")
        << function << "', expected input of one of: " << listFrontends();
    return nullptr;
  }
  auto diag = first->emitError("the input fits several frontends: ");
  llvm::interleaveComma(fitting, diag,
                        [&](const Frontend *one) { diag << one->name; });
  diag << "; --frontend=NAME chooses one of: " << listFrontends();
  return nullptr;
}

FailureOr<std::vector<const Frontend *>>
FrontendRegistry::recognise(ModuleOp module, const Frontend *forced) const {
  Contents contents(module);
  std::vector<std::pair<const Frontend *, Match>> matches;
  for (const Frontend &frontend : all)
    matches.push_back({&frontend, matchOf(frontend, contents)});
  std::vector<const Frontend *> chosen;
  for (const std::string &name : contents.topNames()) {
    Operation *first = contents.top(name);
    const Frontend *one = forced && takes(*forced, name) ? forced : nullptr;
    // Globals and the like belong to the functions that use them.
    if (!one && (isa<FunctionOpInterface>(first) ||
                 llvm::any_of(all, [&](const Frontend &frontend) {
                   return takes(frontend, name);
                 }))) {
      one = choose(matches, name, first);
      if (!one)
        return failure();
    }
    if (one && !llvm::is_contained(chosen, one))
      chosen.push_back(one);
  }
  if (forced && !llvm::is_contained(chosen, forced))
    return module.emitError("frontend '")
           << forced->name << "' finds nothing to read, expected one of its "
           << "functions: " << llvm::join(forced->functions, ", ");
  llvm::sort(chosen, [&](const Frontend *a, const Frontend *b) {
    auto place = [&](const Frontend *one) {
      return llvm::find_if(all, [&](const Frontend &f) { return &f == one; }) -
             all.begin();
    };
    return place(a) < place(b);
  });
  return chosen;
}
