//===- ExplanationPage.h - What surrounds the data of a page ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_EXPLANATIONPAGE_H
#define KILN_LIB_DRIVER_EXPLANATIONPAGE_H

namespace kiln::driver {

/// HTML before and behind the JSON that Explanation::page writes. The script
/// writes texts as texts, never as HTML.
extern const char *const kPageHead;
extern const char *const kPageTail;

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_EXPLANATIONPAGE_H
