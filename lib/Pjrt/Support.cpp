// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors, events and element types.
#include "DeviceMemory.h"

using namespace kiln::pjrt;

namespace {

struct TypeRow {
  ElementType type;
  KilnDType dtype;
  size_t bytes;
};

/// Packages have no sign of integers in their types. The first row of a dtype
/// is what results of it are where the package says no more.
constexpr TypeRow rows[] = {
    {ElementType::Pred, KILN_DTYPE_I1, 1},
    {ElementType::S8, KILN_DTYPE_I8, 1},
    {ElementType::S4, KILN_DTYPE_I8, 1},
    {ElementType::S2, KILN_DTYPE_I8, 1},
    {ElementType::S16, KILN_DTYPE_I16, 2},
    {ElementType::S32, KILN_DTYPE_I32, 4},
    {ElementType::S64, KILN_DTYPE_I64, 8},
    {ElementType::U2, KILN_DTYPE_I8, 1},
    {ElementType::U4, KILN_DTYPE_I8, 1},
    {ElementType::U8, KILN_DTYPE_I8, 1},
    {ElementType::U16, KILN_DTYPE_I16, 2},
    {ElementType::U32, KILN_DTYPE_I32, 4},
    {ElementType::U64, KILN_DTYPE_I64, 8},
    {ElementType::F16, KILN_DTYPE_F16, 2},
    {ElementType::BF16, KILN_DTYPE_BF16, 2},
    {ElementType::F32, KILN_DTYPE_F32, 4},
    {ElementType::F64, KILN_DTYPE_F64, 8},
    {ElementType::F8E4M3FN, KILN_DTYPE_F8E4M3FN, 1},
    {ElementType::F8E5M2, KILN_DTYPE_F8E5M2, 1},
    {ElementType::F8E4M3FNUZ, KILN_DTYPE_F8E4M3FNUZ, 1},
    {ElementType::F8E5M2FNUZ, KILN_DTYPE_F8E5M2FNUZ, 1},
    {ElementType::F8E4M3B11FNUZ, KILN_DTYPE_F8E4M3B11FNUZ, 1},
    {ElementType::F8E4M3, KILN_DTYPE_F8E4M3, 1},
    {ElementType::F8E3M4, KILN_DTYPE_F8E3M4, 1},
    {ElementType::F8E8M0FNU, KILN_DTYPE_F8E8M0FNU, 1},
    {ElementType::F4E2M1FN, KILN_DTYPE_F4E2M1FN, 1},
    {ElementType::C64, KILN_DTYPE_F32, 8},
    {ElementType::C128, KILN_DTYPE_F64, 16},
};

const TypeRow *rowOf(ElementType type) {
  for (const TypeRow &row : rows)
    if (row.type == type)
      return &row;
  return nullptr;
}

void destroyError(Args<Error> &args) { delete args.object; }

void errorMessage(TextArgs<const Error> &args) {
  args.first = args.object->message.c_str();
  args.second = args.object->message.size();
}

Error *errorCode(Args<const Error, int32_t> &args) {
  args.first = static_cast<int32_t>(args.object->code);
  return nullptr;
}

Error *destroyEvent(Args<Event> &args) {
  delete args.object;
  return nullptr;
}

Error *isReady(Args<Event, bool> &args) {
  const Event &event = *args.object;
  args.first = !event.memory || event.memory->hasEnded(event.number);
  // Who asks again gets another answer some time.
  if (!args.first)
    event.memory->whenEnded(event.number, [](Error *error) { delete error; });
  return nullptr;
}

/// Waits; the error of the work, if it failed.
Error *await(Args<Event> &args) {
  const Event &event = *args.object;
  return event.memory ? event.memory->wait(event.number) : nullptr;
}

Error *onReady(EventOnReadyArgs &args) {
  const Event &event = *args.event;
  if (!event.memory) {
    args.callback(nullptr, args.user);
    return nullptr;
  }
  event.memory->whenEnded(
      event.number, [callback = args.callback, user = args.user](Error *error) {
        callback(error, user);
      });
  return nullptr;
}

} // namespace

KilnDType kiln::pjrt::dtypeOf(ElementType type) {
  const TypeRow *row = rowOf(type);
  return row ? row->dtype : KILN_DTYPE_NONE;
}

bool kiln::pjrt::isComplex(ElementType type) {
  return type == ElementType::C64 || type == ElementType::C128;
}

ElementType kiln::pjrt::elementTypeOf(KilnDType dtype) {
  for (const TypeRow &row : rows)
    if (row.dtype == dtype)
      return row.type;
  return ElementType::Invalid;
}

ElementType kiln::pjrt::unsignedTypeOf(ElementType type) {
  switch (type) {
  case ElementType::S2:
    return ElementType::U2;
  case ElementType::S4:
    return ElementType::U4;
  case ElementType::S8:
    return ElementType::U8;
  case ElementType::S16:
    return ElementType::U16;
  case ElementType::S32:
    return ElementType::U32;
  case ElementType::S64:
    return ElementType::U64;
  default:
    return type;
  }
}

size_t kiln::pjrt::bytesOf(ElementType type) {
  const TypeRow *row = rowOf(type);
  return row ? row->bytes : 0;
}

Error *kiln::pjrt::runtimeError(const char *doing) {
  return fail(Code::Internal, std::string(doing) + ": " + kilnLastError());
}

Error *kiln::pjrt::makeTensor(ElementType type,
                              const std::vector<int64_t> &sizes,
                              TensorPtr &tensor) {
  KilnDType dtype = dtypeOf(type);
  if (dtype == KILN_DTYPE_NONE)
    return fail(Code::Unimplemented,
                "unsupported: buffers of PJRT's element type " +
                    std::to_string(static_cast<int>(type)));
  std::vector<int64_t> shape = sizes;
  if (isComplex(type))
    shape.push_back(2);
  KilnTensor *made = nullptr;
  if (kilnTensorCreate(dtype, static_cast<int>(shape.size()), shape.data(),
                       &made))
    return runtimeError("cannot make a buffer");
  tensor = TensorPtr(made, TensorDeleter());
  return nullptr;
}

void kiln::pjrt::addSupport(Api &api) {
  // These two return nothing, which a caller of them does not look at.
  api.functions[ErrorDestroy] =
      reinterpret_cast<Entry>(reinterpret_cast<void *>(&destroyError));
  api.functions[ErrorMessage] =
      reinterpret_cast<Entry>(reinterpret_cast<void *>(&errorMessage));
  api.functions[ErrorCode] = entry<Args<const Error, int32_t>, errorCode>;
  api.functions[EventDestroy] = entry<Args<Event>, destroyEvent>;
  api.functions[EventIsReady] = entry<Args<Event, bool>, isReady>;
  api.functions[EventError] = entry<Args<Event>, await>;
  api.functions[EventAwait] = entry<Args<Event>, await>;
  api.functions[EventOnReady] = entry<EventOnReadyArgs, onReady>;
}
