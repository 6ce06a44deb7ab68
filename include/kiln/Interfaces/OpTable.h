//===- OpTable.h - Tables by the names of operations ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table states something of each operation that it lists: a function that
// lowers it, or a property. A pass that treats many operations alike looks them
// up once, and its table says which they are.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INTERFACES_OPTABLE_H
#define KILN_INTERFACES_OPTABLE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace kiln {

/// A rule for operations of one class: a function, or a member function of the
/// object that the rules work with, whose first argument is the operation.
/// `apply` calls it for an operation that has been found by its name.
template <auto rule> struct OpRule;

/// A rule that is a function.
template <typename R, typename OpT, typename... Args, R (*rule)(OpT, Args...)>
struct OpRule<rule> {
  using Op = OpT;
  static R apply(mlir::Operation *op, Args... args) {
    return rule(llvm::cast<OpT>(op), args...);
  }
};

/// A rule that is a member function.
template <typename R, typename SelfT, typename OpT, typename... Args,
          R (SelfT::*rule)(OpT, Args...)>
struct OpRule<rule> {
  using Op = OpT;
  static R apply(mlir::Operation *op, SelfT &self, Args... args) {
    return (self.*rule)(llvm::cast<OpT>(op), args...);
  }
};

/// A table of `Entry` by the names of operations. Function pointers make it a
/// table of rules.
template <typename Entry> class OpTable {
public:
  /// Adds the entry of each operation `OpTs`; the first one of a name stays.
  template <typename... OpTs> OpTable &&add(Entry entry) && {
    (entries.try_emplace(OpTs::getOperationName(), entry), ...);
    return std::move(*this);
  }
  /// Adds rules, each for the operations of its class. `Entry` is a pointer to
  /// a function: of the operation, the object of member functions, and the
  /// other arguments.
  template <auto... rules> OpTable &&addRules() && {
    (entries.try_emplace(OpRule<rules>::Op::getOperationName(),
                         &OpRule<rules>::apply),
     ...);
    return std::move(*this);
  }
  /// Returns the entry of an operation; without one a default value, which is
  /// null for a pointer.
  Entry find(mlir::Operation *op) const {
    return entries.lookup(op->getName().getStringRef());
  }
  /// Returns whether the table lists an operation.
  bool has(mlir::Operation *op) const {
    return entries.contains(op->getName().getStringRef());
  }

private:
  llvm::StringMap<Entry> entries;
};

} // namespace kiln

#endif // KILN_INTERFACES_OPTABLE_H
