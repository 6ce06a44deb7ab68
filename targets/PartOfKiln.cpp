// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks the plug-ins that are built and tested with the compiler.

/// The symbol that kiln/Target/PluginLoader.h names.
extern "C" __attribute__((visibility("default"), used))
const char kilnIsPartOfKiln = 1;
