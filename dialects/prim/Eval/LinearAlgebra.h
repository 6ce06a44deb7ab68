// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra on the host. Private to this folder.
#ifndef KILN_DIALECTS_PRIM_EVAL_LINEARALGEBRA_H
#define KILN_DIALECTS_PRIM_EVAL_LINEARALGEBRA_H

#include "Marking.h"

namespace kiln::eval {

void addPrimLinearAlgebra(PrimTable &table);

} // namespace kiln::eval

#endif // KILN_DIALECTS_PRIM_EVAL_LINEARALGEBRA_H
