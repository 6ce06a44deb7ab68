//===- Plugin.h - Writing a target plug-in ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plug-in's main source file includes:
//
//   static void registerAll(kiln::target::TargetRegistry &registry) {
//     registry.addTarget(std::make_unique<MyTarget>());
//   }
//   KILN_TARGET_PLUGIN("mine", "1.0", registerAll)
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_PLUGIN_H
#define KILN_TARGET_PLUGIN_H

#include "kiln-c/TargetPlugin.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Target/TraitNames.h"
#include "llvm/Config/llvm-config.h"

#define KILN_TARGET_PLUGIN(NAME, VERSION, REGISTER)                            \
  KILN_PLUGIN_NOTE(KILN_TARGET_API_MAJOR, KILN_TARGET_API_MINOR,               \
                   LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR);                    \
  extern "C" __attribute__((visibility("default"))) const KilnTargetPlugin *   \
  kilnGetTargetPlugin() {                                                      \
    static const KilnTargetPlugin plugin = {                                   \
        sizeof(KilnTargetPlugin),                                              \
        KILN_TARGET_API_MAJOR,                                                 \
        KILN_TARGET_API_MINOR,                                                 \
        NAME,                                                                  \
        VERSION,                                                               \
        [](void *registry, char *error, size_t size) -> int {                  \
          auto trait = mlir::TypeID::get<mlir::OpTrait::IsTerminator>();       \
          if (!kiln::target::checkTraitNames(trait, KILN_PLUGIN_COMPILER,      \
                                             error, size))                     \
            return 1;                                                          \
          REGISTER(*static_cast<kiln::target::TargetRegistry *>(registry));    \
          return 0;                                                            \
        }};                                                                    \
    return &plugin;                                                            \
  }

#endif // KILN_TARGET_PLUGIN_H
