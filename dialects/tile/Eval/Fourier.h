// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluation of Fourier transforms. Private to this folder.
#ifndef KILN_DIALECTS_TILE_EVAL_FOURIER_H
#define KILN_DIALECTS_TILE_EVAL_FOURIER_H

#include "Families.h"

namespace kiln::eval {

void addTileFourier(EvaluationInterface &table);

} // namespace kiln::eval

#endif // KILN_DIALECTS_TILE_EVAL_FOURIER_H
