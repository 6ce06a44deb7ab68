//===- FunctionLaunch.cpp - Launches and transfers of host programs -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using runtime::kNone;

runtime::Reg FunctionBuilder::traffic(ValueRange args) {
  int64_t fixed = 0;
  Reg total = kNone;
  for (Value arg : args) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type)
      continue;
    int64_t bytes = runtime::dtypeBytes(dtypeOf(type.getElementType()));
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    bool known = succeeded(type.getStridesAndOffset(strides, offset));
    Reg dynamic = kNone;
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      // What is broadcast is read once.
      if (known && strides[dim] == 0)
        continue;
      if (!ShapedType::isDynamic(size)) {
        bytes *= size;
        continue;
      }
      Reg extent = function.newReg();
      emit(runtime::DimInst{extent, buf(arg), static_cast<int32_t>(dim)});
      dynamic = dynamic == kNone ? extent
                                 : binary(runtime::IntOp::mul, dynamic, extent);
    }
    if (dynamic == kNone) {
      fixed += bytes;
      continue;
    }
    dynamic = binary(runtime::IntOp::mul, dynamic, constant(bytes));
    total =
        total == kNone ? dynamic : binary(runtime::IntOp::add, total, dynamic);
  }
  if (total == kNone)
    return constant(fixed);
  return binary(runtime::IntOp::add, total, constant(fixed));
}

FailureOr<uint32_t> FunctionBuilder::kernelOn(program::LaunchOp op,
                                              uint32_t kernel) {
  int own = program.kernels[kernel].device;
  FailureOr<int> device =
      deviceNumber(op, op.getDevice(), op.getOrdinal(), own);
  if (failed(device))
    return failure();
  if (*device == own)
    return kernel;
  if (program.devices[*device].name != program.devices[own].name)
    return op.emitError() << "kernel '" << program.kernels[kernel].name
                          << "' was compiled for device '"
                          << program.devices[own].name << "', found '"
                          << program.devices[*device].name << "'";
  for (auto [number, known] : llvm::enumerate(program.kernels))
    if (known.device == *device &&
        known.module == program.kernels[kernel].module &&
        known.symbol == program.kernels[kernel].symbol)
      return static_cast<uint32_t>(number);
  runtime::KernelInfo copy = program.kernels[kernel];
  copy.device = *device;
  program.kernels.push_back(std::move(copy));
  return static_cast<uint32_t>(program.kernels.size()) - 1;
}

/// The launch attributes of a `contract`; the verifier has checked it.
static std::vector<runtime::LaunchAttribute>
attributesOf(std::optional<DictionaryAttr> contract) {
  std::vector<runtime::LaunchAttribute> result;
  for (NamedAttribute entry :
       contract ? contract->getValue() : ArrayRef<NamedAttribute>()) {
    runtime::LaunchAttribute attribute;
    attribute.tag =
        runtime::launchAttributeTag(entry.getName().strref()).value_or(0);
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      attribute.values.emplace_back(number.getInt());
    else
      for (int64_t value :
           cast<DenseI64ArrayAttr>(entry.getValue()).asArrayRef())
        attribute.values.emplace_back(value);
    result.push_back(std::move(attribute));
  }
  return result;
}

LogicalResult FunctionBuilder::lowerLaunch(program::LaunchOp op) {
  runtime::LaunchInst inst;
  for (auto [index, name] :
       llvm::enumerate(op.getKernels().getAsRange<FlatSymbolRefAttr>())) {
    auto kernel = kernels.find(name.getValue());
    if (kernel == kernels.end())
      return op.emitError()
             << "kernel '" << name.getValue() << "' is not in the module";
    FailureOr<uint32_t> number = kernelOn(op, kernel->second);
    if (failed(number))
      return failure();
    runtime::LaunchVariant variant;
    variant.kernel = *number;
    for (auto [axis, extent] : llvm::enumerate(op.getGridOf(index)))
      variant.grid[axis] = reg(extent);
    if (index < op.getGuards().size())
      variant.guard = reg(op.getGuards()[index]);
    inst.variants.push_back(variant);
    if (op.getSchedule())
      program.kernels[variant.kernel].notes["schedule"] =
          op.getSchedule()->str();
  }
  inst.attributes = attributesOf(op.getContract());
  for (Value arg : op.getArgs()) {
    if (isa<MemRefType>(arg.getType())) {
      inst.args.push_back(runtime::LaunchArg::ofBuffer(buf(arg)));
      continue;
    }
    Reg bits = reg(arg);
    // Narrow integers travel zero-extended.
    if (auto type = dyn_cast<IntegerType>(arg.getType());
        type && type.getWidth() < 64)
      bits = binary(runtime::IntOp::andI, bits,
                    constant((int64_t(1) << type.getWidth()) - 1));
    inst.args.push_back(runtime::LaunchArg::ofScalar(bits));
  }
  if (op.getFlops())
    inst.flops = reg(op.getFlops());
  inst.bytes = traffic(op.getArgs());
  emit(std::move(inst));
  return success();
}

LogicalResult FunctionBuilder::lowerTransfer(program::TransferOp op) {
  auto type = cast<MemRefType>(op.getResult().getType());
  FailureOr<int> number = deviceNumber(op, op.getDevice(), op.getOrdinal());
  if (failed(number))
    return failure();
  runtime::AllocInst alloc;
  alloc.dst = function.newBuf();
  alloc.dtype = dtypeOf(type.getElementType());
  alloc.device = *number;
  alloc.name = "transfer";
  alloc.memory = op.getMemory().value_or("").str();
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      alloc.sizes.push_back(constant(size));
      continue;
    }
    Reg extent = function.newReg();
    emit(runtime::DimInst{extent, buf(op.getSource()),
                          static_cast<int32_t>(dim)});
    alloc.sizes.push_back(extent);
  }
  Buf dst = alloc.dst;
  emit(std::move(alloc));
  emit(runtime::CopyInst{dst, buf(op.getSource())});
  bufs[op.getResult()] = dst;
  return success();
}
