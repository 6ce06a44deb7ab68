// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that only the program knows, where they meet others: one that is 1 is
// repeated, as NumPy does.
#include "../TensorToPrim/OpenSizes.h"
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

using tensor_to_prim::areEqual;

Value Node::repeatOpen(Value x, int64_t dim, OpFoldResult to) {
  return tensor_to_prim::repeatOpen(x, dim, to, e);
}

Value Node::expandOpen(Value x, ArrayRef<OpFoldResult> to) {
  int64_t missing = int64_t(to.size()) - e.typeOf(x).getRank();
  for (int64_t d = 0; missing >= 0 && d < e.typeOf(x).getRank(); ++d) {
    OpFoldResult own = e.sizesOf(x)[d];
    if (!getConstantIntValue(own) &&
        !graph.sizes.areEqual(own, to[missing + d]))
      x = repeatOpen(x, d, to[missing + d]);
  }
  return expand(x, to);
}

Value Node::requireSize(Value x, int64_t dim, int64_t size) {
  if (shape(x)[dim] == size)
    return x;
  Sizes sizes = e.sizesOf(x);
  sizes[dim] = e.size(size);
  return e.reshape(x, sizes);
}

void Node::joinOpenSizes(MutableArrayRef<Value> values, int64_t behind) {
  int64_t most = 0;
  for (Value value : values)
    most = std::max(most, e.typeOf(value).getRank());
  for (int64_t fromEnd = behind; fromEnd < most; ++fromEnd) {
    // The size of the result: a known one, or what the first open sizes give.
    OpFoldResult joined;
    SmallVector<std::pair<Value *, OpFoldResult>> open;
    for (Value &value : values) {
      int64_t dim = e.typeOf(value).getRank() - 1 - fromEnd;
      if (dim < 0 || shape(value)[dim] == 1)
        continue;
      if (ShapedType::isDynamic(shape(value)[dim]))
        open.push_back({&value, {}});
      else if (!joined)
        joined = e.size(shape(value)[dim]);
    }
    if (open.size() + bool(joined) < 2)
      continue;
    bool differs = false;
    for (auto &[value, size] : open) {
      size = e.sizesOf(*value)[e.typeOf(*value).getRank() - 1 - fromEnd];
      if (!joined) {
        joined = size;
      } else if (!graph.sizes.areEqual(joined, size)) {
        differs = true;
        if (!getConstantIntValue(joined))
          joined =
              e.sizeMath().select(areEqual(joined, e.size(1), e), size, joined);
      }
    }
    if (!differs)
      continue;
    for (auto &[value, size] : open)
      if (!graph.sizes.areEqual(joined, size))
        *value = repeatOpen(*value, e.typeOf(*value).getRank() - 1 - fromEnd,
                            joined);
  }
}

} // namespace kiln::onnx_to_prim
