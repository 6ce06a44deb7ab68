//===- Work.cpp - What the operations of prim count -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Work.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Interfaces/Work.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::prim;

namespace {

/// A number of operations for each element of the first operand. With none no
/// operand is asked for: constants have none.
template <int Each> struct Fixed {
  template <typename OpT>
  struct Model : WorkOpInterface::ExternalModel<Model<OpT>, OpT> {
    Work getWork(Operation *op) const {
      if constexpr (Each == 0)
        return {};
      return {op->getOperand(0), Each};
    }
  };
  template <typename... OpTs> static void attach(MLIRContext *context) {
    (OpTs::template attachInterface<Model<OpTs>>(*context), ...);
  }
};

/// The operations of its region: for each element of the inputs, of a window
/// for each of a window.
struct Combining {
  static int64_t inRegion(Operation *op) {
    int64_t count = 0;
    for (Operation &inner : op->getRegion(0).front())
      count += kiln::getWork(&inner).each;
    return count;
  }
  struct Reduce : WorkOpInterface::ExternalModel<Reduce, ReduceOp> {
    Work getWork(Operation *op) const {
      return {op->getOperand(0), inRegion(op)};
    }
  };
  struct Window : WorkOpInterface::ExternalModel<Window, ReduceWindowOp> {
    Work getWork(Operation *op) const {
      int64_t count = inRegion(op);
      for (int64_t size : cast<ReduceWindowOp>(op).getWindow())
        count *= size;
      return {op->getResult(0), count};
    }
  };
};

/// A combination for each update, unless it only takes the place.
struct Scattering : WorkOpInterface::ExternalModel<Scattering, ScatterOp> {
  Work getWork(Operation *op) const {
    auto scatter = cast<ScatterOp>(op);
    return {scatter.getUpdates(), scatter.getCombine() != ScatterKind::set};
  }
};

} // namespace

void kiln::prim::attachWorkModels(MLIRContext *context) {
  Fixed<0>::attach<ConvertElementTypeOp, BitcastOp, WhereOp, ConstantOp>(
      context);
  Fixed<1>::attach<ReluOp, SumOp, ProdOp, AmaxOp, AminOp, ArgmaxOp, ArgminOp,
                   ScanOp, ArgScanOp>(context);
  // As they are decomposed: the largest, a difference, exp, a sum, a quotient.
  Fixed<5>::attach<SoftmaxOp, GeluOp, SiluOp>(context);
  // A square, a sum, a product and the weight's.
  Fixed<4>::attach<RmsNormOp, SigmoidOp>(context);
  // A sum, a difference, a square, a sum, a product, weight and bias.
  Fixed<7>::attach<LayerNormOp>(context);
  ReduceOp::attachInterface<Combining::Reduce>(*context);
  ReduceWindowOp::attachInterface<Combining::Window>(*context);
  ScatterOp::attachInterface<Scattering>(*context);
}
