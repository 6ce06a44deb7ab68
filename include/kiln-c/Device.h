/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device driver interface: a table of functions that
   libkiln-device-NAME.so returns from kilnGetDeviceDriver.

   Structs that begin with `structSize` grow at their end, over the size that
   they had in version 1.0 and never go below. The side that fills one in sets
   it to the size that it knows; the other uses a field only when the size
   covers it, and takes what is missing for 0. All other structs stay as they
   are for good, as they stand in arrays: what is added to one of their kind
   comes in another array, with a tag that says what it is. A driver made for
   an older minor version works with a newer runtime, and the other way round.

   Functions that return int return 0, or another value on failure and its
   reason in `error`. Offsets and sizes are in bytes unless a comment says
   otherwise. Entries marked optional may be null. Handles belong to the driver
   and are opaque.

   Threads: the runtime calls one device from one thread at a time. */
#ifndef KILN_C_DEVICE_H
#define KILN_C_DEVICE_H

#include "kiln-c/DType.h"
#include "kiln-c/Kernel.h"
#include "kiln-c/PluginNote.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_DEVICE_API_MAJOR 1
#define KILN_DEVICE_API_MINOR 2

typedef struct KilnDevice KilnDevice;
typedef struct KilnBuffer KilnBuffer;
typedef struct KilnQueue KilnQueue;
typedef struct KilnEvent KilnEvent;
typedef struct KilnModule KilnModule;
typedef struct KilnKernel KilnKernel;
typedef struct KilnRecording KilnRecording;

/* Where a failing function leaves its reason: lower case, no full stop. */
typedef struct KilnError {
  char message[1024];
} KilnError;

enum {
  /* exportHost gives an address that the host can read and write. */
  KILN_MEMORY_HOST_VISIBLE = 1,
  /* importHost works: host memory becomes a buffer without a copy. */
  KILN_MEMORY_IMPORTS_HOST = 2,
  /* Since 1.1: a released buffer is not lent again, as the device tells fresh
     memory from written memory. */
  KILN_MEMORY_NO_REUSE = 4
};

typedef struct KilnMemoryKind {
  const char *name; /* "host", "global", … */
  uint32_t flags;
  uint32_t alignment; /* of every allocation, at least */
  uint64_t bytes;     /* 0: unknown */
} KilnMemoryKind;

typedef struct KilnDeviceProperties {
  size_t structSize;
  const char *name; /* for people */
  uint32_t numCores;
  uint32_t numMemoryKinds; /* kind 0 is the default */
  const KilnMemoryKind *memoryKinds;
  /* Since 1.1. What DLPack calls the device: its DLDeviceType, and the number
     among those of that type. 0: other libraries do not know it. */
  uint32_t dlpackType;
  int32_t dlpackNumber;
  /* Since 1.2. The driver that exchanges its memory between ranks,
     libkiln-communication-NAME.so, for exportAddress and exportQueue. Null:
     exchanges go through the host. */
  const char *communication;
} KilnDeviceProperties;
#define KILN_DEVICE_PROPERTIES_SIZE_1_0                                        \
  offsetof(KilnDeviceProperties, dlpackType)

/* What a launch may have beyond its grid, since 1.1. The grid is logical: the
   driver decides on the physical one. Unused values are 0. */
enum {
  KILN_LAUNCH_THREADS = 1,     /* threads or lanes of an instance: x, y, z */
  KILN_LAUNCH_CLUSTER = 2,     /* neighbours that run together: x, y, z */
  KILN_LAUNCH_LOCAL_BYTES = 3, /* dynamic local memory of an instance */
  KILN_LAUNCH_REGISTERS = 4,   /* of a thread, at most */
  KILN_LAUNCH_COOPERATIVE = 5, /* not 0: all instances are there at once */
  /* Not 0: the kernel loops over what the grid has, so that the driver starts
     no more instances than the device holds at once. */
  KILN_LAUNCH_PERSISTENT = 6,
  KILN_LAUNCH_PRIORITY = 7, /* higher ones first; 0 is usual */
  /* The best order in which to start instances: a band of this number of
     coordinates along axis 0, with all of axis 1 and 2, before the next band.
     0: axis 0 first, no bands. */
  KILN_LAUNCH_RASTER = 8,
  /* Not 0: the code is another compiler's, with arguments of its own: the
     address of each view, and the bits of each scalar, in the order in which
     its description lists them. Threads that are not given are what the code
     requires. A kernel without a name is the only one of its module. */
  KILN_LAUNCH_BARE = 9,
  /* From here on: between a target and its driver. */
  KILN_LAUNCH_OWN = 0x10000
};

enum {
  /* The kernel is wrong without it: a driver that does not know the tag must
     not run it. All others may be skipped. */
  KILN_LAUNCH_REQUIRED = 1
};

typedef struct KilnLaunchAttribute {
  uint32_t tag;   /* KILN_LAUNCH_*; those that are not known are skipped */
  uint32_t flags; /* KILN_LAUNCH_REQUIRED */
  int64_t values[3];
} KilnLaunchAttribute;

/* How a view goes to a kernel whole (as a descriptor, say), since 1.1: by a
   recipe of this name, which the target and its driver agree on, over words
   that the target wrote as expressions and the runtime has computed. */
typedef struct KilnArgumentEncoding {
  const char *recipe;
  uint32_t argument; /* index of the view */
  uint32_t numWords;
  const int64_t *words; /* null in the description of a kernel */
} KilnArgumentEncoding;

/* One argument of a kernel. The driver encodes it as its kernels need. A
   kernel's workspace comes as the last one: a view of u8, of rank 1. */
typedef struct KilnKernelArgument {
  uint32_t isScalar;
  uint32_t dtype; /* KilnDType */
  /* View: */
  KilnBuffer *buffer;
  uint64_t byteOffset;
  uint32_t rank;
  const int64_t *sizes;
  const int64_t *strides; /* in elements */
  /* Scalar: */
  uint64_t bits;
} KilnKernelArgument;

typedef struct KilnKernelParameter {
  uint32_t isScalar;
  uint32_t dtype;
  uint32_t rank;
  uint32_t readonly;
} KilnKernelParameter;

typedef struct KilnKernelDescription {
  size_t structSize;
  const char *symbol;
  uint64_t scratchBytes;
  uint32_t numParameters;
  const KilnKernelParameter *parameters;
  /* Since 1.1. Bytes from the target for the driver alone; they stay valid
     while the module lives. */
  const void *metadata;
  uint64_t metadataBytes;
  /* Those attributes that are equal for all launches, and all recipes. */
  uint32_t numAttributes;
  uint32_t numEncodings;
  const KilnLaunchAttribute *attributes;
  const KilnArgumentEncoding *encodings;
} KilnKernelDescription;
#define KILN_KERNEL_DESCRIPTION_SIZE_1_0                                       \
  offsetof(KilnKernelDescription, metadata)

typedef struct KilnLaunch {
  size_t structSize;
  KilnKernel *kernel;
  int64_t grid[3];
  size_t numArguments;
  const KilnKernelArgument *arguments;
  /* Since 1.1. All attributes, those of the description among them. */
  uint32_t numAttributes;
  uint32_t numEncodings;
  const KilnLaunchAttribute *attributes;
  const KilnArgumentEncoding *encodings;
} KilnLaunch;
#define KILN_LAUNCH_SIZE_1_0 offsetof(KilnLaunch, numAttributes)

typedef struct KilnDeviceDriver {
  size_t structSize;
  uint32_t apiMajor;
  uint32_t apiMinor;
  const char *name;

  /* `options` is what follows the name in a SPEC: "chip,key=value,…". First
     comes what the package was compiled with, which may hold keys of the
     compiler; behind an empty item ("chip,key=value,,key=value") what the
     caller adds: a driver fails for keys there that it does not know. */
  int (*open)(const char *options, KilnDevice **device, KilnError *error);
  void (*close)(KilnDevice *device);
  /* The properties live as long as the device. */
  const KilnDeviceProperties *(*properties)(KilnDevice *device);

  /* Allocates `bytes` bytes of a memory kind, a number below numMemoryKinds.
     The buffer begins at a multiple of `alignment` (a power of two) and of the
     kind's own alignment; its contents are undefined. A buffer of 0 bytes is
     legal. Fails if the memory is exhausted. */
  int (*allocate)(KilnDevice *device, uint32_t memoryKind, uint64_t bytes,
                  uint64_t alignment, KilnBuffer **buffer, KilnError *error);
  /* Frees a buffer, once. Work that is in a queue at that time may still use
     the memory: the driver keeps it until this work has ended. */
  void (*release)(KilnDevice *device, KilnBuffer *buffer);
  /* Optional, see the memory kind's flags. importHost makes a buffer of host
     memory without a copy; the runtime releases it before it frees the memory.
     exportHost gives the address at which the host reads and writes a buffer,
     valid until the buffer is released. */
  int (*importHost)(KilnDevice *device, void *address, uint64_t bytes,
                    KilnBuffer **buffer, KilnError *error);
  int (*exportHost)(KilnDevice *device, KilnBuffer *buffer, void **address,
                    KilnError *error);

  /* Copy from the host, and to it, asynchronously in queue order; with a null
     queue they have ended on return. A range that is not inside of its buffer
     is a failure, and nothing is copied. */
  int (*copyIn)(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
                uint64_t dstOffset, const void *src, uint64_t bytes,
                KilnError *error);
  int (*copyOut)(KilnDevice *device, KilnQueue *queue, void *dst,
                 KilnBuffer *src, uint64_t srcOffset, uint64_t bytes,
                 KilnError *error);
  /* Copies between buffers of this device, in queue order. Optional: without
     it copies go through the host. */
  int (*copy)(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
              uint64_t dstOffset, KilnBuffer *src, uint64_t srcOffset,
              uint64_t bytes, KilnError *error);
  /* Sets `bytes` bytes to `value`, in queue order. Optional: without it fills
     go through copyIn. */
  int (*fill)(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
              uint64_t dstOffset, uint64_t bytes, uint8_t value,
              KilnError *error);

  /* Queues, optional as a group: without them everything is synchronous and
     the runtime passes null queues. What a copy reads or writes on the host
     stays valid until the queue has been waited for. */
  int (*createQueue)(KilnDevice *device, KilnQueue **queue, KilnError *error);
  void (*destroyQueue)(KilnDevice *device, KilnQueue *queue);
  /* Blocks until all work of the queue has ended. Fails if some of it did, by
     a fault or by an assertion of a kernel. */
  int (*synchronize)(KilnDevice *device, KilnQueue *queue, KilnError *error);
  /* Events, optional as a group; with a null queue in a device without
     queues. A recorded event happens when all work that is in the queue by
     then has ended. waitEvent makes later work of a queue, which may be
     another one, wait for that; it does not block the host. */
  int (*createEvent)(KilnDevice *device, KilnEvent **event, KilnError *error);
  void (*destroyEvent)(KilnDevice *device, KilnEvent *event);
  int (*recordEvent)(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
                     KilnError *error);
  int (*waitEvent)(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
                   KilnError *error);
  /* Seconds between two events that have happened, by the device's clock. */
  int (*elapsed)(KilnDevice *device, KilnEvent *begin, KilnEvent *end,
                 double *seconds, KilnError *error);

  /* Loads a module as the target serialised it. The bytes stay valid while the
     module lives. Fails for code that is damaged or for another chip. */
  int (*loadModule)(KilnDevice *device, const void *bytes, uint64_t size,
                    KilnModule **module, KilnError *error);
  void (*unloadModule)(KilnDevice *device, KilnModule *module);
  /* Finds the kernel `description->symbol` of a module; it lives as long as
     the module. Fails if the module has none of that name. */
  int (*getKernel)(KilnDevice *device, KilnModule *module,
                   const KilnKernelDescription *description,
                   KilnKernel **kernel, KilnError *error);
  /* Launches a kernel, in queue order. Arguments are read before it returns.
     With a null queue the kernel has ended on return, and its faults are
     failures; else `synchronize` reports them. */
  int (*execute)(KilnDevice *device, KilnQueue *queue, const KilnLaunch *launch,
                 KilnError *error);

  /* Recording, optional as a group: what is put into the queue between begin
     and end is kept and not run; replay runs it, as often as wanted, with the
     arguments as they were and the memory as it is then. */
  int (*beginRecording)(KilnDevice *device, KilnQueue *queue, KilnError *error);
  int (*endRecording)(KilnDevice *device, KilnQueue *queue,
                      KilnRecording **recording, KilnError *error);
  int (*replay)(KilnDevice *device, KilnQueue *queue, KilnRecording *recording,
                KilnError *error);
  void (*destroyRecording)(KilnDevice *device, KilnRecording *recording);

  /* All below: since 1.1, and optional. */

  /* Several devices of one driver, numbered from 0. Without openNumbered there
     is one, and `open` opens it. */
  int (*countDevices)(uint32_t *count, KilnError *error);
  int (*openNumbered)(uint32_t number, const char *options, KilnDevice **device,
                      KilnError *error);
  /* Return 1 if the driver obeys an attribute, or knows a recipe, else 0.
     Without these entries it does not: kernels that require one are refused
     before they are loaded. */
  int (*knowsAttribute)(KilnDevice *device, uint32_t tag);
  int (*knowsRecipe)(KilnDevice *device, const char *recipe);
  /* A queue of the program that embeds the runtime becomes one of the driver's;
     `native` is what the device's own interface has for it. destroyQueue leaves
     it alone. */
  int (*importQueue)(KilnDevice *device, void *native, KilnQueue **queue,
                     KilnError *error);
  /* Device memory by its address, as other libraries have it: of a buffer, and
     a buffer for memory of another owner. For DLPack. What importAddress
     gave is released from any thread. */
  int (*exportAddress)(KilnDevice *device, KilnBuffer *buffer,
                       uint64_t *address, KilnError *error);
  int (*importAddress)(KilnDevice *device, uint64_t address, uint64_t bytes,
                       KilnBuffer **buffer, KilnError *error);

  /* Since 1.2, and optional. What the device's own interface has for a queue,
     as importQueue takes it. */
  int (*exportQueue)(KilnDevice *device, KilnQueue *queue, void **native,
                     KilnError *error);
} KilnDeviceDriver;
#define KILN_DEVICE_DRIVER_SIZE_1_0 offsetof(KilnDeviceDriver, countDevices)

/* What the runtime offers to a driver. Size-versioned. */
typedef struct KilnDeviceHost {
  size_t structSize;
  uint32_t apiMajor;
  uint32_t apiMinor;
  /* Prints what a kernel prints, from any thread. */
  void (*print)(const KilnPrintedValue *value);
  /* Reports the progress of the running launch. Optional to call;
     absent where structSize does not reach it. */
  void (*progress)(uint64_t done, uint64_t total);
  /* Since 1.2, for drivers whose kernels exchange data between ranks
     themselves; called while a kernel is executed, in the thread that executes
     it. The number of this rank, and how many there are. */
  void (*ranks)(int64_t *rank, int64_t *count);
  /* Gives `bytes` bytes to each of the `count` ranks of a group that this one
     is in, and takes those of all, in the order of the group. */
  int (*exchange)(const int64_t *group, size_t count, const void *mine,
                  uint64_t bytes, void *all, KilnError *error);
} KilnDeviceHost;

/* The entry point. Returns null when it cannot work with this host. */
typedef const KilnDeviceDriver *(*KilnGetDeviceDriverFn)(
    const KilnDeviceHost *host);
__attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *host);

/* For drivers: the note that the runtime reads before loading. */
#define KILN_DEVICE_NOTE()                                                     \
  KILN_PLUGIN_NOTE(KILN_DEVICE_API_MAJOR, KILN_DEVICE_API_MINOR, 0, 0)

#ifdef __cplusplus
}
#endif
#endif
