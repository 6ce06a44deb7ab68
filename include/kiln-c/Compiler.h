/* C interface of the compiler, libKiln.so. */
#ifndef KILN_C_COMPILER_H
#define KILN_C_COMPILER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives one diagnostic at a time: "file:line:column: error: message". */
typedef void (*KilnDiagnosticHandler)(const char *message, void *user);

/* Compiles `input` (a path, text or bytecode) to a package in memory.
   `args` are spelt as for kiln-compile, for example "--target=cpu" or
   "--load-target=LIB". Returns kiln-compile's exit status: 0 done, 1 the input
   failed, 2 wrong usage (which a null pointer is, but for `diag`, `user` and
   `name`). On 0 `*bytes` holds the package, to be released by
   kilnFreeBytes; else it is null. */
int kilnCompileFile(const char *input, size_t numArgs, const char *const *args,
                    KilnDiagnosticHandler diag, void *user, void **bytes,
                    size_t *size);

/* The same for an input held in memory; `name` is used in diagnostics. */
int kilnCompileBuffer(const void *input, size_t inputSize, const char *name,
                      size_t numArgs, const char *const *args,
                      KilnDiagnosticHandler diag, void *user, void **bytes,
                      size_t *size);

void kilnFreeBytes(void *bytes);

#ifdef __cplusplus
}
#endif
#endif
