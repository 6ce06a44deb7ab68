// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions: MFMA of CDNA and WMMA of RDNA.
#include "MatrixProduct.h"

using namespace kiln::amd::sim;

namespace {
const MatrixRow kMfma[] = {
    {"v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, 2, Element::F32, Element::F32,
     false},
    {"v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, 4, Element::F32, Element::F32,
     false},
    {"v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, 16, Element::F32, Element::F32,
     false},
    {"v_mfma_f32_32x32x2_f32", 32, 32, 2, 1, Element::F32, Element::F32, false},
    {"v_mfma_f32_16x16x4_f32", 16, 16, 4, 1, Element::F32, Element::F32, false},
    {"v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, Element::XF32, Element::XF32,
     false},
    {"v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, Element::XF32, Element::XF32,
     false},
    {"v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, 2, Element::F16, Element::F16,
     false},
    {"v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, 4, Element::F16, Element::F16,
     false},
    {"v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, 16, Element::F16, Element::F16,
     false},
    {"v_mfma_f32_32x32x8_f16", 32, 32, 8, 1, Element::F16, Element::F16, false},
    {"v_mfma_f32_16x16x16_f16", 16, 16, 16, 1, Element::F16, Element::F16,
     false},
    {"v_mfma_f32_32x32x16_f16", 32, 32, 16, 1, Element::F16, Element::F16,
     false},
    {"v_mfma_f32_16x16x32_f16", 16, 16, 32, 1, Element::F16, Element::F16,
     false},
    {"v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, 2, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, 4, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, 16, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_32x32x8_bf16", 32, 32, 8, 1, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_16x16x16_bf16", 16, 16, 16, 1, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_32x32x16_bf16", 32, 32, 16, 1, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_16x16x32_bf16", 16, 16, 32, 1, Element::BF16, Element::BF16,
     false},
    // CDNA1's, with half as many elements of a lane.
    {"v_mfma_f32_32x32x2bf16", 32, 32, 2, 2, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_16x16x2bf16", 16, 16, 2, 4, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_4x4x2bf16", 4, 4, 2, 16, Element::BF16, Element::BF16, false},
    {"v_mfma_f32_32x32x4bf16", 32, 32, 4, 1, Element::BF16, Element::BF16,
     false},
    {"v_mfma_f32_16x16x8bf16", 16, 16, 8, 1, Element::BF16, Element::BF16,
     false},
    {"v_mfma_i32_32x32x4_2b_i8", 32, 32, 4, 2, Element::I8, Element::I8, true},
    {"v_mfma_i32_16x16x4_4b_i8", 16, 16, 4, 4, Element::I8, Element::I8, true},
    {"v_mfma_i32_4x4x4_16b_i8", 4, 4, 4, 16, Element::I8, Element::I8, true},
    {"v_mfma_i32_32x32x8_i8", 32, 32, 8, 1, Element::I8, Element::I8, true},
    {"v_mfma_i32_16x16x16_i8", 16, 16, 16, 1, Element::I8, Element::I8, true},
    {"v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, Element::I8, Element::I8, true},
    {"v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, Element::I8, Element::I8, true},
    {"v_mfma_i32_32x32x32_i8", 32, 32, 32, 1, Element::I8, Element::I8, true},
    {"v_mfma_i32_16x16x64_i8", 16, 16, 64, 1, Element::I8, Element::I8, true},
    {"v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, Element::Fp8, Element::Fp8,
     false},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, Element::Fp8, Element::Bf8,
     false},
    {"v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, Element::Bf8, Element::Fp8,
     false},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, Element::Bf8, Element::Bf8,
     false},
    {"v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, 1, Element::Fp8, Element::Fp8,
     false},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, Element::Fp8, Element::Bf8,
     false},
    {"v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, 1, Element::Bf8, Element::Fp8,
     false},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, Element::Bf8, Element::Bf8,
     false},
    {"v_mfma_f64_16x16x4_f64", 16, 16, 4, 1, Element::F64, Element::F64, false},
    {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 4, Element::F64, Element::F64, false},
};
const MatrixRow kWmma[] = {
    {"v_wmma_f32_16x16x16_f16", 16, 16, 16, 1, Element::F16, Element::F16,
     false},
    {"v_wmma_f32_16x16x16_bf16", 16, 16, 16, 1, Element::BF16, Element::BF16,
     false},
    {"v_wmma_i32_16x16x16_iu8", 16, 16, 16, 1, Element::I8, Element::I8, true},
    {"v_wmma_i32_16x16x16_iu4", 16, 16, 16, 1, Element::I4, Element::I4, true},
    {"v_wmma_i32_16x16x32_iu4", 16, 16, 32, 1, Element::I4, Element::I4, true},
    {"v_wmma_f16_16x16x16_f16", 16, 16, 16, 1, Element::F16, Element::F16,
     false, Element::F16},
    {"v_wmma_bf16_16x16x16_bf16", 16, 16, 16, 1, Element::BF16, Element::BF16,
     false, Element::BF16},
    {"v_wmma_f32_16x16x16_fp8_fp8", 16, 16, 16, 1, Element::Fp8, Element::Fp8,
     false},
    {"v_wmma_f32_16x16x16_fp8_bf8", 16, 16, 16, 1, Element::Fp8, Element::Bf8,
     false},
    {"v_wmma_f32_16x16x16_bf8_fp8", 16, 16, 16, 1, Element::Bf8, Element::Fp8,
     false},
    {"v_wmma_f32_16x16x16_bf8_bf8", 16, 16, 16, 1, Element::Bf8, Element::Bf8,
     false},
};

/// The lane that blgp lets a lane read from: all read the first or second 32,
/// are rotated by 16, or all read one of the four rows of 16.
unsigned laneOfGroups(unsigned lane, unsigned blgp) {
  switch (blgp & 7) {
  case 0:
    return lane;
  case 1:
  case 2:
    return lane % 32 + ((blgp & 7) == 2 ? 32 : 0);
  case 3:
    return (lane + 16) % 64;
  default:
    return lane % 16 + ((blgp & 7) - 4) * 16;
  }
}

/// A zero of the same sign for a number below the least normal one, 2^exponent.
double flushBelow(double x, int exponent) {
  return std::fabs(x) < std::ldexp(1.0, exponent) ? std::copysign(0.0, x) : x;
}

/// What a chip that flushes reads in place of an operand's element.
double flushOperand(double x, Element type) {
  return flushBelow(x, type == Element::F16 ? -14 : -126);
}

/// Whether each row of the accumulator is read before results are written over
/// it: it is in the same place, or in no place of theirs.
bool isInPlace(const Inst &inst, unsigned results) {
  const Operand &to = inst.ops[0], &from = inst.ops[3];
  return from.kind != Operand::Kind::Vector || from.reg == to.reg ||
         from.reg + results <= to.reg || to.reg + results <= from.reg;
}

/// Says where row `i` of a product is.
void placeRow(RowProduct &product, Wave &wave, const Inst &inst, unsigned i,
              unsigned reg, unsigned lane) {
  const Operand &to = inst.ops[0], &from = inst.ops[3];
  bool isVector = from.kind == Operand::Kind::Vector;
  product.from[i] = isVector ? wave.v[from.reg + reg].lane + lane : nullptr;
  product.to[i] = wave.v[to.reg + reg].lane + lane;
}

/// Multiplies the operands of MFMA as lanes hold them: each in the order of the
/// blocks, without changed signs.
void multiplyInPlace(Wave &wave, const Inst &inst, const MatrixRow &row,
                     const Elements &lhs, const Elements &rhs,
                     unsigned perBlock, unsigned each, unsigned results) {
  static thread_local RowProduct product;
  product.m = row.m;
  product.n = row.n;
  product.k = row.k;
  product.isInteger = row.isInteger;
  product.constant = uint32_t(inst.ops[3].value);
  for (unsigned block = 0; block < row.blocks; ++block) {
    for (unsigned part = 0; part < perBlock; ++part)
      for (unsigned e = 0; e < each; ++e) {
        unsigned lane = (part * row.blocks + block) * row.m;
        product.lhs[part * each + e] = lhs.v[e] + lane;
        product.rhs[part * each + e] = rhs.v[e] + lane;
      }
    for (unsigned i = 0; i < row.m; ++i) {
      unsigned lane, reg;
      placeOf(row, block, i, 0, lane, reg);
      placeRow(product, wave, inst, i, reg, lane);
    }
    multiplyRows(product);
  }
  for (unsigned i = 0; i < results; ++i)
    wave.defined[inst.ops[0].reg + i] = ~uint64_t(0);
}

/// v_mfma dst, lhs, rhs, acc.
void runMfma(Wave &wave, const Inst &inst) {
  const MatrixRow &row = kMfma[inst.stride];
  // Which block all of a group of blocks take for the first operand (cbsz,
  // abid), and lanes that the second one is taken from (blgp), which negates
  // operands of f64.
  unsigned group = 1u << (inst.flags & 7), chosen = (inst.flags >> 8) & 15;
  wave.sourceMask = ~uint64_t(0);
  bool isDouble = row.lhs == Element::F64;
  bool flushes = wave.machine->isa.flushesHalves &&
                 (row.lhs == Element::F16 || row.lhs == Element::BF16);
  unsigned groups = kMaxLanes / row.m;     // of lanes with equal rows
  unsigned perBlock = groups / row.blocks; // that share the summed dimension
  unsigned each = row.k / perBlock;        // elements of a lane
  unsigned results =
      row.m * row.n * row.blocks / kMaxLanes * (isDouble ? 2 : 1);
  static thread_local Elements lhs, rhs;
  static thread_local Product product;
  alignas(64) static thread_local uint32_t out[64][kMaxLanes];
  lhs.read(wave, inst.ops[1], each, row.lhs);
  rhs.read(wave, inst.ops[2], each, row.rhs);
  touchAccumulator(wave, inst.ops[3], results);
  for (unsigned i = 0; i < results; ++i)
    wave.touchVector(inst.ops[0].reg + i);
  constexpr unsigned kLeastRows = 16;
  if (row.m >= kLeastRows && !isDouble && !flushes && !inst.flags &&
      !inst.negLo && !inst.clamp && isInPlace(inst, results))
    return multiplyInPlace(wave, inst, row, lhs, rhs, perBlock, each, results);
  for (unsigned block = 0; block < row.blocks; ++block) {
    for (unsigned part = 0; part < perBlock; ++part)
      for (unsigned e = 0; e < each; ++e)
        for (unsigned i = 0; i < row.m; ++i) {
          unsigned lane = (part * row.blocks + block) * row.m + i;
          unsigned from =
              row.blocks > 1 ? block / group * group + chosen : block;
          unsigned lhsLane =
              (part * row.blocks + from % row.blocks) * row.m + i;
          unsigned s = part * each + e;
          product.lhs[i][s] = lhs.v[e][group > 1 ? lhsLane : lane];
          product.rhs[s][i] = rhs.v[e][laneOfGroups(lane, inst.flags >> 16)];
          if (inst.negLo & 1)
            product.lhs[i][s] = -product.lhs[i][s];
          if (inst.negLo & 2)
            product.rhs[s][i] = -product.rhs[s][i];
          if (flushes) {
            product.lhs[i][s] = flushOperand(product.lhs[i][s], row.lhs);
            product.rhs[s][i] = flushOperand(product.rhs[s][i], row.rhs);
          }
        }
    unsigned lane, reg;
    for (unsigned i = 0; i < row.m; ++i)
      for (unsigned j = 0; j < row.n; ++j) {
        placeOf(row, block, i, j, lane, reg);
        product.sums[i][j] = decode(wave, inst.ops[3], lane, reg, row);
        if (inst.negLo & 4)
          product.sums[i][j] = -product.sums[i][j];
        if (flushes)
          product.sums[i][j] = flushBelow(product.sums[i][j], -126);
      }
    product.multiply(row.m, row.n, row.k);
    for (unsigned i = 0; i < row.m; ++i)
      for (unsigned j = 0; j < row.n; ++j) {
        placeOf(row, block, i, j, lane, reg);
        if (flushes)
          product.sums[i][j] = flushBelow(product.sums[i][j], -126);
        uint64_t value = encode(product.sums[i][j], row, inst.clamp);
        out[reg][lane] = uint32_t(value);
        if (isDouble)
          out[reg + 1][lane] = uint32_t(value >> 32);
      }
  }
  // EXEC does not matter.
  wave.sourceMask = ~uint64_t(0);
  for (unsigned i = 0; i < results; ++i)
    writeWord(wave, inst.ops[0].reg + i, out[i], ~uint64_t(0));
}

double fromNarrow(uint16_t bits, Element type) {
  return type == Element::F16 ? double(std::bit_cast<Half>(bits))
                              : double(toFloat(Bf16{bits}));
}
uint16_t toNarrow(double value, Element type) {
  return type == Element::F16 ? std::bit_cast<uint16_t>(Half(value))
                              : toBf16(float(value)).bits;
}

/// Multiplies the operands of WMMA as lanes hold them: `parts` groups of lanes
/// have parts of the summed dimension.
void multiplyWmma(Wave &wave, const Inst &inst, const MatrixRow &row,
                  const WmmaResult &place, const Elements &lhs,
                  const Elements &rhs, unsigned parts, unsigned each) {
  static thread_local RowProduct product;
  constexpr unsigned kSide = 16;
  product.m = product.n = kSide;
  product.k = row.k;
  product.isInteger = row.isInteger;
  product.constant = uint32_t(inst.ops[3].value);
  touchAccumulator(wave, inst.ops[3], place.registers());
  for (unsigned i = 0; i < place.registers(); ++i)
    wave.touchVector(inst.ops[0].reg + i);
  for (unsigned part = 0; part < parts; ++part)
    for (unsigned e = 0; e < each; ++e) {
      product.lhs[part * each + e] = lhs.v[e] + part * kSide;
      product.rhs[part * each + e] = rhs.v[e] + part * kSide;
    }
  for (unsigned i = 0; i < kSide; ++i)
    placeRow(product, wave, inst, i, place.reg(i), place.lane(i, 0));
  multiplyRows(product);
  for (unsigned i = 0; i < place.registers(); ++i)
    wave.defined[inst.ops[0].reg + i] = ~uint64_t(0);
}

/// v_wmma dst, lhs, rhs, acc. RDNA3 has whole rows of the operands in all
/// groups of 16 lanes, RDNA4 parts of the summed dimension, of 8 elements of 4
/// bits at least.
void runWmma(Wave &wave, const Inst &inst) {
  const MatrixRow &row = kWmma[inst.stride];
  wave.sourceMask = ~uint64_t(0);
  bool isOld = wave.machine->isa.major < 12;
  constexpr unsigned kSide = 16;
  unsigned lanes = isOld ? kSide : wave.lanes;
  if (bitsOf(row.lhs) * row.k < 2 * lanes)
    lanes /= 2;
  unsigned each = row.k / (lanes / kSide);
  WmmaResult place = {isOld, row.result != Element::F32, wave.lanes,
                      unsigned(inst.opSel >> 2) & 1};
  // Of integers neg_lo says which operand has a sign.
  bool isLhsUnsigned = row.isInteger && !(inst.negLo & 1);
  bool isRhsUnsigned = row.isInteger && !(inst.negLo & 2);
  static thread_local Elements lhs, rhs;
  static thread_local Product product;
  lhs.lanes = rhs.lanes = lanes;
  lhs.read(wave, inst.ops[1], each, row.lhs, isLhsUnsigned);
  rhs.read(wave, inst.ops[2], each, row.rhs, isRhsUnsigned);
  negateHalves(lhs, inst, 0, each, row);
  negateHalves(rhs, inst, 1, each, row);
  constexpr unsigned kAccumulator = 4; // the bit of its sign
  bool hasSigns =
      !row.isInteger && ((inst.negLo | inst.negHi) & kAccumulator) != 0;
  bool saturates = row.isInteger && inst.clamp;
  if (!place.isNarrow && !hasSigns && !saturates &&
      isInPlace(inst, place.registers()))
    return multiplyWmma(wave, inst, row, place, lhs, rhs, lanes / kSide, each);
  place.read(wave, inst, inst.ops[3], row, product);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned e = 0; e < each; ++e) {
      unsigned s = lane / kSide * each + e, i = lane % kSide;
      product.lhs[i][s] = lhs.v[e][lane];
      product.rhs[s][i] = rhs.v[e][lane];
    }
  product.multiply(kSide, kSide, row.k);
  place.write(wave, inst, row, product);
}
} // namespace

void WmmaResult::read(Wave &wave, const Inst &inst, const Operand &from,
                      const MatrixRow &row, Product &product) const {
  touchAccumulator(wave, from, registers());
  bool isConstant = from.kind != Operand::Kind::Vector;
  constexpr unsigned kThird = 2;
  bool negates = !row.isInteger && (inst.negLo >> kThird) & 1;
  bool isAbsolute = !row.isInteger && (inst.negHi >> kThird) & 1;
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      double &sum = product.sums[i][j];
      if (isNarrow)
        sum = fromNarrow(
            uint16_t(isConstant ? from.value
                                : wave.v[from.reg + reg(i)].lane[lane(i, j)] >>
                                      shift(i)),
            row.result);
      else
        sum = decode(wave, from, lane(i, j), reg(i), row);
      if (isAbsolute)
        sum = std::fabs(sum);
      if (negates)
        sum = -sum;
    }
}

void WmmaResult::write(Wave &wave, const Inst &inst, const MatrixRow &row,
                       const Product &product) const {
  alignas(64) uint32_t out[8][kMaxLanes] = {};
  unsigned to = inst.ops[0].reg;
  if (isNarrow && isOld)
    for (unsigned i = 0; i < registers(); ++i)
      std::memcpy(out[i], wave.v[to + i].lane, sizeof out[i]);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      uint32_t &word = out[reg(i)][lane(i, j)];
      if (isNarrow)
        word = (word & ~(0xffffu << shift(i))) |
               uint32_t(toNarrow(product.sums[i][j], row.result)) << shift(i);
      else
        word = uint32_t(encode(product.sums[i][j], row, inst.clamp));
    }
  wave.sourceMask = ~uint64_t(0);
  for (unsigned i = 0; i < registers(); ++i)
    writeWord(wave, to + i, out[i], ~uint64_t(0));
}

void kiln::amd::sim::addMatrix(Table &t) {
  Entry entry;
  entry.kind = Class::Matrix;
  for (unsigned i = 0; i < std::size(kMfma); ++i) {
    const MatrixRow &row = kMfma[i];
    entry.types.fill(row.isInteger             ? Type::B32
                     : row.lhs == Element::F64 ? Type::F64
                                               : Type::F32);
    entry.run = runMfma;
    entry.row = uint8_t(i);
    t.add(row.name, entry);
  }
  for (unsigned i = 0; i < std::size(kWmma); ++i) {
    entry.types.fill(kWmma[i].isInteger                 ? Type::B32
                     : kWmma[i].result == Element::F16  ? Type::F16
                     : kWmma[i].result == Element::BF16 ? Type::BF16
                                                        : Type::F32);
    entry.run = runWmma;
    entry.row = uint8_t(i);
    t.add(kWmma[i].name, entry);
  }
  // CDNA2's names.
  for (auto [old, now] :
       {std::pair("v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16"),
        {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16"},
        {"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16"},
        {"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16"},
        {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32"},
        {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32"},
        {"v_mfma_i32_16x16x16i8", "v_mfma_i32_16x16x16_i8"},
        {"v_mfma_i32_32x32x8i8", "v_mfma_i32_32x32x8_i8"},
        {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64"},
        {"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64"},
        {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32"},
        {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32"},
        {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32"},
        {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16"},
        {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16"},
        {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16"},
        {"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16"},
        {"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16"},
        {"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16"},
        {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8"},
        {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8"},
        {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8"}})
    t.add(old, *t.find(now));
}
