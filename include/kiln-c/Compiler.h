/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C interface of the compiler, libKiln.so.

   Threads: any number of threads may call every function here at once. The
   callbacks of one call come one at a time, in the calling thread unless the
   compilation is in process. Callbacks of different calls may overlap. Wait for
   all calls before exit(), which destroys objects that they use.

   Processes: a compilation runs in another process, so that a crash of the
   compiler is a diagnostic and status 1, and cannot end this process.
   - If this process has one thread, the other process is a fork of it.
   - If it has several, the other process is a fork of the helper program
     kiln/kiln-compile-worker beside libKiln.so. The first compilation starts
   the helper, which ends with this process, or after a minute without a
     compilation. The environment variable KILN_COMPILE_WORKER names another
     helper.
   - With the argument "--in-process", or KILN_NO_CHILD=1 in the environment,
   the compilation runs in this process. A crash, or a fatal error of LLVM, then
     ends it. */
#ifndef KILN_C_COMPILER_H
#define KILN_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives one diagnostic at a time: "file:line:column: error: message". The
   text is valid during the call. */
typedef void (*KilnDiagnosticHandler)(const char *message, void *user);

/* Compiles `input` (a path, text or bytecode; "-" is the standard input) to a
   package in memory. `args` are spelt as for kiln-compile, for example
   "--target=cpu" or "--load-target=LIB". Returns kiln-compile's exit status:
   0 done, 1 the input failed, 2 wrong usage, such as a null pointer other than
   `diag`, `user` and `name`. On 0, `*bytes` holds the package, which the caller
   releases by kilnFreeBytes; else it is null.
   Safe in threads, also with "--load-target" of a new library: it is loaded for
   this compilation only. In process, the call waits until running compilations
   have ended, and the library stays loaded for later ones. */
int kilnCompileFile(const char *input, size_t numArgs, const char *const *args,
                    KilnDiagnosticHandler diag, void *user, void **bytes,
                    size_t *size);

/* Compiles an input in memory, as kilnCompileFile does; `name` is the file name
   in diagnostics. Safe in threads; the input must not change during the call.
 */
int kilnCompileBuffer(const void *input, size_t inputSize, const char *name,
                      size_t numArgs, const char *const *args,
                      KilnDiagnosticHandler diag, void *user, void **bytes,
                      size_t *size);

/* A lowering, schedule or target that declined an operation. */
typedef struct KilnReportDecline {
  const char *name;
  const char *reason;
} KilnReportDecline;

/* One row of the report that --explain prints: which operation was lowered by
   which code. Texts are never null, and valid during the callback. Rows may
   grow at their end: structSize is the size of this one. */
typedef struct KilnReportRow {
  size_t structSize;
  const char *stage;    /* "schedule", "lowering", ... */
  const char *function; /* of the host program, or "" */
  const char *kernel;
  const char *subject; /* operation, or kind of a group of operations */
  const char *target;
  const char *chosen;   /* the one that took it; "": none did */
  const char *detail;   /* tile sizes, variants, ... */
  const char *location; /* "file:line:column" */
  uint32_t count;       /* of equal rows */
  size_t numDeclines;
  const KilnReportDecline *declines;
} KilnReportRow;

/* Receives one row of a report; `user` is the pointer of the options. */
typedef void (*KilnReportHandler)(const KilnReportRow *row, void *user);

/* How to compile. Set everything to zero, then structSize to
   sizeof(KilnCompileOptions): fields that are added later are at the end, and
   count as zero for a caller that does not know them. */
typedef struct KilnCompileOptions {
  size_t structSize;
  KilnDiagnosticHandler diagnostic; /* or null */
  void *diagnosticUser;
  /* Gets the report row by row at the end, also if the input failed. Excludes
     the argument --explain. May be null. */
  KilnReportHandler report;
  void *reportUser;
  /* Seconds after which the compilation ends with status 1; 0: never. Has no
     effect in process. */
  double timeLimit;
} KilnCompileOptions;

/* Compiles with options: as kilnCompileBuffer, or as kilnCompileFile of `name`
   if `input` is null. `options` may be null. Safe in threads. */
int kilnCompile(const char *name, const void *input, size_t inputSize,
                size_t numArgs, const char *const *args,
                const KilnCompileOptions *options, void **bytes, size_t *size);

/* Releases the bytes of a package; null is allowed. Safe in threads. */
void kilnFreeBytes(void *bytes);

#ifdef __cplusplus
}
#endif
#endif
