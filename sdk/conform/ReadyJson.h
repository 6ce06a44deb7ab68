// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON form of a prepared module, which kiln-conform --run reads.
#ifndef KILN_SDK_CONFORM_READYJSON_H
#define KILN_SDK_CONFORM_READYJSON_H

#include "Prepare.h"

namespace kiln::conform {

/// Writes the cases of a module, with their calls, as JSON.
std::string readyToJson(const ReadyModule &ready);

} // namespace kiln::conform

#endif
