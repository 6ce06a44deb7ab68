// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-c/Runtime.h: tensors.
#include "CApi.h"
#include "kiln/Runtime/Npy.h"

using namespace kiln::runtime;
using namespace kiln::runtime::capi;

namespace {

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

/// Calls the caller's function with the last user of the memory, once.
std::shared_ptr<void> ownerOf(void *data, KilnRelease release, void *user) {
  // An empty tensor may have no memory, and yet an end.
  static char none;
  struct Once {
    KilnRelease release = nullptr;
    void *user = nullptr;
    ~Once() {
      if (release)
        release(user);
    }
  };
  auto held = std::make_shared<Once>();
  held->release = release;
  held->user = user;
  return std::shared_ptr<void>(held, data ? data : &none);
}

} // namespace

int kiln::runtime::capi::makeTensor(Expected<Tensor> made,
                                    KilnTensor **tensor) {
  if (!made)
    return fail(made.message());
  *tensor = new KilnTensor{std::move(*made)};
  return 0;
}

Expected<Tensor> kiln::runtime::capi::describeTensor(KilnDType dtype, int rank,
                                                     const int64_t *shape,
                                                     const int64_t *strides) {
  Tensor made;
  made.dtype = static_cast<DType>(dtype);
  if (!isTensorType(made.dtype, rank, shape))
    return Error(lastError());
  made.shape.assign(shape, shape + rank);
  made.strides = strides ? std::vector<int64_t>(strides, strides + rank)
                         : rowMajor(made.shape);
  for (int d = 0; d < rank; ++d)
    if (made.strides[size_t(d)] < 0)
      return Error("expected strides of at least 0, found " +
                   std::to_string(strides[d]) + " for dimension " +
                   std::to_string(d));
  std::optional<int64_t> extent =
      checkedExtent(made.dtype, made.shape, made.strides);
  if (!extent)
    return Error("a tensor of type " + typeString(made.dtype, made.shape) +
                 " with these strides is too large");
  made.storage.bytes = size_t(*extent);
  return made;
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
  return kilnTensorImport(dtype, rank, shape, strides, data, nullptr, nullptr,
                          tensor);
}

int kilnTensorImport(KilnDType dtype, int rank, const int64_t *shape,
                     const int64_t *strides, void *data, KilnRelease release,
                     void *user, KilnTensor **tensor) {
  return guarded([&] {
    if (!tensor || (!shape && rank > 0))
      return isNull(tensor ? "the shape" : "the place for the tensor");
    Expected<Tensor> made = describeTensor(dtype, rank, shape, strides);
    if (!made)
      return fail(made.message());
    if (!data && made->storage.bytes)
      return isNull("the tensor's memory");
    made->storage.data = data;
    auto created = std::make_unique<KilnTensor>(KilnTensor{std::move(*made)});
    if (release)
      created->tensor.storage.owner = ownerOf(data, release, user);
    *tensor = created.release();
    return 0;
  });
}

int kilnSessionUpload(KilnSession *session, const KilnTensor *tensor,
                      size_t device, KilnTensor **uploaded) {
  return guarded([&] {
    if (!session || !tensor || !uploaded)
      return isNull(!session  ? "the session"
                    : !tensor ? "the tensor"
                              : "the place for the tensor");
    return makeTensor(session->session.upload(tensor->tensor, device),
                      uploaded);
  });
}

int kilnSessionDownload(KilnSession *session, const KilnTensor *tensor,
                        KilnTensor **downloaded) {
  return guarded([&] {
    if (!session || !tensor || !downloaded)
      return isNull(!session  ? "the session"
                    : !tensor ? "the tensor"
                              : "the place for the tensor");
    return makeTensor(session->session.download(tensor->tensor), downloaded);
  });
}

int kilnSessionAllocate(KilnSession *session, size_t device, KilnDType dtype,
                        int rank, const int64_t *shape, KilnTensor **tensor) {
  return guarded([&] {
    if (!session || !tensor || (!shape && rank > 0))
      return isNull(!session  ? "the session"
                    : !tensor ? "the place for the tensor"
                              : "the shape");
    auto type = static_cast<DType>(dtype);
    if (!isTensorType(type, rank, shape))
      return 1;
    return makeTensor(
        session->session.allocate(type, {shape, shape + rank}, device), tensor);
  });
}

int kilnSessionCopy(KilnSession *session, const KilnTensor *from,
                    const KilnTensor *to) {
  return guarded([&] {
    if (!session || !from || !to)
      return isNull(session ? "the tensor" : "the session");
    Error error = session->session.copy(from->tensor, to->tensor);
    return error ? fail(error.message()) : 0;
  });
}

int kilnSessionAdopt(KilnSession *session, size_t device,
                     const KilnTensor *tensor, KilnTensor **adopted) {
  return guarded([&] {
    if (!session || !tensor || !adopted)
      return isNull(!session  ? "the session"
                    : !tensor ? "the tensor"
                              : "the place for the tensor");
    return makeTensor(session->session.adopt(tensor->tensor, device), adopted);
  });
}

int kilnSessionQueue(KilnSession *session, size_t device, void **native) {
  return guarded([&] {
    if (!session || !native)
      return isNull(session ? "the place for the queue" : "the session");
    Expected<void *> queue = queueOf(session->session, device);
    if (!queue)
      return fail(queue.message());
    *native = *queue;
    return 0;
  });
}

int kilnTensorAddress(const KilnTensor *tensor, void **address) {
  return guarded([&] {
    if (!tensor || !address)
      return isNull(tensor ? "the place for the address" : "the tensor");
    Expected<uint64_t> found = addressOf(tensor->tensor);
    if (!found)
      return fail(found.message());
    *address = reinterpret_cast<void *>(static_cast<uintptr_t>(*found));
    return 0;
  });
}

int kilnSessionWorksInHostMemory(const KilnSession *session, size_t device) {
  return session && session->session.runsOnHost(device);
}

int kilnTensorIsOnDevice(const KilnTensor *tensor) {
  return tensor && tensor->tensor.onDevice;
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
    if (tensor->tensor.onDevice)
      return fail("the tensor is on a device: expected one on the host");
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
