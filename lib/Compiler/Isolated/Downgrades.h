//===- Downgrades.h - Later forms by earlier ones ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_ISOLATED_DOWNGRADES_H
#define KILN_LIB_ISOLATED_DOWNGRADES_H

#include "kiln/Isolated/Vocabulary.h"

namespace kiln::isolated {

/// The attributes that came later than their operations.
llvm::ArrayRef<WireAttribute> laterAttributes();

} // namespace kiln::isolated

#endif // KILN_LIB_ISOLATED_DOWNGRADES_H
