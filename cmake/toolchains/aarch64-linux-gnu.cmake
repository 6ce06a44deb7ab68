# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What runs packages, for AArch64: g++-aarch64-linux-gnu (docs/installing.md).
set(KILN_CROSS_TRIPLE aarch64-linux-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
