// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, selection and conversions of arith. Private to this folder.
#ifndef KILN_LIB_EVAL_ARITHCONVERSIONS_H
#define KILN_LIB_EVAL_ARITHCONVERSIONS_H

#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

void addArithConversions(EvaluationInterface &table);

} // namespace kiln::eval

#endif // KILN_LIB_EVAL_ARITHCONVERSIONS_H
