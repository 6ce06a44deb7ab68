//===- Tolerance.cpp - How far results may be off -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the roundings and the terms of sums between the arguments and each
// result of a program, from which --check computes its error bound.
//
//===----------------------------------------------------------------------===//

#include "Tolerance.h"
#include "HostProgram.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/Cost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

namespace {
/// Length that a sum over a dynamic dimension is assumed to have.
constexpr int64_t kDynamicSum = 4096;
/// Longer sums do not loosen the bound any further.
constexpr int64_t kLongestSum = int64_t(1) << 40;

/// The rounding errors that a value has accumulated.
struct Error {
  int64_t length = 0; ///< roundings; a sum counts as its number of terms
  runtime::DType coarsest = runtime::DType::none; ///< type with largest epsilon

  void join(const Error &other) {
    length = std::max(length, other.length);
    round(other.coarsest);
  }
  void round(runtime::DType dtype) {
    if (dtype == runtime::DType::none)
      return;
    if (coarsest == runtime::DType::none ||
        runtime::dtypeEpsilon(dtype) > runtime::dtypeEpsilon(coarsest))
      coarsest = dtype;
  }
};

/// Returns the roundings of `op` for one element of its result, where a sum
/// counts as its number of terms; 0 if the operation only moves elements.
int64_t lengthOf(Operation *op) {
  Accumulation accumulation = getAccumulation(op);
  int64_t length = accumulation.roundings;
  for (ArrayRef<int64_t> sizes : accumulation.sums) {
    int64_t terms = 1;
    for (int64_t size : sizes)
      terms =
          std::min(kLongestSum,
                   terms * (ShapedType::isDynamic(size)
                                ? kDynamicSum
                                : std::clamp<int64_t>(size, 1, kLongestSum)));
    length = std::min(kLongestSum, length + terms);
  }
  return length;
}

runtime::Tolerance toTolerance(const Error &error, Type type) {
  runtime::Tolerance result;
  result.accumulation = std::clamp<int64_t>(error.length, 1, kLongestSum);
  result.exact = error.length == 0;
  result.dtype = error.coarsest;
  if (result.dtype == runtime::DType::none)
    result.dtype = dtypeOf(getElementTypeOrSelf(type));
  return result;
}
} // namespace

bool kiln::driver::hasContractBounds(tile::KernelOp kernel) {
  // Numerics modes allow other results than IEEE arithmetic in program order.
  if (tile::NumericsAttr mode = kernel.getNumericsAttr())
    if (mode.getContract() || mode.getApprox() || mode.getFtz() ||
        mode.getReassoc())
      return false;
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  WalkResult walked = kernel.walk([&](Operation *op) {
    if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
      if (auto flags = math.getFastMathFlagsAttr();
          flags && flags.getValue() != arith::FastMathFlags::none)
        return WalkResult::interrupt();
    if (isa<tile::CallExternOp, tile::InlineAsmOp>(op))
      return WalkResult::interrupt();
    // The evaluation of other dialects' operations may not track errors.
    if (!isa_and_present<tile::TileDialect, arith::ArithDialect,
                         math::MathDialect, scf::SCFDialect>(
            op->getDialect()) &&
        (llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat)))
      return WalkResult::interrupt();
    bool combines = op->getNumRegions() && isa<AccumulationOpInterface>(op);
    // Elements of one place are combined, and rounded, in any order.
    auto access = dyn_cast<ViewAccessOpInterface>(op);
    bool meets =
        access && access.getAccessKind() == AccessKind::Update &&
        llvm::any_of(access.getAxes(),
                     [](const ViewAxis &axis) { return axis.isIndirect(); }) &&
        llvm::is_contained({tile::Combine::add, tile::Combine::mul},
                           tile::combineOf(op));
    if ((combines || meets || isa<tile::AtomicRMWOp>(op)) &&
        llvm::any_of(op->getOperandTypes(), isFloat)) {
      // A reduction counts only if its combiner is one operation with a known
      // error bound, on elements narrower than f64.
      tile::FoldOpInterface reduce = tile::asReduction(op);
      if (!reduce || op->getNumResults() != 1 ||
          getElementTypeOrSelf(op->getResult(0)).isF64())
        return WalkResult::interrupt();
      Block &body = reduce.getFoldRegion().front();
      if (body.getOperations().size() != 2 ||
          !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp,
               arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(
              body.front()))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !walked.wasInterrupted();
}

Tolerances kiln::driver::computeTolerances(ModuleOp module) {
  Tolerances all;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    llvm::DenseMap<Value, Error> errors;
    auto visit = [&](Operation *op) {
      Error given;
      for (Value operand : op->getOperands())
        given.join(errors.lookup(operand));
      Error rounded = given;
      if (int64_t length = lengthOf(op))
        rounded.length = std::min(kLongestSum, given.length + length);
      for (Type type : op->getResultTypes())
        if (Type element = getElementTypeOrSelf(type);
            isa<FloatType>(element) && rounded.length > given.length)
          rounded.round(dtypeOf(element));
      // An operation rounds its float results; its other results are exact.
      for (Value result : op->getResults())
        errors[result] =
            isa<FloatType>(getElementTypeOrSelf(result)) ? rounded : given;
    };
    for (Block &block : func.getBody())
      for (Operation &op : block) {
        // A claim has the errors of the operations in its region.
        for (Region &region : op.getRegions())
          region.walk([&](Operation *inner) { visit(inner); });
        visit(&op);
        auto ret = dyn_cast<func::ReturnOp>(op);
        if (!ret)
          continue;
        std::vector<runtime::Tolerance> &results = all[func.getSymName().str()];
        results.clear();
        for (Value value : ret.getOperands())
          results.push_back(toTolerance(errors.lookup(value), value.getType()));
      }
  }
  return all;
}
