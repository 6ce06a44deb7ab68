//===- RegionSyntax.h - Text of several regions -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_REGIONSYNTAX_H
#define KILN_INTERFACES_REGIONSYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace kiln {

/// For `custom` directives of operations that go on behind a region. An
/// operation in front may name what a block of the region defines. A parser
/// that TableGen generates deletes the region where it fails behind it, and
/// leaves that operation with an operand that is gone. Drops such operands, and
/// fails.
mlir::ParseResult failBehind(llvm::ArrayRef<mlir::Region *> regions);

/// Parses `first`, `keyword`, `second`. `buildTerminator` makes the terminator
/// of a block that has none, and does not insert it.
mlir::ParseResult parseTwoRegions(
    mlir::OpAsmParser &parser, mlir::Region &first, llvm::StringRef keyword,
    mlir::Region &second,
    llvm::function_ref<mlir::Operation *(mlir::OpBuilder &, mlir::Location)>
        buildTerminator);

/// Prints what `parseTwoRegions` parses, without terminators that have no
/// operands.
void printTwoRegions(mlir::OpAsmPrinter &printer, mlir::Region &first,
                     llvm::StringRef keyword, mlir::Region &second);

} // namespace kiln

#endif // KILN_INTERFACES_REGIONSYNTAX_H
