/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C interface of the runtime, libkiln-runtime.so: loads packages and runs them.

     KilnPackage *package;
     KilnSession *session;
     KilnTensor *input, *output;
     if (kilnPackageLoadFile("model.kiln", &package) ||
         kilnSessionCreate(package, "cpu", &session) ||
         kilnTensorLoadNpy("x.npy", &input) ||
         kilnSessionRun(session, "main", 1, &input, 1, &output))
       fprintf(stderr, "%s\n", kilnLastError());

   Errors: no exception crosses this interface. A function that can fail and
   returns int returns 0 on success, and another value on failure. A function
   that returns a pointer or a number returns null, 0 or -1 on failure, as its
   comment says. kilnLastError() has the reason. A null pointer where none is
   allowed is a failure. The functions that destroy or free accept null.

   Threads: functions on different objects may run at once in any threads. So
   may functions that take a const pointer to the same object. Comments below
   say what else is safe. It is not safe to destroy an object that another
   thread uses. No function here forks this process. A driver is loaded once
   per process, under a lock. */
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
typedef struct KilnPreparedCall KilnPreparedCall;
/* Structs of DLPack; a program that uses them includes DLPack's header. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Returns the reason of the last failure in this thread; "" before the first
   one. Valid until the next call of this interface in this thread. */
const char *kilnLastError(void);
/* Returns the version of the runtime, such as "0.1.0". Never null. */
const char *kilnRuntimeVersion(void);

/* Packages. A package never changes: any number of threads may read one and
   create sessions of it at once. */

/* Loads the package in a file. The caller destroys it. */
int kilnPackageLoadFile(const char *path, KilnPackage **package);
/* Loads a package from memory, and copies the bytes. */
int kilnPackageLoad(const void *bytes, size_t size, KilnPackage **package);
/* Load a package that must be signed by one of `numKeys` keys (at least one).
   Each key is the path of a PEM file with an Ed25519 public key. A package that
   is not signed, is signed by another key, or was changed since, fails before
   any part of it is used. The file is read into memory, so later changes of the
   file have no effect. */
int kilnPackageLoadFileSigned(const char *path, size_t numKeys,
                              const char *const *keys, KilnPackage **package);
int kilnPackageLoadSigned(const void *bytes, size_t size, size_t numKeys,
                          const char *const *keys, KilnPackage **package);
/* Returns the fingerprint of the key whose valid signature the package has: 64
   hexadecimal digits, the SHA-256 of the key as DER. Null if the package is not
   signed. Valid while the package lives. */
const char *kilnPackageSigner(const KilnPackage *package);
/* Destroys a package. Its sessions stay usable. */
void kilnPackageDestroy(KilnPackage *package);
/* Returns for how many targets the package holds code. */
size_t kilnPackageNumTargets(const KilnPackage *package);
/* Returns the SPEC of target `index`; null if there is none. Valid while the
   package lives. */
const char *kilnPackageTarget(const KilnPackage *package, size_t index);

/* Sessions. A session is a package on the devices of one of its targets. Each
   session opens devices for itself: calls of different sessions run side by
   side. */

/* Creates a session. `target` is a SPEC (name[:chip][,key=value...]), or null
   for the first target whose devices can be opened. */
int kilnSessionCreate(const KilnPackage *package, const char *target,
                      KilnSession **session);
/* Destroys a session. Results of its calls stay usable. */
void kilnSessionDestroy(KilnSession *session);

/* Returns the number of entries: functions and kernels that a call can name. */
size_t kilnSessionNumEntries(const KilnSession *session);
/* Returns the name of entry `index`; null if there is none. Valid while the
   session lives. */
const char *kilnSessionEntry(const KilnSession *session, size_t index);
/* Return the number of arguments, and of results, of an entry; -1 if there is
   no such entry. */
int kilnEntryNumArguments(const KilnSession *session, const char *entry);
int kilnEntryNumResults(const KilnSession *session, const char *entry);
/* Return the rank of argument, or result, `index`; -1 if there is none. Write
   its element type to `dtype`, and up to `capacity` sizes to `shape`, in which
   -1 is a dynamic size. `dtype` and `shape` may be null. */
int kilnEntryArgument(const KilnSession *session, const char *entry, int index,
                      KilnDType *dtype, int64_t *shape, int capacity);
int kilnEntryResult(const KilnSession *session, const char *entry, int index,
                    KilnDType *dtype, int64_t *shape, int capacity);
/* Return the name of an argument, or result, in the source; "arg0" or "result0"
   if it has none there. Null if there is no such argument or result. Valid
   while the session lives. */
const char *kilnEntryArgumentName(const KilnSession *session, const char *entry,
                                  int index);
const char *kilnEntryResultName(const KilnSession *session, const char *entry,
                                int index);
/* Return the name of a dimension of an argument, or of a result; null if it has
   none. Complex numbers have a last dimension of size 2, called "complex". */
const char *kilnEntryDimensionName(const KilnSession *session,
                                   const char *entry, int index, int dimension);
const char *kilnEntryResultDimensionName(const KilnSession *session,
                                         const char *entry, int index,
                                         int dimension);
/* Return 1 if the source declares unsigned integers of which kilnEntryArgument,
   or kilnEntryResult, returns the type without a sign: I32 for U32, for
   example. Else return 0. A call takes arguments of either type, and makes
   results of the unsigned one. */
int kilnEntryArgumentIsUnsigned(const KilnSession *session, const char *entry,
                                int index);
int kilnEntryResultIsUnsigned(const KilnSession *session, const char *entry,
                              int index);
/* Return the number of bits of the source's integers if the element type has
   more bits: 4 for an i4 of the source, which is stored as I8. Else return 0. A
   value lies in the low bits of its element, extended by its sign, or by zeros
   if it is unsigned. */
int kilnEntryArgumentBits(const KilnSession *session, const char *entry,
                          int index);
int kilnEntryResultBits(const KilnSession *session, const char *entry,
                        int index);
/* Returns 1 if a call writes the argument: an argument of a kernel, or one that
   the source marks as `donated` (in `kiln.argument`). A result may then have
   the memory of the argument. Else returns 0. */
int kilnEntryArgumentIsWritten(const KilnSession *session, const char *entry,
                               int index);
/* Return the number of the argument, or result, of that name; -1 if there is
   none. */
int kilnEntryFindArgument(const KilnSession *session, const char *entry,
                          const char *name);
int kilnEntryFindResult(const KilnSession *session, const char *entry,
                        const char *name);

/* Returns the number of devices of a session. They are in the order of its
   program. */
size_t kilnSessionNumDevices(const KilnSession *session);
/* Returns the name that the driver gives a device; null if there is no such
   device. Valid while the session lives. */
const char *kilnSessionDeviceName(const KilnSession *session, size_t device);
/* Waits until the work of all calls has ended. Fails if one of them failed
   after it had returned (KILN_CALL_NO_WAIT). */
int kilnSessionSynchronize(KilnSession *session);
/* Makes later calls put the work of a device into a queue of the caller (a
   stream, on GPUs), behind work that is in it. `native` points to a queue of
   the type that the driver documents; it has to live until the session uses
   another one. Null: a queue of the session again. */
int kilnSessionUseQueue(KilnSession *session, size_t device, void *native);
/* Releases the memory that a session keeps for later calls: that of destroyed
   results, and of temporary tensors. */
int kilnSessionTrim(KilnSession *session);

/* Ranks: sessions of several processes, or threads, that run a program together
   and exchange data. Each rank has a world, which all its sessions may share.
   Calls of one world run one after the other, and all ranks have to make the
   same calls. If a call fails on one rank, every exchange that is in flight or
   begins later fails on all ranks. So does, within seconds, the exit of a rank.

   If KILN_RANKS is set, sessions without a world use the one that the variables
   KILN_RANK, KILN_RANKS and KILN_RENDEZVOUS describe. */
typedef struct KilnWorld KilnWorld;
struct KilnStore;

/* How to make a world. Set everything to zero, then structSize to
   sizeof(KilnWorldOptions). */
typedef struct KilnWorldOptions {
  size_t structSize;
  int64_t rank;  /* of this world, from 0 */
  int64_t ranks; /* how many there are */
  /* Where ranks meet: "file:FOLDER", a folder that is empty at first;
     "tcp:HOST:PORT", where rank 0 listens; or "process:NAME" for threads of one
     process. */
  const char *rendezvous;
  /* In place of `rendezvous`: a key-value store of the caller, see
     kiln-c/Communication.h. */
  const struct KilnStore *store;
  /* The communication driver for host memory; null: the first that fits. */
  const char *communication;
  double seconds; /* to wait for the other ranks; 0: two minutes */
} KilnWorldOptions;
/* Creates a world, and connects to the place where ranks meet. The first
   exchange waits for the other ranks. */
int kilnWorldCreate(const KilnWorldOptions *options, KilnWorld **world);
/* Releases a world. Sessions that use it keep it alive. */
void kilnWorldDestroy(KilnWorld *world);
/* Makes every exchange of the world fail, here and on the other ranks. Safe in
   any thread. */
void kilnWorldAbort(KilnWorld *world, const char *reason);
/* Sets the world of later calls; null: the session runs alone. */
int kilnSessionSetWorld(KilnSession *session, KilnWorld *world);

/* Tensors, on the host or on a device. Functions of this interface only read
   them, except arguments that an entry writes (kilnEntryArgumentIsWritten).
   While a call runs, other threads must not use such an argument, also not as
   the argument of another call. */

/* Creates a row-major tensor on the host, with memory of its own, all zero. */
int kilnTensorCreate(KilnDType dtype, int rank, const int64_t *shape,
                     KilnTensor **tensor);
/* Makes a tensor of host memory that belongs to the caller, who keeps it until
   nothing uses the tensor. Strides are in elements; null: row-major. */
int kilnTensorWrap(KilnDType dtype, int rank, const int64_t *shape,
                   const int64_t *strides, void *data, KilnTensor **tensor);
/* Releases memory of the caller. */
typedef void (*KilnRelease)(void *user);
/* As kilnTensorWrap. The runtime calls `release` with `user` once, in any
   thread, when nothing uses the memory any more. If kilnTensorImport fails, it
   does not call `release`. */
int kilnTensorImport(KilnDType dtype, int rank, const int64_t *shape,
                     const int64_t *strides, void *data, KilnRelease release,
                     void *user, KilnTensor **tensor);
/* Make a copy of a tensor on a device of the session, and a row-major copy on
   the host. */
int kilnSessionUpload(KilnSession *session, const KilnTensor *tensor,
                      size_t device, KilnTensor **uploaded);
int kilnSessionDownload(KilnSession *session, const KilnTensor *tensor,
                        KilnTensor **downloaded);
/* Makes a row-major tensor in memory of a device of the session. The memory of
   the host, if the device works there. Its contents are undefined. */
int kilnSessionAllocate(KilnSession *session, size_t device, KilnDType dtype,
                        int rank, const int64_t *shape, KilnTensor **tensor);
/* Queues a copy between two row-major tensors of the same type and shape, of
   which one at least is on a device of the session. Returns 0 as soon as the
   copy is queued: memory of the host has to stay until kilnSessionSynchronize
   of a session whose work goes to the same queue. */
int kilnSessionCopy(KilnSession *session, const KilnTensor *from,
                    const KilnTensor *to);
/* Makes a tensor of this session from a tensor on a device of another session,
   without a copy. Both sessions have opened the same device, and `device` is
   its number in this one. The memory stays while one of the tensors lives.
   Work of both sessions on the memory has to be in one queue
   (kilnSessionQueue), or the caller waits in between. */
int kilnSessionAdopt(KilnSession *session, size_t device,
                     const KilnTensor *tensor, KilnTensor **adopted);
/* Writes the queue in which the session's work on a device is, as
   kilnSessionUseQueue and kilnPreparedCallRun of another session of the same
   device take it. It lives as long as the session, and until the session uses
   another one. Fails if the driver has no queues, or does not export them. */
int kilnSessionQueue(KilnSession *session, size_t device, void **native);
/* Returns 1 for a tensor on a device of a session, else 0. Only that session
   takes it, and its kilnTensorData is null. */
int kilnTensorIsOnDevice(const KilnTensor *tensor);
/* Writes the address, on its device, of the first element of a tensor on a
   device; of the host for a tensor there. */
int kilnTensorAddress(const KilnTensor *tensor, void **address);
/* Returns 1 if a device of the session works in the host's memory, else 0. */
int kilnSessionWorksInHostMemory(const KilnSession *session, size_t device);
/* Make tensors of memory of other libraries, without a copy. The tensor owns
   `managed`, and calls its deleter when nothing uses the memory any more; after
   a failure it remains the caller's. Memory of a device needs the `session`
   with that device; for host memory `session` may be null. Before a call uses
   the tensor, work of other libraries on the memory must have ended, or be in
   the queue of kilnSessionUseQueue. */
int kilnTensorFromDLPack(KilnSession *session, struct DLManagedTensor *managed,
                         KilnTensor **tensor);
int kilnTensorFromDLPackVersioned(KilnSession *session,
                                  struct DLManagedTensorVersioned *managed,
                                  KilnTensor **tensor);
/* Give a tensor to another library, which calls the deleter. The tensor may be
   destroyed before that. Types of 4 and 6 bits need the versioned form. */
int kilnTensorToDLPack(const KilnTensor *tensor,
                       struct DLManagedTensor **managed);
int kilnTensorToDLPackVersioned(const KilnTensor *tensor,
                                struct DLManagedTensorVersioned **managed);
/* Reads a tensor from an .npy file, and writes one. */
int kilnTensorLoadNpy(const char *path, KilnTensor **tensor);
int kilnTensorSaveNpy(const KilnTensor *tensor, const char *path);
/* Destroys a tensor. Its memory stays while a call, another tensor or a
   recorded call uses it. */
void kilnTensorDestroy(KilnTensor *tensor);
/* Element type, rank, sizes, strides (in elements) and address of a tensor.
   Pointers are valid while the tensor lives. */
KilnDType kilnTensorDType(const KilnTensor *tensor);
int kilnTensorRank(const KilnTensor *tensor);
const int64_t *kilnTensorShape(const KilnTensor *tensor);
const int64_t *kilnTensorStrides(const KilnTensor *tensor);
void *kilnTensorData(const KilnTensor *tensor);

/* Calls a function and waits for its end. Writes one new tensor for each result
   to `results`, which the caller destroys; on failure all are null. Scalar
   arguments are tensors of rank 0. Calls of one session from several threads
   are safe: they run one after the other. Results may be used and destroyed in
   any thread, also after their session was destroyed. */
int kilnSessionRun(KilnSession *session, const char *entry, size_t numArguments,
                   KilnTensor *const *arguments, size_t numResults,
                   KilnTensor **results);
/* An argument in row-major host memory that the caller lends for one call; or,
   if `tensor` is not null, any tensor, and the other fields do not count. */
typedef struct KilnLentTensor {
  void *data;
  KilnDType dtype;
  int rank;
  const int64_t *shape;
  const KilnTensor *tensor;
} KilnLentTensor;
/* As kilnSessionRun, with lent arguments: the runtime makes no object for an
   argument. On a device that works in host memory, the session records the
   steps for arguments of given shapes that begin at multiples of 64 bytes. The
   next call with such arguments repeats them without interpreting the program.
 */
int kilnSessionRunLent(KilnSession *session, const char *entry,
                       size_t numArguments, const KilnLentTensor *arguments,
                       size_t numResults, KilnTensor **results);
/* A function that programs call while they run (`prim.callback`). It reads
   `sources` and fills the memory of `targets`: row-major, `shape` elements of
   `dtype`, on the host, valid until it returns. Elements of 1 bit have a byte
   each. Returns 0, or another number after writing the reason to `message`,
   which has room for `size` bytes with the 0 at their end; the call of the
   program then fails with it. The runtime may call it in any thread that calls
   a program. It must not call the session that runs it. */
typedef int (*KilnCallback)(void *user, size_t numSources,
                            const KilnLentTensor *sources, size_t numTargets,
                            const KilnLentTensor *targets, char *message,
                            size_t size);
/* Registers a function for this process under a name, in place of one that has
   the name already. Programs find it when they call it. */
int kilnCallbackRegister(const char *name, KilnCallback function, void *user);
/* Fails if there is none. A call that has begun still ends. */
int kilnCallbackRemove(const char *name);
/* As kilnSessionRun, but writes results into tensors of the caller, which have
   the types of the results and any strides, on the host or on a device. They
   may overlap arguments. */
int kilnSessionRunInto(KilnSession *session, const char *entry,
                       size_t numArguments, KilnTensor *const *arguments,
                       size_t numResults, KilnTensor *const *results);
/* Calls a kernel over a grid, and waits for its end. The kernel writes its
   results to arguments. */
int kilnSessionLaunch(KilnSession *session, const char *entry,
                      const int64_t grid[3], size_t numArguments,
                      KilnTensor *const *arguments);

/* A kernel that a call launched. Unknown numbers are 0. */
typedef struct KilnLaunchReport {
  size_t structSize;
  const char *name;   /* of the launch in the program */
  const char *kernel; /* that was chosen for it */
  int64_t grid[3];
  double seconds; /* with KilnCallOptions::timeKernels; else 0 */
  int64_t flops;
  int64_t bytes; /* read and written */
} KilnLaunchReport;

/* Time and memory of a call. Texts and lists are valid during the callback.
   Structs may grow at their end: structSize is the size of this one. */
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
  /* Not 0: the clocks of the devices have measured the seconds of launches. */
  int onDeviceClock;
} KilnCallReport;

/* Receives the report of a call that has ended. */
typedef void (*KilnCallReportHandler)(const KilnCallReport *report, void *user);

enum {
  /* `results` holds tensors, as for kilnSessionRunInto. */
  KILN_CALL_INTO = 1,
  /* New results stay on the devices that made them; nothing is copied. */
  KILN_CALL_ON_DEVICE = 2,
  /* Return as soon as the work is queued; kilnSessionSynchronize waits for it.
     Has no effect if arguments or results are on the host. */
  KILN_CALL_NO_WAIT = 4
};

/* How to call. Set everything to zero, then structSize to
   sizeof(KilnCallOptions): fields that are added later are at the end, and
   count as zero for a caller that does not know them. */
typedef struct KilnCallOptions {
  size_t structSize;
  /* For a kernel: its grid. All zero for a function. */
  int64_t grid[3];
  /* Called once in the calling thread, after a call that succeeded; the next
     call of the session may begin then. May be null. */
  KilnCallReportHandler report;
  void *reportUser;
  /* Not 0: measure the seconds of each kernel, by the device's clock. On a
     device without a clock the runtime waits for each kernel. */
  int timeKernels;
  uint32_t flags; /* KILN_CALL_* */
} KilnCallOptions;

/* As kilnSessionRun, or kilnSessionLaunch if `entry` is a kernel, with options.
   Threads may call it as they may call these. */
int kilnSessionCall(KilnSession *session, const char *entry,
                    size_t numArguments, KilnTensor *const *arguments,
                    size_t numResults, KilnTensor **results,
                    const KilnCallOptions *options);

/* Calls a function or kernel once, as kilnSessionCall does, and records its
   work on the devices. kilnRecordedCallReplay repeats that work without
   interpreting the program: with the same tensors, whose contents may have
   changed, and the same sizes, scalars and grid. If the driver can, the device
   replays all of it at once (a graph, on GPUs). Each replay writes the same
   result tensors. A program whose control flow depends on the contents of
   tensors fails. Argument and result tensors may be destroyed before a replay;
   memory of kilnTensorWrap has to stay. */
int kilnSessionRecord(KilnSession *session, const char *entry,
                      size_t numArguments, KilnTensor *const *arguments,
                      size_t numResults, KilnTensor **results,
                      const KilnCallOptions *options,
                      KilnRecordedCall **recorded);
/* Repeats a recorded call, and waits for its end. If the call was recorded with
   KILN_CALL_NO_WAIT, it returns as soon as the work is queued;
   kilnSessionSynchronize then waits, and reports failures. Threads may call it
   as they may call the session. */
int kilnRecordedCallReplay(KilnRecordedCall *recorded);
/* Destroys a recording, after waiting for its replays in flight. */
void kilnRecordedCallDestroy(KilnRecordedCall *recorded);

/* Prepares calls of a function for arguments of given types: finds its work on
   the device without doing it, and copies its constants there. A prepared call
   works in memory of the caller and allocates nothing. The session has one
   device, with memory of its own. Arguments are row-major and on that device:
   `data` is an address there. Fails for a function with scalars or with
   arguments that it writes, and for one whose control flow depends on more than
   shapes; kilnSessionCall calls those. */
int kilnSessionPrepare(KilnSession *session, const char *entry,
                       size_t numArguments, const KilnLentTensor *arguments,
                       KilnPreparedCall **prepared);
/* Returns 1 if the arguments have the types of the prepared ones, and the same
   addresses modulo 64; else 0. */
int kilnPreparedCallFits(const KilnPreparedCall *prepared, size_t numArguments,
                         const KilnLentTensor *arguments);
/* Writes the element type and the shape of a result, up to `capacity` sizes,
   and returns its rank; -1 if there is no such result. */
int kilnPreparedCallResult(const KilnPreparedCall *prepared, size_t index,
                           KilnDType *dtype, int64_t *shape, int capacity);
/* Returns the bytes of scratch memory that a call needs. */
size_t kilnPreparedCallScratchBytes(const KilnPreparedCall *prepared);
/* Queues the work of a call in `queue`, a queue as for kilnSessionUseQueue, and
   returns; null: in a queue of the session. The arguments fit. Results, one
   address each, are row-major, and overlap neither arguments nor each other;
   they and the scratch memory begin at multiples of 64 bytes. All memory has to
   stay until the work has ended. Calls in several queues share no memory but
   constants. Threads may call it as they may call the session. */
int kilnPreparedCallRun(KilnPreparedCall *prepared, size_t numArguments,
                        const KilnLentTensor *arguments, size_t numResults,
                        void *const *results, void *scratch, void *queue);
/* Destroys a prepared call. Its work may still be queued. */
void kilnPreparedCallDestroy(KilnPreparedCall *prepared);

#ifdef __cplusplus
}
#endif
#endif
