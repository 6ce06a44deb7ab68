// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks. Private to this folder.
#ifndef KILN_DIALECTS_PRIM_EVAL_COLLECTIVE_H
#define KILN_DIALECTS_PRIM_EVAL_COLLECTIVE_H

#include "Marking.h"

namespace kiln::eval {

void addPrimCollective(PrimTable &table);

} // namespace kiln::eval

#endif // KILN_DIALECTS_PRIM_EVAL_COLLECTIVE_H
