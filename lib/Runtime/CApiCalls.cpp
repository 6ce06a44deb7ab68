// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-c/Runtime.h: calls and recorded calls.
#include "CApi.h"
#include "kiln/Runtime/Results.h"
#include <algorithm>
#include <chrono>
#include <cstring>

using namespace kiln::runtime;
using namespace kiln::runtime::capi;

namespace {

/// One call: what was asked for, checked and unpacked.
struct Call {
  KilnSession *session;
  const Function *function = nullptr;
  CallOptions options = {};
  std::vector<Tensor> args = {};
  std::vector<Tensor> into = {};
  size_t numResults = 0;
  KilnTensor **results = nullptr;

  int setEntry(const char *entry, bool isKernel);
  int setArguments(size_t count, KilnTensor *const *given);
  int takeLent(const KilnLentTensor *given);
  int setResults(bool areGiven, size_t count, KilnTensor *const *given);
  void give(std::vector<Tensor> outputs);
  int run(CallReport *report = nullptr);
};

int Call::setEntry(const char *entry, bool isKernel) {
  function = find(session, entry);
  if (!function)
    return 1;
  if ((function->kind == Function::Kind::kernel) != isKernel)
    return fail(
        "'" + function->name + "' is a " +
        (isKernel ? "function, not a kernel" : "kernel, which needs a grid"));
  return 0;
}

int Call::setArguments(size_t count, KilnTensor *const *given) {
  if (count && !given)
    return isNull("the list of arguments");
  args.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (!given[i])
      return fail("argument " + std::to_string(i) + " of '" + function->name +
                  "' is null");
    args.push_back(given[i]->tensor);
  }
  return 0;
}

/// Takes what is lent for a call as any other.
int Call::takeLent(const KilnLentTensor *given) {
  for (size_t i = 0; i < function->args.size(); ++i) {
    if (given[i].tensor) {
      args.push_back(given[i].tensor->tensor);
      continue;
    }
    Expected<Tensor> made =
        describeTensor(given[i].dtype, given[i].rank, given[i].shape, nullptr);
    if (!made)
      return fail(made.message());
    made->storage.data = given[i].data;
    args.push_back(std::move(*made));
  }
  return 0;
}

/// Takes the list of results: empty places, or tensors to write to.
int Call::setResults(bool areGiven, size_t count, KilnTensor *const *given) {
  if (count != function->results.size())
    return fail("'" + function->name + "' has " +
                std::to_string(function->results.size()) + " results, room " +
                "for " + std::to_string(count));
  if (count && !given)
    return isNull("the list of results");
  if (areGiven) {
    for (size_t i = 0; i < count; ++i) {
      if (!given[i])
        return fail("result " + std::to_string(i) + " of '" + function->name +
                    "' is null");
      into.push_back(given[i]->tensor);
    }
    options.into = &into;
    return 0;
  }
  numResults = count;
  results = const_cast<KilnTensor **>(given);
  std::fill_n(results, count, nullptr);
  return 0;
}

void Call::give(std::vector<Tensor> outputs) {
  nameUnsigned(*function, outputs);
  for (size_t i = 0; i < numResults; ++i)
    results[i] = new KilnTensor{std::move(outputs[i])};
}

int Call::run(CallReport *report) {
  Expected<std::vector<Tensor>> outputs =
      session->session.call(*function, args, options, report);
  if (!outputs)
    return fail(outputs.message());
  give(std::move(*outputs));
  return 0;
}

/// Takes the memory of a tensor as if it were lent; false when it lies in
/// another way, or a result may keep it.
bool lend(const Argument &arg, const Tensor &tensor, LentTensor &lent) {
  lent = {tensor.data(), tensor.dtype, int(tensor.shape.size()),
          tensor.shape.data()};
  return !tensor.onDevice && tensor.isContiguous() && !arg.writable;
}

/// Takes memory that a caller lends.
int lend(const std::string &function, size_t index, const KilnLentTensor &given,
         LentTensor &lent) {
  auto where = [&] {
    return "argument " + std::to_string(index) + " of '" + function + "': ";
  };
  lent = {given.data, static_cast<DType>(given.dtype), given.rank, given.shape};
  if (given.dtype <= KILN_DTYPE_NONE || given.dtype >= KILN_DTYPE_COUNT)
    return fail(where() + "unknown element type " +
                std::to_string(int(given.dtype)));
  if (given.rank < 0 || given.rank > kMaxRank)
    return fail(where() + "a rank of " + std::to_string(given.rank));
  if (given.rank && !given.shape)
    return fail(where() + "its shape is null");
  bool isEmpty = false;
  for (int d = 0; d < given.rank; ++d) {
    if (given.shape[d] < 0)
      return fail(where() + "a size of " + std::to_string(given.shape[d]));
    isEmpty |= !given.shape[d];
  }
  if (!given.data && !isEmpty)
    return fail(where() + "its memory is null");
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
  KilnCallReport report = {};
  report.structSize = sizeof report;
  report.entry = entry;
  report.seconds = seconds;
  report.arenaBytes = call.arenaBytes;
  report.arenaTensorBytes = call.arenaTensorBytes;
  report.ownBytes = call.ownBytes;
  report.numLaunches = list.size();
  report.launches = list.data();
  report.workspaceBytes = call.workspaceBytes;
  report.onDeviceClock = call.usedDeviceClock;
  options.report(&report, options.reportUser);
}

/// Takes over the options of a caller; those of an older one end earlier.
int setOptions(Call &call, const char *entry, size_t numArguments,
               KilnTensor *const *arguments, size_t numResults,
               KilnTensor **results, const KilnCallOptions *given,
               KilnCallOptions &wanted) {
  if (given)
    std::memcpy(&wanted, given, std::min(given->structSize, sizeof wanted));
  const Function *function = find(call.session, entry);
  if (!function)
    return 1;
  bool isKernel = function->kind == Function::Kind::kernel;
  const int64_t (&grid)[3] = wanted.grid;
  if (!isKernel && (grid[0] || grid[1] || grid[2]))
    return fail("'" + function->name + "' is a function, which has no grid");
  if (isKernel)
    call.options.grid = {grid[0], grid[1], grid[2]};
  call.options.time = wanted.timeKernels != 0;
  call.options.resultsOnDevice = wanted.flags & KILN_CALL_ON_DEVICE;
  call.options.noWait = wanted.flags & KILN_CALL_NO_WAIT;
  if (call.setEntry(entry, isKernel) ||
      call.setResults(wanted.flags & KILN_CALL_INTO, numResults, results))
    return 1;
  return call.setArguments(numArguments, arguments);
}

} // namespace

int kilnSessionRun(KilnSession *session, const char *entry, size_t numArguments,
                   KilnTensor *const *arguments, size_t numResults,
                   KilnTensor **results) {
  return guarded([&] {
    Call call = {session};
    if (call.setEntry(entry, /*isKernel=*/false) ||
        call.setResults(/*areGiven=*/false, numResults, results) ||
        call.setArguments(numArguments, arguments))
      return 1;
    return call.run();
  });
}

int kilnSessionRunLent(KilnSession *session, const char *entry,
                       size_t numArguments, const KilnLentTensor *arguments,
                       size_t numResults, KilnTensor **results) {
  return guarded([&] {
    Call call = {session};
    if (call.setEntry(entry, /*isKernel=*/false) ||
        call.setResults(/*areGiven=*/false, numResults, results))
      return 1;
    if (numArguments && !arguments)
      return isNull("the list of arguments");
    if (numArguments != call.function->args.size())
      return fail("'" + call.function->name + "' takes " +
                  std::to_string(call.function->args.size()) + " arguments, " +
                  std::to_string(numArguments) + " given");
    // Kept for the next call: blocks of this size are what malloc tidies up
    // for.
    thread_local std::vector<LentTensor> kept;
    std::vector<LentTensor> lent = std::move(kept);
    lent.resize(numArguments);
    bool areAllLent = true;
    for (size_t i = 0; i < numArguments; ++i) {
      if (arguments[i].tensor)
        areAllLent &=
            lend(call.function->args[i], arguments[i].tensor->tensor, lent[i]);
      else if (lend(call.function->name, i, arguments[i], lent[i]))
        return 1;
    }
    if (!areAllLent)
      return call.takeLent(arguments) ? 1 : call.run();
    Expected<std::vector<Tensor>> outputs =
        session->session.callLent(*call.function, lent.data(), numArguments);
    kept = std::move(lent);
    if (!outputs)
      return fail(outputs.message());
    call.give(std::move(*outputs));
    return 0;
  });
}

int kilnSessionRunInto(KilnSession *session, const char *entry,
                       size_t numArguments, KilnTensor *const *arguments,
                       size_t numResults, KilnTensor *const *results) {
  return guarded([&] {
    Call call = {session};
    if (call.setEntry(entry, /*isKernel=*/false) ||
        call.setResults(/*areGiven=*/true, numResults, results) ||
        call.setArguments(numArguments, arguments))
      return 1;
    return call.run();
  });
}

int kilnSessionLaunch(KilnSession *session, const char *entry,
                      const int64_t grid[3], size_t numArguments,
                      KilnTensor *const *arguments) {
  return guarded([&] {
    if (!grid)
      return isNull("the grid");
    Call call = {session};
    call.options.grid = {grid[0], grid[1], grid[2]};
    if (call.setEntry(entry, /*isKernel=*/true) ||
        call.setResults(/*areGiven=*/false, 0, nullptr) ||
        call.setArguments(numArguments, arguments))
      return 1;
    return call.run();
  });
}

int kilnSessionCall(KilnSession *session, const char *entry,
                    size_t numArguments, KilnTensor *const *arguments,
                    size_t numResults, KilnTensor **results,
                    const KilnCallOptions *given) {
  return guarded([&] {
    Call call = {session};
    KilnCallOptions wanted = {};
    if (setOptions(call, entry, numArguments, arguments, numResults, results,
                   given, wanted))
      return 1;
    CallReport report;
    auto begin = std::chrono::steady_clock::now();
    int status = call.run(wanted.report ? &report : nullptr);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    if (!status && wanted.report)
      giveReport(entry, report, passed.count(), wanted);
    return status;
  });
}

int kilnSessionRecord(KilnSession *session, const char *entry,
                      size_t numArguments, KilnTensor *const *arguments,
                      size_t numResults, KilnTensor **results,
                      const KilnCallOptions *given,
                      KilnRecordedCall **recorded) {
  return guarded([&] {
    if (!recorded)
      return isNull("the place for the recorded call");
    Call call = {session};
    KilnCallOptions wanted = {};
    if (setOptions(call, entry, numArguments, arguments, numResults, results,
                   given, wanted))
      return 1;
    Expected<Recording> made =
        session->session.record(*call.function, call.args, call.options);
    if (!made)
      return fail(made.message());
    call.give(made->results());
    *recorded = new KilnRecordedCall{std::move(*made)};
    return 0;
  });
}

int kilnRecordedCallReplay(KilnRecordedCall *recorded) {
  return guarded([&] {
    if (!recorded)
      return isNull("the recorded call");
    Error error = recorded->recording.replay();
    return error ? fail(error.message()) : 0;
  });
}

void kilnRecordedCallDestroy(KilnRecordedCall *recorded) { delete recorded; }

/// Takes the list of arguments as addresses on a device.
static int lendAll(const std::string &function, size_t count,
                   const KilnLentTensor *given, std::vector<LentTensor> &lent) {
  if (count && !given)
    return isNull("the list of arguments");
  lent.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (given[i].tensor)
      return fail("argument " + std::to_string(i) + " of '" + function +
                  "': unsupported: a prepared call with a tensor in place of "
                  "an address");
    if (lend(function, i, given[i], lent[i]))
      return 1;
  }
  return 0;
}

int kilnSessionPrepare(KilnSession *session, const char *entry,
                       size_t numArguments, const KilnLentTensor *arguments,
                       KilnPreparedCall **prepared) {
  return guarded([&] {
    if (!prepared)
      return isNull("the place for the prepared call");
    const Function *function = find(session, entry);
    std::vector<LentTensor> lent;
    if (!function || lendAll(function->name, numArguments, arguments, lent))
      return 1;
    Expected<PreparedCall> made =
        session->session.prepare(*function, lent.data(), lent.size());
    if (!made)
      return fail(made.message());
    *prepared = new KilnPreparedCall{std::move(*made)};
    return 0;
  });
}

int kilnPreparedCallFits(const KilnPreparedCall *prepared, size_t numArguments,
                         const KilnLentTensor *arguments) {
  thread_local std::vector<LentTensor> lent;
  // A question is no failure.
  std::string before = lastError();
  bool fits =
      prepared &&
      !guarded([&] { return lendAll("", numArguments, arguments, lent); }) &&
      prepared->call.fits(lent.data(), numArguments);
  lastError() = std::move(before);
  return fits;
}

int kilnPreparedCallResult(const KilnPreparedCall *prepared, size_t index,
                           KilnDType *dtype, int64_t *shape, int capacity) {
  if (!prepared || index >= prepared->call.results().size())
    return -1;
  const PreparedCall::Result &result = prepared->call.results()[index];
  if (dtype)
    *dtype = static_cast<KilnDType>(result.dtype);
  int rank = int(result.shape.size());
  if (shape)
    std::copy_n(result.shape.data(), std::min(rank, std::max(capacity, 0)),
                shape);
  return rank;
}

size_t kilnPreparedCallScratchBytes(const KilnPreparedCall *prepared) {
  return prepared ? size_t(prepared->call.scratchBytes()) : 0;
}

int kilnPreparedCallRun(KilnPreparedCall *prepared, size_t numArguments,
                        const KilnLentTensor *arguments, size_t numResults,
                        void *const *results, void *scratch, void *queue) {
  return guarded([&] {
    if (!prepared)
      return isNull("the prepared call");
    thread_local std::vector<LentTensor> lent;
    if (lendAll("a prepared call", numArguments, arguments, lent))
      return 1;
    if (!prepared->call.fits(lent.data(), numArguments))
      return fail("the arguments are not those that the call was prepared for");
    if (numResults != prepared->call.results().size())
      return fail("a prepared call has " +
                  std::to_string(prepared->call.results().size()) +
                  " results, room for " + std::to_string(numResults));
    if (numResults && !results)
      return isNull("the list of results");
    Error error = prepared->call.run(lent.data(), results, scratch, queue);
    return error ? fail(error.message()) : 0;
  });
}

void kilnPreparedCallDestroy(KilnPreparedCall *prepared) { delete prepared; }
