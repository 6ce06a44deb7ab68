//===- CopyAddresses.h - Addresses of copies in two parts -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_COPYADDRESSES_H
#define KILN_TARGETS_AMD_COPYADDRESSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::amd {

/// An address as a pointer that all lanes have alike and bytes of the lane
/// behind it (i32), below 2^31 bytes.
struct CopyAddress {
  mlir::Value base, lane;
};

/// Splits the address of a thread; nothing where a part of it is not known to
/// be the same for all lanes, and not bounded as a lane's either. `threads` is
/// the number of those of a workgroup.
std::optional<CopyAddress> splitAddress(mlir::Value address, int64_t threads,
                                        mlir::OpBuilder &b, mlir::Location loc);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_COPYADDRESSES_H
