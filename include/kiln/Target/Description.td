// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deprecated since 0.1: include kiln/Dialect/Kiln/Description.td. This
// file is kept for one minor version.
#ifndef KILN_TARGET_DESCRIPTION_TD_FORWARD
#define KILN_TARGET_DESCRIPTION_TD_FORWARD

include "kiln/Dialect/Kiln/Description.td"

#endif
