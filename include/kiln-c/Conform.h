/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The compiler half of the conformance suite, libKiln.so. kiln-conform loads
   it; docs/conformance.md describes the JSON. */
#ifndef KILN_C_CONFORM_H
#define KILN_C_CONFORM_H

#include "kiln-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the answer, in one or several parts. */
typedef void (*KilnTextHandler)(const char *text, size_t size, void *user);

/* Answers with JSON. `args` is one of

     suite [--level=prim|tile] [--filter=REGEX]
                          the modules with their programs and cases
     suite --random=LAST [--first-random=FIRST] [--seed=N] [--drop=A+B+...]
           [--tile=ROWSxCOLUMNS] [--simpler=WAY+...]
                          random programs in their place, without the steps that
                          are named, with tiles of at most these sizes, and
                          simpler in these ways: block (one instance), rows (no
                          gaps in views), type (f32 or i32), plain (no values
                          that hurt), ones (all values are 1)
     target --target=SPEC what the description of a target declares
     protocol --program=FILE [--conversations=N] [--seed=N]
                          what became of conversations with a target's program
     wire                 the table of the wire form of kernels
     wire-cases [as suite]
                          the kernels of the suite in the wire form, and those
                          that come back otherwise, or have none

   and any of them with --load-target=LIB for plug-ins, whose operations are
   part of the suite. Returns 0, or 1 after messages to `diag`, or 2 where the
   arguments are wrong. One thread at a time. */
int kilnConform(size_t numArgs, const char *const *args, KilnTextHandler take,
                void *user, KilnDiagnosticHandler diag, void *diagUser);

#ifdef __cplusplus
}
#endif
#endif
