// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar instructions as functions of their operands.
#ifndef KILN_TARGETS_AMD_DEVICE_SCALARVALUES_H
#define KILN_TARGETS_AMD_DEVICE_SCALARVALUES_H

#include "Values.h"

namespace kiln::amd::sim {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;

/// What an instruction does with SCC.
enum class Flag { Keep, NotZero, Set };

template <typename T> T source(Wave &wave, const Inst &inst, unsigned index) {
  u64 bits = scalarValue(wave, inst.ops[index], sizeof(T) / 4);
  return std::bit_cast<T>(
      static_cast<std::conditional_t<sizeof(T) == 8, u64, u32>>(bits));
}
template <typename T> void give(Wave &wave, const Inst &inst, T value) {
  if constexpr (sizeof(T) == 8)
    wave.writeScalar64(inst.ops[0].reg, std::bit_cast<u64>(value));
  else
    wave.writeScalar(inst.ops[0].reg, std::bit_cast<u32>(value));
}

template <auto F, Flag flag, typename R, typename... A, size_t... N>
void runScalars(Wave &wave, const Inst &inst, std::index_sequence<N...>) {
  R result = F(source<A>(wave, inst, unsigned(N + 1))...);
  give(wave, inst, result);
  if (flag == Flag::NotZero)
    wave.scc = result != R(0);
}
template <auto F, Flag flag, typename R, typename... A>
void runScalarOf(Wave &wave, const Inst &inst, R (*)(A...)) {
  runScalars<F, flag, R, A...>(wave, inst, std::index_sequence_for<A...>());
}
template <auto F, Flag flag> void runScalar(Wave &wave, const Inst &inst) {
  runScalarOf<F, flag>(wave, inst, +F);
}
template <Flag flag, auto F> Entry scalar() {
  Entry entry = entryOf(runScalar<F, flag>, +F);
  entry.kind = Class::Scalar;
  return entry;
}

template <typename T, auto F> void runCompare(Wave &wave, const Inst &inst) {
  wave.scc = F(source<T>(wave, inst, 0), source<T>(wave, inst, 1));
}
template <typename T, auto F>
void addCompare(Table &t, std::initializer_list<std::string_view> names) {
  Entry entry;
  entry.run = runCompare<T, F>;
  entry.kind = Class::Scalar;
  entry.types.fill(typeOf<T>());
  t.add(names, entry);
}

/// Arithmetic of floats.
void addScalarFloats(Table &table);
void addScalarHalves(Table &table);

} // namespace kiln::amd::sim

#endif
