//===- Cost.cpp - What an operation costs, how it accumulates -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Cost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/Accumulation.cpp.inc"
#include "kiln/Interfaces/Cost.cpp.inc"

double kiln::getElementOperations(Operation *op) {
  if (auto cost = dyn_cast<CostOpInterface>(op))
    return cost.getElementOperations();
  return OpTrait::hasElementwiseMappableTraits(op) ? 1 : 0;
}

Accumulation kiln::getAccumulation(Operation *op) {
  if (auto accumulation = dyn_cast<AccumulationOpInterface>(op))
    return accumulation.getAccumulation();
  return op->hasTrait<ExactResult>() ? Accumulation::exact() : Accumulation();
}

namespace {
/// A cost that depends on the kind of operation alone.
template <int Cost> struct Fixed {
  template <typename OpT>
  struct Model : CostOpInterface::ExternalModel<Model<OpT>, OpT> {
    double getElementOperations(Operation *) const { return Cost; }
  };
  template <typename... OpTs> static void attach(MLIRContext *context) {
    (OpTs::template attachInterface<Model<OpTs>>(*context), ...);
  }
};
} // namespace

void kiln::attachUpstreamModels(MLIRContext *context) {
  // A second dialect that asks finds them there.
  if (RegisteredOperationName::lookup("arith.divf", context)
          ->hasInterface<CostOpInterface>())
    return;
  Fixed<6>::attach<arith::DivFOp>(context);
  Fixed<20>::attach<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                    arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
                    arith::CeilDivUIOp, arith::RemFOp>(context);
  Fixed<8>::attach<math::SqrtOp, math::RsqrtOp>(context);
  Fixed<12>::attach<math::ExpOp, math::Exp2Op>(context);
  // absf, fma, copysign, ceil, floor, absi, trunc and roundeven cost as much as
  // an addition; the others are functions.
  Fixed<30>::attach<
      math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp,
      math::Atan2Op, math::AtanhOp, math::CbrtOp, math::ClampFOp, math::CosOp,
      math::CoshOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp,
      math::CtPopOp, math::ErfOp, math::ErfcOp, math::ExpM1Op, math::FPowIOp,
      math::IPowIOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
      math::IsNormalOp, math::LogOp, math::Log10Op, math::Log1pOp, math::Log2Op,
      math::PowFOp, math::RoundOp, math::SinOp, math::SinhOp, math::TanOp,
      math::TanhOp>(context);
}
