//===- Aliases.cpp - Which memory addresses reach -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/Aliases.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;

bool tile::isAddress(Type type) {
  return isa<ViewType, PtrType>(getElementTypeOrSelf(type));
}

/// The address that an operation moves; null if it has none or several.
static Value sourceOf(Operation *op) {
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return {};
  Value source;
  for (Value operand : op->getOperands())
    if (tile::isAddress(operand.getType())) {
      if (source)
        return {};
      source = operand;
    }
  return source;
}

/// The block argument that an address is derived from; null where it comes from
/// elsewhere.
static BlockArgument originOf(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    address = sourceOf(op);
    if (!address)
      return {};
  }
  return cast<BlockArgument>(address);
}

BlockArgument tile::rootOf(Value address) {
  BlockArgument origin = address ? originOf(address) : BlockArgument();
  while (origin && !isa<KernelOp>(origin.getOwner()->getParentOp())) {
    // A loop that only moves a pointer on has that of its begin.
    auto loop = dyn_cast<scf::ForOp>(origin.getOwner()->getParentOp());
    if (!loop || origin == loop.getInductionVar() ||
        originOf(loop.getTiedLoopYieldedValue(origin)->get()) != origin)
      return {};
    origin = originOf(loop.getTiedLoopInit(origin)->get());
  }
  return origin;
}

bool tile::hasFact(BlockArgument argument, StringRef name) {
  if (!argument)
    return false;
  auto kernel = cast<tile::KernelOp>(argument.getOwner()->getParentOp());
  return static_cast<bool>(getFact(kernel, argument.getArgNumber(), name));
}

bool tile::mayAlias(Value a, Value b) {
  BlockArgument x = rootOf(a), y = rootOf(b);
  for (BlockArgument argument : {x, y})
    if (hasFact(argument, kReadonlyFact))
      return false; // nothing writes it
  // What comes from an unknown place may come from either parameter.
  return x == y || !x || !y ||
         (!hasFact(x, kNoaliasFact) && !hasFact(y, kNoaliasFact));
}
