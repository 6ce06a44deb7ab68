/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C interface of the runtime, libkiln-runtime.so: load a package, run it.
   Nothing throws across it. Functions that can fail return 0 on success; the
   reason is kilnLastError(), per thread, valid until the next call. A pointer
   that is null and must not be is such a failure; those that return something
   else then return null, 0 or -1. What is released may be null.

   Threads: functions on different objects may run at once in any threads, and
   so may functions that take a const pointer to one and the same object. What
   else one object allows is said below. Destroying an object that another
   thread uses is not safe. No function here forks this process; a driver is
   loaded once per process, under a lock. */
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
typedef struct KilnRecordedCall KilnRecordedCall;
/* Of DLPack, whose header a program includes itself. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Of this thread; "" before the first failure. */
const char *kilnLastError(void);
const char *kilnRuntimeVersion(void);

/* Packages. They do not change: any number of threads may read one and make
   sessions of it at once. */
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
   may be destroyed while sessions of it live. Each session has devices of its
   own: calls of different sessions run side by side. */
int kilnSessionCreate(const KilnPackage *package, const char *target,
                      KilnSession **session);
void kilnSessionDestroy(KilnSession *session);
size_t kilnSessionNumEntries(const KilnSession *session);
/* Valid while the session lives; null when out of range. */
const char *kilnSessionEntry(const KilnSession *session, size_t index);
/* Numbers of arguments and results of an entry; -1 when there is none. */
int kilnEntryNumArguments(const KilnSession *session, const char *entry);
int kilnEntryNumResults(const KilnSession *session, const char *entry);
/* Rank, or -1. `shape` has room for `capacity` sizes; -1 is dynamic. `dtype`
   and `shape` may be null. */
int kilnEntryArgument(const KilnSession *session, const char *entry, int index,
                      KilnDType *dtype, int64_t *shape, int capacity);
int kilnEntryResult(const KilnSession *session, const char *entry, int index,
                    KilnDType *dtype, int64_t *shape, int capacity);
/* What the source calls them; "arg0" or "result0" where it has no names. Valid
   while the session lives; null when out of range. */
const char *kilnEntryArgumentName(const KilnSession *session, const char *entry,
                                  int index);
const char *kilnEntryResultName(const KilnSession *session, const char *entry,
                                int index);
/* Of an argument and of a result; null for dimensions without a name. The last
   dimension, of two, of complex numbers is called "complex". */
const char *kilnEntryDimensionName(const KilnSession *session,
                                   const char *entry, int index, int dimension);
const char *kilnEntryResultDimensionName(const KilnSession *session,
                                         const char *entry, int index,
                                         int dimension);
/* 1 where the source has unsigned integers and the type above has them without
   sign, as I32 for what is bits of U32; else 0. Arguments may be of either,
   results that a call makes are unsigned. */
int kilnEntryArgumentIsUnsigned(const KilnSession *session, const char *entry,
                                int index);
int kilnEntryResultIsUnsigned(const KilnSession *session, const char *entry,
                              int index);
/* How many bits the source's integers have where the type above has more, as 4
   for I8 of the source's i4; else 0. Each lies in the low bits of an element,
   extended by its sign, or by zeros where it is unsigned. */
int kilnEntryArgumentBits(const KilnSession *session, const char *entry,
                          int index);
int kilnEntryResultBits(const KilnSession *session, const char *entry,
                        int index);
/* 1 where a call writes the argument, whose memory a result may then have: for
   arguments that their caller gives up (`donated` in `kiln.argument`), and of
   kernels; else 0. */
int kilnEntryArgumentIsWritten(const KilnSession *session, const char *entry,
                               int index);
/* The number of the argument or result of that name; -1 when there is none. */
int kilnEntryFindArgument(const KilnSession *session, const char *entry,
                          const char *name);
int kilnEntryFindResult(const KilnSession *session, const char *entry,
                        const char *name);

/* The devices of a session, in the order of its program. */
size_t kilnSessionNumDevices(const KilnSession *session);
/* What it calls itself; valid while the session lives, null when out of range.
 */
const char *kilnSessionDeviceName(const KilnSession *session, size_t device);
/* Waits until the work of all calls has ended; reports their faults. */
int kilnSessionSynchronize(KilnSession *session);
/* From now on the work of a device goes into a queue of the program's own, in
   the order in which it is put there; `native` is what the driver documents.
   Null: into a queue of the session again. The queue has to live as long. */
int kilnSessionUseQueue(KilnSession *session, size_t device, void *native);
/* Gives back to the system what a session keeps for later calls: memory of
   results that were destroyed, and of temporary tensors. */
int kilnSessionTrim(KilnSession *session);

/* Ranks: sessions of several processes, or threads, that run a program together
   and exchange data. Each rank has a world, which all its sessions may share;
   calls of one world come one after the other, and all ranks make the same
   calls. A call that fails on one rank ends the world: every exchange that is
   in flight or comes later fails on all of them. A rank that dies is such a
   failure within seconds.

   Without a world of their own sessions take part in that of the environment:
   KILN_RANK, KILN_RANKS and KILN_RENDEZVOUS, where KILN_RANKS is set. */
typedef struct KilnWorld KilnWorld;
struct KilnStore;

/* How to make a world. Set everything to zero, then structSize. */
typedef struct KilnWorldOptions {
  size_t structSize;
  int64_t rank;
  int64_t ranks;
  /* Where ranks meet: "file:FOLDER", which is empty at first, "tcp:HOST:PORT",
     where rank 0 listens, or "process:NAME" for threads of one process. */
  const char *rendezvous;
  /* Or a key-value store of the caller, see kiln-c/Communication.h. */
  const struct KilnStore *store;
  /* The communication driver for memory of the host; null: what fits. */
  const char *communication;
  double seconds; /* to wait for the other ranks; 0: two minutes */
} KilnWorldOptions;
int kilnWorldCreate(const KilnWorldOptions *options, KilnWorld **world);
/* Sessions that have it keep it. */
void kilnWorldDestroy(KilnWorld *world);
/* Makes every exchange of the world fail, here and on the other ranks. From any
   thread. */
void kilnWorldAbort(KilnWorld *world, const char *reason);
/* For the calls from now on; null: alone. */
int kilnSessionSetWorld(KilnSession *session, KilnWorld *world);

/* Tensors on the host or on a device. Functions only read them but for what a
   kernel or a function writes: arguments that it may write must not be used by
   another thread meanwhile, also not as an argument. */
/* Own memory, row-major, zeroed. */
int kilnTensorCreate(KilnDType dtype, int rank, const int64_t *shape,
                     KilnTensor **tensor);
/* Memory of the caller; strides in elements, null for row-major. */
int kilnTensorWrap(KilnDType dtype, int rank, const int64_t *shape,
                   const int64_t *strides, void *data, KilnTensor **tensor);
/* The same; `release` is called with `user` once, from any thread, when nothing
   uses the memory any more. After a failure it is not. */
typedef void (*KilnRelease)(void *user);
int kilnTensorImport(KilnDType dtype, int rank, const int64_t *shape,
                     const int64_t *strides, void *data, KilnRelease release,
                     void *user, KilnTensor **tensor);
/* A copy on a device of the session, and a row-major copy on the host. */
int kilnSessionUpload(KilnSession *session, const KilnTensor *tensor,
                      size_t device, KilnTensor **uploaded);
int kilnSessionDownload(KilnSession *session, const KilnTensor *tensor,
                        KilnTensor **downloaded);
/* 1 for a tensor on a device of a session, which only that session takes; its
   data is null. Else 0. */
int kilnTensorIsOnDevice(const KilnTensor *tensor);
/* Tensors of other libraries, without a copy. The tensor takes `managed` over
   and calls its deleter when nothing uses the memory any more; after a failure
   it remains the caller's. `session` is asked for a device that has the memory;
   it may be null for memory of the host. Work that others have queued there has
   to be done, or in the queue of kilnSessionUseQueue. */
int kilnTensorFromDLPack(KilnSession *session, struct DLManagedTensor *managed,
                         KilnTensor **tensor);
int kilnTensorFromDLPackVersioned(KilnSession *session,
                                  struct DLManagedTensorVersioned *managed,
                                  KilnTensor **tensor);
/* The other way round; the receiver calls the deleter. The tensor may be
   destroyed before. Types of 4 and 6 bits need the versioned form. */
int kilnTensorToDLPack(const KilnTensor *tensor,
                       struct DLManagedTensor **managed);
int kilnTensorToDLPackVersioned(const KilnTensor *tensor,
                                struct DLManagedTensorVersioned **managed);
int kilnTensorLoadNpy(const char *path, KilnTensor **tensor);
int kilnTensorSaveNpy(const KilnTensor *tensor, const char *path);
void kilnTensorDestroy(KilnTensor *tensor);
KilnDType kilnTensorDType(const KilnTensor *tensor);
int kilnTensorRank(const KilnTensor *tensor);
const int64_t *kilnTensorShape(const KilnTensor *tensor);
const int64_t *kilnTensorStrides(const KilnTensor *tensor);
void *kilnTensorData(const KilnTensor *tensor);

/* Calls a function. `results` receives one new tensor per result, null for all
   of them on failure. Scalar arguments are passed as tensors of rank 0. Calls
   of one session from several threads are safe: they run one after the other.
   Results may be used and destroyed in any thread, also after their session. */
int kilnSessionRun(KilnSession *session, const char *entry, size_t numArguments,
                   KilnTensor *const *arguments, size_t numResults,
                   KilnTensor **results);
/* The same with row-major arguments in memory of the host that the caller lends
   for the call; nothing is made for an argument. On a device that works in the
   host's memory, what a function does for arguments of certain shapes, which
   begin at multiples of 64 bytes, is kept, so that the next call with such
   arguments need not interpret it. */
typedef struct KilnLentTensor {
  void *data;
  KilnDType dtype;
  int rank;
  const int64_t *shape;
  const KilnTensor *tensor; /* if it is not null, in place of the others: any */
} KilnLentTensor;
int kilnSessionRunLent(KilnSession *session, const char *entry,
                       size_t numArguments, const KilnLentTensor *arguments,
                       size_t numResults, KilnTensor **results);
/* The same into tensors that the caller has: of the results' types and any
   strides, on the host or on a device. They may overlap arguments. */
int kilnSessionRunInto(KilnSession *session, const char *entry,
                       size_t numArguments, KilnTensor *const *arguments,
                       size_t numResults, KilnTensor *const *results);
/* Calls a kernel over a grid; it writes to its arguments. */
int kilnSessionLaunch(KilnSession *session, const char *entry,
                      const int64_t grid[3], size_t numArguments,
                      KilnTensor *const *arguments);

/* A kernel that a call launched. Numbers that are not known are 0. */
typedef struct KilnLaunchReport {
  size_t structSize;
  const char *name;   /* of the launch in the program */
  const char *kernel; /* that was chosen for it */
  int64_t grid[3];
  double seconds; /* only when they were asked for */
  int64_t flops;
  int64_t bytes; /* read and written */
} KilnLaunchReport;

/* What a call used; texts and lists are valid during the callback. Structs may
   grow at their end: structSize says how far they reach. */
typedef struct KilnCallReport {
  size_t structSize;
  const char *entry;
  double seconds;           /* of the whole call */
  int64_t arenaBytes;       /* memory shared by temporary tensors */
  int64_t arenaTensorBytes; /* sum of the tensors that share it */
  int64_t ownBytes;         /* allocations outside of it */
  size_t numLaunches;
  const KilnLaunchReport *const *launches; /* in the order they ran */
  int64_t workspaceBytes; /* of the launch that needs the most */
  /* Not 0: the seconds of launches are by the clocks of their devices. */
  int onDeviceClock;
} KilnCallReport;

/* Receives the report of a call when it has ended. */
typedef void (*KilnCallReportHandler)(const KilnCallReport *report, void *user);

enum {
  /* `results` holds tensors, as for kilnSessionRunInto. */
  KILN_CALL_INTO = 1,
  /* New results stay on the devices that made them; nothing is copied. */
  KILN_CALL_ON_DEVICE = 2,
  /* Return when the work is queued; kilnSessionSynchronize waits. Without
     effect where tensors are on the host. */
  KILN_CALL_NO_WAIT = 4
};

/* How to call. Set everything to zero, then structSize to
   sizeof(KilnCallOptions): fields that are added later are at the end, and
   count as zero for a caller that does not know them. */
typedef struct KilnCallOptions {
  size_t structSize;
  /* For a kernel: its grid. All zero for a function. */
  int64_t grid[3];
  /* Called once in the calling thread, after a call that succeeded and when
     the next call of the session may begin. Or null. */
  KilnCallReportHandler report;
  void *reportUser;
  /* Not 0: measure the seconds of each kernel, by the device's clock; with a
     device that has none every kernel waits for its end. */
  int timeKernels;
  uint32_t flags; /* KILN_CALL_* */
} KilnCallOptions;

/* kilnSessionRun, or kilnSessionLaunch where `entry` is a kernel, with options.
   Safe in threads as they are. */
int kilnSessionCall(KilnSession *session, const char *entry,
                    size_t numArguments, KilnTensor *const *arguments,
                    size_t numResults, KilnTensor **results,
                    const KilnCallOptions *options);

/* Calls a function or kernel once, as kilnSessionCall does, and keeps what it
   does on the devices: kilnRecordedCallReplay does it again, without
   interpreting the program, with the same tensors (whose contents may have
   changed), sizes, scalars and grid. A driver that can keeps all of it on the
   device. The results are those of every replay. A program whose course depends
   on the contents of tensors fails. Argument and result tensors may be
   destroyed; memory that kilnTensorWrap was given has to stay. */
int kilnSessionRecord(KilnSession *session, const char *entry,
                      size_t numArguments, KilnTensor *const *arguments,
                      size_t numResults, KilnTensor **results,
                      const KilnCallOptions *options,
                      KilnRecordedCall **recorded);
/* Like a call of the session. Waits for the end, or returns when the work is
   queued if the call was recorded with KILN_CALL_NO_WAIT:
   kilnSessionSynchronize waits then, and reports faults. */
int kilnRecordedCallReplay(KilnRecordedCall *recorded);
/* Waits for replays that are in flight. */
void kilnRecordedCallDestroy(KilnRecordedCall *recorded);

#ifdef __cplusplus
}
#endif
#endif
