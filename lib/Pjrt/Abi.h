// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PJRT's C interface as far as this plug-in takes part in it: the layout of
// its argument structs, and the numbers of its functions in the table.
// Source: OpenXLA's pjrt_c_api.h, major version 0, minor version 93. Members
// are only ever appended there, so that older and newer callers agree on all
// that is here. What a function sets is marked "out".
#ifndef KILN_LIB_PJRT_ABI_H
#define KILN_LIB_PJRT_ABI_H

#include <cstddef>
#include <cstdint>

namespace kiln::pjrt {

// What the caller holds by pointer.
struct Error;
struct Event;
struct Client;
struct Device;
struct Memory;
struct Topology;
struct Executable;
struct LoadedExecutable;
struct Buffer;
struct ExecuteContext;
struct Layout;

/// Every struct begins with it.
struct Head {
  size_t structSize;
  void *extensions;
};

/// A value without a struct of its own is an argument and one result.
template <typename Object, typename... Members> struct Args;
template <typename Object> struct Args<Object> {
  Head head;
  Object *object;
};
template <typename Object, typename A> struct Args<Object, A> {
  Head head;
  Object *object;
  A first; ///< out
};
template <typename Object, typename A, typename B> struct Args<Object, A, B> {
  Head head;
  Object *object;
  A first;  ///< out
  B second; ///< out
};

/// A text with its length, both out.
template <typename Object> using TextArgs = Args<Object, const char *, size_t>;

/// As in absl::StatusCode.
enum class Code : int32_t {
  InvalidArgument = 3,
  ResourceExhausted = 8,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
};

enum class ValueKind : int32_t { Text, Integer, Integers, Float, Bool };

struct NamedValue {
  Head head;
  const char *name;
  size_t nameSize;
  ValueKind kind;
  union {
    const char *text;
    int64_t integer;
    const int64_t *integers;
    float real;
    bool truth;
  };
  size_t valueSize; ///< of a text or list; else 1
};

struct PluginAttributesArgs {
  Head head;
  const NamedValue *attributes; ///< out
  size_t count;                 ///< out
};

struct EventOnReadyArgs {
  Head head;
  Event *event;
  void (*callback)(Error *error, void *user);
  void *user;
};

struct ClientCreateArgs {
  Head head;
  const NamedValue *options;
  size_t numOptions;
  void *keyValueStore[4];
  Client *client; ///< out
};

struct LookupDeviceArgs {
  Head head;
  Client *client;
  int id;
  Device *device; ///< out
};

struct Program {
  Head head;
  char *code;
  size_t codeSize;
  const char *format;
  size_t formatSize;
};

struct CompileArgs {
  Head head;
  Client *client;
  const Program *program;
  const char *options;
  size_t optionsSize;
  LoadedExecutable *executable; ///< out
};

struct DefaultDeviceAssignmentArgs {
  Head head;
  Client *client;
  int numReplicas;
  int numPartitions;
  size_t size;
  int *assignment; ///< out, the caller's memory
};

enum class ElementType : int32_t {
  Invalid,
  Pred,
  S8,
  S16,
  S32,
  S64,
  U8,
  U16,
  U32,
  U64,
  F16,
  F32,
  F64,
  BF16,
  C64,
  C128,
  F8E5M2,
  F8E4M3FN,
  F8E4M3B11FNUZ,
  F8E5M2FNUZ,
  F8E4M3FNUZ,
  S4,
  U4,
  Token,
  S2,
  U2,
  F8E4M3,
  F8E3M4,
  F8E8M0FNU,
  F4E2M1FN,
};

struct TiledLayout {
  Head head;
  const int64_t *minorToMajor;
  size_t rank;
  const int64_t *tileSizes;
  const size_t *tileRanks;
  size_t numTiles;
};

struct StridedLayout {
  Head head;
  const int64_t *byteStrides;
  size_t rank;
};

enum class LayoutKind : int32_t { Tiled, Strided };

struct MemoryLayout {
  Head head;
  union {
    TiledLayout tiled;
    StridedLayout strided;
  };
  LayoutKind kind;
};

struct FromHostArgs {
  Head head;
  Client *client;
  const void *data;
  ElementType type;
  const int64_t *sizes;
  size_t rank;
  const int64_t *byteStrides; ///< null: row-major
  size_t numByteStrides;
  int32_t semantics;
  Device *device;
  Memory *memory;
  MemoryLayout *deviceLayout;
  Event *doneWithHost; ///< out
  Buffer *buffer;      ///< out
};

struct UninitializedArgs {
  Head head;
  Client *client;
  const int64_t *sizes;
  size_t rank;
  ElementType type;
  MemoryLayout *layout;
  Device *device;
  Memory *memory;
  Buffer *buffer; ///< out
};

/// The count comes before the list, unlike everywhere else.
struct DeviceAttributesArgs {
  Head head;
  Device *device;
  size_t count;                 ///< out
  const NamedValue *attributes; ///< out
};

struct MemoryStatsArgs {
  Head head;
  Device *device;
  int64_t bytesInUse; ///< out
};

struct ExecuteOptions {
  Head head;
  void *sendCallbacks;
  void *receiveCallbacks;
  size_t numSends;
  size_t numReceives;
  int launchId;
  const int64_t *notDonatable;
  size_t numNotDonatable;
  ExecuteContext *context;
};

struct ExecuteArgs {
  Head head;
  LoadedExecutable *executable;
  ExecuteOptions *options;
  Buffer *const *const *arguments; ///< [device][argument]
  size_t numDevices;
  size_t numArguments;
  Buffer **const *results; ///< [device][result], filled by the plug-in
  Event **done;            ///< [device], or null
  Device *device;          ///< null: that of the compilation
};

struct ContextArgs {
  Head head;
  ExecuteContext *context;
};

struct CostArgs {
  Head head;
  Executable *executable;
  size_t count;                 ///< out
  const NamedValue *properties; ///< out
};

struct OutputTypesArgs {
  Head head;
  Executable *executable;
  ElementType *types; ///< out
  size_t count;       ///< out
};

struct OutputSizesArgs {
  Head head;
  Executable *executable;
  size_t count;
  const int64_t *sizes; ///< out, of all results one after the other
  const size_t *ranks;  ///< out
};

struct OutputMemoriesArgs {
  Head head;
  Executable *executable;
  size_t count;
  const char *const *kinds; ///< out
  const size_t *kindSizes;  ///< out
};

struct OptimizedProgramArgs {
  Head head;
  Executable *executable;
  Program *program; ///< filled in two calls, the first without memory for code
};

template <typename Object> struct BytesArgs {
  Head head;
  const Object *object;
  const char *bytes;       ///< out
  size_t size;             ///< out
  void *owner;             ///< out, what `release` gets
  void (*release)(void *); ///< out
};

struct DeserializeArgs {
  Head head;
  Client *client;
  const char *bytes;
  size_t size;
  LoadedExecutable *executable; ///< out
  /// In place of those of the serialized program; null: its own. Hosts of older
  /// versions end before these two.
  const char *options;
  size_t optionsSize;
};

/// Of a client or of a topology, which the layout does not depend on.
struct DefaultLayoutArgs {
  Head head;
  void *owner;
  ElementType type;
  const int64_t *sizes;
  size_t rank;
  Layout *layout; ///< out
};

struct ShardingsArgs {
  Head head;
  Executable *executable;
  size_t count;                 ///< out
  const char *const *shardings; ///< out, null: there are none
  const size_t *sizes;          ///< out
};

/// The attributes of a device, and what frees them.
struct OwnAttributesArgs {
  Head head;
  Device *device;
  const NamedValue *attributes; ///< out
  size_t count;                 ///< out
  void *owner;                  ///< out, what `release` gets
  void (*release)(void *);      ///< out
};

struct BufferLayoutArgs {
  Head head;
  Buffer *buffer;
  MemoryLayout layout; ///< out
};

struct ToHostArgs {
  Head head;
  Buffer *source;
  MemoryLayout *layout; ///< null: row-major
  void *data;           ///< null: only ask for the size
  size_t size;          ///< in and out
  Event *done;          ///< out
};

struct CopyRawArgs {
  Head head;
  Buffer *buffer;
  void *data;
  int64_t offset;
  int64_t size;
  Event *done; ///< out
};

/// To a device or to a memory.
template <typename Place> struct CopyArgs {
  Head head;
  Buffer *buffer;
  Place *place;
  Buffer *copy; ///< out
};

/// Numbers in the table, in its order. Those not named here answer that they
/// are not implemented.
enum Function : unsigned {
  ErrorDestroy,
  ErrorMessage,
  ErrorCode,
  PluginInitialize,
  PluginAttributes,
  EventDestroy,
  EventIsReady,
  EventError,
  EventAwait,
  EventOnReady,
  ClientCreate,
  ClientDestroy,
  ClientPlatformName,
  ClientProcessIndex,
  ClientPlatformVersion,
  ClientDevices,
  ClientAddressableDevices,
  ClientLookupDevice,
  ClientLookupAddressableDevice,
  ClientMemories,
  ClientCompile,
  ClientDefaultDeviceAssignment,
  ClientBufferFromHost,
  DescriptionId,
  DescriptionProcessIndex,
  DescriptionAttributes,
  DescriptionKind,
  DescriptionDebugText,
  DescriptionText,
  DeviceDescription,
  DeviceIsAddressable,
  DeviceLocalHardwareId,
  DeviceMemories,
  DeviceDefaultMemory,
  DeviceMemoryStats,
  MemoryId,
  MemoryKind,
  MemoryDebugText,
  MemoryText,
  MemoryDevices,
  ExecutableDestroy,
  ExecutableName,
  ExecutableNumReplicas,
  ExecutableNumPartitions,
  ExecutableNumOutputs,
  ExecutableCodeSize,
  ExecutableCost,
  ExecutableOutputMemories,
  ExecutableOptimizedProgram,
  ExecutableSerialize,
  LoadedDestroy,
  LoadedExecutableOf,
  LoadedDevices,
  LoadedDelete,
  LoadedIsDeleted,
  LoadedExecute,
  LoadedDeserialize,
  LoadedFingerprint,
  BufferDestroy,
  BufferElementType,
  BufferSizes,
  BufferUnpaddedSizes,
  BufferDynamicDimensions,
  BufferLayout,
  BufferBytes,
  BufferDevice,
  BufferMemory,
  BufferDelete,
  BufferIsDeleted,
  BufferCopyToDevice,
  BufferToHost,
  BufferIsOnCpu,
  BufferReadyEvent,
  BufferUnsafePointer,
  BufferHold,
  BufferRelease,
  BufferDataPointer,
  StreamDestroy,
  StreamAddChunk,
  StreamTotalBytes,
  StreamGranule,
  StreamCurrentBytes,
  TopologyCreate,
  TopologyDestroy,
  TopologyPlatformName,
  TopologyPlatformVersion,
  TopologyDevices,
  TopologySerialize,
  TopologyAttributes,
  Compile,
  ExecutableOutputTypes,
  ExecutableOutputSizes,
  BufferCopyToMemory,
  ClientViewOfDeviceBuffer,
  ExecutableFingerprint,
  ClientTopology,
  ExecutableMemoryStats,
  MemoryKindId,
  ContextCreate,
  ContextDestroy,
  BufferCopyRawToHost,
  TransfersDestroy,
  TransfersData,
  ClientTransfers,
  TransfersBuffer,
  TransfersDevice,
  TransfersCount,
  TransfersSize,
  TransfersError,
  TransfersMetadata,
  ClientMapMemory,
  ClientUnmapMemory,
  ClientUninitializedBuffer,
  ClientUpdateProcesses,
  TopologyDeserialize,
  ClientAliasBuffer,
  ClientFulfillAlias,
  LoadedDeviceAssignment,
  ClientErrorBuffer,
  TransfersLiteral,
  BufferCopyRawToHostFuture,
  DevicePoison,
  DeviceTrackingEvent,
  TrackingEventDestroy,
  ExecutableCompileOptions,
  BufferDonate,
  EventCreate,
  EventSet,
  DeviceOwnAttributes,
  NumFunctions,
};

/// A function takes its struct, and returns null or an error that the caller
/// destroys. ErrorDestroy and ErrorMessage return nothing.
using Entry = Error *(*)(void *arguments);

enum class ExtensionKind : int32_t { Layouts = 4, Shardings = 19 };

/// A table of functions beside that of `Api`. Each begins with its size.
struct ExtensionHead {
  size_t structSize;
  ExtensionKind kind;
  ExtensionHead *next;
};
template <size_t Count> struct Extension {
  ExtensionHead head;
  Entry functions[Count];
};

struct Api {
  Head head;
  struct {
    Head head;
    int major;
    int minor;
  } version;
  Entry functions[NumFunctions];
};

} // namespace kiln::pjrt

#endif
