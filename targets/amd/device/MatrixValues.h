// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of matrix instructions as numbers, and where their elements are
// (chapters "Matrix Arithmetic Instructions" of the CDNA3 and CDNA4 manuals,
// "Wave Matrix Multiply Accumulate" of RDNA3 and RDNA4).
//
// Products of floats are summed in f64 and rounded once, where hardware rounds
// in its own order: results agree to the precision of the accumulator.
#ifndef KILN_TARGETS_AMD_DEVICE_MATRIXVALUES_H
#define KILN_TARGETS_AMD_DEVICE_MATRIXVALUES_H

#include "Float8.h"
#include "Values.h"

namespace kiln::amd::sim {

enum class Element : uint8_t {
  F64,
  F32,
  XF32,
  F16,
  BF16,
  I8,
  I4,
  Fp8,
  Bf8,
  Fp6,
  Bf6,
  Fp4
};

struct MatrixRow {
  const char *name;
  uint16_t m, n, k, blocks;
  Element lhs, rhs;
  bool isInteger;
  Element result = Element::F32; ///< of WMMA: F16 and BF16 are others
};

inline unsigned bitsOf(Element e) {
  switch (e) {
  case Element::F64:
    return 64;
  case Element::F32:
  case Element::XF32:
    return 32;
  case Element::F16:
  case Element::BF16:
    return 16;
  case Element::Fp6:
  case Element::Bf6:
    return 6;
  case Element::I4:
  case Element::Fp4:
    return 4;
  default:
    return 8;
  }
}

/// The values of all 8-bit floats with four bits of exponent, or with five.
inline const double *float8Values(bool isFour, bool isOcp) {
  static const auto tables = [] {
    std::array<std::array<double, 256>, 4> all;
    const Float8Format *formats[] = {&kE5M2Fnuz, &kE5M2, &kE4M3Fnuz, &kE4M3};
    for (unsigned i = 0; i < all.size(); ++i)
      for (unsigned bits = 0; bits < all[i].size(); ++bits)
        all[i][bits] = double(widen(uint8_t(bits), *formats[i]));
    return all;
  }();
  return tables[2 * isFour + isOcp].data();
}

/// The elements of an operand that each lane holds, in order.
struct Elements {
  alignas(64) double v[32][kMaxLanes];
  unsigned lanes = kMaxLanes; ///< whose elements are read

  template <unsigned lanes, typename F>
  void fillLanes(const Wave &wave, const Operand &op, unsigned count,
                 unsigned per, F convert) {
    for (unsigned i = 0; i < count; ++i) {
      const uint32_t *words = wave.v[op.reg + i / per].lane;
      unsigned shift = per == 1 ? 0 : 32 / per * (i % per);
      for (unsigned l = 0; l < lanes; ++l)
        v[i][l] = convert(words[l] >> shift);
    }
  }
  template <typename F>
  void fill(const Wave &wave, const Operand &op, unsigned count, unsigned per,
            F convert) {
    // The host's compiler makes vector code of a known number of lanes.
    if (lanes == 16)
      fillLanes<16>(wave, op, count, per, convert);
    else if (lanes == 32)
      fillLanes<32>(wave, op, count, per, convert);
    else
      fillLanes<kMaxLanes>(wave, op, count, per, convert);
  }

  /// Elements of 4 or 6 bits, which may reach into the next register.
  void fillNarrow(const Wave &wave, const Operand &op, unsigned count,
                  Element type) {
    unsigned bits = bitsOf(type);
    const Float8Format &format = type == Element::Fp4   ? kE2M1
                                 : type == Element::Fp6 ? kE2M3
                                                        : kE3M2;
    for (unsigned i = 0; i < count; ++i)
      for (unsigned l = 0; l < lanes; ++l) {
        unsigned at = i * bits, reg = op.reg + at / 32, shift = at % 32;
        uint64_t pair = wave.v[reg].lane[l];
        if (shift + bits > 32)
          pair |= uint64_t(wave.v[reg + 1].lane[l]) << 32;
        v[i][l] = widenSmall(uint32_t(pair >> shift), format);
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
    bool isOcp = bits == 8 && type != Element::I8 ? wave.hasOcpFloat8() : false;
    switch (type) {
    case Element::F64:
      for (unsigned i = 0; i < count; ++i)
        for (unsigned l = 0; l < lanes; ++l)
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
    case Element::I4:
      fill(wave, op, count, per, [isUnsigned](uint32_t x) -> double {
        return isUnsigned ? int(x & 15) : int32_t(x << 28) >> 28;
      });
      break;
    case Element::Fp6:
    case Element::Bf6:
    case Element::Fp4:
      fillNarrow(wave, op, count, type);
      break;
    case Element::Fp8:
    case Element::Bf8: {
      const double *values = float8Values(type == Element::Fp8, isOcp);
      fill(wave, op, count, per,
           [values](uint32_t x) -> double { return values[uint8_t(x)]; });
      break;
    }
    }
  }
};

/// Changes the signs of a float operand of WMMA, number `n`: neg_lo those of
/// its even elements, neg_hi those of its odd ones. Of integers these bits say
/// something else.
inline void negateHalves(Elements &elements, const Inst &inst, unsigned n,
                         unsigned count, const MatrixRow &row) {
  if (row.isInteger)
    return;
  for (unsigned e = 0; e < count; ++e)
    if (((e % 2 ? inst.negHi : inst.negLo) >> n) & 1)
      for (double &x : elements.v[e])
        x = -x;
}

/// Waits and definitions of the registers of an accumulator.
inline void touchAccumulator(Wave &wave, const Operand &op, unsigned words) {
  if (op.kind != Operand::Kind::Vector)
    return;
  for (unsigned i = 0; i < words; ++i)
    wave.touchVector(op.reg + i);
}

/// Elements of the summed dimension, at most.
constexpr unsigned kMostSummed = 128;

/// sums += lhs * rhs for the elements of one block, one step of the summed
/// dimension after the other.
struct Product {
  alignas(64) double lhs[32][kMostSummed], rhs[kMostSummed][32], sums[32][32];

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
inline uint64_t encode(double value, const MatrixRow &row, bool saturates) {
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
inline double decode(Wave &wave, const Operand &op, unsigned lane, unsigned reg,
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
inline void placeOf(const MatrixRow &row, unsigned block, unsigned i,
                    unsigned j, unsigned &lane, unsigned &reg) {
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

/// Where the elements of the 16 x 16 accumulator of WMMA are. Rows of RDNA3
/// alternate between the groups of 16 lanes. RDNA4 has halves of the rows in
/// the first and second such groups, and halves of these beyond 32 lanes. RDNA3
/// has results of 16 bits in one half of each register, which op_sel chooses,
/// RDNA4 two of them in each.
struct WmmaResult {
  bool isOld, isNarrow;
  unsigned lanes; ///< of the wave
  unsigned halfOfOld;

  unsigned groups() const { return lanes / 16; }
  unsigned lane(unsigned i, unsigned j) const {
    unsigned group = isOld ? i % groups() : i / 8;
    if (!isOld && groups() == 4)
      group += i / 4 % 2 * 2;
    return group * 16 + j;
  }
  unsigned reg(unsigned i) const {
    unsigned at = isOld ? i / groups() : i % (16 / groups());
    return isNarrow && !isOld ? at / 2 : at;
  }
  unsigned shift(unsigned i) const { return 16 * (isOld ? halfOfOld : i % 2); }
  unsigned registers() const {
    return 16 / groups() / (isNarrow && !isOld ? 2 : 1);
  }

  /// The sums that a product begins with, and those that it ends with.
  /// neg_lo negates those of floats, neg_hi takes their absolute values first.
  void read(Wave &wave, const Inst &inst, const Operand &from,
            const MatrixRow &row, Product &product) const;
  void write(Wave &wave, const Inst &inst, const MatrixRow &row,
             const Product &product) const;
};

} // namespace kiln::amd::sim

#endif
