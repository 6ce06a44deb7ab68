/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C interface of the compiler, libKiln.so.

   Threads: every function here may be called from any number of threads at
   once. Callbacks of one call come one at a time, from the thread that called
   unless the compilation is in process; those of different calls may overlap.
   A host waits for its calls before it ends with exit(), which destroys what
   they use.

   Processes: a compilation runs in a process apart, so that no input can end
   this one: a crash of the compiler is a diagnostic and status 1. Where this
   process has one thread that is a fork. Where it has several it is a fork of
   the helper program kiln/kiln-compile-worker beside libKiln.so, which the first
   compilation starts, and which ends with this process or after a minute
   without a compilation; the environment variable KILN_COMPILE_WORKER names
   another. "--in-process" among the arguments, or
   KILN_NO_CHILD=1 in the environment, compile in this process: then a crash, or
   a fatal error of LLVM, ends it. */
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
   0 done, 1 the input failed, 2 wrong usage (which a null pointer is, but for
   `diag`, `user` and `name`). On 0 `*bytes` holds the package, to be released
   by kilnFreeBytes; else it is null.
   Safe in threads, also with "--load-target" of something new: in a process
   apart that concerns one compilation only; in process it waits until the
   running compilations have ended, and concerns all later ones. */
int kilnCompileFile(const char *input, size_t numArgs, const char *const *args,
                    KilnDiagnosticHandler diag, void *user, void **bytes,
                    size_t *size);

/* The same for an input held in memory; `name` is used in diagnostics. Safe in
   threads; the input must stay as it is during the call. */
int kilnCompileBuffer(const void *input, size_t inputSize, const char *name,
                      size_t numArgs, const char *const *args,
                      KilnDiagnosticHandler diag, void *user, void **bytes,
                      size_t *size);

/* Something that was asked first and did not take an operation. */
typedef struct KilnReportDecline {
  const char *name;
  const char *reason;
} KilnReportDecline;

/* One row of the report that --explain prints: what was lowered by what. Texts
   are never null, and valid during the call. Rows may grow at their end:
   structSize says how far they reach. */
typedef struct KilnReportRow {
  size_t structSize;
  const char *stage;    /* "schedule", "lowering", ... */
  const char *function; /* of the host program, or "" */
  const char *kernel;
  const char *subject; /* operation, or kind of a group of operations */
  const char *target;
  const char *chosen;   /* what took it; "": nothing did */
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
  /* Gets the report row by row at the end, also where the input failed. Not
     together with --explain. May be null. */
  KilnReportHandler report;
  void *reportUser;
  /* Seconds after which the compilation is ended with status 1; 0: never. Not
     in process. */
  double timeLimit;
} KilnCompileOptions;

/* kilnCompileBuffer with options; with a null `input` kilnCompileFile of
   `name`. `options` may be null. Safe in threads. */
int kilnCompile(const char *name, const void *input, size_t inputSize,
                size_t numArgs, const char *const *args,
                const KilnCompileOptions *options, void **bytes, size_t *size);

/* Null is allowed. Safe in threads. */
void kilnFreeBytes(void *bytes);

#ifdef __cplusplus
}
#endif
#endif
