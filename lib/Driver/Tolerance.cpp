//===- Tolerance.cpp - How far results may be off -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Tolerance.h"
#include "HostProgram.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

namespace {
/// Length that a sum over a dynamic dimension is assumed to have.
constexpr int64_t kDynamicSum = 4096;
/// Longer sums do not loosen the bound any further.
constexpr int64_t kLongestSum = int64_t(1) << 40;

/// What has happened to a value on its way.
struct Error {
  int64_t length = 0; ///< roundings, sums counted with their lengths
  runtime::DType coarsest = runtime::DType::none;

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

int64_t sizeOf(Value value, int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  int64_t size = type.getDimSize(dim);
  return ShapedType::isDynamic(size) ? kDynamicSum : size;
}

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t all = 1;
  for (int64_t size : sizes)
    all = std::min(kLongestSum, all * std::max<int64_t>(size, 1));
  return all;
}

/// Length of the longest sum inside of `op`, 1 for a single rounding.
int64_t sumLength(Operation *op) {
  auto overDims = [](Value value, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> sizes;
    for (int64_t dim : dims)
      sizes.push_back(sizeOf(value, dim));
    return product(sizes);
  };
  auto trailing = [&](Value value, int64_t count) {
    int64_t rank = cast<ShapedType>(value.getType()).getRank();
    return overDims(value, llvm::to_vector(llvm::seq(rank - count, rank)));
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](prim::DotGeneralOp dot) {
        return overDims(dot.getLhs(), dot.getLhsContract());
      })
      .Case([&](prim::ConvOp conv) {
        return trailing(conv.getFilter(),
                        cast<ShapedType>(conv.getFilter().getType()).getRank() -
                            1);
      })
      .Case<prim::SumOp, prim::ProdOp>([&](auto reduction) {
        return overDims(reduction.getOperand(), reduction.getDims());
      })
      .Case<prim::SumPoolOp, prim::AvgPoolOp>(
          [&](auto pool) { return product(pool.getWindow()); })
      .Case([&](prim::SoftmaxOp softmax) {
        return 4 + sizeOf(softmax.getOperand(), softmax.getDim());
      })
      .Case<prim::RmsNormOp, prim::LayerNormOp>([&](auto norm) {
        return 8 + trailing(norm.getOperand(), norm.getAxes());
      })
      .Case([&](prim::AttentionOp attention) {
        return 8 + trailing(attention.getQuery(), 1) +
               trailing(attention.getKey(), 1) +
               overDims(
                   attention.getKey(),
                   {cast<ShapedType>(attention.getKey().getType()).getRank() -
                    2});
      })
      .Default(int64_t(1));
}

/// Operations whose floating-point result is one of their operands' elements.
bool isExact(Operation *op) {
  static const llvm::StringSet<> exact = {
      "prim.constant",  "prim.full",
      "prim.iota",      "prim.reshape",
      "prim.transpose", "prim.slice",
      "prim.cat",       "prim.pad",
      "prim.gather",    "prim.broadcast_in_dim",
      "prim.where",     "prim.neg",
      "prim.abs",       "prim.maximum",
      "prim.minimum",   "prim.clamp",
      "prim.amax",      "prim.amin",
      "prim.max_pool",  "prim.relu",
      "prim.rev"};
  return exact.contains(op->getName().getStringRef());
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
  // Modes let arithmetic be regrouped.
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
    if (isa<tile::ScanOp, tile::AtomicRMWOp, tile::ReduceOp>(op) &&
        llvm::any_of(op->getOperandTypes(), isFloat)) {
      // One operation whose error is known, not one of f64.
      auto reduce = dyn_cast<tile::ReduceOp>(op);
      if (!reduce || op->getNumResults() != 1 ||
          getElementTypeOrSelf(op->getResult(0)).isF64())
        return WalkResult::interrupt();
      Block &body = reduce.getCombiner().front();
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
      Error error;
      for (Value operand : op->getOperands())
        error.join(errors.lookup(operand));
      bool inexact = false;
      for (Type type : op->getResultTypes()) {
        Type element = getElementTypeOrSelf(type);
        if (!isa<FloatType>(element) || isExact(op))
          continue;
        inexact = true;
        error.round(dtypeOf(element));
      }
      if (inexact)
        error.length = std::min(kLongestSum, error.length + sumLength(op));
      for (Value result : op->getResults())
        errors[result] = error;
    };
    for (Block &block : func.getBody())
      for (Operation &op : block) {
        // A claim errs like what it holds.
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
