// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report as a page.
#include "Report.h"
std::string kiln::conform::toHtml(const Results &) { return ""; }
