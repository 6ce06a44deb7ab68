//===- PointContract.h - What passes of plug-ins leave alone ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TARGET_POINTCONTRACT_H
#define KILN_LIB_TARGET_POINTCONTRACT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <memory>
#include <mutex>
#include <string>

namespace kiln::target {

/// What the passes that a plug-in adds at an extension point have to leave as
/// it was: the target that the module is bound to, and the parameters and
/// results of public kernels and functions, which packages and launches have
/// by then. Two passes around the plug-in's share one.
class PointContract {
public:
  /// `owner` is whose passes these are, for messages.
  explicit PointContract(std::string owner) : owner(std::move(owner)) {}

  /// Remembers how the operation is that the passes run on: a module, or what a
  /// nested pass manager is for.
  void record(mlir::Operation *root);
  /// Reports what has changed since.
  mlir::LogicalResult check(mlir::Operation *root);

private:
  struct Function {
    mlir::Type type;
    mlir::Location loc;
  };
  struct State {
    mlir::Attribute target, spec;
    llvm::MapVector<mlir::StringAttr, Function> functions;
  };

  std::string owner;
  std::mutex mutex; ///< roots of one pipeline may be on several threads
  llvm::DenseMap<mlir::Operation *, State> states;
};

/// Records the contract before a plug-in's passes, or checks it after them.
std::unique_ptr<mlir::Pass>
createContractPass(std::shared_ptr<PointContract> contract, bool isBefore);

} // namespace kiln::target

#endif // KILN_LIB_TARGET_POINTCONTRACT_H
