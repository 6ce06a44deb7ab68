//===- Facts.h - What is known of parameters and operations -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Authors and passes state facts about the parameters of kernels, and about the
// elements that an operation makes or stores. A parameter or an operation has
// all of them in one dictionary, whose entries are read and written through
// this header, and which the dialect verifies (Facts.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_FACTS_H
#define KILN_DIALECT_TILE_FACTS_H

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::tile {

/// On a parameter or an operation: what is known of it (a dictionary of the
/// entries below).
inline constexpr llvm::StringLiteral kFactsAttr = "tile.facts";

// Of parameters alone. docs/tile-and-others.md says what they mean.
inline constexpr llvm::StringLiteral kReadonlyFact = "readonly";
inline constexpr llvm::StringLiteral kNoaliasFact = "noalias";
inline constexpr llvm::StringLiteral kAlignFact = "align";
inline constexpr llvm::StringLiteral kSizeDivFact = "size_div";
inline constexpr llvm::StringLiteral kStrideDivFact = "stride_div";

// Of the elements that an operation makes or stores, and of scalar parameters.
inline constexpr llvm::StringLiteral kContiguityFact = "contiguity";
inline constexpr llvm::StringLiteral kDivisibilityFact = "divisibility";
inline constexpr llvm::StringLiteral kConstancyFact = "constancy";
inline constexpr llvm::StringLiteral kElementFacts[] = {
    kContiguityFact, kDivisibilityFact, kConstancyFact};

/// Of a store that combines, or an atomic operation, on bytes: the type of the
/// floats that they stand for, which are what is combined.
inline constexpr llvm::StringLiteral kCombinedAsFact = "combined_as";

/// A fact of a parameter; null if it is not known.
mlir::Attribute getFact(mlir::FunctionOpInterface function, unsigned parameter,
                        llvm::StringRef fact);
template <typename T>
T getFact(mlir::FunctionOpInterface function, unsigned parameter,
          llvm::StringRef fact) {
  return llvm::dyn_cast_or_null<T>(getFact(function, parameter, fact));
}

/// States a fact of a parameter, in place of one of that name.
void setFact(mlir::FunctionOpInterface function, unsigned parameter,
             llvm::StringRef fact, mlir::Attribute value);

/// Takes a fact off a parameter, if it has it.
void eraseFact(mlir::FunctionOpInterface function, unsigned parameter,
               llvm::StringRef fact);

/// A fact of an operation; null if it is not known.
mlir::Attribute getFact(mlir::Operation *op, llvm::StringRef fact);
template <typename T> T getFact(mlir::Operation *op, llvm::StringRef fact) {
  return llvm::dyn_cast_or_null<T>(getFact(op, fact));
}

/// States a fact of an operation, in place of one of that name.
void setFact(mlir::Operation *op, llvm::StringRef fact, mlir::Attribute value);

/// Takes the facts of elements out of the attributes of an operation.
void eraseElementFacts(mlir::NamedAttrList &attributes);

/// The attribute that states one fact of a parameter.
mlir::DictionaryAttr statesFact(llvm::StringRef fact, mlir::Attribute value);

/// Checks an attribute of this dialect on an argument of a function: facts of
/// a parameter of a kernel, or the alignment of a buffer of a host program.
llvm::LogicalResult verifyParameterFacts(mlir::Operation *function,
                                         unsigned parameter,
                                         mlir::NamedAttribute facts);

/// Checks the facts of an operation.
llvm::LogicalResult verifyFacts(mlir::Operation *op, mlir::Attribute facts);

/// Until version 0.2 each fact and each kind of hint was an attribute of its
/// own: brings the attributes of a parameter, of operations in a region, or of
/// all operations under `top` to what they have now.
mlir::DictionaryAttr joinFacts(mlir::DictionaryAttr attributes);
void joinFacts(mlir::Region &region);
llvm::LogicalResult joinAllFacts(mlir::Operation *top);
/// The same for files of older versions. There, facts could also stand on
/// arguments of functions for which no pass asked: those are dropped.
llvm::LogicalResult upgradeFacts(mlir::Operation *top);
/// The reverse, for readers of kernels that know the old attributes only.
void splitFacts(mlir::Operation *op);

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_FACTS_H
