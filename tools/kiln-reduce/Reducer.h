//===- Reducer.h - Making a program small that stays interesting *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's reduction-tree pass removes operations by dropping all uses of
// their results, which leaves a program that does not verify unless nothing
// needs them: of tensor programs and kernels it removes whole functions and
// nothing inside. It also offers patterns of dialects, one operation at a time.
// What is done here is delta debugging instead: edits that keep the program
// valid, tried in large groups first, each result verified before the test
// sees it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_REDUCE_REDUCER_H
#define KILN_TOOLS_REDUCE_REDUCER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <array>
#include <string>
#include <vector>

namespace kiln::reduce {

/// Says whether a program is interesting: the program that was given to test
/// it, run on a file, ends with a status that is not 0.
class Tester {
public:
  Tester(std::string program, std::vector<std::string> args, unsigned seconds)
      : program(std::move(program)), args(std::move(args)), seconds(seconds) {}

  /// Runs the test. One that ends by a signal, takes too long or cannot be
  /// started says nothing: `error()` tells of the last.
  bool isInteresting(mlir::ModuleOp module);

  const std::string &error() const { return message; }
  unsigned numRuns() const { return runs; }

private:
  std::string program;
  std::vector<std::string> args;
  unsigned seconds;
  std::string message;
  unsigned runs = 0;
  llvm::StringMap<bool> known; ///< by the text of the program
};

/// What an operation's results become where they are still needed.
enum class Substitute {
  Value,    ///< an operand or argument of the same type, else a constant
  Argument, ///< a new argument of the function, else as `Value`
  Constant, ///< zeros, else as `Value`
};

/// Erases `op`, whose results other operations may use. False: nothing can take
/// their place, and the operation stays.
bool dropOperation(mlir::Operation *op, Substitute with);
/// Moves the body of a region with one block in place of its operation.
bool inlineRegion(mlir::Operation *op, mlir::Region &region);
/// Makes the results of `op` those of the function around it.
bool returnResults(mlir::Operation *op);
/// Erases result `index` of a function.
bool dropResult(mlir::Operation *function, unsigned index);
/// Erases the arguments of a function that nothing uses.
bool dropUnusedArguments(mlir::Operation *function);
/// Makes constants splats and removes attributes that mean nothing to the
/// operation itself.
bool simplifyAttributes(mlir::Operation *op);

/// The size of a program: operations, constants, arguments and results,
/// attributes that can be simpler; compared in this order.
using Cost = std::array<size_t, 4>;
Cost costOf(mlir::ModuleOp module);

/// Reduces a module, edit by edit.
class Reducer {
public:
  Reducer(mlir::ModuleOp module, Tester &tester);
  ~Reducer();

  /// Reduces until no edit gives a smaller program that is interesting.
  void run();
  /// The smallest program so far.
  mlir::ModuleOp result() { return *best; }

private:
  using Edit = llvm::function_ref<bool(mlir::ModuleOp)>;
  bool attempt(Edit edit);
  bool dropAll(bool nested);
  bool shortenFunctions();
  bool inlineRegions();
  bool shrinkSignatures();
  bool shrinkAttributes();

  mlir::OwningOpRef<mlir::ModuleOp> best;
  Tester &tester;
  Cost cost;
};

} // namespace kiln::reduce

#endif // KILN_TOOLS_REDUCE_REDUCER_H
