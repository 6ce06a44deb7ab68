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
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

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
/// of the second. Of one word twice that gives it to each lane pair both ways.
static Value exchangeRows(OpBuilder &b, Location loc, Value word, unsigned mask,
                          const Chip &chip) {
  Type i32 = b.getI32Type();
  Value no = LLVM::ConstantOp::create(b, loc, b.getBoolAttr(false));
  auto both = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32});
  Value swapped = callIntrinsic(
      b, loc, both, mask == 32 ? "permlane32.swap" : "permlane16.swap",
      {word, word, no, no});
  Value lower = LLVM::ExtractValueOp::create(b, loc, swapped, 0);
  Value upper = LLVM::ExtractValueOp::create(b, loc, swapped, 1);
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
