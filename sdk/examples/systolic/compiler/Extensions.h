// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the target has beyond products, by the step of the tutorial.
#ifndef SYSTOLIC_EXTENSIONS_H
#define SYSTOLIC_EXTENSIONS_H

#include "kiln/Target/TargetRegistry.h"

namespace systolic {

/// Step 2: the vector unit.
void registerVectorUnit(kiln::target::TargetRegistry &registry);

inline void registerExtensions(kiln::target::TargetRegistry &registry) {
#if SYSTOLIC_STEP > 1
  registerVectorUnit(registry);
#endif
}

} // namespace systolic

#endif
