//===- Linearize.cpp - Index computations of a kernel ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Linearize.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

Linearizer::Linearizer(ArrayRef<IterationDim> dims, index::Symbols &symbols)
    : symbols(symbols),
      reader(
          index::Reader::Coordinates,
          // What never varies is a symbol, however it is computed.
          [this](Value value) -> std::optional<index::Expr> {
            if (varies(value))
              return std::nullopt;
            return this->symbols.of(value);
          },
          [this](Value value) { return ofIndex(value); }) {
  for (auto [i, dim] : llvm::enumerate(dims))
    dimOf[dim.index] = i;
}

std::optional<index::Expr> Linearizer::ofIndex(Value value) {
  auto dim = dimOf.find(value);
  if (dim != dimOf.end())
    return index::Expr::dim(dim->second);
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? ofInduction(argument) : std::nullopt;
}

/// The constant that a loop-carried value moves by, if it does.
static std::optional<int64_t> getIncrement(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar() ||
      !argument.getType().isIntOrIndex())
    return std::nullopt;
  auto add = loop.getTiedLoopYieldedValue(argument)
                 ->get()
                 .getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  if (add.getLhs() == argument)
    return getConstantIntValue(add.getRhs());
  if (add.getRhs() == argument)
    return getConstantIntValue(add.getLhs());
  return std::nullopt;
}

bool Linearizer::isInduction(BlockArgument argument) {
  return getIncrement(argument) && get(argument);
}

std::optional<index::Expr> Linearizer::ofInduction(BlockArgument argument) {
  std::optional<int64_t> increment = getIncrement(argument);
  if (!increment)
    return std::nullopt;
  auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
  std::optional<index::Expr> init = get(loop.getTiedLoopInit(argument)->get());
  std::optional<index::Expr> index = get(loop.getInductionVar());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  if (!init || !index || !step || *step <= 0 || lower != 0 ||
      *increment % *step != 0)
    return std::nullopt;
  return *init + *index * (*increment / *step);
}

bool Linearizer::varies(Value value) {
  auto found = varying.find(value);
  if (found != varying.end())
    return found->second;
  bool result = computeVaries(value);
  varying[value] = result;
  return result;
}

bool Linearizer::computeVaries(Value value) {
  if (dimOf.contains(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !isa<KernelOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (isa<ProgramIdOp>(op) || op->hasTrait<InstanceValue>() ||
      op->getNumRegions() != 0)
    return true;
  if (!isMemoryEffectFree(op) && !isa<KernelOp>(op->getParentOp()))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value v) { return varies(v); });
}
