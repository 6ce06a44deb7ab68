// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What goes into a call.
#include "Interpreter.h"
#include <cstring>
#include <set>

using namespace kiln::runtime;

Error Interpreter::checkArgument(size_t index, DType dtype,
                                 const std::vector<int64_t> &shape) const {
  const Argument &arg = function.args[index];
  // Integers of kernels have no sign: their operations say how they are read.
  bool isSignless = arg.isUnsigned || function.kind == Function::Kind::kernel;
  bool isType =
      dtype == arg.dtype || (isSignless && signlessType(dtype) == arg.dtype);
  bool fits = isType && shape.size() == arg.shape.size();
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
  std::shared_ptr<Device> on = shared(index);
  touchesHost = true;
  if (on->importsHost()) {
    auto imported = on->import(storage.data, storage.bytes, storage.owner);
    if (imported)
      buffer = *imported;
    return imported;
  }
  auto allocated = on->allocate(storage.bytes);
  if (!allocated)
    return allocated;
  auto copy = [on, to = *allocated, storage] {
    return on->copyIn(*to, 0, storage.data, storage.bytes);
  };
  if (Error error = perform(index, copy))
    return error;
  buffer = *allocated;
  return buffer;
}

BufferValue kiln::runtime::bufferOf(const Tensor &tensor, int32_t device) {
  BufferValue value;
  value.isSet = true;
  value.device = device;
  value.memory = tensor.onDevice;
  value.dtype = tensor.dtype;
  value.sizes = tensor.shape;
  value.strides = tensor.strides;
  value.begin = value.regionBegin = tensor.offset * dtypeBytes(tensor.dtype);
  value.regionEnd =
      value.begin +
      checkedExtent(tensor.dtype, tensor.shape, tensor.strides).value_or(0);
  return value;
}

/// An argument that is on a device: used there if it is the right one, as the
/// program wants it.
Error Interpreter::bindOnDevice(size_t index, const Tensor &given) {
  const Argument &arg = function.args[index];
  std::string where =
      "argument " + std::to_string(index) + " of '" + function.name + "': ";
  Device *owner = given.onDevice->device.get();
  if (!session->owns(*given.onDevice))
    return Error(where + "it is on a device of another session");
  BufferValue value = bufferOf(given, arg.device);
  bool isHere = owner == &device(arg.device);
  bool isAligned = value.position() % uint64_t(arg.align) == 0;
  if (isHere && isAligned && (arg.strided || given.isContiguous())) {
    if (!arg.strided)
      value.strides = rowMajor(given.shape);
    value.isOwn = arg.writable; // a result may have the memory
    bufs[size_t(arg.reg)] = std::move(value);
    return Error::success();
  }
  if (arg.writable)
    return Error(where + (isHere ? "it is written, and its elements are not "
                                   "laid out as the program needs them"
                                 : "it is written, and on another device than "
                                   "the program wants it"));
  if (tape)
    return Error(where + "unsupported: a recording of an argument that has to "
                         "be packed or copied to another device");
  Expected<Tensor> host = fetch(*owner, value);
  if (!host)
    return host.takeError();
  // Queued copies read it until the call has ended.
  device(arg.device).keep(host->storage.owner, /*isHost=*/true);
  return bindArgument(index, *host);
}

Error Interpreter::bindArgument(size_t index, const Tensor &given) {
  const Argument &arg = function.args[index];
  if (Error error = checkArgument(index, given.dtype, given.shape))
    return error;
  if (given.dtype != arg.dtype) {
    Tensor signless = given;
    signless.dtype = arg.dtype;
    return bindArgument(index, signless);
  }
  auto where = [&] {
    return "argument " + std::to_string(index) + " of '" + function.name +
           "': ";
  };
  std::optional<int64_t> extent =
      checkedExtent(given.dtype, given.shape, given.strides);
  size_t bytes = given.onDevice ? given.onDevice->bytes : given.storage.bytes;
  int64_t begin = given.offset * dtypeBytes(given.dtype);
  if (!extent || begin < 0 || begin > int64_t(bytes) ||
      *extent > int64_t(bytes) - begin)
    return Error(where() + "its elements reach outside of its storage");
  if (given.isReadonly && arg.writable)
    return Error(where() + "it is written, and its owner forbids that");
  if (given.onDevice && !arg.isScalar)
    return bindOnDevice(index, given);
  if (arg.isScalar) {
    uint64_t bits = 0;
    if (given.onDevice)
      return Error(where() + "a scalar has to be on the host");
    std::memcpy(&bits, given.data(), size_t(dtypeBytes(given.dtype)));
    // Integers keep their sign, so that the program can compute with them.
    regs[size_t(arg.reg)] =
        isFloat(given.dtype) ? int64_t(bits) : loadAsInt(given.dtype, &bits, 0);
    return Error::success();
  }
  Tensor made;
  const Tensor *taken = &given;
  auto address = reinterpret_cast<uintptr_t>(given.data());
  bool isAligned = address % uint64_t(arg.align) == 0;
  bool isContiguous = given.isContiguous();
  bool hasStrides = arg.strided || isContiguous;
  if (!isAligned || !hasStrides) {
    if (arg.writable)
      return Error(where() + (isAligned
                                  ? "it is written and has to be contiguous"
                                  : "it is written and its address has to be a "
                                    "multiple of " +
                                        std::to_string(arg.align) + " bytes"));
    // A recording reads the caller's memory again.
    if (tape)
      return Error(where() + "unsupported: a recording of an argument that has "
                             "to be packed");
    Expected<Tensor> packed = given.contiguous();
    if (!packed)
      return packed.takeError();
    if (!isAligned && packed->storage.data == given.storage.data) {
      packed = Tensor::create(given.dtype, given.shape, /*zeroed=*/false);
      if (!packed)
        return packed.takeError();
      std::memcpy(packed->data(), given.data(), size_t(*extent));
    }
    device(arg.device).keep(packed->storage.owner, /*isHost=*/true);
    made = std::move(*packed);
    taken = &made;
    isContiguous = true;
    begin = 0;
    extent = made.numElements() * dtypeBytes(made.dtype);
  }
  BufferValue value;
  value.isSet = true;
  value.device = arg.device;
  value.dtype = taken->dtype;
  value.sizes = taken->shape;
  // Unit dimensions may carry any stride; give the canonical one.
  value.strides =
      isContiguous && !arg.strided ? rowMajor(taken->shape) : taken->strides;
  value.begin = value.regionBegin = begin;
  value.regionEnd = begin + *extent;
  // It goes to a device when a device needs it.
  value.argument = taken->storage;
  if (tape && tape->isForPlan) {
    auto memory = device(arg.device)
                      .import(taken->storage.data, taken->storage.bytes,
                              taken->storage.owner);
    if (!memory)
      return memory.takeError();
    value.memory = *memory;
    tape->arguments.push_back(*memory);
  }
  bufs[size_t(arg.reg)] = std::move(value);
  return Error::success();
}

/// Finds arguments that share memory with one that the program writes.
void Interpreter::markWritable(const std::vector<Tensor> &args) {
  std::set<void *> written;
  for (size_t i = 0; i < args.size(); ++i)
    if (function.args[i].writable && !function.args[i].isScalar)
      written.insert(args[i].storage.data);
  for (const Argument &arg : function.args)
    if (!arg.isScalar) {
      BufferValue &value = bufs[size_t(arg.reg)];
      value.isWritable = written.count(value.argument.data);
    }
}

/// Copies what a device without access to host memory has written.
Error Interpreter::takeBack(const std::vector<Tensor> &args) {
  std::set<DeviceBuffer *> done;
  for (size_t i = 0; i < args.size(); ++i) {
    const Argument &arg = function.args[i];
    if (arg.isScalar || !arg.writable)
      continue;
    std::shared_ptr<Device> on = shared(arg.device);
    auto found = placed.find({arg.device, args[i].storage.data});
    if (on->importsHost() || found == placed.end() ||
        !done.insert(found->second.get()).second)
      continue;
    auto copy = [on, to = args[i].storage, from = found->second] {
      return on->copyOut(to.data, *from, 0, to.bytes);
    };
    if (Error error = perform(arg.device, copy))
      return error;
  }
  return Error::success();
}

void Interpreter::finishReport() {
  for (const Result &result : function.results) {
    const Tolerance &t = result.tolerance;
    report.accumulation.push_back(t.accumulationReg == kNone
                                      ? t.accumulation
                                      : regs[size_t(t.accumulationReg)]);
  }
}

Error Interpreter::runWith(const std::vector<Tensor> &args) {
  if (args.size() != function.args.size())
    return Error("'" + function.name + "' takes " +
                 std::to_string(function.args.size()) + " arguments, " +
                 std::to_string(args.size()) + " given");
  for (size_t i = 0; i < args.size(); ++i)
    if (Error error = bindArgument(i, args[i]))
      return error;
  markWritable(args);
  if (Error error = planResults(args))
    return error;
  return run(function.code);
}

Expected<std::vector<Tensor>>
Interpreter::tryCall(const std::vector<Tensor> &args) {
  if (Error error = runWith(args))
    return error;
  finishReport();
  if (isDry())
    return std::vector<Tensor>();
  if (Error error = takeBack(args))
    return error;
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    Expected<Tensor> tensor = takeResult(i);
    if (!tensor)
      return tensor.takeError();
    outputs.push_back(std::move(*tensor));
  }
  if (options.noWait && !touchesHost && !options.time) {
    // What goes back to a device's pool is used again behind this work.
    for (const BufferValue &value : bufs)
      if (value.memory &&
          (value.memory->memoryKind == kNone || value.memory->address))
        value.memory->device->keep(value.memory);
    // In a queue of the embedding program nothing waits later.
    for (SessionDevice &on : session->devices)
      if (on.device->isInForeignQueue())
        if (Error error = on.device->finish())
          return error;
    return outputs;
  }
  for (SessionDevice &on : session->devices)
    if (Error error = on.device->synchronize())
      return error;
  if (exchangesInQueue)
    if (Error error = session->world->failure())
      return error;
  if (Error error = readClocks())
    return error;
  return outputs;
}

Expected<std::vector<Tensor>>
Interpreter::call(const std::vector<Tensor> &args) {
  Expected<std::vector<Tensor>> outputs = tryCall(args);
  if (!outputs)
    abandonExchanges(outputs.message());
  // What was queued still uses memory that goes with this call.
  if (!outputs && !isDry())
    for (SessionDevice &on : session->devices)
      if (Error error = on.device->synchronize())
        continue; // the first failure is the one that counts
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
