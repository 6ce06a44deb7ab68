// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes into a call and what comes out of it.
#include "Interpreter.h"
#include <cstring>
#include <set>

using namespace kiln::runtime;

Error Interpreter::checkArgument(size_t index, DType dtype,
                                 const std::vector<int64_t> &shape) const {
  const Argument &arg = function.args[index];
  bool fits = dtype == arg.dtype && shape.size() == arg.shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = arg.shape[d] == kDynamic || arg.shape[d] == shape[d];
  if (fits)
    return Error::success();
  return Error("argument " + std::to_string(index) +
               (arg.name.empty() ? "" : " ('" + arg.name + "')") + " of '" +
               function.name + "': expected " +
               typeString(arg.dtype, arg.shape) + ", found " +
               typeString(dtype, shape));
}

Expected<std::shared_ptr<DeviceBuffer>>
Interpreter::place(int32_t index, const Storage &storage) {
  std::shared_ptr<DeviceBuffer> &buffer = placed[{index, storage.data}];
  if (buffer)
    return buffer;
  Device &on = device(index);
  if (on.importsHost()) {
    auto imported = on.import(storage.data, storage.bytes, storage.owner);
    if (imported)
      buffer = *imported;
    return imported;
  }
  auto allocated = on.allocate(storage.bytes);
  if (!allocated)
    return allocated;
  if (Error error = on.copyIn(**allocated, 0, storage.data, storage.bytes))
    return error;
  buffer = *allocated;
  return buffer;
}

Error Interpreter::bindArgument(size_t index, const Tensor &given) {
  const Argument &arg = function.args[index];
  if (Error error = checkArgument(index, given.dtype, given.shape))
    return error;
  std::string where =
      "argument " + std::to_string(index) + " of '" + function.name + "': ";
  std::optional<int64_t> extent =
      checkedExtent(given.dtype, given.shape, given.strides);
  int64_t begin = given.offset * dtypeBytes(given.dtype);
  if (!extent || begin < 0 || begin > int64_t(given.storage.bytes) ||
      *extent > int64_t(given.storage.bytes) - begin)
    return Error(where + "its elements reach outside of its storage");
  if (arg.isScalar) {
    uint64_t bits = 0;
    std::memcpy(&bits, given.data(), size_t(dtypeBytes(given.dtype)));
    // Integers keep their sign, so that the program can compute with them.
    regs[size_t(arg.reg)] =
        isFloat(given.dtype) ? int64_t(bits) : loadAsInt(given.dtype, &bits, 0);
    return Error::success();
  }
  Tensor tensor = given;
  auto address = reinterpret_cast<uintptr_t>(tensor.data());
  bool isAligned = address % uint64_t(arg.align) == 0;
  bool hasStrides = arg.strided || tensor.isContiguous();
  if (!isAligned || !hasStrides) {
    if (arg.writable)
      return Error(where + (isAligned
                                ? "it is written and has to be contiguous"
                                : "it is written and its address has to be a "
                                  "multiple of " +
                                      std::to_string(arg.align) + " bytes"));
    Expected<Tensor> packed = tensor.contiguous();
    if (!packed)
      return packed.takeError();
    if (!isAligned && packed->storage.data == tensor.storage.data) {
      packed = Tensor::create(tensor.dtype, tensor.shape, /*zeroed=*/false);
      if (!packed)
        return packed.takeError();
      std::memcpy(packed->data(), tensor.data(), size_t(*extent));
    }
    tensor = *packed;
    begin = 0;
    extent = tensor.numElements() * dtypeBytes(tensor.dtype);
  }
  BufferValue value;
  value.isSet = true;
  value.device = arg.device;
  value.dtype = tensor.dtype;
  value.sizes = tensor.shape;
  // Unit dimensions may carry any stride; give the canonical one.
  value.strides = tensor.isContiguous() && !arg.strided ? rowMajor(tensor.shape)
                                                        : tensor.strides;
  value.begin = value.regionBegin = begin;
  value.regionEnd = begin + *extent;
  if (!isDry()) {
    auto memory = place(arg.device, tensor.storage);
    if (!memory)
      return memory.takeError();
    value.memory = *memory;
  }
  bufs[size_t(arg.reg)] = std::move(value);
  return Error::success();
}

/// Copies what a device without access to host memory has written.
Error Interpreter::takeBack(const std::vector<Tensor> &args) {
  std::set<DeviceBuffer *> done;
  for (size_t i = 0; i < args.size(); ++i) {
    const Argument &arg = function.args[i];
    if (arg.isScalar || !arg.writable)
      continue;
    Device &on = device(arg.device);
    auto found = placed.find({arg.device, args[i].storage.data});
    if (on.importsHost() || found == placed.end() ||
        !done.insert(found->second.get()).second)
      continue;
    if (Error error = on.copyOut(args[i].storage.data, *found->second, 0,
                                 args[i].storage.bytes))
      return error;
  }
  return Error::success();
}

Expected<Tensor> Interpreter::takeResult(size_t index) {
  const Result &declared = function.results[index];
  const BufferValue &value = *results[index];
  bool fits = value.dtype == declared.dtype &&
              value.sizes.size() == declared.shape.size();
  for (size_t d = 0; fits && d < value.sizes.size(); ++d)
    fits = declared.shape[d] == kDynamic || declared.shape[d] == value.sizes[d];
  if (!fits)
    return Error(
        "result " + std::to_string(index) + " of '" + function.name +
        "': declared as " + typeString(declared.dtype, declared.shape) +
        ", the program returns " + typeString(value.dtype, value.sizes));
  for (size_t earlier = 0; earlier < index; ++earlier)
    if (results[earlier]->memory == value.memory)
      return download(value);
  if (!value.host.data || !value.isContiguous() ||
      value.begin % dtypeBytes(value.dtype))
    return download(value);
  Tensor tensor;
  tensor.dtype = value.dtype;
  tensor.shape = value.sizes;
  tensor.strides = rowMajor(value.sizes);
  tensor.storage = value.host;
  tensor.offset = value.begin / dtypeBytes(value.dtype);
  return tensor;
}

void Interpreter::finishReport() {
  for (const Result &result : function.results) {
    const Tolerance &t = result.tolerance;
    report.accumulation.push_back(t.accumulationReg == kNone
                                      ? t.accumulation
                                      : regs[size_t(t.accumulationReg)]);
  }
}

Expected<std::vector<Tensor>>
Interpreter::call(const std::vector<Tensor> &args) {
  if (args.size() != function.args.size())
    return Error("'" + function.name + "' takes " +
                 std::to_string(function.args.size()) + " arguments, " +
                 std::to_string(args.size()) + " given");
  for (size_t i = 0; i < args.size(); ++i)
    if (Error error = bindArgument(i, args[i]))
      return error;
  if (Error error = run(function.code))
    return error;
  finishReport();
  if (isDry())
    return std::vector<Tensor>();
  for (SessionDevice &on : session->devices)
    if (Error error = on.device->synchronize())
      return error;
  if (Error error = takeBack(args))
    return error;
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    Expected<Tensor> tensor = takeResult(i);
    if (!tensor)
      return tensor.takeError();
    outputs.push_back(std::move(*tensor));
  }
  return outputs;
}

Error Interpreter::measure(const std::vector<std::vector<int64_t>> &shapes) {
  if (shapes.size() != function.args.size())
    return Error("'" + function.name + "' takes " +
                 std::to_string(function.args.size()) + " arguments, " +
                 std::to_string(shapes.size()) + " shapes given");
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Argument &arg = function.args[i];
    if (Error error = checkArgument(i, arg.dtype, shapes[i]))
      return error;
    std::optional<int64_t> count = checkedCount(shapes[i]);
    if (!count)
      return Error("argument " + std::to_string(i) + " is too large");
    if (arg.isScalar)
      continue;
    BufferValue value;
    value.isSet = true;
    value.device = arg.device;
    value.dtype = arg.dtype;
    value.sizes = shapes[i];
    value.strides = rowMajor(value.sizes);
    value.regionEnd = *count * dtypeBytes(arg.dtype);
    bufs[size_t(arg.reg)] = std::move(value);
  }
  if (Error error = run(function.code))
    return error;
  finishReport();
  return Error::success();
}
