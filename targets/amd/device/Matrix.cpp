// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions: MFMA of CDNA and WMMA of RDNA. Which lane has which
// element is stated in the chapters "Matrix Arithmetic Instructions" (CDNA3 and
// CDNA4) and "Wave Matrix Multiply Accumulate" (RDNA3 and RDNA4).
//
// Products of floats are summed in f64 and rounded once, where hardware rounds
// in its own order: results agree to the precision of the accumulator.
#include "Float8.h"
#include "Values.h"

using namespace kiln::amd::sim;

namespace {
enum class Element : uint8_t { F64, F32, XF32, F16, BF16, I8, Fp8, Bf8 };

struct MatrixRow {
  const char *name;
  uint16_t m, n, k, blocks;
  Element lhs, rhs;
  bool isInteger;
};

unsigned bitsOf(Element e) {
  switch (e) {
  case Element::F64:
    return 64;
  case Element::F32:
  case Element::XF32:
    return 32;
  case Element::F16:
  case Element::BF16:
    return 16;
  default:
    return 8;
  }
}

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
    {"v_wmma_f32_16x16x16_fp8_fp8", 16, 16, 16, 1, Element::Fp8, Element::Fp8,
     false},
    {"v_wmma_f32_16x16x16_fp8_bf8", 16, 16, 16, 1, Element::Fp8, Element::Bf8,
     false},
    {"v_wmma_f32_16x16x16_bf8_fp8", 16, 16, 16, 1, Element::Bf8, Element::Fp8,
     false},
    {"v_wmma_f32_16x16x16_bf8_bf8", 16, 16, 16, 1, Element::Bf8, Element::Bf8,
     false},
};

/// Reads elements that lanes hold one after the other.
class Operands {
public:
  explicit Operands(Wave &wave) : wave(wave) {}

  /// Element `i` of a lane's registers.
  double element(const Operand &op, unsigned lane, unsigned i, Element type,
                 bool isUnsigned = false) const {
    unsigned bits = bitsOf(type), per = bits < 32 ? 32 / bits : 1;
    unsigned word = bits == 64 ? 2 * i : i / per;
    uint32_t low = wave.v[op.reg + word].lane[lane];
    uint32_t part = per == 1 ? low : low >> (bits * (i % per));
    switch (type) {
    case Element::F64:
      return std::bit_cast<double>(
          low | uint64_t(wave.v[op.reg + word + 1].lane[lane]) << 32);
    case Element::F32:
      return std::bit_cast<float>(low);
    case Element::XF32:
      // The upper 19 bits count, rounded to nearest even.
      return std::bit_cast<float>((low + 0xfff + ((low >> 13) & 1)) &
                                  ~uint32_t(0x1fff));
    case Element::F16:
      return double(float(std::bit_cast<Half>(uint16_t(part))));
    case Element::BF16:
      return toFloat(Bf16{uint16_t(part)});
    case Element::I8:
      return isUnsigned ? double(uint8_t(part)) : double(int8_t(part));
    case Element::Fp8:
      return widen(uint8_t(part),
                   wave.machine->isa.hasOcpFloat8 ? kE4M3 : kE4M3Fnuz);
    case Element::Bf8:
      return widen(uint8_t(part),
                   wave.machine->isa.hasOcpFloat8 ? kE5M2 : kE5M2Fnuz);
    }
    return 0;
  }

  /// Waits and definitions of all registers of an operand.
  void touch(const Operand &op, unsigned words) {
    if (op.kind != Operand::Kind::Vector)
      return;
    for (unsigned i = 0; i < words; ++i) {
      wave.touchVector(op.reg + i);
      wave.sourceMask &= wave.defined[op.reg + i];
    }
  }

private:
  Wave &wave;
};

constexpr unsigned kMost = 64;

/// dst = acc + lhs * rhs for the elements of one block.
struct Product {
  double lhs[32][kMost], rhs[kMost][32];

  double sum(unsigned i, unsigned j, unsigned k, double acc) const {
    for (unsigned s = 0; s < k; ++s)
      acc += lhs[i][s] * rhs[s][j];
    return acc;
  }
};

/// The accumulator as the row has it: i32, f32 or f64.
uint64_t encode(double value, const MatrixRow &row, bool saturates) {
  if (row.isInteger) {
    double most = 2147483647.0;
    if (saturates)
      value = value > most ? most : value < -most - 1 ? -most - 1 : value;
    return uint32_t(int64_t(value));
  }
  if (row.lhs == Element::F64)
    return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(float(value));
}
double decode(Wave &wave, const Operand &op, unsigned lane, unsigned reg,
              const MatrixRow &row) {
  uint64_t bits;
  if (op.kind == Operand::Kind::Vector) {
    bits = wave.v[op.reg + reg].lane[lane];
    if (row.lhs == Element::F64)
      bits |= uint64_t(wave.v[op.reg + reg + 1].lane[lane]) << 32;
  } else {
    bits = op.value;
  }
  if (row.isInteger)
    return int32_t(bits);
  if (row.lhs == Element::F64)
    return std::bit_cast<double>(bits);
  return std::bit_cast<float>(uint32_t(bits));
}

/// v_mfma dst, lhs, rhs, acc.
void runMfma(Wave &wave, const Inst &inst) {
  const MatrixRow &row = kMfma[inst.stride];
  if (inst.flags)
    wave.fail("broadcasts and permutations of blocks (cbsz, abid, blgp) are "
              "not simulated");
  Operands operands(wave);
  wave.sourceMask = ~uint64_t(0);
  bool isDouble = row.lhs == Element::F64;
  unsigned groups = kMaxLanes / row.m;     // of lanes with equal rows
  unsigned perBlock = groups / row.blocks; // that share the summed dimension
  unsigned each = row.k / perBlock;        // elements of a lane
  unsigned words = (each * bitsOf(row.lhs) + 31) / 32;
  unsigned results =
      row.m * row.n * row.blocks / kMaxLanes * (isDouble ? 2 : 1);
  operands.touch(inst.ops[1], words);
  operands.touch(inst.ops[2], words);
  operands.touch(inst.ops[3], results);
  for (unsigned i = 0; i < results; ++i)
    wave.touchVector(inst.ops[0].reg + i);
  alignas(64) static thread_local uint32_t out[64][kMaxLanes];
  static thread_local Product product;
  for (unsigned block = 0; block < row.blocks; ++block) {
    for (unsigned part = 0; part < perBlock; ++part)
      for (unsigned i = 0; i < row.m; ++i) {
        unsigned lane = (part * row.blocks + block) * row.m + i;
        for (unsigned e = 0; e < each; ++e) {
          unsigned s = part * each + e;
          product.lhs[i][s] = operands.element(inst.ops[1], lane, e, row.lhs);
          product.rhs[s][i] = operands.element(inst.ops[2], lane, e, row.rhs);
        }
      }
    // Results: lanes run over the columns; four rows of a lane are consecutive
    // (f64: groups of lanes alternate), then come those of the next group.
    for (unsigned i = 0; i < row.m; ++i)
      for (unsigned j = 0; j < row.n; ++j) {
        unsigned group, reg;
        if (isDouble) {
          group = i % perBlock;
          reg = 2 * (i / perBlock);
        } else {
          group = (i / 4) % perBlock;
          reg = i % 4 + 4 * (i / (4 * perBlock));
        }
        unsigned lane, at;
        lane = group * row.n + j;
        at = reg;
        if (row.m == 32) {
          // Blocks follow each other in registers.
          lane = (i / 4) % 2 * 32 + j;
          at = i % 4 + 4 * (i / 8) + block * 16;
        } else if (row.blocks > 1 && row.m == 16) {
          // Of 16 rows every group of lanes has four, of all blocks.
          group = (i / 4) % 4;
          lane = group * 16 + j;
          at = i % 4 + 4 * block;
        } else if (row.blocks > 1) {
          lane = isDouble ? (i * 4 + block) * 4 + j : block * 4 + j;
          at = isDouble ? 0 : i;
        }
        double acc = decode(wave, inst.ops[3], lane, at, row);
        uint64_t value = encode(product.sum(i, j, row.k, acc), row, inst.clamp);
        out[at][lane] = uint32_t(value);
        if (isDouble)
          out[at + 1][lane] = uint32_t(value >> 32);
      }
  }
  // EXEC does not matter.
  wave.sourceMask = ~uint64_t(0);
  for (unsigned i = 0; i < results; ++i)
    writeWord(wave, inst.ops[0].reg + i, out[i], ~uint64_t(0));
}

/// v_wmma dst, lhs, rhs, acc, in waves of 32 lanes. RDNA3 has whole rows in
/// both halves of the lanes, and rows of the results alternate between them;
/// RDNA4 has halves of the summed dimension, and halves of the rows.
void runWmma(Wave &wave, const Inst &inst) {
  const MatrixRow &row = kWmma[inst.stride];
  Operands operands(wave);
  wave.sourceMask = ~uint64_t(0);
  bool isOld = wave.machine->isa.major < 12;
  unsigned each = isOld ? 16 : 8;
  unsigned words = each * bitsOf(row.lhs) / 32;
  constexpr unsigned kResults = 8;
  operands.touch(inst.ops[1], words);
  operands.touch(inst.ops[2], words);
  operands.touch(inst.ops[3], kResults);
  // Of integers neg_lo says which operand has a sign.
  bool isLhsUnsigned = row.isInteger && !(inst.negLo & 1);
  bool isRhsUnsigned = row.isInteger && !(inst.negLo & 2);
  static thread_local Product product;
  for (unsigned lane = 0; lane < (isOld ? 16u : 32u); ++lane)
    for (unsigned e = 0; e < each; ++e) {
      unsigned s = (isOld ? 0 : lane / 16 * 8) + e, i = lane % 16;
      product.lhs[i][s] =
          operands.element(inst.ops[1], lane, e, row.lhs, isLhsUnsigned);
      product.rhs[s][i] =
          operands.element(inst.ops[2], lane, e, row.rhs, isRhsUnsigned);
    }
  alignas(64) uint32_t out[kResults][kMaxLanes] = {};
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      unsigned half = isOld ? i % 2 : i / 8, reg = isOld ? i / 2 : i % 8;
      unsigned lane = half * 16 + j;
      double acc = decode(wave, inst.ops[3], lane, reg, row);
      out[reg][lane] =
          uint32_t(encode(product.sum(i, j, row.k, acc), row, inst.clamp));
    }
  wave.sourceMask = ~uint64_t(0);
  for (unsigned i = 0; i < kResults; ++i)
    writeWord(wave, inst.ops[0].reg + i, out[i], ~uint64_t(0));
}
} // namespace

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
    entry.types.fill(kWmma[i].isInteger ? Type::B32 : Type::F32);
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
        {"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64"}})
    t.add(old, *t.find(now));
}
