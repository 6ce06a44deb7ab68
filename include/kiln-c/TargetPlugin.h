/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry point of a target plug-in, libkiln-target-NAME.so.

   The library carries the note of kiln-c/PluginNote.h, so that its versions
   are read before it is loaded, and exports one function, defined in the file
   itself. C++ plug-ins get all of it from KILN_TARGET_PLUGIN in
   kiln/Target/Plugin.h. */
#ifndef KILN_C_TARGETPLUGIN_H
#define KILN_C_TARGETPLUGIN_H

#include "kiln-c/PluginNote.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plug-in works with a core of the same two numbers: it shares C++ classes
   with it, whose layout any change of the headers can alter. */
#define KILN_TARGET_API_MAJOR 1
#define KILN_TARGET_API_MINOR 1

typedef struct KilnTargetPlugin {
  size_t structSize; /* sizeof(KilnTargetPlugin) as the plug-in knows it */
  uint32_t apiMajor;
  uint32_t apiMinor;
  const char *name;
  const char *version;
  /* Adds what the plug-in brings; `registry` is a kiln::target::TargetRegistry.
     Called twice: first in a child process, so that a crash ends only the
     child, then in the process itself. Returns 0, or 1 with a reason in
     `error` (at most `size` bytes with the terminator). */
  int (*registerPlugin)(void *registry, char *error, size_t size);
} KilnTargetPlugin;

#define KILN_TARGET_ENTRY_POINT "kilnGetTargetPlugin"
typedef const KilnTargetPlugin *(*KilnGetTargetPluginFn)(void);

#ifdef __cplusplus
}
#endif
#endif
