//===- ThreadValues.cpp - What numbers are in each thread -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers are taken not to wrap around: one that might is not known.
//
//===----------------------------------------------------------------------===//

#include "ThreadValues.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static constexpr Interval kAll = {-Interval::kFar, Interval::kFar};
static constexpr Interval kEither = {0, 1};

const ThreadValue *ThreadValues::get(Value symbol, ArrayRef<Interval> each) {
  if (each.size() > 1 && llvm::all_equal(each))
    each = each.take_front(1);
  // Intervals have no padding.
  uint64_t hash =
      llvm::xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(each.data()),
                                 each.size() * sizeof(Interval)));
  hash ^= llvm::hash_value(symbol.getAsOpaquePointer());
  auto &bucket = known[hash >> 2];
  for (const auto &value : bucket)
    if (value->symbol == symbol && ArrayRef(value->threads) == each)
      return value.get();
  auto made = std::make_unique<ThreadValue>();
  made->symbol = symbol;
  made->threads.assign(each.begin(), each.end());
  made->isExact =
      !symbol && llvm::all_of(each, [](Interval i) { return i.isOne(); });
  bucket.push_back(std::move(made));
  return bucket.back().get();
}

/// Where the value for these operands is kept: null before it is known.
const ThreadValue *&
ThreadValues::recall(Memory &memory, Value value,
                     ArrayRef<const ThreadValue *> operands) {
  SmallVector<Evaluated, 1> &found = memory[value];
  for (Evaluated &one : found)
    if (ArrayRef(one.operands) == operands)
      return one.value;
  // Looking for more would cost what evaluating costs.
  constexpr size_t kMost = 32;
  if (found.size() == kMost)
    found.clear();
  found.push_back({{operands.begin(), operands.end()}, nullptr});
  return found.back().value;
}

const ThreadValue *ThreadValues::unknown(Value value) {
  if (value.getType().isInteger(1))
    return get({}, kEither);
  return get(value, Interval{0, 0});
}

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

/// All where a bound would be far away.
static Interval bounded(__int128 low, __int128 high) {
  if (low < -Interval::kFar || high > Interval::kFar)
    return {int64_t(std::max<__int128>(low, -Interval::kFar)),
            int64_t(std::min<__int128>(high, Interval::kFar))};
  return {int64_t(low), int64_t(high)};
}

static Interval multiply(Interval a, Interval b) {
  if (a.isOne() && b.isOne()) {
    __int128 product = __int128(a.low) * b.low;
    return bounded(product, product);
  }
  __int128 all[] = {__int128(a.low) * b.low, __int128(a.low) * b.high,
                    __int128(a.high) * b.low, __int128(a.high) * b.high};
  return bounded(*std::min_element(all, all + 4),
                 *std::max_element(all, all + 4));
}

static Interval join(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// As numbers without a sign, of so many bits.
static Interval asUnsigned(Interval a, unsigned bits) {
  if (a.low >= 0)
    return a;
  if (a.isOne() && bits < 62)
    return {a.low + (int64_t(1) << bits), a.low + (int64_t(1) << bits)};
  return {0, bits < 61 ? (int64_t(1) << bits) - 1 : Interval::kFar};
}

static Interval bitwise(Operation *op, Interval a, Interval b) {
  bool both = a.isOne() && b.isOne();
  if (isa<arith::AndIOp>(op)) {
    if (both)
      return {a.low & b.low, a.low & b.low};
    if (a.low < 0 && b.low < 0)
      return kAll;
    int64_t most = std::min(a.low < 0 ? Interval::kFar : a.high,
                            b.low < 0 ? Interval::kFar : b.high);
    return {0, most};
  }
  if (both) {
    int64_t n = isa<arith::OrIOp>(op) ? a.low | b.low : a.low ^ b.low;
    return {n, n};
  }
  if (a.low < 0 || b.low < 0 || std::max(a.high, b.high) >= Interval::kFar)
    return kAll;
  uint64_t most = std::max(a.high, b.high);
  return {0, int64_t(llvm::PowerOf2Ceil(most + 1)) - 1};
}

static Interval divided(Interval a, Interval b, bool isRest) {
  if (a.low < 0 || b.low <= 0)
    return kAll;
  if (!isRest)
    return {a.low / b.high, a.high / b.low};
  if (a.isOne() && b.isOne())
    return {a.low % b.low, a.low % b.low};
  if (a.high < b.low)
    return a;
  return {0, std::min(a.high, b.high - 1)};
}

static Interval shifted(Operation *op, Interval a, Interval by, unsigned bits) {
  if (!by.isOne() || by.low < 0 || by.low >= 62)
    return kAll;
  if (isa<arith::ShLIOp>(op))
    return bounded(__int128(a.low) << by.low, __int128(a.high) << by.low);
  if (isa<arith::ShRUIOp>(op))
    a = asUnsigned(a, bits);
  return {a.low >> by.low, a.high >> by.low};
}

static Interval compared(arith::CmpIPredicate predicate, Interval a,
                         Interval b) {
  using P = arith::CmpIPredicate;
  auto always = [](bool yes, bool no) {
    return yes ? Interval{1, 1} : no ? Interval{0, 0} : kEither;
  };
  bool less = a.high<b.low, greater = a.low> b.high;
  bool atMost = a.high <= b.low, atLeast = a.low >= b.high;
  switch (predicate) {
  case P::eq:
    return always(a.isOne() && b.isOne() && a.low == b.low, less || greater);
  case P::ne:
    return always(less || greater, a.isOne() && b.isOne() && a.low == b.low);
  case P::slt:
  case P::ult:
    return always(less, atLeast);
  case P::sle:
  case P::ule:
    return always(atMost, greater);
  case P::sgt:
  case P::ugt:
    return always(greater, atMost);
  case P::sge:
  case P::uge:
    return always(atLeast, less);
  }
  llvm_unreachable("predicate");
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static unsigned bitsOf(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

const ThreadValue *ThreadValues::choose(Value result,
                                        const ThreadValue *condition,
                                        const ThreadValue *yes,
                                        const ThreadValue *no) {
  if (yes == no)
    return yes;
  std::optional<int64_t> all = condition->getNumber();
  if (all)
    return *all ? yes : no;
  const ThreadValue *&value = recall(chosen, result, {condition, yes, no});
  return value ? value : value = blend(result, condition, yes, no);
}

const ThreadValue *ThreadValues::blend(Value result,
                                       const ThreadValue *condition,
                                       const ThreadValue *yes,
                                       const ThreadValue *no) {
  if (yes->symbol != no->symbol)
    return unknown(result);
  SmallVector<Interval, 0> each;
  each.reserve(threads);
  for (int64_t t = 0; t < threads; ++t) {
    Interval which = condition->of(t);
    each.push_back(!which.isOne() ? join(yes->of(t), no->of(t))
                   : which.low    ? yes->of(t)
                                  : no->of(t));
  }
  return get(yes->symbol, each);
}

const ThreadValue *
ThreadValues::evaluate(OpResult result,
                       ArrayRef<const ThreadValue *> operands) {
  const ThreadValue *&value = recall(evaluated, result, operands);
  if (value)
    return value;
  value = compute(result, operands);
  if (!value)
    return value = unknown(result);
  if (!value->symbol && result.getType().isInteger())
    for (const Interval &interval : value->threads)
      if (!interval.isOne() && interval.isAll())
        return value = unknown(result);
  return value;
}

namespace {
/// The result of one operation, of what its operands are in each thread.
class Computation {
public:
  using Known = const ThreadValue *;
  Computation(ThreadValues &values, OpResult result, ArrayRef<Known> operands,
              std::vector<Interval> &each)
      : values(values), result(result), operands(operands),
        op(result.getOwner()), bits(bitsOf(result.getType())), each(each) {}

  /// Null: not known.
  Known run() {
    APInt constant;
    if (matchPattern(result, m_ConstantInt(&constant)))
      return values.number(constant.getBitWidth() == 1
                               ? constant.getZExtValue()
                               : constant.getSExtValue());
    if (std::optional<Known> found = place())
      return *found;
    if (std::optional<Known> found = arithmetic())
      return *found;
    if (std::optional<Known> found = conversion())
      return *found;
    return choice().value_or(nullptr);
  }

private:
  /// By thread.
  template <typename Compute> Known join2(Value symbol, Compute compute) {
    size_t count = 1;
    for (Known operand : operands.take_front(2))
      count = std::max(count, operand->threads.size());
    each.resize(count);
    for (size_t t = 0; t < count; ++t)
      each[t] =
          compute(operands[0]->of(t),
                  operands.size() > 1 ? operands[1]->of(t) : Interval{0, 0});
    return values.get(symbol, each);
  }
  /// By thread, of numbers that are not relative to others.
  template <typename Compute> Known plain(Compute compute) {
    if (llvm::none_of(operands, [](Known known) { return known->symbol; }))
      return join2({}, compute);
    if (!isa<arith::AndIOp, arith::RemUIOp>(op))
      return nullptr;
    // Nothing but the bits of the type bounds it.
    return join2({}, [&](Interval a, Interval b) {
      return compute(operands[0]->symbol ? kAll : a,
                     operands[1]->symbol ? kAll : b);
    });
  }

  std::optional<Known> place();
  std::optional<Known> arithmetic();
  std::optional<Known> conversion();
  std::optional<Known> choice();
  Known element(LLVM::GEPOp gep);
  Known sum();
  Known comparison(arith::CmpIOp cmp);

  ThreadValues &values;
  OpResult result;
  ArrayRef<Known> operands;
  Operation *op;
  unsigned bits;
  std::vector<Interval> &each;
};
} // namespace

const ThreadValue *Computation::element(LLVM::GEPOp gep) {
  int64_t bytes = 0;
  if (gep.getElemType().isIntOrFloat())
    bytes = llvm::divideCeil(gep.getElemType().getIntOrFloatBitWidth(), 8);
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(result.getType());
  if (!bytes || gep.getIndices().size() != 1 || !pointer ||
      pointer.getAddressSpace() != 3)
    return nullptr;
  int64_t fixed = gep.getRawConstantIndices()[0];
  bool isFixed = gep.getDynamicIndices().empty();
  return plain([&](Interval a, Interval b) {
    Interval by =
        multiply(isFixed ? Interval{fixed, fixed} : b, {bytes, bytes});
    return bounded(__int128(a.low) + by.low, __int128(a.high) + by.high);
  });
}

/// Numbers of threads, and addresses.
std::optional<Computation::Known> Computation::place() {
  return TypeSwitch<Operation *, std::optional<Known>>(op)
      .Case([&](gpu::ThreadIdOp id) -> Known {
        if (id.getDimension() != gpu::Dimension::x)
          return values.number(0);
        each.clear();
        for (int64_t t = 0; t < values.threads; ++t)
          each.push_back({t, t});
        return values.get({}, each);
      })
      .Case([&](gpu::BlockDimOp dim) {
        bool isFirst = dim.getDimension() == gpu::Dimension::x;
        return values.number(isFirst ? values.threads : 1);
      })
      .Case<LLVM::AddressOfOp, LLVM::ZeroOp>([&](Operation *) {
        auto pointer = dyn_cast<LLVM::LLVMPointerType>(result.getType());
        return pointer && pointer.getAddressSpace() == 3 ? values.number(0)
                                                         : nullptr;
      })
      .Case([&](LLVM::GEPOp gep) { return element(gep); })
      .Default([](Operation *) { return std::nullopt; });
}

const ThreadValue *Computation::sum() {
  Value a = operands[0]->symbol, b = operands[1]->symbol;
  bool adds = isa<arith::AddIOp>(op);
  if (b && (adds ? bool(a) : a != b))
    return nullptr;
  return join2(b ? (adds ? b : Value()) : a, [&](Interval x, Interval y) {
    if (!adds)
      y = {-y.high, -y.low};
    return bounded(__int128(x.low) + y.low, __int128(x.high) + y.high);
  });
}

std::optional<Computation::Known> Computation::arithmetic() {
  return TypeSwitch<Operation *, std::optional<Known>>(op)
      .Case<arith::AddIOp, arith::SubIOp>([&](Operation *) { return sum(); })
      .Case([&](arith::MulIOp) { return plain(multiply); })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([&](Operation *) {
        return plain([&](Interval a, Interval b) { return bitwise(op, a, b); });
      })
      .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>([&](Operation *) {
        return plain(
            [&](Interval a, Interval b) { return shifted(op, a, b, bits); });
      })
      .Case<arith::DivUIOp, arith::DivSIOp>([&](Operation *) {
        return plain(
            [](Interval a, Interval b) { return divided(a, b, false); });
      })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](Operation *) {
        return plain([&](Interval a, Interval b) {
          return divided(isa<arith::RemUIOp>(op) ? asUnsigned(a, bits) : a, b,
                         /*isRest=*/true);
        });
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](Operation *) {
        return plain([](Interval a, Interval b) {
          return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
        });
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](Operation *) {
        return plain([](Interval a, Interval b) {
          return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
        });
      })
      .Case([&](LLVM::CtPopOp) {
        return plain([&](Interval a, Interval) {
          int64_t n = llvm::popcount(uint64_t(a.low));
          return a.isOne() && a.low >= 0 ? Interval{n, n}
                                         : Interval{0, int64_t(bits)};
        });
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Computation::Known> Computation::conversion() {
  return TypeSwitch<Operation *, std::optional<Known>>(op)
      .Case([&](arith::ExtUIOp ext) -> Known {
        unsigned from = bitsOf(ext.getIn().getType());
        if (operands[0]->symbol)
          return operands[0];
        return plain([&](Interval a, Interval) { return asUnsigned(a, from); });
      })
      .Case<arith::TruncIOp>([&](Operation *) -> Known {
        if (operands[0]->symbol)
          return operands[0];
        return plain([&](Interval a, Interval) {
          bool fits = bits >= 62 || (a.low >= -(int64_t(1) << (bits - 1)) &&
                                     a.high < (int64_t(1) << bits));
          return fits ? a : kAll;
        });
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::IndexCastUIOp,
            LLVM::PtrToIntOp, LLVM::IntToPtrOp, UniformOp>(
          [&](Operation *) -> Known {
            // The sign of a single bit is one, too.
            return op->getOperand(0).getType().isInteger(1) ? nullptr
                                                            : operands[0];
          })
      .Default([](Operation *) { return std::nullopt; });
}

const ThreadValue *Computation::comparison(arith::CmpIOp cmp) {
  if (operands[0]->symbol != operands[1]->symbol)
    return nullptr;
  using P = arith::CmpIPredicate;
  P predicate = cmp.getPredicate();
  bool isUnsigned = predicate == P::ult || predicate == P::ule ||
                    predicate == P::ugt || predicate == P::uge;
  return join2({}, [&](Interval a, Interval b) {
    if (isUnsigned && (a.low < 0 || b.low < 0))
      return kEither;
    return compared(predicate, a, b);
  });
}

std::optional<Computation::Known> Computation::choice() {
  return TypeSwitch<Operation *, std::optional<Known>>(op)
      .Case([&](arith::CmpIOp cmp) { return comparison(cmp); })
      .Case([&](arith::SelectOp) {
        return values.choose(result, operands[0], operands[1], operands[2]);
      })
      .Default([](Operation *) { return std::nullopt; });
}

const ThreadValue *
ThreadValues::compute(OpResult result, ArrayRef<const ThreadValue *> operands) {
  return Computation(*this, result, operands, scratch).run();
}
