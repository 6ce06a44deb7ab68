//===- HostProgram.h - From program IR to the runtime's form ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_HOSTPROGRAM_H
#define KILN_LIB_DRIVER_HOSTPROGRAM_H

#include "Kernels.h"
#include "Names.h"
#include "Tolerance.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Runtime/Package.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::driver {

/// The constants of a package; equal attributes share one.
class ConstantPool {
public:
  /// The constant's name; reports on `op` and fails for what has no bytes.
  mlir::FailureOr<std::string> add(mlir::ElementsAttr value,
                                   mlir::Operation *op);
  std::vector<runtime::Constant> take() { return std::move(constants); }

private:
  std::vector<runtime::Constant> constants;
  llvm::DenseMap<mlir::Attribute, std::string> names;
};

/// Name `index` of a list, else one made of `fallback` that is not in it.
std::string nameOf(const std::vector<std::string> *names, size_t index,
                   llvm::StringRef fallback);

/// The runtime's name of an element type; none if it has none.
runtime::DType dtypeOf(mlir::Type type);

/// Fills `result` with the functions of `module`: every program.func, every
/// prim function (when the kernels were compiled from those) and, where asked
/// for, an entry per public tile.kernel.
mlir::LogicalResult buildHostProgram(mlir::ModuleOp module,
                                     const CompiledKernels &kernels,
                                     const Tolerances &tolerances,
                                     const Names &names, bool kernelEntries,
                                     ConstantPool &pool,
                                     runtime::HostProgram &result);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_HOSTPROGRAM_H
