/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The communication driver interface: a table of functions that
   libkiln-communication-NAME.so returns from kilnGetCommunicationDriver. It
   exchanges data between the ranks that run a program together.

   Structs that begin with `structSize` grow at their end; the side that fills
   one in sets it to the size that it knows, the other uses a field only when
   the size covers it, and takes what is missing for 0. Functions return 0 or a
   failure, described in `error`. Handles belong to the driver and are opaque.

   Threads: the runtime calls one communicator from one thread at a time, but
   for `check` and `abort`, which come from any thread at any time. */
#ifndef KILN_C_COMMUNICATION_H
#define KILN_C_COMMUNICATION_H

#include "kiln-c/DType.h"
#include "kiln-c/Device.h"
#include "kiln-c/PluginNote.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_COMMUNICATION_API_MAJOR 1
#define KILN_COMMUNICATION_API_MINOR 0

typedef struct KilnCommunicator KilnCommunicator;
typedef struct KilnRequest KilnRequest;

/* A store of keys and values that all ranks share while they open
   communicators. A key is text that ends with a zero, and is set once. */
typedef struct KilnStore {
  size_t structSize;
  void *user;
  /* Sets a key to a copy of `size` bytes. Fails if the store cannot be
     reached. */
  int (*set)(void *user, const char *key, const void *bytes, size_t size,
             KilnError *error);
  /* Blocks until another rank has set the key, and copies its value. `size`
     becomes the size of the value, of which at most `capacity` bytes are
     written. Fails after `seconds` seconds without the key. */
  int (*get)(void *user, const char *key, void *bytes, size_t capacity,
             size_t *size, double seconds, KilnError *error);
} KilnStore;

enum {
  KILN_COLLECTIVE_ALL_REDUCE = 0,
  KILN_COLLECTIVE_ALL_GATHER = 1,
  KILN_COLLECTIVE_REDUCE_SCATTER = 2,
  KILN_COLLECTIVE_ALL_TO_ALL = 3,
  KILN_COLLECTIVE_BROADCAST = 4, /* from rank 0 */
  KILN_COLLECTIVE_PERMUTE = 5
};

enum {
  KILN_COMBINER_ADD = 0,
  KILN_COMBINER_MUL = 1,
  KILN_COMBINER_MIN = 2, /* NaN if one is NaN */
  KILN_COMBINER_MAX = 3,
  KILN_COMBINER_UMIN = 4, /* of integers read as unsigned */
  KILN_COMBINER_UMAX = 5,
  KILN_COMBINER_AND = 6,
  KILN_COMBINER_OR = 7,
  KILN_COMBINER_XOR = 8
};

enum {
  /* Sources and targets are addresses of a device, and exchanges are put into
     its queue. Without it they are memory of the host. */
  KILN_COMMUNICATION_ON_DEVICE = 1
};

/* A group of ranks, which number themselves from 0 here. All of them open it
   with the same `name`, which no two groups share. */
typedef struct KilnCommunicatorDescription {
  size_t structSize;
  int64_t rank;
  int64_t size;
  const int64_t *ranks; /* what the program calls them, for messages */
  const char *name;
  const KilnStore *store; /* valid while the communicator lives */
  double seconds;         /* to wait for other ranks while opening */
  /* The device whose memory is exchanged, or null. */
  KilnDevice *device;
  int32_t ordinal; /* of that device among those of its driver */
} KilnCommunicatorDescription;

/* One exchange. `count` elements of `dtype` are at `source`. At `target` are as
   many after an all_reduce, a broadcast and an all_to_all (of `size` equal
   parts), `size` times as many after an all_gather, and a `size`-th after a
   reduce_scatter. All ranks of the group start the same exchanges in the same
   order, with equal counts. Source and target do not overlap, unless they are
   equal in an all_reduce or a broadcast. */
typedef struct KilnCollective {
  size_t structSize;
  uint32_t kind;     /* KILN_COLLECTIVE_* */
  uint32_t combiner; /* KILN_COMBINER_* */
  uint32_t dtype;    /* KilnDType */
  uint32_t numPairs;
  uint64_t count;
  const void *source;
  void *target;
  /* Of a permute: senders and receivers, one after the other. The target of a
     rank that receives nothing is left alone. */
  const int64_t *pairs;
  /* Of exchanges on a device: its queue, as the device's interface has it. */
  void *queue;
} KilnCollective;

typedef struct KilnCommunicationDriver {
  size_t structSize;
  uint32_t apiMajor;
  uint32_t apiMinor;
  const char *name;
  uint32_t flags; /* KILN_COMMUNICATION_* */

  int (*open)(const KilnCommunicatorDescription *description,
              KilnCommunicator **communicator, KilnError *error);
  void (*close)(KilnCommunicator *communicator);
  /* Returns when the exchange is in flight. The memory stays until `wait` for
     the request, which ends it; every request is waited for once. On a device
     `wait` returns when what is put into the queue afterwards sees the target.
     */
  int (*start)(KilnCommunicator *communicator, const KilnCollective *collective,
               KilnRequest **request, KilnError *error);
  int (*wait)(KilnCommunicator *communicator, KilnRequest *request,
              KilnError *error);
  /* Whether every rank is still there, as far as it is known; returns at once.
     Optional. */
  int (*check)(KilnCommunicator *communicator, KilnError *error);
  /* Ends exchanges in flight, and later ones, with a failure that says
   * `reason`.
   */
  void (*abort)(KilnCommunicator *communicator, const char *reason);
} KilnCommunicationDriver;
#define KILN_COMMUNICATION_DRIVER_SIZE_1_0 sizeof(KilnCommunicationDriver)

/* The entry point. Returns null when it cannot work with this version. */
typedef const KilnCommunicationDriver *(*KilnGetCommunicationDriverFn)(
    uint32_t apiMajor);
__attribute__((visibility("default"))) const KilnCommunicationDriver *
kilnGetCommunicationDriver(uint32_t apiMajor);

/* For drivers: the note that the runtime reads before loading. */
#define KILN_COMMUNICATION_NOTE()                                              \
  KILN_PLUGIN_NOTE(KILN_COMMUNICATION_API_MAJOR, KILN_COMMUNICATION_API_MINOR, \
                   0, 0)

#ifdef __cplusplus
}
#endif
#endif
