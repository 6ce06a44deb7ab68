// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host of this plug-in holds by pointer. A client has devices of one
// target, each with one memory. That is the host's memory if the target's
// devices work there: calls have ended then when they return. Else it is the
// memory of the device (DeviceMemory.h), and calls return when their work is
// queued.
#ifndef KILN_LIB_PJRT_OBJECTS_H
#define KILN_LIB_PJRT_OBJECTS_H

#include "Abi.h"
#include "kiln-c/Runtime.h"
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kiln::pjrt {

struct Error {
  Code code;
  std::string message;
};

inline Error *fail(Code code, std::string message) {
  return new Error{code, std::move(message)};
}

class DeviceMemory;
class Group;

/// Work on a device; or, without one, what has ended already.
struct Event {
  std::shared_ptr<DeviceMemory> memory;
  uint64_t number = 0;
};

struct Memory {
  Device *device;
};

/// Stands for its description too.
struct Device {
  Client *client;
  int id; ///< its number among the devices of the target, from 0
  Memory memory{this};
  Memory *memories[1] = {&memory};
  std::string text, memoryText;
  std::atomic<int64_t> bytesInUse = 0;

  Device(Client *client, int id);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Opens a package on this device.
  Error *open(const KilnPackage *package, KilnSession *&session) const;
  /// Opens the device for a moment; an error where there is no such device. A
  /// target that compiles nothing is reported by the first program.
  Error *check() const;
  /// Where buffers are; null: on the host. Buffers that are older than the
  /// first program on the device move when a program uses them.
  std::shared_ptr<DeviceMemory> deviceMemory() {
    std::lock_guard<std::mutex> lock(opening);
    return onDevice;
  }
  /// As deviceMemory, and opens the device of a program that is loaded.
  std::shared_ptr<DeviceMemory> deviceMemoryFor(const KilnSession *program);

private:
  std::mutex opening;
  bool isRefused = false; ///< the device cannot share its memory
  std::shared_ptr<DeviceMemory> onDevice;
};

struct Topology {
  Client *client;
};

struct Client {
  /// As for kiln-compile: the target, and further arguments.
  std::string target = "cpu";
  std::vector<std::string> arguments;
  /// What the host's caches depend on beside programs: target and compiler.
  std::string version = "kiln";
  Topology topology{this};
  std::vector<std::unique_ptr<Device>> owned;
  /// The lists that functions give out.
  std::vector<Device *> devices;
  std::vector<Memory *> memories;

  void addDevices(int count);
  /// The device of this number; null: there is none.
  Device *find(int64_t id) const {
    bool isKnown = id >= 0 && id < static_cast<int64_t>(devices.size());
    return isKnown ? devices[static_cast<size_t>(id)] : nullptr;
  }
  /// What runs programs on these devices together.
  std::shared_ptr<Group> group(const std::vector<Device *> &members);

private:
  std::mutex grouping;
  std::map<std::vector<Device *>, std::shared_ptr<Group>> groups;
};

struct TensorDeleter {
  void operator()(KilnTensor *tensor) const { kilnTensorDestroy(tensor); }
};
using TensorPtr = std::shared_ptr<KilnTensor>;

/// A tensor on the host or on a device, row-major. Complex numbers
/// are tensors of their parts with a last dimension of two, which `sizes` does
/// not have.
struct Buffer {
  Device *device;
  ElementType type;
  std::vector<int64_t> sizes;
  std::vector<int64_t> minorToMajor;
  TensorPtr tensor;    ///< null: deleted
  uint64_t number = 0; ///< of the work on the device that computes it
  int64_t held = 0;    ///< how often others count on the memory as it is
  size_t bytes;

  Buffer(Device *device, ElementType type, std::vector<int64_t> sizes,
         TensorPtr tensor);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
};

/// Row-major, of some rank.
struct Layout {
  std::string text; ///< as XLA writes it: dimensions, from minor to major
  explicit Layout(size_t rank);
};

struct PackageDeleter {
  void operator()(KilnPackage *package) const { kilnPackageDestroy(package); }
};
using PackagePtr = std::unique_ptr<KilnPackage, PackageDeleter>;
struct SessionDeleter {
  void operator()(KilnSession *session) const { kilnSessionDestroy(session); }
};

struct PreparedDeleter {
  void operator()(KilnPreparedCall *call) const {
    kilnPreparedCallDestroy(call);
  }
};

struct ResultType {
  ElementType type;
  std::vector<int64_t> sizes;
};

/// How arguments or results are spread over devices, each as XLA's OpSharding.
struct Shardings {
  std::vector<std::string> all;
  std::vector<const char *> texts; ///< of `all`, as are the sizes
  std::vector<size_t> sizes;

  /// Fills in the lists that functions give out.
  void finish() {
    for (const std::string &one : all) {
      texts.push_back(one.data());
      sizes.push_back(one.size());
    }
  }
};

/// A program and what became of it. It does not change.
struct Compiled {
  std::string program; ///< as it came, for those who ask what was compiled
  std::string format;
  std::string package;
  std::string fingerprint;
  std::string entry;
  std::vector<ResultType> results;
  std::vector<bool> written; ///< arguments, which their caller has given up
  /// Numbers of the devices that run it together, by rank.
  std::vector<int64_t> devices;
  /// Of a program on several devices, as the host asks for them.
  Shardings argumentShardings, resultShardings;
  /// The same, one after the other.
  std::vector<ElementType> types;
  std::vector<int64_t> sizes;
  std::vector<size_t> ranks;
  std::vector<const char *> memoryKinds;
  std::vector<size_t> memoryKindSizes;
  /// Of all arguments and results: those of `layouts`.
  std::vector<Layout *> argumentLayouts, resultLayouts;
  std::vector<std::unique_ptr<Layout>> layouts;

  Layout *addLayout(size_t rank) {
    layouts.push_back(std::make_unique<Layout>(rank));
    return layouts.back().get();
  }
};
using CompiledPtr = std::shared_ptr<const Compiled>;

struct Executable {
  CompiledPtr compiled;
};

/// A program on one of its devices.
struct Part {
  Device *device;
  std::unique_ptr<KilnSession, SessionDeleter> session; ///< null: deleted
  /// The number of the device in the session; -1: it is not used.
  int number = -1;
  bool isBusy = false; ///< a call of a program with callbacks has it
  /// Steps on that device, if they depend on shapes alone.
  std::mutex preparing;
  bool wasPrepared = false;
  std::unique_ptr<KilnPreparedCall, PreparedDeleter> prepared;
};

struct LoadedExecutable {
  Client *client;
  CompiledPtr compiled;
  std::vector<std::unique_ptr<Part>> parts; ///< by rank
  std::vector<Device *> devices;            ///< of the parts
  std::shared_ptr<Group> group;             ///< null: there is one part
  std::string assignment;                   ///< XLA's DeviceAssignmentProto
  /// Whether it calls functions of the process.
  bool hasCallbacks = false;
  /// For calls of a program with callbacks while others go on. `nesting` guards
  /// the list, how many are about to be in it, and which parts have calls.
  std::mutex nesting;
  std::vector<std::unique_ptr<Part>> nested;
  size_t numOpening = 0;
  /// The same on several devices, by the depth of the group that calls them.
  std::map<size_t, std::vector<std::unique_ptr<Part>>> overlapping;

  bool isDeleted() const { return !parts.front()->session; }
};

/// One name of each kind.
inline constexpr const char platformName[] = "kiln";
inline constexpr const char memoryKind[] = "device";

/// The runtime's type, and whether numbers are complex; NONE when it has none.
KilnDType dtypeOf(ElementType type);
bool isComplex(ElementType type);
/// The type that a result of the runtime has for a host.
ElementType elementTypeOf(KilnDType dtype);
/// The unsigned integers of a width of signed ones; other types as they are.
ElementType unsignedTypeOf(ElementType type);
/// Bytes of an element in memory, both parts of complex numbers.
size_t bytesOf(ElementType type);
/// Where the elements of a buffer with a tensor on the host are.
inline char *dataOf(const Buffer &buffer) {
  return static_cast<char *>(kilnTensorData(buffer.tensor.get()));
}
/// A new tensor of this type; null and an error when that fails.
Error *makeTensor(ElementType type, const std::vector<int64_t> &sizes,
                  TensorPtr &tensor);
/// kilnLastError as an error.
Error *runtimeError(const char *doing);

/// Compiles a program for the client's target: the package's bytes.
Error *compileProgram(const Client &client, const std::string &program,
                      std::string &package);
/// What this plug-in reads of XLA's CompileOptionsProto.
struct CompileOptions {
  int64_t replicas = 1, partitions = 1;
  std::vector<int64_t> devices; ///< by partition; empty: not said
  std::string program;          ///< of one partition; empty: the given one
  std::vector<std::string> argumentShardings, resultShardings;
};
Error *readOptions(const char *bytes, size_t size, CompileOptions &options);

/// Opens a package on a device, which it shares with other programs.
Error *openPart(const KilnPackage *package, Device &device,
                std::unique_ptr<Part> &part);
/// Reads the package of a program.
Error *openPackage(const Compiled &compiled, PackagePtr &package);

/// Opens the package of `compiled` on its devices, and fills in what it says of
/// its results.
Error *load(Client &client, std::shared_ptr<Compiled> compiled,
            LoadedExecutable *&loaded);

/// Put the functions of a file into the table.
void addSupport(Api &api);
void addClient(Api &api);
void addDevices(Api &api);
void addBuffers(Api &api);
void addTransfers(Api &api);
void addExecutables(Api &api);
void addSerialization(Api &api);
void addExecution(Api &api);
void addExtensions(Api &api);

/// A function of the table: nothing is thrown further.
template <typename Arguments, Error *(*Body)(Arguments &)>
Error *entry(void *arguments) {
  try {
    return Body(*static_cast<Arguments *>(arguments));
  } catch (const std::bad_alloc &) {
    return fail(Code::Internal, "out of memory");
  } catch (const std::exception &thrown) {
    return fail(Code::Internal, thrown.what());
  }
}

} // namespace kiln::pjrt

#endif
