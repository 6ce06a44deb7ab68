//===- MatrixRows.h - Names of matrix instructions --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_MATRIXROWS_H
#define KILN_TARGETS_AMD_MATRIXROWS_H

namespace kiln::amd {

/// Ends the name of a row whose instruction is that of another one, with the
/// depth of both operands in another order.
constexpr char kInterleaved[] = ".interleaved";

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_MATRIXROWS_H
