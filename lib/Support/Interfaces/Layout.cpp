//===- Layout.cpp - Where the elements of a tile are ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Layout.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/Layout.cpp.inc"

namespace {
/// Larger tiles are not looked at element by element.
constexpr int64_t kMostElements = int64_t(1) << 20;

/// Calls `fn` with each coordinate of a shape until it returns false; false if
/// it did, nothing for shapes that are too large.
std::optional<bool>
forEachCoordinate(ArrayRef<int64_t> shape,
                  llvm::function_ref<bool(ArrayRef<int64_t>)> fn) {
  int64_t elements = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(elements, size, elements) ||
        elements > kMostElements)
      return std::nullopt;
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t i = 0; i < elements; ++i) {
    if (!fn(at))
      return false;
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d])
        break;
      at[d] = 0;
    }
  }
  return true;
}

SmallVector<int64_t> placeOf(LayoutAttrInterface layout,
                             ArrayRef<int64_t> shape, ArrayRef<int64_t> at) {
  SmallVector<int64_t> place;
  layout.getPlace(shape, at, place);
  return place;
}

/// The layout that an affine map is.
struct MapLayout
    : LayoutAttrInterface::ExternalModel<MapLayout, AffineMapAttr> {
  static AffineMap mapOf(Attribute layout) {
    return cast<AffineMapAttr>(layout).getValue();
  }
  int64_t getNumTileDims(Attribute layout) const {
    return mapOf(layout).getNumDims();
  }
  int64_t getNumPlaceDims(Attribute layout) const {
    return mapOf(layout).getNumResults();
  }
  void getPlace(Attribute layout, ArrayRef<int64_t>, ArrayRef<int64_t> at,
                SmallVectorImpl<int64_t> &place) const {
    llvm::append_range(place, mapOf(layout).compose(at));
  }
  Attribute composeWith(Attribute layout, Attribute outer) const {
    auto map = dyn_cast<AffineMapAttr>(outer);
    if (!map ||
        map.getValue().getNumInputs() != mapOf(layout).getNumResults() ||
        map.getValue().getNumSymbols())
      return {};
    return AffineMapAttr::get(map.getValue().compose(mapOf(layout)));
  }
  Attribute invertFor(Attribute layout, ArrayRef<int64_t>) const {
    AffineMap map = mapOf(layout);
    if (!map.isPermutation())
      return {};
    return AffineMapAttr::get(inversePermutation(map));
  }
};
} // namespace

bool kiln::detail::haveSamePlaces(Attribute a, Attribute b,
                                  ArrayRef<int64_t> shape) {
  if (a == b)
    return true;
  auto x = dyn_cast_or_null<LayoutAttrInterface>(a),
       y = dyn_cast_or_null<LayoutAttrInterface>(b);
  if (!x || !y || x.getNumPlaceDims() != y.getNumPlaceDims())
    return false;
  return forEachCoordinate(shape,
                           [&](ArrayRef<int64_t> at) {
                             return placeOf(x, shape, at) ==
                                    placeOf(y, shape, at);
                           })
      .value_or(false);
}

LogicalResult
kiln::detail::verifyPlaces(Attribute attribute, ArrayRef<int64_t> shape,
                           function_ref<InFlightDiagnostic()> emitError) {
  auto layout = cast<LayoutAttrInterface>(attribute);
  int64_t rank = layout.getNumTileDims();
  if (rank >= 0 && rank != static_cast<int64_t>(shape.size()))
    return emitError() << "expected a layout for rank " << shape.size()
                       << ", found " << attribute << " for rank " << rank;
  if (auto map = dyn_cast<AffineMapAttr>(attribute);
      map && map.getValue().getNumSymbols())
    return emitError() << "expected a layout without symbols, found "
                       << attribute;
  return success();
}

std::optional<SmallVector<int64_t>>
kiln::findCoordinate(LayoutAttrInterface layout, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> place) {
  std::optional<SmallVector<int64_t>> found;
  forEachCoordinate(shape, [&](ArrayRef<int64_t> at) {
    if (ArrayRef<int64_t>(placeOf(layout, shape, at)) != place)
      return true;
    found = llvm::to_vector(at);
    return false;
  });
  return found;
}

void kiln::attachLayoutModels(MLIRContext *context) {
  if (!AbstractAttribute::lookup(TypeID::get<AffineMapAttr>(), context)
           .hasInterface(LayoutAttrInterface::getInterfaceID()))
    AffineMapAttr::attachInterface<MapLayout>(*context);
}
