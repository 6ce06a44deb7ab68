/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The compiler half of the conformance suite, libKiln.so. kiln-conform loads
   it; docs/conformance.md describes the JSON. */
#ifndef KILN_C_CONFORM_H
#define KILN_C_CONFORM_H

#include "kiln-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the answer in one or several parts; `text` is valid during the call.
 */
typedef void (*KilnTextHandler)(const char *text, size_t size, void *user);

/* Answers a question about the conformance suite with JSON, which it gives to
   `take`. `args` is one of

     suite [--level=prim|tile] [--filter=REGEX]
                          the modules with their programs and cases
     suite --random=LAST [--first-random=FIRST] [--seed=N] [--drop=A+B+...]
           [--tile=ROWSxCOLUMNS] [--simpler=WAY+...]
                          random programs FIRST to LAST instead. --drop leaves
                          out steps by name; --tile bounds the sizes of tiles;
                          --simpler is a list of block (one instance), rows (no
                          gaps in views), type (f32 or i32 only), plain (no
                          special values), ones (all values are 1)
     target --target=SPEC what the description of a target declares
     protocol --program=FILE [--conversations=N] [--seed=N]
                          the results of conversations with the program of an
                          isolated target
     wire                 the table of the wire form of kernels
     wire-cases [as suite]
                          the kernels of the suite in the wire form; also those
                          that have none, or change when they are read back

   and any of them with --load-target=LIB for plug-ins, whose operations are
   part of the suite. Returns 0; 1 after messages to `diag`; or 2 if the
   arguments are wrong. Only one thread at a time may call it. */
int kilnConform(size_t numArgs, const char *const *args, KilnTextHandler take,
                void *user, KilnDiagnosticHandler diag, void *diagUser);

#ifdef __cplusplus
}
#endif
#endif
