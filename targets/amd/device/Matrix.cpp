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

/// The elements of an operand that each lane holds, in order.
struct Elements {
  alignas(64) double v[16][kMaxLanes];

  template <typename F>
  void fill(const Wave &wave, const Operand &op, unsigned count, unsigned per,
            F convert) {
    for (unsigned i = 0; i < count; ++i) {
      const uint32_t *lanes = wave.v[op.reg + i / per].lane;
      unsigned shift = per == 1 ? 0 : 32 / per * (i % per);
      for (unsigned l = 0; l < kMaxLanes; ++l)
        v[i][l] = convert(lanes[l] >> shift);
    }
  }

  void read(Wave &wave, const Operand &op, unsigned count, Element type,
            bool isUnsigned = false) {
    unsigned bits = bitsOf(type), per = bits < 32 ? 32 / bits : 1;
    unsigned words = (count * bits + 31) / 32;
    for (unsigned i = 0; i < words; ++i) {
      wave.touchVector(op.reg + i);
      wave.sourceMask &= wave.defined[op.reg + i];
    }
    bool isOcp = wave.machine->isa.hasOcpFloat8;
    switch (type) {
    case Element::F64:
      for (unsigned i = 0; i < count; ++i)
        for (unsigned l = 0; l < kMaxLanes; ++l)
          v[i][l] = std::bit_cast<double>(
              wave.v[op.reg + 2 * i].lane[l] |
              uint64_t(wave.v[op.reg + 2 * i + 1].lane[l]) << 32);
      break;
    case Element::F32:
      fill(wave, op, count, per,
           [](uint32_t x) -> double { return std::bit_cast<float>(x); });
      break;
    case Element::XF32:
      // The upper 19 bits count, rounded to nearest even.
      fill(wave, op, count, per, [](uint32_t x) -> double {
        return std::bit_cast<float>((x + 0xfff + ((x >> 13) & 1)) &
                                    ~uint32_t(0x1fff));
      });
      break;
    case Element::F16:
      fill(wave, op, count, per, [](uint32_t x) -> double {
        return float(std::bit_cast<Half>(uint16_t(x)));
      });
      break;
    case Element::BF16:
      fill(wave, op, count, per,
           [](uint32_t x) -> double { return toFloat(Bf16{uint16_t(x)}); });
      break;
    case Element::I8:
      fill(wave, op, count, per, [isUnsigned](uint32_t x) -> double {
        return isUnsigned ? int(uint8_t(x)) : int(int8_t(x));
      });
      break;
    case Element::Fp8:
      fill(wave, op, count, per, [isOcp](uint32_t x) -> double {
        return widen(uint8_t(x), isOcp ? kE4M3 : kE4M3Fnuz);
      });
      break;
    case Element::Bf8:
      fill(wave, op, count, per, [isOcp](uint32_t x) -> double {
        return widen(uint8_t(x), isOcp ? kE5M2 : kE5M2Fnuz);
      });
      break;
    }
  }
};

/// Waits and definitions of the registers of an accumulator.
void touchAccumulator(Wave &wave, const Operand &op, unsigned words) {
  if (op.kind != Operand::Kind::Vector)
    return;
  for (unsigned i = 0; i < words; ++i)
    wave.touchVector(op.reg + i);
}

constexpr unsigned kMost = 64;

/// sums += lhs * rhs for the elements of one block, one step of the summed
/// dimension after the other.
struct Product {
  alignas(64) double lhs[32][kMost], rhs[kMost][32], sums[32][32];

  void multiply(unsigned m, unsigned n, unsigned k) {
    for (unsigned i = 0; i < m; ++i)
      for (unsigned s = 0; s < k; ++s) {
        double x = lhs[i][s];
        for (unsigned j = 0; j < n; ++j)
          sums[i][j] += x * rhs[s][j];
      }
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

/// Where element (i, j) of a block of results is: a lane, and a register.
/// Lanes run over the columns. Four rows of a lane are consecutive, then come
/// those of the next group of lanes; rows of f64 alternate between the groups.
void placeOf(const MatrixRow &row, unsigned block, unsigned i, unsigned j,
             unsigned &lane, unsigned &reg) {
  if (row.lhs == Element::F64) {
    lane = row.blocks > 1 ? (i * 4 + block) * 4 + j : i % 4 * 16 + j;
    reg = row.blocks > 1 ? 0 : i / 4 * 2;
  } else if (row.m == 32) {
    lane = i / 4 % 2 * 32 + j;
    reg = i % 4 + i / 8 * 4 + block * 16;
  } else if (row.m == 16) {
    lane = i / 4 * 16 + j;
    reg = i % 4 + 4 * block;
  } else {
    lane = block * 4 + j;
    reg = i;
  }
}

/// v_mfma dst, lhs, rhs, acc.
void runMfma(Wave &wave, const Inst &inst) {
  const MatrixRow &row = kMfma[inst.stride];
  if (inst.flags)
    wave.fail("broadcasts and permutations of blocks (cbsz, abid, blgp) are "
              "not simulated");
  wave.sourceMask = ~uint64_t(0);
  bool isDouble = row.lhs == Element::F64;
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
  for (unsigned block = 0; block < row.blocks; ++block) {
    for (unsigned part = 0; part < perBlock; ++part)
      for (unsigned e = 0; e < each; ++e)
        for (unsigned i = 0; i < row.m; ++i) {
          unsigned lane = (part * row.blocks + block) * row.m + i;
          unsigned s = part * each + e;
          product.lhs[i][s] = lhs.v[e][lane];
          product.rhs[s][i] = rhs.v[e][lane];
        }
    unsigned lane, reg;
    for (unsigned i = 0; i < row.m; ++i)
      for (unsigned j = 0; j < row.n; ++j) {
        placeOf(row, block, i, j, lane, reg);
        product.sums[i][j] = decode(wave, inst.ops[3], lane, reg, row);
      }
    product.multiply(row.m, row.n, row.k);
    for (unsigned i = 0; i < row.m; ++i)
      for (unsigned j = 0; j < row.n; ++j) {
        placeOf(row, block, i, j, lane, reg);
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

/// v_wmma dst, lhs, rhs, acc, in waves of 32 lanes. RDNA3 has whole rows in
/// both halves of the lanes, and rows of the results alternate between them;
/// RDNA4 has halves of the summed dimension, and halves of the rows.
void runWmma(Wave &wave, const Inst &inst) {
  const MatrixRow &row = kWmma[inst.stride];
  wave.sourceMask = ~uint64_t(0);
  bool isOld = wave.machine->isa.major < 12;
  unsigned each = isOld ? 16 : 8;
  constexpr unsigned kResults = 8;
  // Of integers neg_lo says which operand has a sign.
  bool isLhsUnsigned = row.isInteger && !(inst.negLo & 1);
  bool isRhsUnsigned = row.isInteger && !(inst.negLo & 2);
  static thread_local Elements lhs, rhs;
  static thread_local Product product;
  lhs.read(wave, inst.ops[1], each, row.lhs, isLhsUnsigned);
  rhs.read(wave, inst.ops[2], each, row.rhs, isRhsUnsigned);
  touchAccumulator(wave, inst.ops[3], kResults);
  for (unsigned lane = 0; lane < (isOld ? 16u : 32u); ++lane)
    for (unsigned e = 0; e < each; ++e) {
      unsigned s = (isOld ? 0 : lane / 16 * 8) + e, i = lane % 16;
      product.lhs[i][s] = lhs.v[e][lane];
      product.rhs[s][i] = rhs.v[e][lane];
    }
  auto laneOf = [&](unsigned i, unsigned j) {
    return (isOld ? i % 2 : i / 8) * 16 + j;
  };
  auto regOf = [&](unsigned i) { return isOld ? i / 2 : i % 8; };
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j)
      product.sums[i][j] =
          decode(wave, inst.ops[3], laneOf(i, j), regOf(i), row);
  product.multiply(16, 16, row.k);
  alignas(64) uint32_t out[kResults][kMaxLanes] = {};
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j)
      out[regOf(i)][laneOf(i, j)] =
          uint32_t(encode(product.sums[i][j], row, inst.clamp));
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
