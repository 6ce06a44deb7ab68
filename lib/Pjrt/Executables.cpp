// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled programs: what they say of themselves, and as bytes for a cache.
#include "DeviceMemory.h"
#include <algorithm>
#include <cstring>
#include <string_view>

using namespace kiln::pjrt;

namespace {

/// A serialized program begins with this, then the checksum of the rest.
constexpr char serializedMagic[] = "KilnPJR2";
constexpr size_t magicSize = sizeof(serializedMagic) - 1;

/// 64-bit FNV-1a. It finds files that were cut or changed by accident.
uint64_t checksum(std::string_view bytes) {
  uint64_t sum = 0xcbf29ce484222325;
  for (char byte : bytes)
    sum = (sum ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return sum;
}

void addNumber(std::string &bytes, uint64_t number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

Error *compile(CompileArgs &args) {
  auto compiled = std::make_shared<Compiled>();
  compiled->program.assign(args.program->code, args.program->codeSize);
  compiled->format.assign(args.program->format, args.program->formatSize);
  if (compiled->format != "mlir")
    return fail(Code::Unimplemented, "unsupported: programs as '" +
                                         compiled->format +
                                         "'; expected 'mlir'");
  if (Error *error =
          compileProgram(*args.client, compiled->program, compiled->package))
    return error;
  return load(*args.client, std::move(compiled), args.executable);
}

Error *serialize(BytesArgs<Executable> &args) {
  const Compiled &compiled = *args.object->compiled;
  std::string parts;
  for (const std::string *part :
       {&compiled.format, &compiled.program, &compiled.package}) {
    addNumber(parts, part->size());
    parts += *part;
  }
  auto bytes = std::make_unique<std::string>(serializedMagic, magicSize);
  addNumber(*bytes, checksum(parts));
  *bytes += parts;
  args.bytes = bytes->data();
  args.size = bytes->size();
  args.release = [](void *owner) { delete static_cast<std::string *>(owner); };
  args.owner = bytes.release();
  return nullptr;
}

/// Takes a number off the front of `bytes`.
bool takeNumber(std::string_view &bytes, uint64_t &number) {
  if (bytes.size() < sizeof(number))
    return false;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.remove_prefix(sizeof(number));
  return true;
}

/// Takes a part off the front of `bytes`: its size, then itself.
bool takePart(std::string_view &bytes, std::string &part) {
  uint64_t size = 0;
  if (!takeNumber(bytes, size) || bytes.size() < size)
    return false;
  part = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return true;
}

Error *deserialize(DeserializeArgs &args) {
  auto compiled = std::make_shared<Compiled>();
  std::string_view bytes(args.bytes, args.size);
  std::string_view magic(serializedMagic, magicSize);
  bool good = bytes.substr(0, magicSize) == magic;
  if (good) {
    bytes.remove_prefix(magicSize);
    uint64_t sum = 0;
    good = takeNumber(bytes, sum) && sum == checksum(bytes) &&
           takePart(bytes, compiled->format) &&
           takePart(bytes, compiled->program) &&
           takePart(bytes, compiled->package) && bytes.empty();
  }
  if (!good)
    return fail(Code::InvalidArgument,
                "expected a program that this version of the kiln plug-in has "
                "serialized, found other or damaged bytes");
  return load(*args.client, std::move(compiled), args.executable);
}

/// A result as a host knows it. Pairs of the parts of complex numbers have a
/// last dimension of that name.
Error *readResult(KilnSession *session, const std::string &entry, int index,
                  ResultType &result) {
  KilnDType dtype = KILN_DTYPE_NONE;
  int rank = kilnEntryResult(session, entry.c_str(), index, &dtype, nullptr, 0);
  if (rank < 0)
    return runtimeError("cannot read a result's type");
  result.sizes.resize(static_cast<size_t>(rank));
  kilnEntryResult(session, entry.c_str(), index, &dtype, result.sizes.data(),
                  rank);
  for (int64_t size : result.sizes)
    if (size < 0)
      return fail(Code::Unimplemented,
                  "unsupported: results whose sizes are not known before");
  result.type = elementTypeOf(dtype);
  if (int bits = kilnEntryResultBits(session, entry.c_str(), index)) {
    if (bits != 4 && bits != 2)
      return fail(Code::Unimplemented,
                  "unsupported: integers of " + std::to_string(bits) + " bits");
    result.type = bits == 4 ? ElementType::S4 : ElementType::S2;
  }
  if (kilnEntryResultIsUnsigned(session, entry.c_str(), index))
    result.type = unsignedTypeOf(result.type);
  const char *last =
      kilnEntryResultDimensionName(session, entry.c_str(), index, rank - 1);
  if (last && std::string_view(last) == "complex") {
    result.sizes.pop_back();
    result.type =
        dtype == KILN_DTYPE_F64 ? ElementType::C128 : ElementType::C64;
  }
  return nullptr;
}

/// How many dimensions an argument has for a host.
size_t argumentRank(KilnSession *session, const std::string &entry, int index) {
  KilnDType dtype = KILN_DTYPE_NONE;
  int rank =
      kilnEntryArgument(session, entry.c_str(), index, &dtype, nullptr, 0);
  const char *last =
      kilnEntryDimensionName(session, entry.c_str(), index, rank - 1);
  bool isComplex = last && std::string_view(last) == "complex";
  return static_cast<size_t>(std::max(rank - isComplex, 0));
}

Error *destroy(Args<Executable> &args) {
  delete args.object;
  return nullptr;
}

Error *name(TextArgs<Executable> &args) {
  args.first = args.object->compiled->entry.c_str();
  args.second = args.object->compiled->entry.size();
  return nullptr;
}

/// Of a program, loaded or not.
template <typename T> Error *fingerprint(TextArgs<T> &args) {
  args.first = args.object->compiled->fingerprint.c_str();
  args.second = args.object->compiled->fingerprint.size();
  return nullptr;
}

Error *one(Args<Executable, size_t> &args) {
  args.first = 1;
  return nullptr;
}

Error *numOutputs(Args<Executable, size_t> &args) {
  args.first = args.object->compiled->results.size();
  return nullptr;
}

Error *codeSize(Args<Executable, int64_t> &args) {
  args.first = static_cast<int64_t>(args.object->compiled->package.size());
  return nullptr;
}

Error *cost(CostArgs &args) {
  args.count = 0;
  args.properties = nullptr;
  return nullptr;
}

Error *outputTypes(OutputTypesArgs &args) {
  const Compiled &compiled = *args.executable->compiled;
  args.types = const_cast<ElementType *>(compiled.types.data());
  args.count = compiled.types.size();
  return nullptr;
}

Error *outputSizes(OutputSizesArgs &args) {
  const Compiled &compiled = *args.executable->compiled;
  args.count = compiled.ranks.size();
  args.sizes = compiled.sizes.data();
  args.ranks = compiled.ranks.data();
  return nullptr;
}

Error *outputMemories(OutputMemoriesArgs &args) {
  const Compiled &compiled = *args.executable->compiled;
  args.count = compiled.memoryKinds.size();
  args.kinds = compiled.memoryKinds.data();
  args.kindSizes = compiled.memoryKindSizes.data();
  return nullptr;
}

Error *optimizedProgram(OptimizedProgramArgs &args) {
  const Compiled &compiled = *args.executable->compiled;
  Program &program = *args.program;
  program.format = compiled.format.data();
  program.formatSize = compiled.format.size();
  if (program.code && program.codeSize < compiled.program.size())
    return fail(Code::InvalidArgument, "no room for the program");
  if (program.code)
    std::memcpy(program.code, compiled.program.data(), compiled.program.size());
  program.codeSize = compiled.program.size();
  return nullptr;
}

/// Lets go of a session once its work on the device has ended.
void close(LoadedExecutable &loaded) {
  std::shared_ptr<DeviceMemory> memory = loaded.client->deviceMemory();
  if (!memory || !loaded.session)
    return;
  struct Open {
    std::unique_ptr<KilnSession, SessionDeleter> session;
    std::unique_ptr<KilnPreparedCall, PreparedDeleter> prepared;
  };
  auto open = std::make_shared<Open>();
  open->session = std::move(loaded.session);
  open->prepared = std::move(loaded.prepared);
  memory->keep(memory->last(), std::move(open), 0);
}

Error *destroyLoaded(Args<LoadedExecutable> &args) {
  close(*args.object);
  delete args.object;
  return nullptr;
}

Error *executableOf(Args<LoadedExecutable, Executable *> &args) {
  args.first = new Executable{args.object->compiled};
  return nullptr;
}

Error *loadedDevices(Args<LoadedExecutable, Device *const *, size_t> &args) {
  args.first = args.object->client->devices;
  args.second = 1;
  return nullptr;
}

/// One replica of one computation on device 0, as XLA's DeviceAssignmentProto:
/// fields 1 and 2 are the counts, 3 is a list of lists of devices.
Error *deviceAssignment(BytesArgs<LoadedExecutable> &args) {
  static constexpr char bytes[] = {8, 1, 16, 1, 26, 3, 10, 1, 0};
  args.bytes = bytes;
  args.size = sizeof(bytes);
  args.owner = nullptr;
  args.release = [](void *) {};
  return nullptr;
}

Error *erase(Args<LoadedExecutable> &args) {
  close(*args.object);
  args.object->session.reset();
  return nullptr;
}

Error *isDeleted(Args<LoadedExecutable, bool> &args) {
  args.first = !args.object->session;
  return nullptr;
}

} // namespace

Error *kiln::pjrt::load(Client &client, std::shared_ptr<Compiled> compiled,
                        LoadedExecutable *&loaded) {
  KilnPackage *opened = nullptr;
  if (kilnPackageLoad(compiled->package.data(), compiled->package.size(),
                      &opened))
    return runtimeError("cannot read the package");
  std::unique_ptr<KilnPackage, PackageDeleter> package(opened);
  KilnSession *created = nullptr;
  if (kilnSessionCreate(package.get(), nullptr, &created))
    return runtimeError("cannot run the package");
  std::unique_ptr<KilnSession, SessionDeleter> session(created);
  compiled->entry = "main";
  int count = kilnEntryNumResults(session.get(), compiled->entry.c_str());
  if (count < 0)
    return runtimeError("the program has no function 'main'");
  compiled->results.resize(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    ResultType &result = compiled->results[static_cast<size_t>(i)];
    if (Error *error = readResult(session.get(), compiled->entry, i, result))
      return error;
    compiled->types.push_back(result.type);
    compiled->ranks.push_back(result.sizes.size());
    compiled->sizes.insert(compiled->sizes.end(), result.sizes.begin(),
                           result.sizes.end());
    compiled->memoryKinds.push_back(memoryKind);
    compiled->memoryKindSizes.push_back(sizeof(memoryKind) - 1);
    compiled->resultLayouts.push_back(compiled->addLayout(result.sizes.size()));
  }
  int arguments = kilnEntryNumArguments(session.get(), compiled->entry.c_str());
  for (int i = 0; i < arguments; ++i) {
    compiled->written.push_back(
        kilnEntryArgumentIsWritten(session.get(), compiled->entry.c_str(), i));
    compiled->argumentLayouts.push_back(
        compiled->addLayout(argumentRank(session.get(), compiled->entry, i)));
  }
  compiled->fingerprint =
      std::to_string(std::hash<std::string>()(compiled->package));
  std::shared_ptr<DeviceMemory> memory = client.deviceMemoryFor(session.get());
  auto made = std::make_unique<LoadedExecutable>();
  made->client = &client;
  made->compiled = std::move(compiled);
  made->session = std::move(session);
  if (memory) {
    made->device = memory->findIn(made->session.get());
    if (made->device >= 0 &&
        kilnSessionUseQueue(made->session.get(),
                            static_cast<size_t>(made->device), memory->queue()))
      return runtimeError("cannot use the queue of the device");
  }
  loaded = made.release();
  return nullptr;
}

void kiln::pjrt::addExecutables(Api &api) {
  auto &f = api.functions;
  f[ClientCompile] = entry<CompileArgs, compile>;
  f[ExecutableDestroy] = entry<Args<Executable>, destroy>;
  f[ExecutableName] = entry<TextArgs<Executable>, name>;
  f[ExecutableFingerprint] =
      entry<TextArgs<Executable>, fingerprint<Executable>>;
  f[ExecutableNumReplicas] = entry<Args<Executable, size_t>, one>;
  f[ExecutableNumPartitions] = f[ExecutableNumReplicas];
  f[ExecutableNumOutputs] = entry<Args<Executable, size_t>, numOutputs>;
  f[ExecutableCodeSize] = entry<Args<Executable, int64_t>, codeSize>;
  f[ExecutableCost] = entry<CostArgs, cost>;
  f[ExecutableOutputTypes] = entry<OutputTypesArgs, outputTypes>;
  f[ExecutableOutputSizes] = entry<OutputSizesArgs, outputSizes>;
  f[ExecutableOutputMemories] = entry<OutputMemoriesArgs, outputMemories>;
  f[ExecutableOptimizedProgram] = entry<OptimizedProgramArgs, optimizedProgram>;
  f[ExecutableSerialize] = entry<BytesArgs<Executable>, serialize>;
  f[LoadedDestroy] = entry<Args<LoadedExecutable>, destroyLoaded>;
  f[LoadedExecutableOf] =
      entry<Args<LoadedExecutable, Executable *>, executableOf>;
  f[LoadedDevices] =
      entry<Args<LoadedExecutable, Device *const *, size_t>, loadedDevices>;
  f[LoadedDeviceAssignment] =
      entry<BytesArgs<LoadedExecutable>, deviceAssignment>;
  f[LoadedDelete] = entry<Args<LoadedExecutable>, erase>;
  f[LoadedIsDeleted] = entry<Args<LoadedExecutable, bool>, isDeleted>;
  f[LoadedDeserialize] = entry<DeserializeArgs, deserialize>;
  f[LoadedFingerprint] =
      entry<TextArgs<LoadedExecutable>, fingerprint<LoadedExecutable>>;
}
