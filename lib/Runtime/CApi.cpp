// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-c/Runtime.h on top of the C++ classes: packages, sessions, entries.
#include "CApi.h"

using namespace kiln::runtime;
using namespace kiln::runtime::capi;

std::string &kiln::runtime::capi::lastError() {
  static thread_local std::string text;
  return text;
}

int kiln::runtime::capi::fail(std::string message) {
  lastError() = std::move(message);
  return 1;
}

int kiln::runtime::capi::isNull(const char *what) {
  return fail(std::string(what) + " is null");
}

const Function *kiln::runtime::capi::find(const KilnSession *session,
                                          const char *entry) {
  if (!session) {
    isNull("the session");
    return nullptr;
  }
  const Function *function = entry ? session->session.lookup(entry) : nullptr;
  if (!function)
    fail("there is no entry '" + std::string(entry ? entry : "") + "'");
  return function;
}

namespace {

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
    std::vector<std::string> devices = made->deviceNames();
    *session = new KilnSession{std::move(*made), std::move(entries),
                               std::move(devices)};
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

size_t kilnSessionNumDevices(const KilnSession *session) {
  return session ? session->devices.size() : 0;
}

const char *kilnSessionDeviceName(const KilnSession *session, size_t device) {
  return session && device < session->devices.size()
             ? session->devices[device].c_str()
             : nullptr;
}

/// Does something with a session that is there.
template <typename Fn> static int withSession(KilnSession *session, Fn body) {
  return guarded([&] {
    if (!session)
      return isNull("the session");
    Error error = body();
    return error ? fail(error.message()) : 0;
  });
}

int kilnSessionSynchronize(KilnSession *session) {
  return withSession(session, [&] { return session->session.synchronize(); });
}

int kilnSessionUseQueue(KilnSession *session, size_t device, void *native) {
  return withSession(session,
                     [&] { return session->session.useQueue(device, native); });
}

int kilnSessionTrim(KilnSession *session) {
  return withSession(session, [&] { return session->session.trim(); });
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

namespace {

template <typename Described>
const char *dimensionName(const std::vector<Described> &all, int index,
                          int dimension) {
  if (index < 0 || size_t(index) >= all.size())
    return nullptr;
  const std::vector<std::string> &dims = all[size_t(index)].dims;
  bool isKnown = dimension >= 0 && size_t(dimension) < dims.size() &&
                 !dims[size_t(dimension)].empty();
  return isKnown ? dims[size_t(dimension)].c_str() : nullptr;
}

} // namespace

const char *kilnEntryDimensionName(const KilnSession *session,
                                   const char *entry, int index,
                                   int dimension) {
  const Function *function = find(session, entry);
  return function ? dimensionName(function->args, index, dimension) : nullptr;
}

const char *kilnEntryResultDimensionName(const KilnSession *session,
                                         const char *entry, int index,
                                         int dimension) {
  const Function *function = find(session, entry);
  return function ? dimensionName(function->results, index, dimension)
                  : nullptr;
}

int kilnEntryArgumentIsUnsigned(const KilnSession *session, const char *entry,
                                int index) {
  const Function *function = find(session, entry);
  return function && index >= 0 && size_t(index) < function->args.size() &&
         function->args[size_t(index)].isUnsigned;
}

int kilnEntryResultIsUnsigned(const KilnSession *session, const char *entry,
                              int index) {
  const Function *function = find(session, entry);
  return function && index >= 0 && size_t(index) < function->results.size() &&
         function->results[size_t(index)].isUnsigned;
}

int kilnEntryArgumentBits(const KilnSession *session, const char *entry,
                          int index) {
  const Function *function = find(session, entry);
  return function && index >= 0 && size_t(index) < function->args.size()
             ? function->args[size_t(index)].bits
             : 0;
}

int kilnEntryResultBits(const KilnSession *session, const char *entry,
                        int index) {
  const Function *function = find(session, entry);
  return function && index >= 0 && size_t(index) < function->results.size()
             ? function->results[size_t(index)].bits
             : 0;
}

int kilnEntryArgumentIsWritten(const KilnSession *session, const char *entry,
                               int index) {
  const Function *function = find(session, entry);
  return function && index >= 0 && size_t(index) < function->args.size() &&
         function->args[size_t(index)].writable;
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
