/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry point of a target plug-in: a shared library,
   libkiln-target-NAME.so, that adds a target to Kiln's compiler.

   The library exports one function, kilnGetTargetPlugin, which it must define
   itself (not in a library that it links). It also has the ELF note of
   kiln-c/PluginNote.h, from which Kiln reads the plug-in's versions before it
   loads the library. In C++ the macro KILN_TARGET_PLUGIN of
   kiln/Target/Plugin.h defines both. */
#ifndef KILN_C_TARGETPLUGIN_H
#define KILN_C_TARGETPLUGIN_H

#include "kiln-c/PluginNote.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. Kiln loads a plug-in only if both numbers are
   equal to its own: the two share C++ classes, whose layout any change of the
   headers can alter. */
#define KILN_TARGET_API_MAJOR 1
#define KILN_TARGET_API_MINOR 1

/* The description that the entry point returns. The plug-in owns it and its
   texts, which must stay valid until the process ends. */
typedef struct KilnTargetPlugin {
  size_t structSize;   /* sizeof(KilnTargetPlugin) that the plug-in was compiled
                          with */
  uint32_t apiMajor;   /* KILN_TARGET_API_MAJOR */
  uint32_t apiMinor;   /* KILN_TARGET_API_MINOR */
  const char *name;    /* of the plug-in; Kiln loads one plug-in of a name */
  const char *version; /* of the plug-in, as text */
  /* Registers the plug-in's targets, passes, lowerings and schedules in
     `registry`, a kiln::target::TargetRegistry *. Kiln calls it twice: first
     in a child process, so that a crash ends only the child, then in the
     process itself. Returns 0, or 1 with a reason in `error` (at most `size`
     bytes with the terminator). */
  int (*registerPlugin)(void *registry, char *error, size_t size);
} KilnTargetPlugin;

/* The name and the type of the function that a plug-in exports. */
#define KILN_TARGET_ENTRY_POINT "kilnGetTargetPlugin"
typedef const KilnTargetPlugin *(*KilnGetTargetPluginFn)(void);

#ifdef __cplusplus
}
#endif
#endif
