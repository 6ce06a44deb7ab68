// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between processes. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_COLLECTIVE_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_COLLECTIVE_H

#include "Rules.h"

namespace kiln::stablehlo_to_prim {

void addCollectiveRules(Rules &rules);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_COLLECTIVE_H
