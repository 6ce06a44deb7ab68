//===- Attributes.h - Names between stages of the compiler ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_KILN_ATTRIBUTES_H
#define KILN_DIALECT_KILN_ATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::target {

/// On an operation: what the report says of it, where passes that clone or
/// replace operations come before its row is added. A dictionary of the entries
/// below, which the dialect verifies (Reported.cpp).
inline constexpr llvm::StringLiteral kReportedAttr = "kiln.reported";

/// On a group: the name of the kernel that a schedule makes of it (string).
inline constexpr llvm::StringLiteral kKernelEntry = "kernel";
/// On a kernel: the function that it comes from (string).
inline constexpr llvm::StringLiteral kFunctionEntry = "function";
/// Pairs of strings: what refused the operation and why.
inline constexpr llvm::StringLiteral kDeclinedEntry = "declined";

/// An entry; null if there is none.
mlir::Attribute getReported(mlir::Operation *op, llvm::StringRef entry);
/// Adds an entry, in place of one of that name.
void setReported(mlir::Operation *op, llvm::StringRef entry,
                 mlir::Attribute value);
/// Requires a dictionary of these entries, each of its form.
llvm::LogicalResult verifyReported(mlir::Operation *op, mlir::Attribute value);

/// On arguments and results of functions, from the source to the package: what
/// is said of them to those who call the function. A dictionary of the entries
/// below, which the dialect verifies (Arguments.cpp).
inline constexpr llvm::StringLiteral kArgumentAttr = "kiln.argument";

/// What the source calls it (string).
inline constexpr llvm::StringLiteral kNameEntry = "name";
/// What the source calls its dimensions (strings, empty for none).
inline constexpr llvm::StringLiteral kDimensionNamesEntry = "dims";
/// Its integers have no sign (unit).
inline constexpr llvm::StringLiteral kUnsignedEntry = "unsigned";
/// Which numbers an argument takes: `nonzero`, `nonnegative` or `positive`.
inline constexpr llvm::StringLiteral kDomainEntry = "domain";
/// The least and the greatest integer that an argument takes.
inline constexpr llvm::StringLiteral kRangeEntry = "range";
/// The caller gives up the memory, so that a result may have it. A unit until
/// program-reuse-donated has the program write the argument: then `"written"`.
inline constexpr llvm::StringLiteral kDonatedEntry = "donated";
inline constexpr llvm::StringLiteral kWritten = "written";

/// An entry of what is said of an argument or of a result; null if there is
/// none.
mlir::Attribute getArgumentEntry(mlir::FunctionOpInterface function,
                                 unsigned argument, llvm::StringRef entry);
mlir::Attribute getResultEntry(mlir::FunctionOpInterface function,
                               unsigned result, llvm::StringRef entry);
template <typename T>
T getArgumentEntry(mlir::FunctionOpInterface function, unsigned argument,
                   llvm::StringRef entry) {
  return llvm::dyn_cast_or_null<T>(getArgumentEntry(function, argument, entry));
}

/// Adds an entry, in place of one of that name.
void setArgumentEntry(mlir::FunctionOpInterface function, unsigned argument,
                      llvm::StringRef entry, mlir::Attribute value);
void setResultEntry(mlir::FunctionOpInterface function, unsigned result,
                    llvm::StringRef entry, mlir::Attribute value);

/// Whether an argument says that the program writes its memory.
bool isArgumentWritten(mlir::FunctionOpInterface function, unsigned argument);

/// Until version 0.2 each entry was an attribute of its own: brings functions
/// under `top` to what they have now.
llvm::LogicalResult joinArgumentEntries(mlir::Operation *top);

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_ATTRIBUTES_H
