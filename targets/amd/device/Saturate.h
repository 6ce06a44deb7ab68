// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer results that saturate where an instruction has the modifier `clamp`,
// and wrap around else.
#ifndef KILN_TARGETS_AMD_DEVICE_SATURATE_H
#define KILN_TARGETS_AMD_DEVICE_SATURATE_H

#include "Values.h"
#include <algorithm>
#include <limits>

namespace kiln::amd::sim {

/// An exact result in its type.
template <typename R> inline R fit(int64_t exact, bool saturates) {
  using Limits = std::numeric_limits<R>;
  if (saturates)
    exact = std::clamp(exact, int64_t(Limits::min()), int64_t(Limits::max()));
  return R(exact);
}

template <typename R, auto F, typename... A, size_t... N>
inline void runFittingLanes(Wave &wave, const Inst &inst,
                            std::index_sequence<N...>) {
  wave.sourceMask = ~uint64_t(0);
  std::tuple<Lanes<A>...> sources;
  (load<A>(wave, inst, unsigned(N + 1), std::get<N>(sources).v, N == 0), ...);
  Lanes<R> result;
  if (inst.clamp)
    for (unsigned l = 0; l < kMaxLanes; ++l)
      result.v[l] = fit<R>(F(std::get<N>(sources).v[l]...), true);
  else
    for (unsigned l = 0; l < kMaxLanes; ++l)
      result.v[l] = R(F(std::get<N>(sources).v[l]...));
  store<R>(wave, inst, inst.ops[0], result.v);
}
template <typename R, auto F, typename... A>
void runFittingFunction(Wave &wave, const Inst &inst, int64_t (*)(A...)) {
  runFittingLanes<R, F, A...>(wave, inst, std::index_sequence_for<A...>());
}
template <typename R, auto F> void runFitting(Wave &wave, const Inst &inst) {
  runFittingFunction<R, F>(wave, inst, +F);
}
template <typename R, typename... A>
constexpr Entry fittingEntry(Run run, int64_t (*)(A...)) {
  return entryOf(run, static_cast<R (*)(A...)>(nullptr));
}

/// An instruction `name dst, sources...` whose exact result F computes in
/// every lane.
template <typename R, auto F> Entry fitting() {
  return fittingEntry<R>(runFitting<R, F>, +F);
}

} // namespace kiln::amd::sim

#endif
