//===- Description.h - Machine descriptions as attributes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `kiln` dialect: `#kiln.target<...>` and its parts. A description says
// what a chip is; see docs/plugins.md for its fields.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_KILN_DESCRIPTION_H
#define KILN_DIALECT_KILN_DESCRIPTION_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>
#include <string>

namespace kiln::target {
class Report;
} // namespace kiln::target

#include "kiln/Dialect/Kiln/DescriptionDialect.h.inc"
#include "kiln/Dialect/Kiln/DescriptionEnums.h.inc"

namespace kiln::target {

/// Reads `[a, b]`, each an attribute or a type of class T.
template <typename T>
mlir::FailureOr<llvm::SmallVector<T>> parseList(mlir::AsmParser &parser) {
  llvm::SmallVector<T> list;
  auto element = [&]() -> llvm::ParseResult {
    if constexpr (std::is_base_of_v<mlir::Type, T>)
      return parser.parseType(list.emplace_back());
    else
      return parser.parseAttribute(list.emplace_back());
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square,
                                     element))
    return mlir::failure();
  return list;
}

/// Reads `[0, 1, 4]`.
mlir::FailureOr<llvm::SmallVector<int64_t>>
parseNumbers(mlir::AsmParser &parser);

/// Prints what `parseList` and `parseNumbers` read.
template <typename T>
void printList(mlir::AsmPrinter &printer, llvm::ArrayRef<T> list) {
  printer << '[';
  llvm::interleaveComma(list, printer.getStream());
  printer << ']';
}

} // namespace kiln::target

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Kiln/DescriptionAttrs.h.inc"

namespace kiln::target {

/// Name of the module attribute that holds the SPEC string.
inline constexpr llvm::StringLiteral kSpecAttr = "kiln.spec";
/// Name of the module attribute that holds the description.
inline constexpr llvm::StringLiteral kTargetAttr = "kiln.target";

/// The limits that a description may state; what else a vendor wants to say
/// goes into `extra`.
inline constexpr llvm::StringRef kLimits[] = {"max_rank", "max_tile_elements"};

/// Preferred block sizes of one contraction.
struct ContractionTile {
  int64_t m = 64, n = 64, k = 64;
};

/// Preferred tile sizes in the form that schedules use.
struct TileSizes {
  /// Tile of an elementwise kernel: the innermost dimension is
  /// `elementwiseCols`.
  int64_t elementwiseRows = 8, elementwiseCols = 512;
  /// Longest row that a reduction kernel (softmax, norms, reductions) keeps as
  /// one tile; longer rows are processed in pieces of this many elements.
  int64_t reductionElements = 8192;
  /// Rows per tile of a reduction kernel.
  int64_t reductionRows = 1;
  /// Element type (null: any) and sizes; the first that matches counts.
  llvm::SmallVector<std::pair<mlir::Type, ContractionTile>> contraction;

  /// The block sizes for a contraction whose inputs have type `type`.
  ContractionTile contractionFor(mlir::Type type) const;

  /// Reads the `tiles` of a description; defaults where it has none.
  static TileSizes fromDescription(TargetAttr description);
};

/// The description attached to `module` or to one of its parents, or null.
TargetAttr getDescription(mlir::Operation *op);

/// The tile sizes of the description attached to `op`'s module; defaults where
/// there is none, so that passes work on modules without a target.
TileSizes getTileSizes(mlir::Operation *op);

/// Parses the text of a description. Errors go to `context`'s diagnostics under
/// the name `origin`.
TargetAttr parseDescription(llvm::StringRef text, mlir::MLIRContext *context,
                            llvm::StringRef origin = "description");

/// Parses a file that holds one `#kiln.target<...>`.
TargetAttr loadDescription(llvm::StringRef path, mlir::MLIRContext *context);

/// Prints a description over several lines, one field each.
void printDescription(TargetAttr description, llvm::raw_ostream &os);

} // namespace kiln::target

#endif // KILN_DIALECT_KILN_DESCRIPTION_H
