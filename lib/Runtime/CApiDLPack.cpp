// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-c/Runtime.h: tensors of other libraries, by DLPack.
#include "CApi.h"
#include "DLPack.h"
#include "Device.h"

using namespace kiln::runtime;
using namespace kiln::runtime::capi;
using namespace kiln::runtime::dlpack;

namespace {

struct Pair {
  DType dtype;
  uint8_t code;
  uint8_t bits;
};
constexpr Pair kTypes[] = {{DType::i1, kBool, 8},
                           {DType::i4, kInt, 4},
                           {DType::i8, kInt, 8},
                           {DType::i16, kInt, 16},
                           {DType::i32, kInt, 32},
                           {DType::i64, kInt, 64},
                           {DType::u8, kUInt, 8},
                           {DType::u16, kUInt, 16},
                           {DType::u32, kUInt, 32},
                           {DType::u64, kUInt, 64},
                           {DType::f16, kFloat, 16},
                           {DType::bf16, kBfloat, 16},
                           {DType::f32, kFloat, 32},
                           {DType::f64, kFloat, 64},
                           {DType::f8E3M4, kFloat8E3M4, 8},
                           {DType::f8E4M3, kFloat8E4M3, 8},
                           {DType::f8E4M3B11FNUZ, kFloat8E4M3B11FNUZ, 8},
                           {DType::f8E4M3FN, kFloat8E4M3FN, 8},
                           {DType::f8E5M2, kFloat8E5M2, 8},
                           {DType::f8E4M3FNUZ, kFloat8E4M3FNUZ, 8},
                           {DType::f8E5M2FNUZ, kFloat8E5M2FNUZ, 8},
                           {DType::f8E8M0FNU, kFloat8E8M0FNU, 8},
                           {DType::f6E2M3FN, kFloat6E2M3FN, 6},
                           {DType::f6E3M2FN, kFloat6E3M2FN, 6},
                           {DType::f4E2M1FN, kFloat4E2M1FN, 4}};

Expected<DType> dtypeOf(const DataType &type, bool isPadded) {
  std::string name = "the DLPack type of code " + std::to_string(type.code) +
                     ", " + std::to_string(type.bits) + " bits and " +
                     std::to_string(type.lanes) + " lanes";
  for (const Pair &pair : kTypes)
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1) {
      if (type.bits < 8 && !isPadded)
        return Error("unsupported: " + name + ", several elements to a byte");
      return pair.dtype;
    }
  return Error("unsupported: " + name);
}

/// The tensor that others describe; `owner` calls their deleter.
Expected<Tensor> import(KilnSession *session, const DLTensor &from,
                        uint64_t flags, std::shared_ptr<void> owner) {
  Expected<DType> dtype = dtypeOf(from.dtype, flags & kPaddedSubBytes);
  if (!dtype)
    return dtype.takeError();
  if (!from.shape && from.ndim > 0)
    return Error("the shape is null");
  Expected<Tensor> made = describeTensor(static_cast<KilnDType>(*dtype),
                                         from.ndim, from.shape, from.strides);
  if (!made)
    return made;
  if (!from.data && made->storage.bytes)
    return Error("the tensor's memory is null");
  made->isReadonly = flags & kReadOnly;
  char *data = static_cast<char *>(from.data) + from.byteOffset;
  if (from.device.type == kHost) {
    made->storage.data = data;
    made->storage.owner = std::move(owner);
    return made;
  }
  for (size_t d = 0; session && d < session->devices.size(); ++d) {
    auto [type, number] = session->session.dlpackDevice(d);
    if (!type || int32_t(type) != from.device.type ||
        number != from.device.number)
      continue;
    Expected<Tensor> there = session->session.importAddress(
        *dtype, made->shape, made->strides, reinterpret_cast<uintptr_t>(data),
        std::move(owner), d);
    if (there)
      there->isReadonly = made->isReadonly;
    return there;
  }
  return Error("no device of the session is DLPack's device " +
               std::to_string(from.device.number) + " of type " +
               std::to_string(from.device.type));
}

/// Both forms: takes over on success only.
template <typename Managed>
int importManaged(KilnSession *session, Managed *managed, uint64_t flags,
                  KilnTensor **tensor) {
  // Until the tensor is there, the deleter is not to be called.
  auto isTaken = std::make_shared<bool>(false);
  std::shared_ptr<void> owner(managed, [isTaken](void *pointer) {
    auto *taken = static_cast<Managed *>(pointer);
    if (*isTaken && taken->deleter)
      taken->deleter(taken);
  });
  Expected<Tensor> made =
      import(session, managed->tensor, flags, std::move(owner));
  if (!made)
    return fail(made.message());
  *tensor = new KilnTensor{std::move(*made)};
  *isTaken = true;
  return 0;
}

/// What an exported tensor keeps.
template <typename Managed> struct Exported {
  Managed managed = {};
  Tensor tensor;
};

template <typename Managed> void deleteExported(Managed *self) {
  delete static_cast<Exported<Managed> *>(self->context);
}

template <typename Managed>
int exportManaged(const KilnTensor *from, bool takesPadded, Managed **managed) {
  auto made = std::make_unique<Exported<Managed>>();
  made->tensor = from->tensor;
  Tensor &tensor = made->tensor;
  DLTensor &to = made->managed.tensor;
  for (const Pair &pair : kTypes)
    if (pair.dtype == tensor.dtype)
      to.dtype = {pair.code, pair.bits, 1};
  if (!to.dtype.lanes || (to.dtype.bits < 8 && !takesPadded))
    return fail("unsupported: elements of type " +
                std::string(dtypeName(tensor.dtype)) + " in DLPack" +
                (to.dtype.lanes ? " without a version" : ""));
  to.device = {kHost, 0};
  to.data = tensor.data();
  if (tensor.onDevice) {
    Device &device = *tensor.onDevice->device;
    to.device = {int32_t(device.properties().dlpackType),
                 device.properties().dlpackNumber};
    if (!to.device.type)
      return fail("device '" + device.name() + "' is not known to DLPack");
    Expected<uint64_t> address = device.exportAddress(*tensor.onDevice);
    if (!address)
      return fail(address.message());
    int64_t begin = tensor.offset * dtypeBytes(tensor.dtype);
    to.data = reinterpret_cast<void *>(*address + uint64_t(begin));
  }
  to.ndim = int32_t(tensor.shape.size());
  to.shape = tensor.shape.data();
  to.strides = tensor.strides.data();
  made->managed.context = made.get();
  made->managed.deleter = deleteExported<Managed>;
  *managed = &made.release()->managed;
  return 0;
}

} // namespace

int kilnTensorFromDLPack(KilnSession *session, DLManagedTensor *managed,
                         KilnTensor **tensor) {
  return guarded([&] {
    if (!managed || !tensor)
      return isNull(managed ? "the place for the tensor"
                            : "the tensor of DLPack");
    return importManaged(session, managed, 0, tensor);
  });
}

int kilnTensorFromDLPackVersioned(KilnSession *session,
                                  DLManagedTensorVersioned *managed,
                                  KilnTensor **tensor) {
  return guarded([&] {
    if (!managed || !tensor)
      return isNull(managed ? "the place for the tensor"
                            : "the tensor of DLPack");
    if (managed->version.major != 1)
      return fail("expected DLPack version 1, found version " +
                  std::to_string(managed->version.major));
    return importManaged(session, managed, managed->flags, tensor);
  });
}

int kilnTensorToDLPack(const KilnTensor *tensor, DLManagedTensor **managed) {
  return guarded([&] {
    if (!tensor || !managed)
      return isNull(tensor ? "the place for the tensor of DLPack"
                           : "the tensor");
    if (tensor->tensor.isReadonly)
      return fail("unsupported: a tensor that must not be written in DLPack "
                  "without a version");
    return exportManaged(tensor, /*takesPadded=*/false, managed);
  });
}

int kilnTensorToDLPackVersioned(const KilnTensor *tensor,
                                DLManagedTensorVersioned **managed) {
  return guarded([&] {
    if (!tensor || !managed)
      return isNull(tensor ? "the place for the tensor of DLPack"
                           : "the tensor");
    int status = exportManaged(tensor, /*takesPadded=*/true, managed);
    if (status)
      return status;
    (*managed)->version = {1, 1};
    (*managed)->flags = 0;
    if (tensor->tensor.isReadonly)
      (*managed)->flags |= kReadOnly;
    if (dtypeBits(tensor->tensor.dtype) < 8 &&
        tensor->tensor.dtype != DType::i1)
      (*managed)->flags |= kPaddedSubBytes;
    return 0;
  });
}
