/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Broken plug-ins; BAD says how. */
#include "kiln-c/TargetPlugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { api, llvm, symbol, null, small, crash, fails, hangs, silent, prints };

KILN_PLUGIN_NOTE(BAD == api ? 99 : KILN_TARGET_API_MAJOR, KILN_TARGET_API_MINOR,
                 BAD == llvm ? 7 : LLVM_MAJOR, BAD == llvm ? 0 : LLVM_MINOR);

static int registerPlugin(void *registry, char *error, size_t size) {
  (void)registry;
  if (BAD == crash)
    *(volatile int *)8 = 0;
  if (BAD == prints) {
    for (int line = 0; line < 100; ++line)
      fprintf(stderr, "no table of chip %d\n\n", line);
    abort();
  }
  if (BAD == fails)
    strncpy(error, "no licence was found", size - 1);
  return BAD == fails;
}

static const KilnTargetPlugin plugin = {BAD == small ? 4
                                                     : sizeof(KilnTargetPlugin),
                                        KILN_TARGET_API_MAJOR,
                                        KILN_TARGET_API_MINOR,
                                        "bad",
                                        "1.0",
                                        registerPlugin};

#if !defined(NO_SYMBOL)
__attribute__((visibility("default")))
const KilnTargetPlugin *kilnGetTargetPlugin(void) {
  return BAD == null ? 0 : &plugin;
}
#else
const void *unused = &plugin;
#endif
