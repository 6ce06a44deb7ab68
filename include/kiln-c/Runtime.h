/* C interface of the runtime, libkiln-runtime.so: load a package, run it.
   Nothing throws across it. Functions that can fail return 0 on success; the
   reason is kilnLastError(), per thread, valid until the next call. */
#ifndef KILN_C_RUNTIME_H
#define KILN_C_RUNTIME_H

#include "kiln-c/DType.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct KilnPackage KilnPackage;
typedef struct KilnSession KilnSession;
typedef struct KilnTensor KilnTensor;

const char *kilnLastError(void);
const char *kilnRuntimeVersion(void);

/* Packages. */
int kilnPackageLoadFile(const char *path, KilnPackage **package);
/* Copies the bytes. */
int kilnPackageLoad(const void *bytes, size_t size, KilnPackage **package);
/* The same for packages that must be signed, with one of `numKeys` keys (at
   least one), each the path of a PEM file with an Ed25519 public key. What is
   not signed, signed by another key or changed fails before anything of it is
   used. The file is read into memory, so that later changes do not matter. */
int kilnPackageLoadFileSigned(const char *path, size_t numKeys,
                              const char *const *keys, KilnPackage **package);
int kilnPackageLoadSigned(const void *bytes, size_t size, size_t numKeys,
                          const char *const *keys, KilnPackage **package);
/* The fingerprint of the key whose valid signature the package carries: 64
   hexadecimal digits, the SHA-256 of the key as DER. Null when it is not
   signed. Valid while the package lives. */
const char *kilnPackageSigner(const KilnPackage *package);
void kilnPackageDestroy(KilnPackage *package);
size_t kilnPackageNumTargets(const KilnPackage *package);
const char *kilnPackageTarget(const KilnPackage *package, size_t index);

/* Sessions: a package on the devices of one of its targets. `target` is a
   SPEC, or null for the first target whose devices can be opened. The package
   may be destroyed while sessions of it live. */
int kilnSessionCreate(const KilnPackage *package, const char *target,
                      KilnSession **session);
void kilnSessionDestroy(KilnSession *session);
size_t kilnSessionNumEntries(const KilnSession *session);
/* Valid while the session lives; null when out of range. */
const char *kilnSessionEntry(const KilnSession *session, size_t index);
/* Numbers of arguments and results of an entry; -1 when there is none. */
int kilnEntryNumArguments(const KilnSession *session, const char *entry);
int kilnEntryNumResults(const KilnSession *session, const char *entry);
/* Rank, or -1. `shape` has room for `capacity` sizes; -1 is dynamic. */
int kilnEntryArgument(const KilnSession *session, const char *entry, int index,
                      KilnDType *dtype, int64_t *shape, int capacity);
int kilnEntryResult(const KilnSession *session, const char *entry, int index,
                    KilnDType *dtype, int64_t *shape, int capacity);

/* Tensors on the host. */
/* Own memory, row-major, zeroed. */
int kilnTensorCreate(KilnDType dtype, int rank, const int64_t *shape,
                     KilnTensor **tensor);
/* Memory of the caller; strides in elements, null for row-major. */
int kilnTensorWrap(KilnDType dtype, int rank, const int64_t *shape,
                   const int64_t *strides, void *data, KilnTensor **tensor);
int kilnTensorLoadNpy(const char *path, KilnTensor **tensor);
int kilnTensorSaveNpy(const KilnTensor *tensor, const char *path);
void kilnTensorDestroy(KilnTensor *tensor);
KilnDType kilnTensorDType(const KilnTensor *tensor);
int kilnTensorRank(const KilnTensor *tensor);
const int64_t *kilnTensorShape(const KilnTensor *tensor);
const int64_t *kilnTensorStrides(const KilnTensor *tensor);
void *kilnTensorData(const KilnTensor *tensor);

/* Calls a function. `results` receives one new tensor per result. Scalar
   arguments are passed as tensors of rank 0. */
int kilnSessionRun(KilnSession *session, const char *entry, size_t numArguments,
                   KilnTensor *const *arguments, size_t numResults,
                   KilnTensor **results);
/* Calls a kernel over a grid; it writes to its arguments. */
int kilnSessionLaunch(KilnSession *session, const char *entry,
                      const int64_t grid[3], size_t numArguments,
                      KilnTensor *const *arguments);

#ifdef __cplusplus
}
#endif
#endif
