//===- CopyAddresses.cpp - Addresses of copies in two parts ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CopyAddresses.h"
#include "ScalarOffsets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

constexpr int64_t kMost = int64_t(1) << 31;
/// How deep the numbers of a lane are looked at.
constexpr unsigned kDeepest = 24;
/// Whether lanes have a number alike, also where a branch that all take
/// together chose it, as for the coordinates of a block.
static bool isAlike(Value value) {
  return isScalarNumber(value, /*throughChoices=*/true);
}

namespace {
class Splitter {
public:
  Splitter(int64_t threads, OpBuilder &b, Location loc)
      : threads(threads), b(b), loc(loc) {}

  std::optional<CopyAddress> split(Value address) {
    Value base = address;
    while (auto moved = base.getDefiningOp<LLVM::GEPOp>()) {
      if (!collect(moved))
        return std::nullopt;
      base = moved.getBase();
    }
    if (!isScalarNumber(base))
      return std::nullopt;
    int64_t bytes = constants < 0 ? kMost : constants;
    for (const Term &term : lanes) {
      std::optional<int64_t> most = mostOf(term.value);
      if (!most || *most > kMost / term.factor)
        return std::nullopt;
      bytes += *most * term.factor;
    }
    if (bytes >= kMost)
      return std::nullopt;
    return CopyAddress{baseOf(base), laneOf()};
  }

private:
  struct Term {
    Value value;
    int64_t factor;
  };

  bool collect(LLVM::GEPOp moved) {
    Type type = moved.getElemType();
    if (moved.getIndices().size() != 1 || !type.isIntOrFloat())
      return false;
    int64_t bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
    auto index = moved.getIndices()[0];
    if (auto known = dyn_cast<IntegerAttr>(index)) {
      constants += known.getInt() * bytes;
      return true;
    }
    return collect(cast<Value>(index), bytes);
  }

  /// Adds the terms of a sum of 64 bits.
  bool collect(Value value, int64_t factor) {
    if (++seen > kMostOffsetValues)
      return false;
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number))) {
      constants += number.getSExtValue() * factor;
      return std::abs(constants) < kMost;
    }
    if (isAlike(value)) {
      scalars.push_back({value, factor});
      return true;
    }
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      return collect(sum.getLhs(), factor) && collect(sum.getRhs(), factor);
    if (auto product = value.getDefiningOp<arith::MulIOp>();
        product && matchPattern(product.getRhs(), m_ConstantInt(&number)) &&
        number.isStrictlyPositive() && number.slt(kMost / factor))
      return collect(product.getLhs(), factor * number.getSExtValue());
    lanes.push_back({value, factor});
    return true;
  }

  /// The largest value of what a lane computes from its number. Each value is
  /// looked at once.
  std::optional<int64_t> mostOf(Value value, unsigned depth = 0) {
    auto [known, isNew] = greatest.try_emplace(value, std::nullopt);
    if (!isNew)
      return known->second;
    std::optional<int64_t> most = computeMost(value, depth);
    greatest[value] = most;
    return most;
  }

  std::optional<int64_t> computeMost(Value value, unsigned depth) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.isNegative() ? std::nullopt
                                 : std::optional(number.getSExtValue());
    Operation *op = value.getDefiningOp();
    if (!op || depth == kDeepest)
      return std::nullopt;
    auto of = [&](unsigned at) {
      return mostOf(op->getOperand(at), depth + 1);
    };
    if (isa<gpu::ThreadIdOp>(op))
      return threads - 1;
    if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::IndexCastOp,
            arith::IndexCastUIOp>(op))
      return of(0);
    if (op->getNumOperands() != 2)
      return std::nullopt;
    std::optional<int64_t> lhs = of(0), rhs = of(1);
    if (isa<arith::AndIOp>(op))
      return lhs && rhs ? std::min(*lhs, *rhs) : lhs ? lhs : rhs;
    if (!lhs || !rhs || *lhs >= kMost || *rhs >= kMost)
      return std::nullopt;
    bool isKnown = matchPattern(op->getOperand(1), m_ConstantInt(&number));
    if (isa<arith::AddIOp>(op))
      return *lhs + *rhs;
    if (isa<arith::OrIOp, arith::XOrIOp>(op))
      return int64_t(llvm::bit_ceil(uint64_t(std::max(*lhs, *rhs)) + 1)) - 1;
    if (isa<arith::MulIOp>(op))
      return *lhs * *rhs;
    if (isa<arith::ShRUIOp>(op) && isKnown && *rhs < 32)
      return *lhs >> *rhs;
    if (isa<arith::ShLIOp>(op) && isKnown && *rhs < 31)
      return *lhs << *rhs;
    return std::nullopt;
  }

  Value baseOf(Value base) {
    Value sum;
    for (auto [value, factor] : scalars) {
      if (!value.getType().isInteger(64))
        value = arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
      if (factor != 1)
        value = arith::MulIOp::create(
            b, loc, value,
            arith::ConstantIntOp::create(b, loc, b.getI64Type(), factor));
      sum = sum ? arith::AddIOp::create(b, loc, sum, value).getResult() : value;
    }
    return sum ? LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(),
                                     base, ArrayRef<LLVM::GEPArg>{sum})
                     .getResult()
               : base;
  }

  Value laneOf() {
    auto number = [&](int64_t n) -> Value {
      return arith::ConstantIntOp::create(b, loc, b.getI32Type(), n);
    };
    Value sum = number(constants);
    for (auto [value, factor] : lanes) {
      if (auto wide = value.getDefiningOp<arith::ExtUIOp>();
          wide && wide.getIn().getType().isInteger(32))
        value = wide.getIn();
      else if (value.getType().isInteger(64))
        value = arith::TruncIOp::create(b, loc, b.getI32Type(), value);
      value = arith::MulIOp::create(b, loc, value, number(factor));
      sum = arith::AddIOp::create(b, loc, value, sum);
    }
    return sum;
  }

  int64_t threads;
  OpBuilder &b;
  Location loc;
  SmallVector<Term> scalars, lanes;
  int64_t constants = 0;
  llvm::DenseMap<Value, std::optional<int64_t>> greatest;
  unsigned seen = 0; ///< values that were looked at
};
} // namespace

std::optional<CopyAddress> amd::splitAddress(Value address, int64_t threads,
                                             OpBuilder &b, Location loc) {
  return Splitter(threads, b, loc).split(address);
}
