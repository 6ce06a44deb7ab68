//===- LowerShuffle.cpp - Values of other lanes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From cheap to expensive: DPP reads another lane of the same row of 16 as an
// operand (instruction set manuals, "Data Parallel Processing"); permlane
// instructions exchange rows (RDNA, CDNA4); ds_swizzle and ds_bpermute go
// through the crossbar of LDS.
//
//===----------------------------------------------------------------------===//

#include "LowerOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

// DPP controls that are exclusive ors within a row.
constexpr unsigned kQuadPerm = 0x000, kRowMirror = 0x140, kHalfMirror = 0x141,
                   kRowRotate = 0x120, kRowXmask = 0x160;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value)));
}

static Value dpp(OpBuilder &b, Location loc, Value word, unsigned control) {
  Value none = LLVM::PoisonOp::create(b, loc, word.getType());
  return ROCDL::DPPUpdateOp::create(b, loc, word.getType(), none, word, control,
                                    /*rowMask=*/0xf, /*bankMask=*/0xf,
                                    /*boundCtrl=*/true);
}

/// The control that exchanges by `mask` within a row; 0 where there is none
/// (and for the mask 0).
static unsigned dppControl(unsigned mask, const Chip &chip) {
  if (mask == 0 || mask > 15)
    return 0;
  if (!chip.isCdna())
    return kRowXmask | mask;
  if (mask < 4) {
    unsigned order = 0;
    for (unsigned i = 0; i < 4; ++i)
      order |= (i ^ mask) << (2 * i);
    return kQuadPerm | order;
  }
  switch (mask) {
  case 7:
    return kHalfMirror;
  case 15:
    return kRowMirror;
  case 8: // A rotation by half of a row is an exchange.
    return kRowRotate | 8;
  default:
    return 0;
  }
}

/// The exchange by `mask` within a row of 16, in one step or in two: the masks
/// of CDNA's steps that are no quad_perm are 7, 8 and 15.
static Value exchangeInRow(OpBuilder &b, Location loc, Value word,
                           unsigned mask, const Chip &chip) {
  if (unsigned control = dppControl(mask, chip))
    return dpp(b, loc, word, control);
  unsigned first = mask < 8 ? 7 : mask < 12 ? 8 : 15;
  Value half = dpp(b, loc, word, dppControl(first, chip));
  return dpp(b, loc, half, dppControl(mask ^ first, chip));
}

/// gfx950: v_permlane16_swap and v_permlane32_swap exchange the odd rows (or
/// the upper half) of their first register with the even rows (the lower half)
/// of the second. Of one word twice that gives both lanes of a pair the words
/// of both: that of the lower lane, and that of the upper one.
static std::pair<Value, Value> shareRows(OpBuilder &b, Location loc, Value word,
                                         unsigned mask) {
  Type i32 = b.getI32Type();
  Value no = LLVM::ConstantOp::create(b, loc, b.getBoolAttr(false));
  auto both = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32});
  Value swapped = callIntrinsic(
      b, loc, both, mask == 32 ? "permlane32.swap" : "permlane16.swap",
      {word, word, no, no});
  Value lower = LLVM::ExtractValueOp::create(b, loc, swapped, 0);
  Value upper = LLVM::ExtractValueOp::create(b, loc, swapped, 1);
  return {lower, upper};
}

static Value exchangeRows(OpBuilder &b, Location loc, Value word, unsigned mask,
                          const Chip &chip) {
  auto [lower, upper] = shareRows(b, loc, word, mask);
  Value bit =
      LLVM::AndOp::create(b, loc, laneId(b, loc, chip), constant(b, loc, mask));
  Value isUpper = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, bit,
                                       constant(b, loc, 0));
  return LLVM::SelectOp::create(b, loc, isUpper, lower, upper);
}

Value amd::laneId(OpBuilder &b, Location loc, const Chip &chip) {
  Type i32 = b.getI32Type();
  Value all = constant(b, loc, -1);
  Value low =
      callIntrinsic(b, loc, i32, "mbcnt.lo", {all, constant(b, loc, 0)});
  return chip.lanes == 32 ? low
                          : callIntrinsic(b, loc, i32, "mbcnt.hi", {all, low});
}

Value amd::readLane(OpBuilder &b, Location loc, Value word, Value index) {
  Type i32 = b.getI32Type();
  // Addresses are in bytes.
  Value address = LLVM::ShlOp::create(b, loc, index, constant(b, loc, 2));
  Value bits = word.getType() == i32
                   ? word
                   : LLVM::BitcastOp::create(b, loc, i32, word).getResult();
  Value read = callIntrinsic(b, loc, i32, "ds.bpermute", {address, bits});
  return word.getType() == i32
             ? read
             : LLVM::BitcastOp::create(b, loc, word.getType(), read);
}

Value amd::exchangeByMask(OpBuilder &b, Location loc, Value word, unsigned mask,
                          const Chip &chip) {
  Type type = word.getType(), i32 = b.getI32Type();
  auto asBits = [&](Value value) -> Value {
    return type == i32
               ? value
               : LLVM::BitcastOp::create(b, loc, i32, value).getResult();
  };
  auto back = [&](Value value) -> Value {
    return type == i32
               ? value
               : LLVM::BitcastOp::create(b, loc, type, value).getResult();
  };
  Value bits = asBits(word);
  if (mask < 16)
    return back(exchangeInRow(b, loc, bits, mask, chip));
  if (chip.family == Family::CDNA4) {
    if (unsigned rest = mask & 15)
      bits = exchangeInRow(b, loc, bits, rest, chip);
    for (unsigned rows : {16u, 32u})
      if (mask & rows)
        bits = exchangeRows(b, loc, bits, rows, chip);
    return back(bits);
  }
  if (!chip.isCdna() && mask < 32) {
    // The same lane of the other row; then within the row.
    Value low = constant(b, loc, 0x76543210);
    Value high = constant(b, loc, int32_t(0xfedcba98));
    Value none = LLVM::PoisonOp::create(b, loc, i32);
    Value other = ROCDL::PermlaneX16Op::create(b, loc, i32, none, bits, low,
                                               high, /*fi=*/true,
                                               /*boundControl=*/false);
    unsigned rest = mask & 15;
    return back(rest ? dpp(b, loc, other, dppControl(rest, chip)) : other);
  }
  if (mask < 32) {
    // Within 32 lanes: lane = (lane & 0x1f) ^ mask.
    constexpr unsigned kKeepAll = 0x1f;
    return back(callIntrinsic(
        b, loc, i32, "ds.swizzle",
        {bits, constant(b, loc, int64_t(mask) << 10 | kKeepAll)}));
  }
  Value lane = laneId(b, loc, chip);
  return back(readLane(
      b, loc, bits, LLVM::XOrOp::create(b, loc, lane, constant(b, loc, mask))));
}

/// Whether a value meets that of another lane in an operation that gives the
/// same for both orders of its operands.
static bool meets(Operation *op, Value value, Value other) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  bool isCommutative =
      call ? llvm::is_contained({"llvm.maximum", "llvm.minimum",
                                 "llvm.maximumnum", "llvm.minimumnum"},
                                call.getIntrin())
           : op->hasTrait<OpTrait::IsCommutative>();
  if (!isCommutative || op->getNumOperands() != 2)
    return false;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  return (lhs == value && rhs == other) || (lhs == other && rhs == value);
}

/// The operations in which a lane takes the value of another one, where they
/// give the same for both orders of its operands; none if there are others.
/// Words are exchanged as bits: floats are cast there and back.
static llvm::SmallVector<Operation *> findReductions(Value value, Value other) {
  llvm::SmallVector<Operation *> found;
  for (Operation *user : other.getUsers()) {
    auto back = dyn_cast<arith::BitcastOp>(user);
    auto there = value.getDefiningOp<arith::BitcastOp>();
    if (back && there && back.getType() == there.getIn().getType()) {
      auto inner = findReductions(there.getIn(), back.getOut());
      if (inner.empty() && !back->use_empty())
        return {};
      llvm::append_range(found, inner);
      continue;
    }
    if (!meets(user, value, other))
      return {};
    found.push_back(user);
  }
  return found;
}

/// Erases the users of a value, and theirs, that nothing uses.
static void eraseUnusedBehind(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    for (Value result : user->getResults())
      eraseUnusedBehind(result);
    if (isOpTriviallyDead(user))
      user->erase();
  }
}

void amd::shareReducedRows(ModuleOp module, const Chip &chip) {
  if (chip.family != Family::CDNA4)
    return;
  llvm::SmallVector<gpu::ShuffleOp> all;
  module.walk([&](gpu::ShuffleOp op) { all.push_back(op); });
  for (gpu::ShuffleOp op : all) {
    Value value = op.getValue(), other = op.getShuffleResult();
    Type i32 = IntegerType::get(op.getContext(), 32);
    IntegerAttr mask, width;
    bool isRows = op.getMode() == gpu::ShuffleMode::XOR &&
                  matchPattern(op.getWidth(), m_Constant(&width)) &&
                  width.getInt() == chip.lanes &&
                  matchPattern(op.getOffset(), m_Constant(&mask)) &&
                  (mask.getInt() == 16 || mask.getInt() == 32) &&
                  (value.getType().isF32() || value.getType() == i32);
    if (!isRows || !op.getValid().use_empty())
      continue;
    auto reductions = findReductions(value, other);
    if (reductions.empty())
      continue;
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto cast = [&](Type to, Value from) -> Value {
      return from.getType() == to
                 ? from
                 : LLVM::BitcastOp::create(b, loc, to, from).getResult();
    };
    auto [lower, upper] =
        shareRows(b, loc, cast(i32, value), unsigned(mask.getInt()));
    for (Operation *user : reductions) {
      Type type = user->getOperand(0).getType();
      user->setOperands({cast(type, lower), cast(type, upper)});
    }
    // What remains are casts there and back.
    eraseUnusedBehind(other);
    op.erase();
  }
}
