// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that are lists, of which only the program knows the numbers.
#include "Lists.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

/// Whether an input is a list of an open length.
static bool isOpenList(Node &n, unsigned i) {
  return n.has(i) && !isSequence(n.in(i)) && n.rank(i) == 1 &&
         ShapedType::isDynamic(n.shape(n.in(i))[0]);
}

/// The length of an input that is a list, if it is known.
static std::optional<int64_t> lengthOf(Node &n, unsigned i) {
  if (!n.has(i) || isSequence(n.in(i)) || n.rank(i) != 1 || isOpenList(n, i))
    return std::nullopt;
  return n.shape(n.in(i))[0];
}

/// The number of axes that an attribute names, all if it is left out.
static int64_t axisCount(Node &n) {
  auto axes = n.getInts("axes");
  return axes ? axes->size() : n.rank(0);
}

/// A rank that the type of the result says. 0 may stand for one that is not
/// known.
static std::optional<int64_t> resultRank(Node &n, int64_t less = 0) {
  auto rank = n.declaredRank();
  return rank && *rank > less ? std::optional(*rank - less) : std::nullopt;
}

/// Lists of scales, sizes and regions.
static std::optional<int64_t> resizeLength(Node &n, unsigned i) {
  if (n.opset() < 11)
    return i == 1 ? std::optional(n.rank(0)) : std::nullopt;
  if (i == 1)
    return n.getString("coordinate_transformation_mode") == "tf_crop_and_resize"
               ? std::optional(2 * axisCount(n))
               : std::nullopt;
  // Without sizes there are scales.
  return i == 3 || !n.has(3) ? std::optional(axisCount(n)) : std::nullopt;
}

/// Pads and the axes that they are for.
static std::optional<int64_t> padLength(Node &n, unsigned i) {
  if (i == 1 && !n.has(3))
    return 2 * n.rank(0);
  auto other = lengthOf(n, i == 1 ? 3 : 1);
  if (!other || i == 2)
    return std::nullopt;
  return i == 1 ? 2 * *other : *other / 2;
}

/// Starts, ends, axes and steps, which are of one length.
static std::optional<int64_t> sliceLength(Node &n) {
  for (unsigned other : {1u, 2u, 3u, 4u})
    if (auto length = lengthOf(n, other))
      return length;
  return std::nullopt;
}

/// The length that an input which is a list of an open length has to have.
static std::optional<int64_t> requiredLength(Node &n, unsigned i) {
  StringRef name = n.name();
  name.consume_front("com.microsoft.");
  if (name == "Resize")
    return resizeLength(n, i);
  if (name == "Pad")
    return padLength(n, i);
  if (name == "Slice" && i > 0)
    return sliceLength(n);
  if (name == "ConstantOfShape")
    return resultRank(n);
  if (name == "OneHot" && i == 2)
    return 2; // the values for off and on
  if (i != 1)
    return std::nullopt;
  if (name == "Reshape" || name == "AffineGrid")
    return resultRank(n);
  // A shape of a lower rank than the data is allowed, too.
  if (name == "Expand")
    return resultRank(n, n.rank(0)) ? resultRank(n) : std::nullopt;
  if (name == "Tile" || name == "Upsample")
    return n.rank(0);
  if (name == "CenterCropPad")
    return axisCount(n);
  if (name == "Split")
    return n.numResults();
  if (name == "TopK")
    return 1;
  return std::nullopt;
}

void completeLists(Node &n) {
  for (unsigned i = 0; i < n.numInputs(); ++i)
    if (isOpenList(n, i))
      if (auto length = requiredLength(n, i))
        n.replace(i, n.requireSize(n.in(i), 0, *length));
}

Value axesFrom(Node &n, unsigned i, int64_t rank) {
  return n.fromEnd(n.i64(n.in(i)), n.e.size(rank));
}

Value isNamed(Node &n, Value axes, int64_t dim) {
  Value here = n.i64(n.eq(axes, n.integer(dim)), /*fromUnsigned=*/true);
  return n.gt(n.sum(here, {0}), n.integer(0));
}

Value entryOf(Node &n, Value list, Value axes, int64_t dim, Value otherwise) {
  Value here = n.eq(axes, n.integer(dim));
  Value entry = n.sum(n.where(here, n.i64(list), n.integer(0)), {0});
  return n.where(isNamed(n, axes, dim), entry, otherwise);
}

} // namespace kiln::onnx_to_prim
