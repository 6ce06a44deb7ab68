//===- Vocabulary.h - What the wire form of kernels holds -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations, types and attributes that kernels on the wire are
// made of, each with the version that it came with.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ISOLATED_VOCABULARY_H
#define KILN_ISOLATED_VOCABULARY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace mlir {
class RewriterBase;
}

namespace kiln::isolated {

/// The version of the wire form that this build writes. It grows when the table
/// gains an operation, an attribute or a type.
constexpr unsigned kWireVersion = 4;

/// An operation of the wire form.
struct WireOperation {
  llvm::StringRef name;
  unsigned since = 1;
  /// Replaces it by operations of version `since - 1` and older, and returns
  /// success; null: there are none that mean the same.
  llvm::LogicalResult (*downgrade)(mlir::Operation *op,
                                   mlir::RewriterBase &rewriter) = nullptr;
};

/// Adds an operation to the table, or replaces its entry: for dialects of
/// plug-ins that kernels may hold. Called while plug-ins are registered.
void addWireOperation(const WireOperation &operation);

/// The entry of an operation; null where it is not part of the wire form.
const WireOperation *findWireOperation(llvm::StringRef name);

/// An attribute of an operation that came later than the operation.
struct WireAttribute {
  llvm::StringRef operation, name;
  unsigned since;
  /// The value that came later, of an enumeration; none: the whole attribute.
  std::optional<int64_t> value;
  /// As that of an operation, for one that has the attribute, or the value.
  llvm::LogicalResult (*downgrade)(mlir::Operation *op,
                                   mlir::RewriterBase &rewriter) = nullptr;
};

/// The attribute of `op` that came after `version` and says something else than
/// its default; null: there is none.
const WireAttribute *findLaterAttribute(mlir::Operation *op, unsigned version);

/// The names of all entries.
llvm::SmallVector<llvm::StringRef> wireOperationNames();

/// The name of a type in the table: "f32", "tensor", "tile.view".
std::string wireTypeName(mlir::Type type);
/// The version that a type came with; 0 where it is not part of the wire form.
unsigned wireTypeSince(llvm::StringRef name);

/// Whether an attribute that the operation's definition does not have is kept.
bool keepsAttribute(llvm::StringRef name, unsigned version);

/// Whether an attribute of an operation's definition stays in the compiler:
/// what one of its passes decides for another.
bool isDecision(mlir::OperationName op, llvm::StringRef attribute);

/// The attributes that an operation of this name has where nothing says
/// otherwise.
mlir::DictionaryAttr defaultsOf(mlir::OperationName name);

/// The table as JSON: operations with `since`, their attributes and defaults.
/// Loads the dialects of the table into `context`.
llvm::json::Value describeWire(mlir::MLIRContext *context);

} // namespace kiln::isolated

#endif // KILN_ISOLATED_VOCABULARY_H
