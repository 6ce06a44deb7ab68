// kiln-c/Runtime.h on top of the C++ classes.
#include "kiln-c/Runtime.h"
#include "kiln/Runtime/Npy.h"
#include "kiln/Runtime/Session.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>

using namespace kiln::runtime;

struct KilnPackage {
  std::shared_ptr<const Package> package;
};
struct KilnSession {
  Session session;
  std::vector<const Function *> entries;
};
struct KilnTensor {
  Tensor tensor;
};

namespace {

std::string &lastError() {
  static thread_local std::string text;
  return text;
}

int fail(std::string message) {
  lastError() = std::move(message);
  return 1;
}

/// Runs `body`, which returns 0 or calls fail; nothing is thrown further.
template <typename Fn> int guarded(Fn body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail("out of memory");
  } catch (const std::exception &e) {
    return fail(e.what());
  } catch (...) {
    return fail("an unknown exception was thrown");
  }
}

int makeTensor(Expected<Tensor> made, KilnTensor **tensor) {
  if (!made)
    return fail(made.message());
  *tensor = new KilnTensor{std::move(*made)};
  return 0;
}

/// Whether a tensor can have this type; says why not.
bool isTensorType(DType dtype, int rank, const int64_t *shape) {
  if (dtype == DType::none || size_t(dtype) >= KILN_DTYPE_COUNT)
    return !fail("unknown element type " + std::to_string(int(dtype)));
  if (rank < 0 || rank > kMaxRank)
    return !fail("expected a rank of 0 to " + std::to_string(kMaxRank) +
                 ", found " + std::to_string(rank));
  for (int d = 0; d < rank; ++d)
    if (shape[d] < 0)
      return !fail("expected sizes of at least 0, found " +
                   std::to_string(shape[d]) + " for dimension " +
                   std::to_string(d));
  return true;
}

int makePackage(Expected<Package> read, KilnPackage **package) {
  if (!read)
    return fail(read.message());
  *package = new KilnPackage{std::make_shared<const Package>(std::move(*read))};
  return 0;
}

const Function *find(const KilnSession *session, const char *entry) {
  const Function *function = entry ? session->session.lookup(entry) : nullptr;
  if (!function)
    fail("there is no entry '" + std::string(entry ? entry : "") + "'");
  return function;
}

int describe(DType type, const std::vector<int64_t> &sizes, KilnDType *dtype,
             int64_t *shape, int capacity) {
  *dtype = static_cast<KilnDType>(type);
  for (int d = 0; d < capacity && size_t(d) < sizes.size(); ++d)
    shape[d] = sizes[size_t(d)];
  return int(sizes.size());
}

int run(KilnSession *session, const char *entry, const CallOptions &options,
        bool isKernel, size_t numArguments, KilnTensor *const *arguments,
        size_t numResults, KilnTensor **results, CallReport *report = nullptr) {
  const Function *function = find(session, entry);
  if (!function)
    return 1;
  if ((function->kind == Function::Kind::kernel) != isKernel)
    return fail(
        "'" + function->name + "' is a " +
        (isKernel ? "function, not a kernel" : "kernel, which needs a grid"));
  if (numResults != function->results.size())
    return fail("'" + function->name + "' has " +
                std::to_string(function->results.size()) +
                " results, room "
                "for " +
                std::to_string(numResults));
  std::vector<Tensor> args;
  for (size_t i = 0; i < numArguments; ++i)
    args.push_back(arguments[i]->tensor);
  Expected<std::vector<Tensor>> outputs =
      session->session.call(*function, args, options, report);
  if (!outputs)
    return fail(outputs.message());
  for (size_t i = 0; i < numResults; ++i)
    results[i] = new KilnTensor{std::move((*outputs)[i])};
  return 0;
}

/// Hands a report to the caller.
void giveReport(const char *entry, const CallReport &call, double seconds,
                const KilnCallOptions &options) {
  std::vector<KilnLaunchReport> launches;
  for (const LaunchRecord &record : call.launches)
    launches.push_back({sizeof(KilnLaunchReport),
                        record.name.c_str(),
                        record.kernel->name.c_str(),
                        {record.grid[0], record.grid[1], record.grid[2]},
                        record.seconds,
                        record.flops,
                        record.bytes});
  std::vector<const KilnLaunchReport *> list;
  for (const KilnLaunchReport &launch : launches)
    list.push_back(&launch);
  KilnCallReport report = {
      sizeof report,         entry,         seconds,     call.arenaBytes,
      call.arenaTensorBytes, call.ownBytes, list.size(), list.data()};
  options.report(&report, options.reportUser);
}

} // namespace

const char *kilnLastError(void) { return lastError().c_str(); }
const char *kilnRuntimeVersion(void) { return KILN_VERSION; }

int kilnPackageLoadFile(const char *path, KilnPackage **package) {
  return guarded([&] { return makePackage(readPackageFile(path), package); });
}

int kilnPackageLoad(const void *bytes, size_t size, KilnPackage **package) {
  return guarded([&] {
    return makePackage(readPackage(Blob::copy(bytes, size)), package);
  });
}

void kilnPackageDestroy(KilnPackage *package) { delete package; }

size_t kilnPackageNumTargets(const KilnPackage *package) {
  return package->package->targets.size();
}

const char *kilnPackageTarget(const KilnPackage *package, size_t index) {
  const auto &targets = package->package->targets;
  return index < targets.size() ? targets[index].spec.c_str() : nullptr;
}

int kilnSessionCreate(const KilnPackage *package, const char *target,
                      KilnSession **session) {
  return guarded([&] {
    Expected<Session> made =
        Session::create(package->package, target ? target : "");
    if (!made)
      return fail(made.message());
    std::vector<const Function *> entries;
    for (const Function &function : made->target().program.functions)
      if (function.isPublic)
        entries.push_back(&function);
    *session = new KilnSession{std::move(*made), std::move(entries)};
    return 0;
  });
}

void kilnSessionDestroy(KilnSession *session) { delete session; }

size_t kilnSessionNumEntries(const KilnSession *session) {
  return session->entries.size();
}

const char *kilnSessionEntry(const KilnSession *session, size_t index) {
  return index < session->entries.size() ? session->entries[index]->name.c_str()
                                         : nullptr;
}

int kilnEntryNumArguments(const KilnSession *session, const char *entry) {
  const Function *function = find(session, entry);
  return function ? int(function->args.size()) : -1;
}

int kilnEntryNumResults(const KilnSession *session, const char *entry) {
  const Function *function = find(session, entry);
  return function ? int(function->results.size()) : -1;
}

int kilnEntryArgument(const KilnSession *session, const char *entry, int index,
                      KilnDType *dtype, int64_t *shape, int capacity) {
  const Function *function = find(session, entry);
  if (!function || index < 0 || size_t(index) >= function->args.size())
    return -1;
  const Argument &arg = function->args[size_t(index)];
  return describe(arg.dtype, arg.shape, dtype, shape, capacity);
}

int kilnEntryResult(const KilnSession *session, const char *entry, int index,
                    KilnDType *dtype, int64_t *shape, int capacity) {
  const Function *function = find(session, entry);
  if (!function || index < 0 || size_t(index) >= function->results.size())
    return -1;
  const Result &result = function->results[size_t(index)];
  return describe(result.dtype, result.shape, dtype, shape, capacity);
}

int kilnTensorCreate(KilnDType dtype, int rank, const int64_t *shape,
                     KilnTensor **tensor) {
  return guarded([&] {
    auto type = static_cast<DType>(dtype);
    if (!isTensorType(type, rank, shape))
      return 1;
    return makeTensor(Tensor::create(type, {shape, shape + rank}), tensor);
  });
}

int kilnTensorWrap(KilnDType dtype, int rank, const int64_t *shape,
                   const int64_t *strides, void *data, KilnTensor **tensor) {
  return guarded([&] {
    Tensor made;
    made.dtype = static_cast<DType>(dtype);
    if (!isTensorType(made.dtype, rank, shape))
      return 1;
    made.shape.assign(shape, shape + rank);
    made.strides = strides ? std::vector<int64_t>(strides, strides + rank)
                           : rowMajor(made.shape);
    for (int d = 0; d < rank; ++d)
      if (made.strides[size_t(d)] < 0)
        return fail("expected strides of at least 0, found " +
                    std::to_string(strides[d]) + " for dimension " +
                    std::to_string(d));
    std::optional<int64_t> extent =
        checkedExtent(made.dtype, made.shape, made.strides);
    if (!extent)
      return fail("a tensor of type " + typeString(made.dtype, made.shape) +
                  " with these strides is too large");
    made.storage.data = data;
    made.storage.bytes = size_t(*extent);
    *tensor = new KilnTensor{std::move(made)};
    return 0;
  });
}

int kilnTensorLoadNpy(const char *path, KilnTensor **tensor) {
  return guarded([&] { return makeTensor(readNpyFile(path), tensor); });
}

int kilnTensorSaveNpy(const KilnTensor *tensor, const char *path) {
  return guarded([&] {
    Error error = writeNpyFile(path, tensor->tensor);
    return error ? fail(error.message()) : 0;
  });
}

void kilnTensorDestroy(KilnTensor *tensor) { delete tensor; }
KilnDType kilnTensorDType(const KilnTensor *tensor) {
  return static_cast<KilnDType>(tensor->tensor.dtype);
}
int kilnTensorRank(const KilnTensor *tensor) {
  return int(tensor->tensor.shape.size());
}
const int64_t *kilnTensorShape(const KilnTensor *tensor) {
  return tensor->tensor.shape.data();
}
const int64_t *kilnTensorStrides(const KilnTensor *tensor) {
  return tensor->tensor.strides.data();
}
void *kilnTensorData(const KilnTensor *tensor) { return tensor->tensor.data(); }

int kilnSessionRun(KilnSession *session, const char *entry, size_t numArguments,
                   KilnTensor *const *arguments, size_t numResults,
                   KilnTensor **results) {
  return guarded([&] {
    return run(session, entry, CallOptions(), /*isKernel=*/false, numArguments,
               arguments, numResults, results);
  });
}

int kilnSessionLaunch(KilnSession *session, const char *entry,
                      const int64_t grid[3], size_t numArguments,
                      KilnTensor *const *arguments) {
  return guarded([&] {
    CallOptions options;
    options.grid = {grid[0], grid[1], grid[2]};
    return run(session, entry, options, /*isKernel=*/true, numArguments,
               arguments, 0, nullptr);
  });
}

int kilnSessionCall(KilnSession *session, const char *entry,
                    size_t numArguments, KilnTensor *const *arguments,
                    size_t numResults, KilnTensor **results,
                    const KilnCallOptions *given) {
  return guarded([&] {
    // A copy: the options of an older caller end earlier.
    KilnCallOptions wanted = {};
    if (given)
      std::memcpy(&wanted, given, std::min(given->structSize, sizeof wanted));
    const Function *function = find(session, entry);
    if (!function)
      return 1;
    bool isKernel = function->kind == Function::Kind::kernel;
    const int64_t (&grid)[3] = wanted.grid;
    if (!isKernel && (grid[0] || grid[1] || grid[2]))
      return fail("'" + function->name + "' is a function, which has no grid");
    CallOptions options;
    if (isKernel)
      options.grid = {grid[0], grid[1], grid[2]};
    options.time = wanted.timeKernels != 0;
    CallReport report;
    auto begin = std::chrono::steady_clock::now();
    int status = run(session, entry, options, isKernel, numArguments, arguments,
                     numResults, results, &report);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    if (!status && wanted.report)
      giveReport(entry, report, passed.count(), wanted);
    return status;
  });
}
