// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs by name, each in the lowering of one operation.
#ifndef KILN_TEST_CONFORM_BUGS_H
#define KILN_TEST_CONFORM_BUGS_H

#include "kiln/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <map>
#include <string>

namespace bugs {

using namespace mlir;
using namespace kiln;

/// Builds beside an operation.
struct Site {
  OpBuilder b;
  Location loc;
  explicit Site(Operation *op) : b(op), loc(op->getLoc()) {}

  /// A constant of a type, of a tile too.
  Value constant(Type type, double value);
  Value constantLike(Value like, double value) {
    return constant(like.getType(), value);
  }
  Type like(Type shape, Type element);
  template <typename OpT, typename... Args> Value make(Args &&...args) {
    return OpT::create(b, loc, std::forward<Args>(args)...)->getResult(0);
  }
};

/// Puts the bug into an operation; does nothing where it has no place.
using Seed = std::function<void(Operation *)>;

struct Bug {
  std::string op;
  Seed seed;
};

std::map<std::string, Bug> &all();

template <typename OpT>
void add(const char *name, std::function<void(OpT)> seed) {
  all()[name] = {OpT::getOperationName().str(),
                 [seed](Operation *op) { seed(cast<OpT>(op)); }};
}

/// Replaces the only result.
void replace(Operation *op, Value with);
/// Replaces all uses of the result but those by what is made of it.
void replaceExcept(Operation *op, Value with, ArrayRef<Operation *> made);

void addMemoryBugs();
void addComputeBugs();
void addRelationBugs();

} // namespace bugs

#endif
