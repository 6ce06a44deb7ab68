// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dlpack PACKAGE near|far: tensors to and from other libraries. The structs are
// written out once more here, as other libraries have them.
#include "kiln-c/Runtime.h"
#include <cstdio>
#include <cstring>
#include <initializer_list>

struct Part {
  void *data;
  int32_t deviceType, deviceNumber;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
struct DLManagedTensor {
  Part tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  Part tensor;
};

namespace {

int failures = 0, deleted = 0;

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

float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
int64_t shape[1] = {4}, stride[1] = {2};

DLManagedTensor plain() {
  return {{data, 1, 0, 1, 2, 32, 1, shape, nullptr, 16},
          nullptr,
          [](DLManagedTensor *) { ++deleted; }};
}
DLManagedTensorVersioned versioned() {
  return {1,       1,
          nullptr, [](DLManagedTensorVersioned *) { ++deleted; },
          0,       plain().tensor};
}

void testHost(KilnSession *session) {
  DLManagedTensor one = plain();
  DLManagedTensorVersioned two = versioned();
  two.tensor.strides = stride;
  KilnTensor *in[2], *out;
  CHECK(!kilnTensorFromDLPack(session, &one, &in[0]));
  CHECK(!kilnTensorFromDLPackVersioned(nullptr, &two, &in[1]));
  CHECK(kilnTensorDType(in[1]) == KILN_DTYPE_F32 && kilnTensorRank(in[1]) == 1);
  CHECK(kilnTensorData(in[0]) == data + 4);
  CHECK(!kilnSessionRun(session, "add", 2, in, 1, &out));
  CHECK(static_cast<float *>(kilnTensorData(out))[3] == 7 + 10);
  kilnTensorDestroy(in[0]);
  CHECK(deleted == 1);
  kilnTensorDestroy(in[1]);
  CHECK(deleted == 2);

  // The other way round; the tensor may go first.
  DLManagedTensor *given;
  DLManagedTensorVersioned *also;
  CHECK(!kilnTensorToDLPack(out, &given));
  CHECK(!kilnTensorToDLPackVersioned(out, &also));
  kilnTensorDestroy(out);
  CHECK(given->tensor.deviceType == 1 && given->tensor.ndim == 1 &&
        given->tensor.shape[0] == 4 && given->tensor.strides[0] == 1 &&
        given->tensor.code == 2 && given->tensor.bits == 32);
  CHECK(static_cast<float *>(given->tensor.data)[3] == 17);
  CHECK(also->major == 1 && also->flags == 0 &&
        also->tensor.data == given->tensor.data);
  given->deleter(given);
  CHECK(static_cast<float *>(also->tensor.data)[3] == 17);
  // It can come back.
  KilnTensor *back;
  CHECK(!kilnTensorFromDLPackVersioned(session, also, &back));
  kilnTensorDestroy(back);
}

void testTypes() {
  KilnTensor *tensor;
  DLManagedTensorVersioned *given;
  DLManagedTensor *old;
  CHECK(!kilnTensorCreate(KILN_DTYPE_F4E2M1FN, 1, shape, &tensor));
  CHECK(!kilnTensorToDLPackVersioned(tensor, &given));
  CHECK(given->flags == 4 && given->tensor.code == 17 &&
        given->tensor.bits == 4);
  given->deleter(given);
  CHECK(failsWith(kilnTensorToDLPack(tensor, &old), "f4E2M1FN in DLPack"));
  kilnTensorDestroy(tensor);
  CHECK(!kilnTensorCreate(KILN_DTYPE_BF16, 1, shape, &tensor));
  CHECK(!kilnTensorToDLPack(tensor, &old));
  CHECK(old->tensor.code == 4 && old->tensor.bits == 16);
  old->deleter(old);
  kilnTensorDestroy(tensor);
  CHECK(!kilnTensorCreate(KILN_DTYPE_I48, 1, shape, &tensor));
  CHECK(failsWith(kilnTensorToDLPack(tensor, &old), "i48 in DLPack"));
  kilnTensorDestroy(tensor);
}

/// What is refused stays the caller's.
void testRefused(KilnSession *session) {
  int before = deleted;
  KilnTensor *tensor;
  DLManagedTensorVersioned wrong = versioned();
  wrong.major = 2;
  CHECK(failsWith(kilnTensorFromDLPackVersioned(session, &wrong, &tensor),
                  "expected DLPack version 1, found version 2"));
  wrong = versioned();
  wrong.tensor.lanes = 4;
  CHECK(failsWith(kilnTensorFromDLPackVersioned(session, &wrong, &tensor),
                  "code 2, 32 bits and 4 lanes"));
  wrong = versioned();
  wrong.tensor.deviceType = 77;
  CHECK(failsWith(kilnTensorFromDLPackVersioned(session, &wrong, &tensor),
                  "no device of the session is DLPack's device 0 of type 77"));
  wrong = versioned();
  wrong.tensor.ndim = 1000;
  CHECK(failsWith(kilnTensorFromDLPackVersioned(session, &wrong, &tensor),
                  "found 1000"));
  CHECK(deleted == before);
  // Memory that must not be written.
  DLManagedTensorVersioned fixed = versioned();
  fixed.flags = 1;
  CHECK(!kilnTensorFromDLPackVersioned(session, &fixed, &tensor));
  KilnTensor *in[] = {tensor, tensor, tensor};
  CHECK(failsWith(kilnSessionRunInto(session, "add", 2, in, 1, &tensor),
                  "forbids to write it"));
  int64_t grid[3] = {1, 1, 1};
  CHECK(failsWith(kilnSessionLaunch(session, "add_kernel", grid, 3, in),
                  "its owner forbids that"));
  kilnTensorDestroy(tensor);
}

/// Memory of a device by its address.
void testDevice(KilnSession *session) {
  int64_t n = 12;
  KilnTensor *host, *there, *again, *out, *back;
  CHECK(!kilnTensorWrap(KILN_DTYPE_F32, 1, &n, nullptr, data, &host));
  CHECK(!kilnSessionUpload(session, host, 0, &there));
  DLManagedTensorVersioned *given;
  CHECK(!kilnTensorToDLPackVersioned(there, &given));
  CHECK(given->tensor.deviceType == 12 && given->tensor.deviceNumber == 0);
  given->tensor.byteOffset = 4;
  given->tensor.shape[0] = 8;
  CHECK(!kilnTensorFromDLPackVersioned(session, given, &again));
  kilnTensorDestroy(there);
  CHECK(kilnTensorIsOnDevice(again));
  KilnTensor *in[] = {again, again};
  CHECK(!kilnSessionRun(session, "add", 2, in, 1, &out));
  CHECK(static_cast<float *>(kilnTensorData(out))[7] == 16);
  CHECK(!kilnSessionDownload(session, again, &back));
  CHECK(static_cast<float *>(kilnTensorData(back))[0] == 1);
  for (KilnTensor *tensor : {host, again, out, back})
    kilnTensorDestroy(tensor);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  KilnPackage *package;
  KilnSession *session;
  if (kilnPackageLoadFile(argv[1], &package) ||
      kilnSessionCreate(package, nullptr, &session)) {
    std::printf("%s\n", kilnLastError());
    return 1;
  }
  testHost(session);
  testTypes();
  testRefused(session);
  if (!std::strcmp(argv[2], "far"))
    testDevice(session);
  kilnSessionDestroy(session);
  kilnPackageDestroy(package);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
