// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prepared modules as JSON.
#ifndef KILN_SDK_CONFORM_READYJSON_H
#define KILN_SDK_CONFORM_READYJSON_H

#include "Prepare.h"

namespace kiln::conform {

std::string readyToJson(const ReadyModule &ready);

} // namespace kiln::conform

#endif
