//===- VerifyAssociativity.h - Whether elements may be regrouped *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_VERIFYASSOCIATIVITY_H
#define KILN_LIB_SCHEDULE_VERIFYASSOCIATIVITY_H

#include "ScanRecursion.h"
#include "llvm/ADT/StringRef.h"

namespace kiln::schedule {

/// Evaluates f(f(a, b), c) and f(a, f(b, c)) on sample elements, where f is the
/// function of a scan. Returns why the scan cannot be taken to combine its
/// elements in any grouping; empty if it can.
llvm::StringRef whyNotAssociative(const ScanRecursion &scan);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_VERIFYASSOCIATIVITY_H
