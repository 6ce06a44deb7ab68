//===- Levels.cpp - Programs that are in prim or tile already -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Frontend/Frontend.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace kiln::frontend;

/// A function of prim has tensors only, of types that prim has, and besides
/// prim no more than `arith` on numbers, for sizes.
static bool isPrim(FunctionOpInterface function) {
  auto isTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (tensor.getElementType().isSignlessIntOrIndex() ||
                      isa<FloatType>(tensor.getElementType()));
  };
  if (function.isExternal())
    return true;
  if (!llvm::all_of(function.getArgumentTypes(), isTensor) ||
      !llvm::all_of(function.getResultTypes(), isTensor))
    return false;
  WalkResult walked = function->walk([&](Operation *op) -> WalkResult {
    StringRef dialect = op->getName().getDialectNamespace();
    bool isKnown = dialect == "prim" || op == function.getOperation() ||
                   op->getName().getStringRef() == "func.return";
    if (dialect == "arith")
      isKnown = llvm::none_of(op->getResultTypes(),
                              [](Type type) { return isa<ShapedType>(type); });
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

/// Whether every function is one of prim. A global, or what else stands beside
/// functions and is none, belongs to other frontends.
static Match matchPrim(const Contents &contents) {
  if (!contents.top("func.func"))
    return Match::None;
  for (Operation &op : *contents.module().getBody()) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    bool isHere = op.getName().getStringRef() == "func.func";
    if (!function || (isHere && !isPrim(function)))
      return Match::None;
  }
  // Without an operation of prim, what another dialect says about the module
  // may make it that one's.
  auto isForeign = [](NamedAttribute attribute) {
    auto [dialect, name] = attribute.getName().strref().split('.');
    return !name.empty() && dialect != "kiln" && dialect != "prim";
  };
  bool isForeigners = !contents.uses("prim") &&
                      llvm::any_of(contents.module()->getAttrs(), isForeign);
  return isForeigners ? Match::Shared : Match::Own;
}

void kiln::frontend::registerLevels() {
  Frontend prim;
  prim.name = "prim";
  prim.help = "functions of prim, as they are";
  prim.functions = {"func.func"};
  prim.match = matchPrim;
  FrontendRegistry::get().add(std::move(prim));
  Frontend tile;
  tile.name = "tile";
  tile.help = "kernels of tile and host programs, as they are";
  tile.level = Level::Tile;
  tile.functions = {"tile.kernel", "program.func"};
  tile.dialects = {"tile", "program"};
  FrontendRegistry::get().add(std::move(tile));
}
