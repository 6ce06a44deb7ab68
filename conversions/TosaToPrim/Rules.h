// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of TOSA by family. Private to the conversion.
#ifndef KILN_CONVERSIONS_TOSATOPRIM_RULES_H
#define KILN_CONVERSIONS_TOSATOPRIM_RULES_H

#include "../TensorToPrim/Translator.h"

namespace kiln::tensor_to_prim {

/// All of them.
void addTosaRules(Rules &rules);

void addTosaControlRules(Rules &rules);
void addElementwiseRules(Rules &rules);
void addQuantRules(Rules &rules);
void addReductionRules(Rules &rules);
void addMovementRules(Rules &rules);
void addShapeRules(Rules &rules);
void addConvRules(Rules &rules);
void addPoolRules(Rules &rules);
void addGatherRules(Rules &rules);
void addFourierRules(Rules &rules);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TOSATOPRIM_RULES_H
