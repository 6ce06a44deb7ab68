// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* What kiln-c/Device.h was in version 1.0: drivers that were built against it
   go on loading. Never to be changed. */
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
#define KILN_DEVICE_API_MINOR 0

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
  KILN_MEMORY_IMPORTS_HOST = 2
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
} KilnDeviceProperties;

/* One argument of a kernel. The driver encodes it as its kernels need. */
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
} KilnKernelDescription;

typedef struct KilnLaunch {
  size_t structSize;
  KilnKernel *kernel;
  int64_t grid[3];
  size_t numArguments;
  const KilnKernelArgument *arguments;
} KilnLaunch;

typedef struct KilnDeviceDriver {
  size_t structSize;
  uint32_t apiMajor;
  uint32_t apiMinor;
  const char *name;

  /* `options` is what follows the name in a SPEC: "chip,key=value,…". */
  int (*open)(const char *options, KilnDevice **device, KilnError *error);
  void (*close)(KilnDevice *device);
  /* The properties live as long as the device. */
  const KilnDeviceProperties *(*properties)(KilnDevice *device);

  /* Memory. A buffer of 0 bytes is legal. */
  int (*allocate)(KilnDevice *device, uint32_t memoryKind, uint64_t bytes,
                  uint64_t alignment, KilnBuffer **buffer, KilnError *error);
  void (*release)(KilnDevice *device, KilnBuffer *buffer);
  /* Optional, see the memory kind's flags. An imported buffer is released
     before the memory goes. */
  int (*importHost)(KilnDevice *device, void *address, uint64_t bytes,
                    KilnBuffer **buffer, KilnError *error);
  int (*exportHost)(KilnDevice *device, KilnBuffer *buffer, void **address,
                    KilnError *error);

  /* Copies, in queue order; with a null queue they end before returning. */
  int (*copyIn)(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
                uint64_t dstOffset, const void *src, uint64_t bytes,
                KilnError *error);
  int (*copyOut)(KilnDevice *device, KilnQueue *queue, void *dst,
                 KilnBuffer *src, uint64_t srcOffset, uint64_t bytes,
                 KilnError *error);
  /* Optional: without it copies go through the host. */
  int (*copy)(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
              uint64_t dstOffset, KilnBuffer *src, uint64_t srcOffset,
              uint64_t bytes, KilnError *error);
  /* Optional: without it fills go through copyIn. */
  int (*fill)(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
              uint64_t dstOffset, uint64_t bytes, uint8_t value,
              KilnError *error);

  /* Queues and events, optional as a group: without them everything is
     synchronous and the runtime passes null queues. */
  int (*createQueue)(KilnDevice *device, KilnQueue **queue, KilnError *error);
  void (*destroyQueue)(KilnDevice *device, KilnQueue *queue);
  /* Waits; reports faults of the work that ended. */
  int (*synchronize)(KilnDevice *device, KilnQueue *queue, KilnError *error);
  int (*createEvent)(KilnDevice *device, KilnEvent **event, KilnError *error);
  void (*destroyEvent)(KilnDevice *device, KilnEvent *event);
  int (*recordEvent)(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
                     KilnError *error);
  int (*waitEvent)(KilnDevice *device, KilnQueue *queue, KilnEvent *event,
                   KilnError *error);
  /* Seconds between two events that have happened. */
  int (*elapsed)(KilnDevice *device, KilnEvent *begin, KilnEvent *end,
                 double *seconds, KilnError *error);

  /* Code. The bytes stay valid while the module lives. */
  int (*loadModule)(KilnDevice *device, const void *bytes, uint64_t size,
                    KilnModule **module, KilnError *error);
  void (*unloadModule)(KilnDevice *device, KilnModule *module);
  /* Kernels live as long as their module. */
  int (*getKernel)(KilnDevice *device, KilnModule *module,
                   const KilnKernelDescription *description,
                   KilnKernel **kernel, KilnError *error);
  /* Arguments are read before it returns. With a null queue the kernel has
     ended on return, and its faults are reported. */
  int (*execute)(KilnDevice *device, KilnQueue *queue, const KilnLaunch *launch,
                 KilnError *error);

  /* Recording, optional as a group: what is put into the queue between begin
     and end is kept and not run; replay runs it. */
  int (*beginRecording)(KilnDevice *device, KilnQueue *queue, KilnError *error);
  int (*endRecording)(KilnDevice *device, KilnQueue *queue,
                      KilnRecording **recording, KilnError *error);
  int (*replay)(KilnDevice *device, KilnQueue *queue, KilnRecording *recording,
                KilnError *error);
  void (*destroyRecording)(KilnDevice *device, KilnRecording *recording);
} KilnDeviceDriver;

/* What the runtime offers to a driver. Size-versioned. */
typedef struct KilnDeviceHost {
  size_t structSize;
  uint32_t apiMajor;
  uint32_t apiMinor;
  /* Prints what a kernel prints, from any thread. */
  void (*print)(const KilnPrintedValue *value);
  /* Says how far the running launch is, for people who wait. Optional to call;
     absent where structSize does not reach it. */
  void (*progress)(uint64_t done, uint64_t total);
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
