// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
  std::string signer; ///< fingerprint; empty: not signed
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

/// For pointers that have to point to something.
int isNull(const char *what) { return fail(std::string(what) + " is null"); }

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
  std::string signer = read->signer ? read->signer->fingerprint() : "";
  *package = new KilnPackage{std::make_shared<const Package>(std::move(*read)),
                             std::move(signer)};
  return 0;
}

Expected<std::vector<PublicKey>> readKeys(size_t numKeys,
                                          const char *const *keys) {
  if (!numKeys)
    return Error("expected the key of a signer, found none");
  return readPublicKeys({keys, keys + numKeys});
}

const Function *find(const KilnSession *session, const char *entry) {
  if (!session) {
    isNull("the session");
    return nullptr;
  }
  const Function *function = entry ? session->session.lookup(entry) : nullptr;
  if (!function)
    fail("there is no entry '" + std::string(entry ? entry : "") + "'");
  return function;
}

int describe(DType type, const std::vector<int64_t> &sizes, KilnDType *dtype,
             int64_t *shape, int capacity) {
  if (dtype)
    *dtype = static_cast<KilnDType>(type);
  for (int d = 0; shape && d < capacity && size_t(d) < sizes.size(); ++d)
    shape[d] = sizes[size_t(d)];
  return int(sizes.size());
}

/// Name `index` of a list; null when there is none.
template <typename List> const char *nameOf(const List &list, int index) {
  if (index < 0 || size_t(index) >= list.size())
    return nullptr;
  return list[size_t(index)].name.c_str();
}

/// The number of what has a name; -1 when nothing has.
template <typename List>
int indexOf(const List &list, const Function &function, const char *what,
            const char *name) {
  for (size_t i = 0; name && i < list.size(); ++i)
    if (list[i].name == name)
      return int(i);
  fail("'" + function.name + "' has no " + what + " '" + (name ? name : "") +
       "'");
  return -1;
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
  if (numArguments && !arguments)
    return isNull("the list of arguments");
  if (numResults && !results)
    return isNull("the list of results");
  for (size_t i = 0; i < numResults; ++i)
    results[i] = nullptr;
  std::vector<Tensor> args;
  for (size_t i = 0; i < numArguments; ++i) {
    if (!arguments[i])
      return fail("argument " + std::to_string(i) + " of '" + function->name +
                  "' is null");
    args.push_back(arguments[i]->tensor);
  }
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
  return guarded([&] {
    if (!path || !package)
      return isNull(path ? "the place for the package" : "the path");
    return makePackage(readPackageFile(path), package);
  });
}

int kilnPackageLoad(const void *bytes, size_t size, KilnPackage **package) {
  return guarded([&] {
    if (!package || (!bytes && size))
      return isNull(package ? "the package's bytes"
                            : "the place for the package");
    return makePackage(readPackage(Blob::copy(bytes, size)), package);
  });
}

int kilnPackageLoadFileSigned(const char *path, size_t numKeys,
                              const char *const *keys, KilnPackage **package) {
  return guarded([&] {
    Expected<std::vector<PublicKey>> trusted = readKeys(numKeys, keys);
    if (!trusted)
      return fail(trusted.message());
    return makePackage(readPackageFile(path, *trusted), package);
  });
}

int kilnPackageLoadSigned(const void *bytes, size_t size, size_t numKeys,
                          const char *const *keys, KilnPackage **package) {
  return guarded([&] {
    Expected<std::vector<PublicKey>> trusted = readKeys(numKeys, keys);
    if (!trusted)
      return fail(trusted.message());
    return makePackage(readPackage(Blob::copy(bytes, size), *trusted), package);
  });
}

const char *kilnPackageSigner(const KilnPackage *package) {
  return package->signer.empty() ? nullptr : package->signer.c_str();
}

void kilnPackageDestroy(KilnPackage *package) { delete package; }

size_t kilnPackageNumTargets(const KilnPackage *package) {
  return package ? package->package->targets.size() : 0;
}

const char *kilnPackageTarget(const KilnPackage *package, size_t index) {
  if (!package)
    return nullptr;
  const auto &targets = package->package->targets;
  return index < targets.size() ? targets[index].spec.c_str() : nullptr;
}

int kilnSessionCreate(const KilnPackage *package, const char *target,
                      KilnSession **session) {
  return guarded([&] {
    if (!package || !session)
      return isNull(package ? "the place for the session" : "the package");
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
  return session ? session->entries.size() : 0;
}

const char *kilnSessionEntry(const KilnSession *session, size_t index) {
  return session && index < session->entries.size()
             ? session->entries[index]->name.c_str()
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

const char *kilnEntryArgumentName(const KilnSession *session, const char *entry,
                                  int index) {
  const Function *function = find(session, entry);
  return function ? nameOf(function->args, index) : nullptr;
}

const char *kilnEntryResultName(const KilnSession *session, const char *entry,
                                int index) {
  const Function *function = find(session, entry);
  return function ? nameOf(function->results, index) : nullptr;
}

const char *kilnEntryDimensionName(const KilnSession *session,
                                   const char *entry, int index,
                                   int dimension) {
  const Function *function = find(session, entry);
  if (!function || index < 0 || size_t(index) >= function->args.size())
    return nullptr;
  const std::vector<std::string> &dims = function->args[size_t(index)].dims;
  bool isKnown = dimension >= 0 && size_t(dimension) < dims.size() &&
                 !dims[size_t(dimension)].empty();
  return isKnown ? dims[size_t(dimension)].c_str() : nullptr;
}

int kilnEntryFindArgument(const KilnSession *session, const char *entry,
                          const char *name) {
  const Function *function = find(session, entry);
  return function ? indexOf(function->args, *function, "argument", name) : -1;
}

int kilnEntryFindResult(const KilnSession *session, const char *entry,
                        const char *name) {
  const Function *function = find(session, entry);
  return function ? indexOf(function->results, *function, "result", name) : -1;
}

int kilnTensorCreate(KilnDType dtype, int rank, const int64_t *shape,
                     KilnTensor **tensor) {
  return guarded([&] {
    auto type = static_cast<DType>(dtype);
    if (!tensor || (!shape && rank > 0))
      return isNull(tensor ? "the shape" : "the place for the tensor");
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
    if (!tensor || (!shape && rank > 0))
      return isNull(tensor ? "the shape" : "the place for the tensor");
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
    if (!data && *extent)
      return isNull("the tensor's memory");
    made.storage.data = data;
    made.storage.bytes = size_t(*extent);
    *tensor = new KilnTensor{std::move(made)};
    return 0;
  });
}

int kilnTensorLoadNpy(const char *path, KilnTensor **tensor) {
  return guarded([&] {
    if (!path || !tensor)
      return isNull(path ? "the place for the tensor" : "the path");
    return makeTensor(readNpyFile(path), tensor);
  });
}

int kilnTensorSaveNpy(const KilnTensor *tensor, const char *path) {
  return guarded([&] {
    if (!tensor || !path)
      return isNull(tensor ? "the path" : "the tensor");
    Error error = writeNpyFile(path, tensor->tensor);
    return error ? fail(error.message()) : 0;
  });
}

void kilnTensorDestroy(KilnTensor *tensor) { delete tensor; }
KilnDType kilnTensorDType(const KilnTensor *tensor) {
  return static_cast<KilnDType>(tensor ? tensor->tensor.dtype : DType::none);
}
int kilnTensorRank(const KilnTensor *tensor) {
  return tensor ? int(tensor->tensor.shape.size()) : -1;
}
const int64_t *kilnTensorShape(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.shape.data() : nullptr;
}
const int64_t *kilnTensorStrides(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.strides.data() : nullptr;
}
void *kilnTensorData(const KilnTensor *tensor) {
  return tensor ? tensor->tensor.data() : nullptr;
}

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
    if (!grid)
      return isNull("the grid");
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
