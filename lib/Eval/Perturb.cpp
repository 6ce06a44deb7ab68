// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors on purpose, of a direction that depends on the place alone.
#include "kiln/Eval/Perturb.h"

namespace kiln::eval {

Perturbation &perturbation() {
  static Perturbation current;
  return current;
}

double errorDirection(int64_t index) {
  const Perturbation &now = perturbation();
  uint64_t z = now.seed + uint64_t(index) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z >> 63 ? now.sign : -now.sign;
}

} // namespace kiln::eval
