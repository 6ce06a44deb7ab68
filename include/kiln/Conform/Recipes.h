//===- Recipes.h - Conformance cases of operations --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the cases of kiln-conform come from. Operations whose operands have one
// shape get theirs from their definitions alone: types and attributes are
// proposed, and the verifier judges. Operations with more structure have a
// recipe, registered under their names; a plug-in registers those of its own
// operations from its entry point.
//
//   kiln::conform::addRecipe("mine.halve", [](kiln::conform::Plan &plan) {
//     for (llvm::StringRef type : {"f32", "f16"}) {
//       kiln::conform::Entry &entry = plan.add("mine.halve", type, "1d");
//       ...
//     }
//   });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONFORM_RECIPES_H
#define KILN_CONFORM_RECIPES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
}

namespace kiln::conform {

/// Where the values of an argument come from; docs/conformance.md lists kinds.
struct Fill {
  std::string kind = "plain";
  double low = 0, high = -1; ///< of kinds "range" and "value": the bounds

  Fill(const char *kind = "plain") : kind(kind) {}
  Fill(std::string kind) : kind(std::move(kind)) {}
  Fill(double low, double high) : kind("range"), low(low), high(high) {}
  static Fill value(double value) {
    Fill fill("value");
    fill.low = fill.high = value;
    return fill;
  }
};

/// The argument of one call for one parameter.
struct CallArgument {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; ///< in elements; empty: row-major
  Fill fill;
};

/// A parameter of the program, by its runtime element type (`f32`).
struct Param {
  std::string dtype;
  bool isScalar = false;
  bool isWritten = false; ///< memory that is compared after the call
  bool isPointer = false; ///< to the first element
};

/// One call: a case.
struct Call {
  std::string name;
  std::vector<CallArgument> args;
  std::array<int64_t, 3> grid = {1, 1, 1};
};

/// A program for one operation, type and form.
struct Entry {
  std::string op, type, form;
  std::string text; ///< one function or kernel named `@entry`
  bool isKernel = false;
  /// True: the suite leaves the program out if the verifier refuses it. False:
  /// such a program is an error of the suite.
  bool isProposal = false;
  bool isBitwise = false;    ///< NaN keep their bits, which are compared
  bool hasFreeZeros = false; ///< zeros have any sign
  bool isChained = false;    ///< several roundings, which may cancel
  /// The independent implementation to compare with; "-": there is none.
  std::string variant = "-";
  std::vector<std::string> profiles;
  std::vector<Param> params;
  std::vector<Call> calls;

  Entry &profile(llvm::StringRef name) {
    profiles.push_back(name.str());
    return *this;
  }
};

/// Collects the programs of recipes.
class Plan {
public:
  explicit Plan(mlir::MLIRContext &context) : context(context) {}
  /// Adds a program and returns it, to be filled in. The reference stays valid.
  Entry &add(llvm::StringRef op, llvm::StringRef type, const llvm::Twine &form);

  mlir::MLIRContext &context;
  std::deque<Entry> entries;
};

using Recipe = std::function<void(Plan &)>;

/// Registers the recipe of an operation, or of something that has no operation
/// of its own ("scf.for with tiles"). A later one replaces an earlier one.
void addRecipe(llvm::StringRef op, Recipe recipe);

/// States the reason why an operation has no cases.
void exempt(llvm::StringRef op, llvm::StringRef reason);

/// The values of one operand for which an operation has a defined result, such
/// as shift amounts below the width. The suite fills operand `index` as `fill`
/// says.
struct Restriction {
  unsigned index = 0;
  /// Returns the fill for an operand of type `dtype` that would get `wanted`.
  std::function<Fill(llvm::StringRef dtype, const Fill &wanted)> fill;
};
/// Adds a restriction for an operation.
void restrict(llvm::StringRef op, Restriction restriction);

} // namespace kiln::conform

#endif // KILN_CONFORM_RECIPES_H
