// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a size comes from, to tell that two sizes are the same.
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// A constant, a dimension of a tensor, or an index value.
struct SizeRoot {
  Value value;
  int64_t dim = -1;
  int64_t constant = -1;

  bool operator==(const SizeRoot &other) const {
    return value == other.value && dim == other.dim &&
           constant == other.constant;
  }
};

} // namespace

/// The dimension of the operand that a dimension of the result of a reduction
/// is.
static int64_t beforeReduction(ArrayRef<int64_t> dims, int64_t dim) {
  for (int64_t i = 0;; ++i)
    if (!llvm::is_contained(dims, i) && dim-- == 0)
      return i;
}

/// One step towards the operands; false if there is none.
static bool step(SizeRoot &root) {
  Operation *op = root.value.getDefiningOp();
  if (!op)
    return false;
  auto to = [&](Value value, int64_t dim) {
    root = {value, dim, -1};
    return true;
  };
  if (root.dim < 0) {
    auto dim = dyn_cast<tensor::DimOp>(op);
    std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
    return number && *number >= 0 &&
           *number < cast<ShapedType>(dim.getSource().getType()).getRank() &&
           to(dim.getSource(), *number);
  }
  if (isa<FullOp, IotaOp, BroadcastInDimOp, ReshapeOp>(op)) {
    auto type = cast<RankedTensorType>(root.value.getType());
    ValueRange sizes = op->getOperands().take_back(type.getNumDynamicDims());
    return to(sizes[type.getDynamicDimIndex(root.dim)], -1);
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return to(transpose.getOperand(), transpose.getPermutation()[root.dim]);
  if (isa<SumOp, ProdOp, AmaxOp, AminOp>(op)) {
    auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims");
    return to(op->getOperand(0), beforeReduction(dims, root.dim));
  }
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    if (root.dim < static_cast<int64_t>(dot.getLhsBatch().size()))
      return to(dot.getLhs(), dot.getLhsBatch()[root.dim]);
    SmallVector<int64_t> gone(dot.getLhsBatch());
    llvm::append_range(gone, dot.getLhsContract());
    int64_t kept = dot.getLhs().getType().getRank() - gone.size();
    int64_t dim = root.dim - dot.getLhsBatch().size();
    if (dim < kept)
      return to(dot.getLhs(), beforeReduction(gone, dim));
    gone.assign(dot.getRhsBatch().begin(), dot.getRhsBatch().end());
    llvm::append_range(gone, dot.getRhsContract());
    return to(dot.getRhs(), beforeReduction(gone, dim - kept));
  }
  bool keeps = op->hasTrait<OpTrait::Elementwise>() ||
               isa<RescaleOp, TableOp, RevOp, SigmoidOp, SiluOp, ReluOp, GeluOp,
                   SoftmaxOp, RmsNormOp, LayerNormOp>(op);
  return keeps && isa_and_nonnull<PrimDialect>(op->getDialect()) &&
         to(op->getOperand(0), root.dim);
}

static SizeRoot findRoot(Value tensor, int64_t dim) {
  SizeRoot root{tensor, dim, -1};
  do {
    if (root.dim >= 0) {
      auto type = cast<RankedTensorType>(root.value.getType());
      if (!type.isDynamicDim(root.dim))
        return {Value(), -1, type.getDimSize(root.dim)};
    } else if (std::optional<int64_t> constant =
                   getConstantIntValue(root.value)) {
      return {Value(), -1, *constant};
    }
  } while (step(root));
  return root;
}

bool kiln::prim::sameSize(Value a, int64_t aDim, Value b, int64_t bDim) {
  return findRoot(a, aDim) == findRoot(b, bDim);
}
