//===- KernelTargets.cpp - Kernels for other targets than the module's ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/KernelTargets.h"
#include "kiln/Dialect/Kiln/KernelSpecs.h"

using namespace mlir;
using namespace kiln::target;

void kiln::target::setKernelTarget(ModuleOp module,
                                   ArrayRef<std::string> kernels,
                                   const BoundTarget &target) {
  MLIRContext *context = module.getContext();
  auto spec = StringAttr::get(context, target.options.str());
  NamedAttrList others;
  if (auto known = module->getAttrOfType<DictionaryAttr>(kKernelSpecsAttr))
    others.append(known.begin(), known.end());
  for (const std::string &name : kernels) {
    Operation *kernel = module.lookupSymbol(name);
    if (!kernel || kernel->getName().getStringRef() != "tile.kernel") {
      others.set(name, spec);
      continue;
    }
    kernel->setAttr(kSpecAttr, spec);
    kernel->setAttr(kTargetAttr, target.description);
  }
  if (!others.empty())
    module->setAttr(kKernelSpecsAttr, others.getDictionary(context));
}
