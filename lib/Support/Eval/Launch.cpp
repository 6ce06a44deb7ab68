// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels, at whatever level they are.
#include "kiln/Eval/Kernel.h"

using namespace mlir;

namespace kiln::eval {

const LaunchFn *LaunchInterface::lookup(OperationName name) const {
  auto it = table.find(name.getTypeID());
  return it == table.end() ? nullptr : &it->second;
}

LogicalResult launchKernel(Evaluator &evaluator, Operation *kernel,
                           std::array<int64_t, 3> grid, ArrayRef<Value> args,
                           Location caller) {
  const LaunchFn *launch = nullptr;
  if (Dialect *dialect = kernel->getDialect())
    if (auto *table = dialect->getRegisteredInterface<LaunchInterface>())
      launch = table->lookup(kernel->getName());
  if (!launch)
    return emitError(caller, "unsupported: no evaluation of a launch of '")
           << kernel->getName() << "'";
  return (*launch)(evaluator, kernel, grid, args, caller);
}

} // namespace kiln::eval
