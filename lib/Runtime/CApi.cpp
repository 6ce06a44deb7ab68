// kiln-c/Runtime.h on top of the C++ classes.
#include "kiln-c/Runtime.h"
#include "kiln/Runtime/Npy.h"
#include "kiln/Runtime/Session.h"
#include <exception>

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
        size_t numResults, KilnTensor **results) {
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
      session->session.call(*function, args, options);
  if (!outputs)
    return fail(outputs.message());
  for (size_t i = 0; i < numResults; ++i)
    results[i] = new KilnTensor{std::move((*outputs)[i])};
  return 0;
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
    if (!dtypeBytes(type) || rank < 0)
      return fail("unknown element type or negative rank");
    return makeTensor(Tensor::create(type, {shape, shape + rank}), tensor);
  });
}

int kilnTensorWrap(KilnDType dtype, int rank, const int64_t *shape,
                   const int64_t *strides, void *data, KilnTensor **tensor) {
  return guarded([&] {
    Tensor made;
    made.dtype = static_cast<DType>(dtype);
    if (!dtypeBytes(made.dtype) || rank < 0)
      return fail("unknown element type or negative rank");
    made.shape.assign(shape, shape + rank);
    made.strides = strides ? std::vector<int64_t>(strides, strides + rank)
                           : rowMajor(made.shape);
    std::optional<int64_t> extent =
        checkedExtent(made.dtype, made.shape, made.strides);
    if (!extent)
      return fail("sizes or strides are negative or too large");
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
