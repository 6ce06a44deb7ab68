//===- KernelTargets.cpp - Kernels for other targets than the module's ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/KernelTargets.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln::target;

/// The function of whose groups one will have a kernel of this name,
/// FUNCTION_NUMBER_OPERATION.
static Operation *functionOf(ModuleOp module, StringRef kernel) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    StringRef rest = kernel;
    uint64_t number;
    if (rest.consume_front(function.getSymName()) && rest.consume_front("_") &&
        !rest.consumeInteger(10, number) && rest.starts_with("_") &&
        (!found || function.getSymName().size() > found.getSymName().size()))
      found = function;
  }
  return found;
}

void kiln::target::setKernelTarget(ModuleOp module,
                                   ArrayRef<std::string> kernels,
                                   const BoundTarget &target) {
  MLIRContext *context = module.getContext();
  auto spec = StringAttr::get(context, target.options.str());
  for (const std::string &name : kernels) {
    Operation *kernel = module.lookupSymbol(name);
    if (kernel && kernel->getName().getStringRef() == "tile.kernel") {
      kernel->setAttr(kSpecAttr, spec);
      kernel->setAttr(kTargetAttr, target.description);
    } else if (Operation *function = functionOf(module, name)) {
      NamedAttrList specs;
      if (auto known = function->getAttrOfType<DictionaryAttr>(kSpecAttr))
        specs.append(known.begin(), known.end());
      specs.set(name, spec);
      function->setAttr(kSpecAttr, specs.getDictionary(context));
    }
  }
}
