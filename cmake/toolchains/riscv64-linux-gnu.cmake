# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What runs packages, for RISC-V: g++-riscv64-linux-gnu (docs/installing.md).
set(KILN_CROSS_TRIPLE riscv64-linux-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
# The architecture has no atomic operations on bytes; compilers before GCC 14
# call a library for them.
set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,--as-needed -latomic")
