//===- Choosers.cpp - Choices for kernels of several targets --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Tiling.h"

using namespace mlir;
using namespace kiln::target;
using namespace kiln::tiling;

Chooser *Choosers::of(Operation *kernel) {
  auto spec = kernel->getAttrOfType<StringAttr>(kSpecAttr);
  auto [entry, isNew] = bySpec.try_emplace(spec);
  if (!isNew)
    return entry->second.get();
  std::optional<TargetOptions> options;
  if (spec)
    options = findModuleOptions(kernel);
  entry->second =
      options
          ? std::make_unique<Chooser>(TargetRegistry::get().find(options->name),
                                      getDescription(kernel), *options)
          : chooserOf(module);
  return entry->second.get();
}
