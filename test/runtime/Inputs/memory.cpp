// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memory PACKAGE near|far: where tensors live, through the C interface. "far"
// is a device whose memory the host cannot see, with a log of its calls.
#include "kiln-c/Runtime.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

int failures = 0;
bool isFar = false;

void check(bool holds, const char *what, int line) {
  if (holds)
    return;
  ++failures;
  std::printf("line %d: %s (%s)\n", line, what, kilnLastError());
}
#define CHECK(X) check(bool(X), #X, __LINE__)

bool failsWith(int status, const char *part) {
  return status && std::strstr(kilnLastError(), part);
}

/// The lines of the log since it was asked for last.
std::string logged() {
  static size_t seen = 0;
  const char *path = getenv("FAKE_LOG");
  std::stringstream text;
  text << std::ifstream(path ? path : "").rdbuf();
  std::string fresh = text.str().substr(seen);
  seen += fresh.size();
  return fresh;
}

size_t count(const std::string &text, const char *part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at)
    ++found;
  return found;
}

KilnTensor *wrap(float *data, int64_t n, const int64_t *stride = nullptr) {
  KilnTensor *tensor = nullptr;
  CHECK(!kilnTensorWrap(KILN_DTYPE_F32, 1, &n, stride, data, &tensor));
  return tensor;
}

float at(const KilnTensor *tensor, int i) {
  return static_cast<const float *>(kilnTensorData(tensor))[i];
}

alignas(64) float a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
alignas(64) float b[8] = {10, 10, 10, 10, 10, 10, 10, 10};
alignas(64) float c[16];

/// Results go where the caller wants them.
void testInto(KilnSession *session) {
  KilnTensor *in[] = {wrap(a, 8), wrap(b, 8)}, *out = wrap(c, 8);
  logged();
  CHECK(!kilnSessionRunInto(session, "add", 2, in, 1, &out));
  CHECK(c[0] == 10 && c[7] == 17);
  std::string log = logged();
  if (isFar) // two copies there, one back, and no wait between them
    CHECK(count(log, "copyIn") == 2 && count(log, "copyOut") == 1 &&
          count(log, "synchronize") == 1 && count(log, "allocate") == 3);
  CHECK(!kilnSessionRunInto(session, "add", 2, in, 1, &out));
  if (isFar) // memory is used again
    CHECK(count(logged(), "allocate") == 0);
  // Into an argument, and with strides.
  CHECK(!kilnSessionRunInto(session, "add", 2, in, 1, &in[1]));
  CHECK(b[0] == 10 && b[7] == 17);
  CHECK(!kilnSessionRunInto(session, "add", 2, in, 1, &in[1]));
  CHECK(b[0] == 10 && b[7] == 24);
  for (float &value : b)
    value = 10;
  int64_t two = 2;
  KilnTensor *wide = wrap(c, 8, &two);
  std::memset(c, 0, sizeof c);
  CHECK(!kilnSessionRunInto(session, "add", 2, in, 1, &wide));
  CHECK(c[0] == 10 && c[1] == 0 && c[14] == 17 && c[15] == 0);
  // At an address of no particular alignment.
  KilnTensor *odd = wrap(c + 1, 8);
  CHECK(!kilnSessionRunInto(session, "add", 2, in, 1, &odd));
  CHECK(c[1] == 10 && c[8] == 17);
  KilnTensor *small = wrap(c, 7);
  CHECK(failsWith(kilnSessionRunInto(session, "add", 2, in, 1, &small),
                  "result 0 of 'add': the tensor for it is 7xf32, the result "
                  "8xf32"));
  CHECK(failsWith(kilnSessionRunInto(session, "add", 2, in, 0, &small),
                  "has 1 results, room for 0"));
  for (KilnTensor *tensor : {in[0], in[1], out, wide, odd, small})
    kilnTensorDestroy(tensor);
}

void count(void *user) { ++*static_cast<int *>(user); }

/// Memory of the caller with an end.
void testImport(KilnSession *session) {
  int64_t n = 8;
  int released = 0;
  KilnTensor *in[2], *out;
  CHECK(!kilnTensorImport(KILN_DTYPE_F32, 1, &n, nullptr, a, count, &released,
                          &in[0]));
  in[1] = wrap(b, 8);
  CHECK(!kilnSessionRun(session, "add", 2, in, 1, &out));
  kilnTensorDestroy(in[0]);
  CHECK(released == 1 && at(out, 7) == 17);
  n = -1;
  CHECK(kilnTensorImport(KILN_DTYPE_F32, 1, &n, nullptr, a, count, &released,
                         &in[0]));
  CHECK(released == 1);
  kilnTensorDestroy(in[1]);
  kilnTensorDestroy(out);
  // A dropped result is the memory of the next.
  in[0] = wrap(a, 8), in[1] = wrap(b, 8);
  CHECK(!kilnSessionRun(session, "add", 2, in, 1, &out));
  void *first = kilnTensorData(out);
  kilnTensorDestroy(out);
  CHECK(!kilnSessionRun(session, "add", 2, in, 1, &out));
  CHECK(kilnTensorData(out) == first);
  kilnTensorDestroy(out);
  CHECK(!kilnSessionTrim(session));
  CHECK(!kilnSessionRun(session, "add", 2, in, 1, &out) && at(out, 0) == 10);
  for (KilnTensor *tensor : {in[0], in[1], out})
    kilnTensorDestroy(tensor);
}

/// Nothing is copied between calls whose tensors stay on the device.
void testOnDevice(KilnSession *session) {
  KilnTensor *host[] = {wrap(a, 8), wrap(b, 8)}, *in[2], *mid, *out, *back;
  CHECK(!kilnSessionUpload(session, host[0], 0, &in[0]));
  CHECK(!kilnSessionUpload(session, host[1], 0, &in[1]));
  CHECK(kilnTensorIsOnDevice(in[0]) && !kilnTensorData(in[0]));
  KilnCallOptions options = {};
  options.structSize = sizeof options;
  options.flags = KILN_CALL_ON_DEVICE | KILN_CALL_NO_WAIT;
  logged();
  CHECK(!kilnSessionCall(session, "add", 2, in, 1, &mid, &options));
  KilnTensor *again[] = {mid, in[1]};
  CHECK(!kilnSessionCall(session, "add", 2, again, 1, &out, &options));
  std::string log = logged();
  if (isFar)
    CHECK(count(log, "copy") == 0 && count(log, "synchronize") == 0 &&
          count(log, "execute add") == 2);
  CHECK(kilnTensorIsOnDevice(out) == isFar);
  CHECK(!kilnSessionSynchronize(session));
  CHECK(!kilnSessionDownload(session, out, &back));
  CHECK(at(back, 0) == 20 && at(back, 7) == 27);
  kilnTensorDestroy(out);
  // Into a tensor that is there, twice.
  options.flags = KILN_CALL_INTO | KILN_CALL_NO_WAIT;
  logged();
  for (int i = 0; i < 2; ++i)
    CHECK(!kilnSessionCall(session, "add", 2, in, 1, &mid, &options));
  log = logged();
  if (isFar)
    CHECK(count(log, "copy") == 0 && count(log, "synchronize") == 0 &&
          count(log, "execute add") == 2);
  options.flags = KILN_CALL_INTO;
  CHECK(!kilnSessionCall(session, "add", 2, in, 1, &mid, &options));
  kilnTensorDestroy(back);
  CHECK(!kilnSessionDownload(session, mid, &back) && at(back, 7) == 17);
  for (KilnTensor *tensor : {host[0], host[1], in[0], in[1], mid, back})
    kilnTensorDestroy(tensor);
}

/// A call of tensors on devices that is recorded not to be waited for.
void testReplayWithoutWait(KilnSession *session) {
  KilnTensor *host[] = {wrap(a, 8), wrap(b, 8)}, *in[2], *out, *back;
  for (int i = 0; i < 2; ++i)
    CHECK(!kilnSessionUpload(session, host[i], 0, &in[i]));
  KilnCallOptions options = {};
  options.structSize = sizeof options;
  options.flags = KILN_CALL_ON_DEVICE | KILN_CALL_NO_WAIT;
  KilnRecordedCall *recorded;
  CHECK(
      !kilnSessionRecord(session, "add", 2, in, 1, &out, &options, &recorded));
  logged();
  CHECK(!kilnRecordedCallReplay(recorded) && !kilnRecordedCallReplay(recorded));
  std::string log = logged();
  if (isFar)
    CHECK(count(log, "replay") == 2 && count(log, "synchronize") == 0);
  CHECK(!kilnSessionSynchronize(session));
  CHECK(!kilnSessionDownload(session, out, &back) && at(back, 7) == 17);
  kilnTensorDestroy(back);
  // Nothing is under way any more when its memory goes.
  CHECK(!kilnRecordedCallReplay(recorded));
  logged();
  kilnRecordedCallDestroy(recorded);
  if (isFar)
    CHECK(count(logged(), "synchronize") == 1);
  for (KilnTensor *tensor : {host[0], host[1], in[0], in[1], out})
    kilnTensorDestroy(tensor);
}

/// A recorded call reads and writes the same memory again.
void testRecording(KilnSession *session) {
  KilnTensor *in[] = {wrap(a, 8), wrap(b, 8)}, *out;
  KilnRecordedCall *recorded;
  logged();
  CHECK(!kilnSessionRecord(session, "add", 2, in, 1, &out, nullptr, &recorded));
  CHECK(at(out, 7) == 17);
  a[7] = 100;
  CHECK(!kilnRecordedCallReplay(recorded));
  CHECK(at(out, 7) == 110 && at(out, 0) == 10);
  a[7] = 7;
  CHECK(!kilnRecordedCallReplay(recorded) && at(out, 7) == 17);
  std::string log = logged();
  if (isFar)
    CHECK(count(log, "beginRecording") == 1 && count(log, "replay") == 2 &&
          log.find("beginRecording\ncopyIn 32\ncopyIn 32\nexecute add") !=
              log.npos);
  kilnRecordedCallDestroy(recorded);
  kilnTensorDestroy(out);
  // A loop whose length the contents of a tensor decide.
  int32_t times = 3;
  int64_t one = 1;
  KilnTensor *chain[] = {in[0], nullptr}, *outs[2];
  CHECK(!kilnTensorWrap(KILN_DTYPE_I32, 1, &one, nullptr, &times, &chain[1]));
  CHECK(failsWith(kilnSessionRecord(session, "chain", 2, chain, 2, outs,
                                    nullptr, &recorded),
                  "depends on the contents of tensors"));
  for (KilnTensor *tensor : {in[0], in[1], chain[1]})
    kilnTensorDestroy(tensor);
}

void testQueue(KilnSession *session) {
  int queue = 0;
  CHECK(kilnSessionNumDevices(session) == 1);
  CHECK(kilnSessionDeviceName(session, 0) &&
        !kilnSessionDeviceName(session, 1));
  if (!isFar) {
    CHECK(failsWith(kilnSessionUseQueue(session, 0, &queue),
                    "cannot work in queues of others"));
    return;
  }
  logged();
  CHECK(!kilnSessionUseQueue(session, 0, &queue));
  CHECK(logged() == "importQueue\n");
  CHECK(!kilnSessionUseQueue(session, 0, nullptr));
  CHECK(failsWith(kilnSessionUseQueue(session, 1, nullptr), "device 1 of 1"));
}

alignas(64) float d[16];
alignas(64) char scratch[4096];
int queue = 0; ///< whose address is that of a queue

KilnLentTensor lent(const void *data, const int64_t *shape) {
  return {const_cast<void *>(data), KILN_DTYPE_F32, 1, shape, nullptr};
}

/// Calls in memory of the caller alone.
void testPrepared(KilnSession *session) {
  int64_t n = 8, four = 4, none = 0, sizes[] = {0};
  KilnLentTensor in[] = {lent(a, &n), lent(b, &n)};
  KilnPreparedCall *add, *empty;
  if (!isFar) {
    CHECK(failsWith(kilnSessionPrepare(session, "add", 2, in, &add),
                    "which does not run on one device with memory of its own"));
    return;
  }
  void *out[] = {c, d};
  logged();
  CHECK(!kilnSessionPrepare(session, "add", 2, in, &add));
  CHECK(logged() == "" && kilnPreparedCallScratchBytes(add) == 0);
  KilnDType type = KILN_DTYPE_NONE;
  CHECK(kilnPreparedCallResult(add, 0, &type, sizes, 1) == 1 && sizes[0] == 8 &&
        type == KILN_DTYPE_F32);
  CHECK(kilnPreparedCallResult(add, 1, nullptr, nullptr, 0) == -1);
  // With other memory each time; what is queued runs at once in this queue.
  for (int i = 0; i < 2; ++i) {
    std::memset(c, 0, sizeof c), std::memset(d, 0, sizeof d);
    in[0] = lent(i ? b : a, &n);
    CHECK(!kilnPreparedCallRun(add, 2, in, 1, out + i, nullptr, &queue));
    CHECK((i ? d : c)[7] == (i ? 20 : 17) && (i ? c : d)[7] == 0);
  }
  CHECK(logged() == "importQueue\nexecute add over 2\nexecute add over 2\n");
  // In the session's own, which runs when it is waited for.
  in[0] = lent(a, &n);
  std::memset(c, 0, sizeof c);
  CHECK(!kilnPreparedCallRun(add, 2, in, 1, out, nullptr, nullptr));
  CHECK(c[7] == 0 && !kilnSessionSynchronize(session) && c[7] == 17);
  // Other places within 64 bytes, shapes and types.
  CHECK(kilnPreparedCallFits(add, 2, in) && !kilnPreparedCallFits(add, 1, in));
  KilnLentTensor others[] = {lent(c + 4, &n), lent(a, &four), in[0]};
  others[2].dtype = KILN_DTYPE_I32;
  for (const KilnLentTensor &other : others) {
    KilnLentTensor given[] = {other, in[1]};
    CHECK(!kilnPreparedCallFits(add, 2, given));
    CHECK(failsWith(kilnPreparedCallRun(add, 2, given, 1, out, nullptr, &queue),
                    "not those that the call was prepared for"));
  }
  void *odd[] = {c + 1};
  CHECK(failsWith(kilnPreparedCallRun(add, 2, in, 1, odd, nullptr, &queue),
                  "result 0 of a prepared call has to begin at a multiple"));
  CHECK(failsWith(kilnPreparedCallRun(add, 2, in, 2, out, nullptr, &queue),
                  "has 1 results, room for 2"));
  kilnPreparedCallDestroy(add);
  // Nothing to do.
  KilnLentTensor nothing[] = {lent(nullptr, &none), lent(nullptr, &none)};
  void *nowhere[] = {nullptr};
  CHECK(!kilnSessionPrepare(session, "add", 2, nothing, &empty));
  CHECK(!kilnPreparedCallRun(empty, 2, nothing, 1, nowhere, nullptr, &queue));
  kilnPreparedCallDestroy(empty);
}

/// The arena, memory that is filled, and a result that is copied: all of it is
/// memory of the caller.
void testPreparedScratch(KilnSession *session) {
  if (!isFar)
    return;
  int64_t n = 8;
  void *out[] = {c, d};
  KilnLentTensor in[] = {lent(a, &n), lent(b, &n)};
  KilnPreparedCall *steps;
  CHECK(!kilnSessionPrepare(session, "steps", 1, in, &steps));
  CHECK(kilnPreparedCallScratchBytes(steps) == 512);
  CHECK(failsWith(kilnPreparedCallRun(steps, 1, in, 2, out, nullptr, &queue),
                  "the scratch memory of a prepared call"));
  logged();
  CHECK(!kilnPreparedCallRun(steps, 1, in, 2, out, scratch, &queue));
  CHECK(c[1] == 4 && c[7] == 28 && d[1] == 2 && d[7] == 14);
  CHECK(logged() == "execute add over 2\nexecute scale over 2\nfill 32\n"
                    "execute add over 2\ncopy 32\n");
  CHECK(!kilnPreparedCallRun(steps, 1, in + 1, 2, out, scratch, &queue));
  CHECK(c[0] == 20 && c[7] == 34);
  kilnPreparedCallDestroy(steps);
  CHECK(failsWith(kilnSessionPrepare(session, "chain", 2, in, &steps),
                  "whose course depends on more than the shapes"));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  isFar = !std::strcmp(argv[2], "far");
  KilnPackage *package;
  KilnSession *session, *other;
  if (kilnPackageLoadFile(argv[1], &package) ||
      kilnSessionCreate(package, nullptr, &session)) {
    std::printf("%s\n", kilnLastError());
    return 1;
  }
  testInto(session);
  testImport(session);
  testOnDevice(session);
  testRecording(session);
  testReplayWithoutWait(session);
  testQueue(session);
  testPrepared(session);
  testPreparedScratch(session);
  // A tensor outlives its session; another session does not take it.
  KilnTensor *host = wrap(a, 8), *there, *out;
  CHECK(!kilnSessionUpload(session, host, 0, &there));
  CHECK(!kilnSessionCreate(package, nullptr, &other));
  KilnTensor *in[] = {there, there};
  CHECK(failsWith(kilnSessionRun(other, "add", 2, in, 1, &out),
                  "on a device of another session"));
  kilnSessionDestroy(session);
  kilnTensorDestroy(there);
  kilnTensorDestroy(host);
  kilnSessionDestroy(other);
  kilnPackageDestroy(package);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
