// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of vector instructions as arrays of one value for each lane. The
// loops over lanes have no branches, so that the host's compiler makes vector
// code of them.
#ifndef KILN_TARGETS_AMD_DEVICE_VALUES_H
#define KILN_TARGETS_AMD_DEVICE_VALUES_H

#include "Table.h"
#include <bit>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kiln::amd::sim {

using Half = _Float16;
/// The bits of a bf16.
struct Bf16 {
  uint16_t bits;
};

inline float toFloat(Bf16 x) {
  return std::bit_cast<float>(uint32_t(x.bits) << 16);
}
/// Rounded to nearest even; NaN stays NaN.
inline Bf16 toBf16(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  return {uint16_t(isNaN ? (bits >> 16) | 0x40 : rounded >> 16)};
}

template <typename T> struct alignas(64) Lanes {
  T v[kMaxLanes];
};

template <typename T> constexpr Type typeOf() {
  if constexpr (std::is_same_v<T, float>)
    return Type::F32;
  else if constexpr (std::is_same_v<T, Half>)
    return Type::F16;
  else if constexpr (std::is_same_v<T, Bf16>)
    return Type::BF16;
  else if constexpr (std::is_same_v<T, double>)
    return Type::F64;
  else if constexpr (std::is_same_v<T, int64_t>)
    return Type::I64;
  else if constexpr (sizeof(T) == 8)
    return Type::B64;
  else if constexpr (sizeof(T) == 2)
    return Type::B16;
  else
    return Type::B32;
}

/// Makes the host's arithmetic round and flush as the mode of a wave says.
void applyMode(const Wave &wave);
/// The value of a special operand.
uint64_t specialValue(Wave &wave, unsigned which);
/// The address that the text of the code object is loaded to.
uint64_t textAddress(const Wave &wave);

/// The value of a scalar operand or constant, `words` of 32 bits.
inline uint64_t scalarValue(Wave &wave, const Operand &op, unsigned words) {
  switch (op.kind) {
  case Operand::Kind::Scalar: {
    if (op.reg == kNull)
      return 0;
    uint64_t low = wave.readScalar(op.reg);
    return words == 1 ? low : low | uint64_t(wave.readScalar(op.reg + 1)) << 32;
  }
  case Operand::Kind::Special:
    return specialValue(wave, op.reg);
  default:
    return op.value;
  }
}

/// Applies DPP to a register's lanes.
void permuteDpp(Wave &wave, const Dpp &dpp, const uint32_t *from, uint32_t *to);

/// The 32 bits that lanes have in word `word` of an operand.
inline const uint32_t *words(Wave &wave, const Inst &inst, const Operand &op,
                             unsigned word, uint32_t *space, bool isFirst) {
  if (op.kind != Operand::Kind::Vector) {
    uint32_t value = uint32_t(scalarValue(wave, op, word + 1) >> (32 * word));
    for (unsigned l = 0; l < kMaxLanes; ++l)
      space[l] = value;
    return space;
  }
  unsigned reg = op.reg + word;
  wave.touchVector(reg);
  const uint32_t *lanes = wave.v[reg].lane;
  if (__builtin_expect(isFirst && inst.dpp, 0)) {
    permuteDpp(wave, *inst.dpp, lanes, space);
    return space;
  }
  wave.sourceMask &= wave.defined[reg];
  return lanes;
}

/// Fetches source `index` (its place in the text) for all lanes.
template <typename T>
inline void load(Wave &wave, const Inst &inst, unsigned index, T *out,
                 bool isFirst) {
  const Operand &op = inst.ops[index];
  alignas(64) uint32_t space[kMaxLanes];
  if constexpr (sizeof(T) == 8) {
    alignas(64) uint32_t space2[kMaxLanes];
    alignas(64) uint64_t bits[kMaxLanes];
    const uint32_t *low = words(wave, inst, op, 0, space, isFirst);
    const uint32_t *high = words(wave, inst, op, 1, space2, isFirst);
    for (unsigned l = 0; l < kMaxLanes; ++l)
      bits[l] = low[l] | uint64_t(high[l]) << 32;
    if constexpr (std::is_floating_point_v<T>) {
      if (op.absolute)
        for (unsigned l = 0; l < kMaxLanes; ++l)
          bits[l] &= ~(uint64_t(1) << 63);
      if (op.negate)
        for (unsigned l = 0; l < kMaxLanes; ++l)
          bits[l] ^= uint64_t(1) << 63;
    }
    std::memcpy(out, bits, sizeof bits);
  } else {
    const uint32_t *raw = words(wave, inst, op, 0, space, isFirst);
    alignas(64) uint32_t bits[kMaxLanes];
    std::memcpy(bits, raw, sizeof bits);
    if (__builtin_expect(inst.sdwa && index >= 1 && index <= 2, 0)) {
      const Part &part = inst.sdwa->sources[index - 1];
      for (unsigned l = 0; l < kMaxLanes; ++l) {
        uint32_t up = bits[l] << (32 - part.shift - part.bits);
        bits[l] = part.isSigned ? uint32_t(int32_t(up) >> (32 - part.bits))
                                : up >> (32 - part.bits);
      }
    }
    bool isShort = sizeof(T) == 2;
    if (isShort && op.kind != Operand::Kind::Constant &&
        (op.isHigh || (index && (inst.opSel >> (index - 1)) & 1)))
      for (unsigned l = 0; l < kMaxLanes; ++l)
        bits[l] >>= 16;
    constexpr bool isFloat = std::is_same_v<T, float> ||
                             std::is_same_v<T, Half> || std::is_same_v<T, Bf16>;
    if constexpr (isFloat) {
      constexpr uint32_t sign = sizeof(T) == 2 ? 0x8000u : 0x80000000u;
      if (op.absolute)
        for (unsigned l = 0; l < kMaxLanes; ++l)
          bits[l] &= ~sign;
      if (op.negate)
        for (unsigned l = 0; l < kMaxLanes; ++l)
          bits[l] ^= sign;
    }
    if constexpr (sizeof(T) == 4) {
      std::memcpy(out, bits, sizeof bits);
    } else {
      alignas(64) uint16_t halves[kMaxLanes];
      for (unsigned l = 0; l < kMaxLanes; ++l)
        halves[l] = uint16_t(bits[l]);
      std::memcpy(out, halves, sizeof halves);
    }
  }
}

/// Lanes that DPP lets an instruction write.
uint64_t dppLanes(const Wave &wave, const Dpp &dpp);

/// Lanes that an instruction writes.
inline uint64_t writtenLanes(Wave &wave, const Inst &inst) {
  uint64_t mask = wave.exec();
  return __builtin_expect(inst.dpp != nullptr, 0)
             ? mask & dppLanes(wave, *inst.dpp)
             : mask;
}

/// Writes words of lanes of a mask; says which are defined.
inline void writeWord(Wave &wave, unsigned reg, const uint32_t *bits,
                      uint64_t mask) {
  wave.touchVector(reg);
  uint32_t *to = wave.v[reg].lane;
  if (mask == ~uint64_t(0)) {
    std::memcpy(to, bits, sizeof(Register));
    wave.defined[reg] = wave.sourceMask;
    return;
  }
  for (unsigned l = 0; l < kMaxLanes; ++l)
    to[l] = (mask >> l) & 1 ? bits[l] : to[l];
  wave.defined[reg] = (wave.defined[reg] & ~mask) | (wave.sourceMask & mask);
}

/// Output modifiers of floats.
template <typename T> inline void modify(const Inst &inst, T *values) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, Half> ||
                std::is_same_v<T, double>) {
    if (inst.scale) {
      T by = inst.scale == 1 ? T(2) : inst.scale == 2 ? T(4) : T(0.5);
      for (unsigned l = 0; l < kMaxLanes; ++l)
        values[l] *= by;
    }
    if (inst.clamp)
      for (unsigned l = 0; l < kMaxLanes; ++l) {
        T x = values[l];
        values[l] = x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
      }
  }
}

/// Writes a result of 16 bits. The other half is kept or becomes zero.
inline void writeHalf(Wave &wave, const Inst &inst, const Operand &to,
                      const uint16_t *halves, bool isHigh) {
  wave.touchVector(to.reg);
  const uint32_t *old = wave.v[to.reg].lane;
  alignas(64) uint32_t bits[kMaxLanes];
  bool keeps = isHigh || inst.keepsHalf || wave.machine->isa.keepsHighHalf;
  uint32_t keep = keeps ? (isHigh ? 0xffffu : 0xffff0000u) : 0;
  for (unsigned l = 0; l < kMaxLanes; ++l)
    bits[l] = (old[l] & keep) | uint32_t(halves[l]) << (isHigh ? 16 : 0);
  writeWord(wave, to.reg, bits, writtenLanes(wave, inst));
}

template <typename T>
inline void store(Wave &wave, const Inst &inst, const Operand &to, T *values) {
  modify(inst, values);
  if constexpr (sizeof(T) == 8) {
    alignas(64) uint64_t bits[kMaxLanes];
    alignas(64) uint32_t low[kMaxLanes], high[kMaxLanes];
    std::memcpy(bits, values, sizeof bits);
    for (unsigned l = 0; l < kMaxLanes; ++l) {
      low[l] = uint32_t(bits[l]);
      high[l] = uint32_t(bits[l] >> 32);
    }
    uint64_t mask = writtenLanes(wave, inst);
    writeWord(wave, to.reg, low, mask);
    writeWord(wave, to.reg + 1, high, mask);
  } else if constexpr (sizeof(T) == 2) {
    alignas(64) uint16_t halves[kMaxLanes];
    std::memcpy(halves, values, sizeof halves);
    if (__builtin_expect(inst.sdwa != nullptr, 0)) {
      alignas(64) uint32_t bits[kMaxLanes];
      for (unsigned l = 0; l < kMaxLanes; ++l)
        bits[l] = halves[l];
      store<uint32_t>(wave, inst, to, bits);
      return;
    }
    bool isHigh = to.isHigh || (inst.opSel >> 3) & 1;
    writeHalf(wave, inst, to, halves, isHigh);
  } else {
    alignas(64) uint32_t bits[kMaxLanes];
    std::memcpy(bits, values, sizeof bits);
    if (__builtin_expect(inst.sdwa != nullptr, 0)) {
      const Part &part = inst.sdwa->result;
      uint32_t ones = part.bits == 32 ? ~0u : (1u << part.bits) - 1;
      wave.touchVector(to.reg);
      const uint32_t *old = wave.v[to.reg].lane;
      for (unsigned l = 0; l < kMaxLanes; ++l) {
        uint32_t placed = (bits[l] & ones) << part.shift;
        uint32_t rest = 0;
        if (inst.sdwa->preserves)
          rest = old[l] & ~(ones << part.shift);
        else if (inst.sdwa->extends && (bits[l] >> (part.bits - 1)) & 1 &&
                 part.bits < 32)
          rest = ~((ones << part.shift) | ((1u << part.shift) - 1));
        bits[l] = placed | rest;
      }
    }
    writeWord(wave, to.reg, bits, writtenLanes(wave, inst));
  }
}

//===----------------------------------------------------------------------===//
// One function for all lanes
//===----------------------------------------------------------------------===//

template <auto F, typename R, typename... A, size_t... N>
inline void runLanes(Wave &wave, const Inst &inst, bool accumulates,
                     std::index_sequence<N...>) {
  wave.sourceMask = ~uint64_t(0);
  std::tuple<Lanes<A>...> sources;
  constexpr size_t kCount = sizeof...(A);
  (load<A>(wave, inst, accumulates && N + 1 == kCount ? 0 : unsigned(N + 1),
           std::get<N>(sources).v, N == 0),
   ...);
  Lanes<R> result;
  for (unsigned l = 0; l < kMaxLanes; ++l)
    result.v[l] = F(std::get<N>(sources).v[l]...);
  store<R>(wave, inst, inst.ops[0], result.v);
}

template <auto F, bool accumulates, typename R, typename... A>
void runFunction(Wave &wave, const Inst &inst, R (*)(A...)) {
  runLanes<F, R, A...>(wave, inst, accumulates,
                       std::index_sequence_for<A...>());
}
template <auto F, bool accumulates>
void runVector(Wave &wave, const Inst &inst) {
  runFunction<F, accumulates>(wave, inst, +F);
}

template <typename R, typename... A>
constexpr Entry entryOf(Run run, R (*)(A...)) {
  Entry entry;
  entry.run = run;
  Type types[] = {typeOf<R>(), typeOf<A>()...};
  for (size_t i = 0; i < sizeof...(A) + 1 && i < entry.types.size(); ++i)
    entry.types[i] = types[i];
  return entry;
}

/// An instruction `name dst, sources...` that computes F in every lane.
template <auto F> Entry vector() { return entryOf(runVector<F, false>, +F); }
/// The same whose last source is the result's register.
template <auto F> Entry accumulate() { return entryOf(runVector<F, true>, +F); }

/// A mask of lanes that a vector instruction takes as a source.
inline uint64_t maskOperand(Wave &wave, const Operand &op) {
  return op.kind == Operand::Kind::Constant
             ? (op.value ? ~uint64_t(0) : 0)
             : scalarValue(wave, op, wave.lanes == 64 ? 2 : 1);
}

} // namespace kiln::amd::sim

#endif
