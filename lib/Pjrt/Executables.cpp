// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled programs: what they say of themselves, and how they are loaded.
#include "DeviceMemory.h"
#include <algorithm>
#include <cstring>
#include <string_view>

using namespace kiln::pjrt;

namespace {

/// The devices of a program, by rank; device 0 where the host does not say.
Error *chooseDevices(const Client &client, const CompileOptions &options,
                     std::vector<int64_t> &devices) {
  if (options.replicas != 1)
    return fail(Code::Unimplemented,
                "unsupported: a program of " +
                    std::to_string(options.replicas) +
                    " replicas; expected one replica of several partitions");
  if (!options.devices.empty())
    devices = options.devices;
  for (int64_t id = 0; devices.empty() && id < options.partitions; ++id)
    devices.push_back(id);
  if (static_cast<int64_t>(devices.size()) != options.partitions)
    return fail(Code::InvalidArgument, "expected a device for each of " +
                                           std::to_string(options.partitions) +
                                           " partitions, found " +
                                           std::to_string(devices.size()));
  for (int64_t id : devices)
    if (!client.find(id))
      return fail(Code::InvalidArgument,
                  "there is no device " + std::to_string(id));
  if (devices.empty())
    return fail(Code::InvalidArgument, "a program for no device");
  return nullptr;
}

Error *compile(CompileArgs &args) {
  auto compiled = std::make_shared<Compiled>();
  compiled->program.assign(args.program->code, args.program->codeSize);
  compiled->format.assign(args.program->format, args.program->formatSize);
  if (compiled->format != "mlir")
    return fail(Code::Unimplemented, "unsupported: programs as '" +
                                         compiled->format +
                                         "'; expected 'mlir'");
  CompileOptions options;
  if (Error *error = readOptions(args.options, args.optionsSize, options))
    return error;
  if (Error *error = chooseDevices(*args.client, options, compiled->devices))
    return error;
  if (compiled->devices.size() > 1 && options.program.empty())
    return fail(Code::Unimplemented,
                "unsupported: a program on " +
                    std::to_string(compiled->devices.size()) +
                    " devices that kiln.jax_devices has not partitioned");
  compiled->argumentShardings.all = std::move(options.argumentShardings);
  compiled->resultShardings.all = std::move(options.resultShardings);
  if (Error *error = compileProgram(*args.client,
                                    options.program.empty() ? compiled->program
                                                            : options.program,
                                    compiled->package))
    return error;
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

Error *numPartitions(Args<Executable, size_t> &args) {
  args.first = args.object->compiled->devices.size();
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

/// Lets go of sessions once their work on the device has ended.
void close(LoadedExecutable &loaded) {
  struct Open {
    std::unique_ptr<KilnSession, SessionDeleter> session;
    std::unique_ptr<KilnPreparedCall, PreparedDeleter> prepared;
  };
  for (std::unique_ptr<Part> &part : loaded.nested)
    loaded.parts.push_back(std::move(part));
  for (auto &[depth, parts] : loaded.overlapping)
    for (std::unique_ptr<Part> &part : parts)
      loaded.parts.push_back(std::move(part));
  loaded.nested.clear();
  loaded.overlapping.clear();
  for (std::unique_ptr<Part> &part : loaded.parts) {
    std::shared_ptr<DeviceMemory> memory = part->device->deviceMemory();
    if (!memory || !part->session)
      continue;
    auto open = std::make_shared<Open>();
    open->session = std::move(part->session);
    open->prepared = std::move(part->prepared);
    memory->keep(memory->last(), std::move(open), 0);
  }
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
  args.first = args.object->devices.data();
  args.second = args.object->devices.size();
  return nullptr;
}

void addVarint(std::string &bytes, uint64_t value) {
  for (; value > 127; value >>= 7)
    bytes += static_cast<char>(value | 128);
  bytes += static_cast<char>(value);
}

/// XLA's DeviceAssignmentProto: fields 1 and 2 are the numbers of replicas and
/// of partitions. Field 3 is repeated: for each partition a message, whose
/// field 1 lists the device of each replica.
std::string assignmentOf(const std::vector<int64_t> &devices) {
  std::string bytes{8, 1, 16};
  addVarint(bytes, devices.size());
  for (int64_t id : devices) {
    std::string list;
    addVarint(list, static_cast<uint64_t>(id));
    bytes += {26, static_cast<char>(list.size() + 2), 10,
              static_cast<char>(list.size())};
    bytes += list;
  }
  return bytes;
}

Error *deviceAssignment(BytesArgs<LoadedExecutable> &args) {
  args.bytes = args.object->assignment.data();
  args.size = args.object->assignment.size();
  args.owner = nullptr;
  args.release = [](void *) {};
  return nullptr;
}

Error *erase(Args<LoadedExecutable> &args) {
  close(*args.object);
  for (std::unique_ptr<Part> &part : args.object->parts)
    part->session.reset();
  return nullptr;
}

Error *isDeleted(Args<LoadedExecutable, bool> &args) {
  args.first = args.object->isDeleted();
  return nullptr;
}

/// What the package says of arguments and results.
Error *describe(KilnSession *session, Compiled &compiled) {
  compiled.entry = "main";
  const char *entry = compiled.entry.c_str();
  int count = kilnEntryNumResults(session, entry);
  if (count < 0)
    return runtimeError("the program has no function 'main'");
  compiled.results.resize(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    ResultType &result = compiled.results[static_cast<size_t>(i)];
    if (Error *error = readResult(session, compiled.entry, i, result))
      return error;
    compiled.types.push_back(result.type);
    compiled.ranks.push_back(result.sizes.size());
    compiled.sizes.insert(compiled.sizes.end(), result.sizes.begin(),
                          result.sizes.end());
    compiled.memoryKinds.push_back(memoryKind);
    compiled.memoryKindSizes.push_back(sizeof(memoryKind) - 1);
    compiled.resultLayouts.push_back(compiled.addLayout(result.sizes.size()));
  }
  int arguments = kilnEntryNumArguments(session, entry);
  for (int i = 0; i < arguments; ++i) {
    compiled.written.push_back(kilnEntryArgumentIsWritten(session, entry, i));
    compiled.argumentLayouts.push_back(
        compiled.addLayout(argumentRank(session, compiled.entry, i)));
  }
  compiled.argumentShardings.finish();
  compiled.resultShardings.finish();
  auto fits = [](const Shardings &shardings, int found) {
    return static_cast<int>(shardings.all.size()) == found;
  };
  if (compiled.devices.size() > 1 &&
      (!fits(compiled.resultShardings, count) ||
       !fits(compiled.argumentShardings, arguments)))
    return fail(Code::InvalidArgument,
                "expected a sharding for each argument and result of a "
                "program on several devices");
  compiled.fingerprint =
      std::to_string(std::hash<std::string>()(compiled.package));
  return nullptr;
}

} // namespace

Error *kiln::pjrt::openPackage(const Compiled &compiled, PackagePtr &package) {
  KilnPackage *opened = nullptr;
  if (kilnPackageLoad(compiled.package.data(), compiled.package.size(),
                      &opened))
    return runtimeError("cannot read the package");
  package.reset(opened);
  return nullptr;
}

Error *kiln::pjrt::openPart(const KilnPackage *package, Device &device,
                            std::unique_ptr<Part> &part) {
  auto made = std::make_unique<Part>();
  made->device = &device;
  KilnSession *session = nullptr;
  if (Error *error = device.open(package, session))
    return error;
  made->session.reset(session);
  if (auto memory = device.deviceMemoryFor(session)) {
    made->number = memory->findIn(session);
    if (made->number >= 0 &&
        kilnSessionUseQueue(session, static_cast<size_t>(made->number),
                            memory->queue()))
      return runtimeError("cannot use the queue of the device");
  }
  part = std::move(made);
  return nullptr;
}

Error *kiln::pjrt::load(Client &client, std::shared_ptr<Compiled> compiled,
                        LoadedExecutable *&loaded) {
  PackagePtr package;
  if (Error *error = openPackage(*compiled, package))
    return error;
  auto made = std::make_unique<LoadedExecutable>();
  made->client = &client;
  made->assignment = assignmentOf(compiled->devices);
  made->hasCallbacks =
      compiled->program.find("kiln.callback ") != std::string::npos;
  for (int64_t id : compiled->devices) {
    made->devices.push_back(client.find(id));
    if (Error *error = openPart(package.get(), *made->devices.back(),
                                made->parts.emplace_back()))
      return error;
  }
  if (Error *error = describe(made->parts.front()->session.get(), *compiled))
    return error;
  if (made->parts.size() > 1)
    made->group = client.group(made->devices);
  made->compiled = std::move(compiled);
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
  f[ExecutableNumPartitions] = entry<Args<Executable, size_t>, numPartitions>;
  f[ExecutableNumOutputs] = entry<Args<Executable, size_t>, numOutputs>;
  f[ExecutableCodeSize] = entry<Args<Executable, int64_t>, codeSize>;
  f[ExecutableCost] = entry<CostArgs, cost>;
  f[ExecutableOutputTypes] = entry<OutputTypesArgs, outputTypes>;
  f[ExecutableOutputSizes] = entry<OutputSizesArgs, outputSizes>;
  f[ExecutableOutputMemories] = entry<OutputMemoriesArgs, outputMemories>;
  f[ExecutableOptimizedProgram] = entry<OptimizedProgramArgs, optimizedProgram>;
  f[LoadedDestroy] = entry<Args<LoadedExecutable>, destroyLoaded>;
  f[LoadedExecutableOf] =
      entry<Args<LoadedExecutable, Executable *>, executableOf>;
  f[LoadedDevices] =
      entry<Args<LoadedExecutable, Device *const *, size_t>, loadedDevices>;
  f[LoadedDeviceAssignment] =
      entry<BytesArgs<LoadedExecutable>, deviceAssignment>;
  f[LoadedDelete] = entry<Args<LoadedExecutable>, erase>;
  f[LoadedIsDeleted] = entry<Args<LoadedExecutable, bool>, isDeleted>;
  f[LoadedFingerprint] =
      entry<TextArgs<LoadedExecutable>, fingerprint<LoadedExecutable>>;
}
