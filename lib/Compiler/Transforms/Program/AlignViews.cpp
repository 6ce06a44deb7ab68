//===- AlignViews.cpp - Facts about where views begin ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Program/AlignViews.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Index/Analysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Whether a buffer begins at a multiple of some bytes, and which arguments of
/// the function must do so for that.
class Aligner {
public:
  explicit Aligner(int64_t bytes) : bytes(bytes) {}

  bool isAligned(Value buffer, SmallVectorImpl<BlockArgument> &needed) {
    if (auto argument = dyn_cast<BlockArgument>(buffer)) {
      if (!isa<program::FuncOp>(argument.getOwner()->getParentOp()))
        return false;
      needed.push_back(argument);
      return true;
    }
    auto view = buffer.getDefiningOp<program::BufferOpInterface>();
    Value source = view ? view.getViewedBuffer() : Value();
    if (view && !source)
      return true;
    OpFoldResult begin = view ? view.getViewOffset() : OpFoldResult();
    if (!begin || !isAligned(source, needed))
      return false;
    // The source's own offset is in what it is aligned to.
    Type element = cast<MemRefType>(source.getType()).getElementType();
    int64_t each = element.isIndex()
                       ? 8
                       : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    if (auto offset = dyn_cast<Value>(begin)) {
      index::Facts known = facts.of(offset);
      return known.divisor == 0 || (known.divisor % bytes * each) % bytes == 0;
    }
    return *getConstantIntValue(begin) * each % bytes == 0;
  }

private:
  int64_t bytes;
  index::Analysis facts;
};
} // namespace

void program::alignViews(ModuleOp module, int64_t bytes) {
  Aligner aligner(bytes);
  struct Parameter {
    bool isAligned = true;
    SmallVector<BlockArgument> needed;
  };
  llvm::MapVector<StringAttr, SmallVector<Parameter>> kernels;
  module.walk([&](program::LaunchOpInterface launch) {
    for (auto name : launch.getKernels().getAsRange<FlatSymbolRefAttr>()) {
      auto &parameters = kernels[name.getAttr()];
      parameters.resize(launch.getArgs().size());
      for (auto [parameter, value] : llvm::zip(parameters, launch.getArgs()))
        if (isa<MemRefType>(value.getType()))
          parameter.isAligned &= aligner.isAligned(value, parameter.needed);
    }
  });
  OpBuilder b(module.getContext());
  IntegerAttr fact = b.getI64IntegerAttr(bytes);
  for (auto &[name, parameters] : kernels) {
    auto kernel = module.lookupSymbol<tile::KernelOp>(name);
    // Public ones are given whatever their callers have.
    if (!kernel || !kernel.isPrivate())
      continue;
    for (auto [i, parameter] : llvm::enumerate(parameters)) {
      if (!parameter.isAligned ||
          !isa<tile::ViewType>(kernel.getArgumentTypes()[i]) ||
          tile::getFact(kernel, i, tile::kAlignFact))
        continue;
      tile::setFact(kernel, i, tile::kAlignFact, fact);
      for (BlockArgument argument : parameter.needed)
        tile::setFact(cast<program::FuncOp>(argument.getOwner()->getParentOp()),
                      argument.getArgNumber(), tile::kAlignFact, fact);
    }
  }
}

void program::boundGrids(ModuleOp module) {
  struct Grid {
    std::array<int64_t, 3> most = {1, 1, 1};
    bool isKnown = true;
  };
  llvm::MapVector<StringAttr, Grid> kernels;
  module.walk([&](program::LaunchOpInterface launch) {
    for (auto [i, name] :
         llvm::enumerate(launch.getKernels().getAsRange<FlatSymbolRefAttr>())) {
      Grid &grid = kernels[name.getAttr()];
      for (unsigned axis = 0; axis < 3; ++axis) {
        auto size = getConstantIntValue(launch.getGridOf(i)[axis]);
        if (size)
          grid.most[axis] = std::max(grid.most[axis], *size);
        else
          grid.isKnown = false;
      }
    }
  });
  // Anybody may launch public ones, over any grid.
  OpBuilder b(module.getContext());
  for (auto &[name, grid] : kernels)
    if (auto kernel = module.lookupSymbol<tile::KernelOp>(name);
        kernel && kernel.isPrivate() && grid.isKnown)
      kernel.setMostInstancesAttr(b.getDenseI64ArrayAttr(grid.most));
}
