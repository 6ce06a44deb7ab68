//===- FactorLayouts.cpp - How factors lie for an instruction -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Staging/FactorLayouts.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

AffineMap PanelLayout::getMap(MLIRContext *context, unsigned rank) const {
  AffineExpr r = getAffineDimExpr(panelDim, context);
  AffineExpr s = getAffineDimExpr(stepDim, context);
  SmallVector<AffineExpr> places;
  for (unsigned d = 0; d + 2 < rank; ++d)
    places.push_back(getAffineDimExpr(d, context));
  places.append({r.floorDiv(width), s.floorDiv(group), r % width});
  if (group > 1)
    places.push_back(s % group);
  return AffineMap::get(rank, 0, places, context);
}

/// What a dimension is divided by, rounding down.
static std::optional<std::pair<unsigned, int64_t>> divisionOf(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return std::make_pair(dim.getPosition(), int64_t(1));
  auto division = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!division || division.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(division.getLHS());
  auto by = dyn_cast<AffineConstantExpr>(division.getRHS());
  if (!dim || !by || by.getValue() < 1)
    return std::nullopt;
  return std::make_pair(dim.getPosition(), by.getValue());
}

std::optional<PanelLayout> staging::getPanelLayout(MemRefType storage) {
  int64_t rank = storage.getRank();
  AffineMap map = storage.getLayout().getAffineMap();
  if (rank < 2 || map.getNumResults() <= rank)
    return std::nullopt;
  auto panel = divisionOf(map.getResult(rank - 2)),
       step = divisionOf(map.getResult(rank - 1));
  if (!panel || !step)
    return std::nullopt;
  PanelLayout found{panel->first, step->first, panel->second, step->second};
  if (found.getMap(storage.getContext(), rank) != map ||
      storage.getDimSize(found.panelDim) % found.width ||
      storage.getDimSize(found.stepDim) % found.group)
    return std::nullopt;
  return found;
}

SmallVector<int64_t> staging::getPanelStrides(MemRefType storage,
                                              const PanelLayout &panels) {
  int64_t rank = storage.getRank();
  SmallVector<int64_t> strides(rank, 1);
  strides[panels.panelDim] = storage.getDimSize(panels.stepDim);
  strides[panels.stepDim] = panels.width;
  for (int64_t d = rank - 3, size = storage.getDimSize(rank - 1) *
                                    storage.getDimSize(rank - 2);
       d >= 0; --d) {
    strides[d] = size;
    size *= storage.getDimSize(d);
  }
  return strides;
}

MemRefType staging::inColumns(MemRefType storage) {
  int64_t rank = storage.getRank(), size = 1;
  SmallVector<int64_t> strides(rank);
  SmallVector<int64_t> order = {rank - 2, rank - 1};
  for (int64_t d = rank - 3; d >= 0; --d)
    order.push_back(d);
  for (int64_t d : order) {
    strides[d] = size;
    size *= storage.getDimSize(d);
  }
  auto layout = StridedLayoutAttr::get(storage.getContext(), 0, strides);
  return MemRefType::get(storage.getShape(), storage.getElementType(),
                         MemRefLayoutAttrInterface(layout),
                         storage.getMemorySpace());
}
