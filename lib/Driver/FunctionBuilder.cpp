//===- FunctionBuilder.cpp - One function of the host program -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionBuilder.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/OpTable.h"
#include "kiln/Transforms/Program/AlignViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using runtime::kNone;

runtime::Buf FunctionBuilder::buf(Value value) {
  auto it = bufs.find(value);
  return it == bufs.end() ? kNone : it->second;
}

std::vector<runtime::Reg> FunctionBuilder::sizes(ArrayRef<int64_t> shape,
                                                 ValueRange dynamic) {
  std::vector<Reg> all;
  unsigned next = 0;
  for (int64_t size : shape)
    all.push_back(ShapedType::isDynamic(size) ? reg(dynamic[next++])
                                              : constant(size));
  return all;
}

FailureOr<int> FunctionBuilder::deviceNumber(Operation *op,
                                             std::optional<StringRef> name,
                                             std::optional<int64_t> ordinal,
                                             int otherwise) {
  if ((!name && !ordinal) || isOneDevice)
    return otherwise;
  std::string driver = name ? name->str() : program.devices[otherwise].name;
  auto wanted = static_cast<int32_t>(ordinal.value_or(0));
  if (program.devices[otherwise].name == driver &&
      program.devices[otherwise].ordinal == wanted)
    return otherwise;
  const runtime::DeviceRef *sibling = nullptr;
  for (auto [number, device] : llvm::enumerate(program.devices)) {
    if (device.name != driver)
      continue;
    if (device.ordinal == wanted)
      return static_cast<int>(number);
    sibling = &device;
  }
  if (!sibling)
    return op->emitError() << "unsupported: device '" << driver
                           << "', which no target of the program has";
  runtime::DeviceRef added = *sibling;
  added.ordinal = wanted;
  program.devices.push_back(std::move(added));
  return static_cast<int>(program.devices.size()) - 1;
}

std::string kiln::driver::nameOf(const std::vector<std::string> *names,
                                 size_t index, StringRef fallback) {
  if (names && index < names->size() && !(*names)[index].empty())
    return (*names)[index];
  std::string name = (fallback + Twine(index)).str();
  while (names && llvm::is_contained(*names, name))
    name += "_";
  return name;
}

LogicalResult FunctionBuilder::addArgument(Type type, Value value,
                                           Operation *op) {
  runtime::Argument arg;
  size_t index = function.args.size();
  arg.name = nameOf(names ? &names->arguments : nullptr, index, "arg");
  if (names && index < names->dims.size())
    arg.dims = names->dims[index];
  arg.isUnsigned =
      names && index < names->areUnsigned.size() && names->areUnsigned[index];
  if (names && index < names->bits.size())
    arg.bits = names->bits[index];
  arg.dtype = dtypeOf(getElementTypeOrSelf(type));
  if (auto view = dyn_cast<tile::ViewType>(type)) {
    arg.dtype = dtypeOf(view.getElementType());
    for (int64_t size : view.getShape())
      arg.shape.push_back(ShapedType::isDynamic(size) ? runtime::kDynamic
                                                      : size);
    arg.strided = !view.isDense();
    arg.writable = true;
  } else if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    arg.dtype = dtypeOf(pointer.getElementType());
    arg.shape = {};
    arg.writable = true;
  } else if (auto shaped = dyn_cast<ShapedType>(type)) {
    for (int64_t size : shaped.getShape())
      arg.shape.push_back(ShapedType::isDynamic(size) ? runtime::kDynamic
                                                      : size);
    if (auto memref = dyn_cast<MemRefType>(type))
      arg.strided = !memref.getLayout().isIdentity();
  } else {
    arg.isScalar = true;
  }
  if (auto callee = dyn_cast<FunctionOpInterface>(op))
    if (auto range = target::getArgumentEntry<DenseI64ArrayAttr>(
            callee, index, target::kRangeEntry))
      if (range.size() == 2) {
        arg.low = range[0];
        arg.high = range[1];
      }
  if (auto callee = dyn_cast<FunctionOpInterface>(op))
    if (auto name = target::getArgumentEntry<StringAttr>(callee, index,
                                                         target::kDomainEntry))
      for (auto domain :
           {runtime::Domain::nonzero, runtime::Domain::nonnegative,
            runtime::Domain::positive})
        if (name == runtime::domainName(domain))
          arg.domain = domain;
  if (auto callee = dyn_cast<program::FuncOp>(op)) {
    arg.writable |= target::isArgumentWritten(callee, index);
    if (auto align =
            tile::getFact<IntegerAttr>(callee, index, tile::kAlignFact))
      arg.align = align.getInt();
  }
  if (arg.dtype == runtime::DType::none)
    return op->emitError() << "unsupported: an argument of type " << type
                           << " in a package";
  if (arg.isScalar) {
    arg.reg = function.newReg();
    if (value)
      regs[value] = arg.reg;
  } else {
    arg.reg = function.newBuf();
    if (value)
      bufs[value] = arg.reg;
  }
  function.args.push_back(std::move(arg));
  return success();
}

void FunctionBuilder::addResult(Type type,
                                const runtime::Tolerance *tolerance) {
  runtime::Result result;
  size_t index = function.results.size();
  result.name = nameOf(names ? &names->results : nullptr, index, "result");
  if (names && index < names->resultDims.size())
    result.dims = names->resultDims[index];
  result.isUnsigned = names && index < names->resultsAreUnsigned.size() &&
                      names->resultsAreUnsigned[index];
  if (names && index < names->resultBits.size())
    result.bits = names->resultBits[index];
  result.dtype = dtypeOf(getElementTypeOrSelf(type));
  if (auto shaped = dyn_cast<ShapedType>(type))
    for (int64_t size : shaped.getShape())
      result.shape.push_back(ShapedType::isDynamic(size) ? runtime::kDynamic
                                                         : size);
  result.tolerance.dtype = result.dtype;
  if (tolerance)
    result.tolerance = *tolerance;
  function.results.push_back(std::move(result));
}

static const runtime::Tolerance *
toleranceOf(const std::vector<runtime::Tolerance> *all, size_t index) {
  return all && index < all->size() ? &(*all)[index] : nullptr;
}

LogicalResult
FunctionBuilder::build(program::FuncOp func,
                       const std::vector<runtime::Tolerance> *tolerances) {
  function.name = func.getSymName().str();
  function.isPublic = func.getSymVisibility().value_or("public") != "private";
  for (BlockArgument arg : func.getBody().getArguments())
    if (failed(addArgument(arg.getType(), arg, func)))
      return failure();
  for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
    addResult(type, toleranceOf(tolerances, index));
  for (Operation &op : func.getBody().front())
    if (failed(lower(op)))
      return failure();
  // Results are where their buffers are, as far as that is known here.
  auto end = cast<program::ReturnOp>(func.getBody().front().getTerminator());
  for (auto [index, value] : llvm::enumerate(end.getValues()))
    if (auto alloc = value.getDefiningOp<program::AllocOp>()) {
      FailureOr<int> device =
          deviceNumber(alloc, alloc.getDevice(), alloc.getOrdinal());
      if (succeeded(device))
        function.results[index].device = *device;
    }
  program.functions.push_back(std::move(function));
  return success();
}

LogicalResult
FunctionBuilder::buildPrim(func::FuncOp func,
                           const std::vector<runtime::Tolerance> *tolerances) {
  function.name = func.getSymName().str();
  std::vector<runtime::LaunchArg> args;
  for (Type type : func.getArgumentTypes()) {
    if (failed(addArgument(type, Value(), func)))
      return failure();
    const runtime::Argument &arg = function.args.back();
    args.push_back(arg.isScalar ? runtime::LaunchArg::ofScalar(arg.reg)
                                : runtime::LaunchArg::ofBuffer(arg.reg));
  }
  auto launch = [&](StringRef name,
                    const std::vector<runtime::LaunchArg> &launchArgs) {
    runtime::LaunchInst inst;
    runtime::LaunchVariant variant;
    variant.kernel = kernels.lookup(name);
    inst.variants.push_back(variant);
    inst.args = launchArgs;
    emit(std::move(inst));
  };
  // Dynamic result sizes are computed by the kernel's companion.
  int64_t numDynamic = 0;
  for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
    addResult(type, toleranceOf(tolerances, index));
    if (auto shaped = dyn_cast<ShapedType>(type))
      numDynamic += shaped.getNumDynamicDims();
  }
  Buf sizesBuf = kNone;
  if (numDynamic) {
    sizesBuf = function.newBuf();
    runtime::AllocInst alloc;
    alloc.dst = sizesBuf;
    alloc.dtype = runtime::DType::i64;
    alloc.sizes = {constant(numDynamic)};
    alloc.name = "sizes";
    emit(std::move(alloc));
    std::vector<runtime::LaunchArg> sizesArgs = args;
    sizesArgs.push_back(runtime::LaunchArg::ofBuffer(sizesBuf));
    launch((func.getSymName() + ":sizes").str(), sizesArgs);
  }
  runtime::ReturnInst ret;
  int64_t next = 0;
  for (const runtime::Result &result : function.results) {
    runtime::AllocInst alloc;
    alloc.dst = function.newBuf();
    alloc.dtype = result.dtype;
    alloc.name = result.name;
    for (int64_t size : result.shape) {
      if (size != runtime::kDynamic) {
        alloc.sizes.push_back(constant(size));
        continue;
      }
      Reg dst = function.newReg();
      emit(runtime::ReadInst{dst, sizesBuf, constant(next++)});
      alloc.sizes.push_back(dst);
    }
    args.push_back(runtime::LaunchArg::ofBuffer(alloc.dst));
    ret.results.push_back(alloc.dst);
    emit(std::move(alloc));
  }
  launch(func.getSymName(), args);
  emit(std::move(ret));
  program.functions.push_back(std::move(function));
  return success();
}

LogicalResult FunctionBuilder::lower(Operation &op) {
  if (op.getName().getDialectNamespace() == "arith")
    return lowerArith(op);
  using Rule = LogicalResult (*)(Operation *, FunctionBuilder &);
  using Self = FunctionBuilder;
  static const OpTable<Rule> rules =
      OpTable<Rule>()
          .addRules<&Self::lowerDim, &Self::lowerArena, &Self::lowerAlloc,
                    &Self::lowerConstantBuffer, &Self::lowerView,
                    &Self::lowerLaunch, &Self::lowerCopy, &Self::lowerTransfer,
                    &Self::lowerCheck, &Self::lowerFill, &Self::lowerCollective,
                    &Self::lowerWait, &Self::lowerHost, &Self::lowerRead,
                    &Self::lowerAligned, &Self::lowerIf, &Self::lowerWhile,
                    &Self::lowerFor, &Self::lowerReturn>();
  if (Rule rule = rules.find(&op))
    return rule(&op, *this);
  return op.emitError() << "unsupported: '" << op.getName()
                        << "' in a host program";
}

LogicalResult FunctionBuilder::lowerDim(memref::DimOp op) {
  std::optional<int64_t> index = op.getConstantIndex();
  if (!index)
    return op.emitError()
           << "unsupported: the size of a dimension that is not constant";
  Reg dst = function.newReg();
  emit(
      runtime::DimInst{dst, buf(op.getSource()), static_cast<int32_t>(*index)});
  regs[op.getResult()] = dst;
  return success();
}

LogicalResult FunctionBuilder::lowerCopy(program::CopyOp op) {
  emit(runtime::CopyInst{buf(op.getTarget()), buf(op.getSource())});
  return success();
}

LogicalResult FunctionBuilder::lowerCheck(program::CheckOp op) {
  emit(runtime::CheckInst{reg(op.getCondition()), op.getMessage().str()});
  return success();
}

LogicalResult FunctionBuilder::lowerFill(program::FillOp op) {
  emit(runtime::FillInst{buf(op.getTarget()),
                         static_cast<uint8_t>(op.getByte())});
  return success();
}

LogicalResult FunctionBuilder::lowerWait(program::WaitOp op) {
  emit(runtime::WaitInst{buf(op.getTarget())});
  return success();
}

LogicalResult FunctionBuilder::lowerHost(program::HostOp op) {
  runtime::HostInst inst;
  inst.function = op.getFunction().str();
  if (ArrayAttr flags = op.getFlagsAttr())
    for (StringRef flag : flags.getAsValueRange<StringAttr>())
      inst.flags.push_back(flag.str());
  for (Value source : op.getSources())
    inst.src.push_back(buf(source));
  for (Value target : op.getTargets())
    inst.dst.push_back(buf(target));
  emit(std::move(inst));
  return success();
}

LogicalResult FunctionBuilder::lowerRead(program::ReadOp op) {
  Reg dst = function.newReg();
  emit(runtime::ReadInst{dst, buf(op.getSource()), reg(op.getIndex())});
  regs[op.getResult()] = dst;
  return success();
}

LogicalResult FunctionBuilder::lowerAligned(program::AlignedOp op) {
  Reg dst = function.newReg();
  emit(runtime::AlignedInst{dst, buf(op.getSource()),
                            static_cast<int64_t>(op.getBytes())});
  regs[op.getResult()] = dst;
  return success();
}

LogicalResult FunctionBuilder::lowerAlloc(program::AllocOp op) {
  auto type = cast<MemRefType>(op.getType());
  runtime::AllocInst alloc;
  alloc.dst = function.newBuf();
  alloc.dtype = dtypeOf(type.getElementType());
  if (alloc.dtype == runtime::DType::none)
    return op.emitError() << "unsupported: a buffer with elements of type "
                          << type.getElementType();
  alloc.sizes = sizes(type.getShape(), op.getSizes());
  if (op.getOffset())
    alloc.offset = reg(op.getOffset());
  FailureOr<int> device = deviceNumber(op, op.getDevice(), op.getOrdinal());
  if (failed(device))
    return failure();
  alloc.device = *device;
  alloc.memory = op.getMemory().value_or("").str();
  bufs[op.getResult()] = alloc.dst;
  emit(std::move(alloc));
  return success();
}

LogicalResult FunctionBuilder::lowerArena(program::ArenaOp op) {
  FailureOr<int> device = deviceNumber(op, op.getDevice(), op.getOrdinal());
  if (failed(device))
    return failure();
  emit(runtime::ArenaInst{*device, reg(op.getBytes()),
                          op.getMemory().value_or("").str()});
  return success();
}

LogicalResult FunctionBuilder::lowerConstantBuffer(program::ConstantOp op) {
  FailureOr<std::string> name = pool.add(op.getValue(), op);
  FailureOr<int> device = deviceNumber(op, op.getDevice(), op.getOrdinal());
  if (failed(name) || failed(device))
    return failure();
  Buf dst = function.newBuf();
  emit(runtime::ConstantInst{dst, *name, *device});
  bufs[op.getResult()] = dst;
  return success();
}

LogicalResult FunctionBuilder::lowerView(program::ViewOp op) {
  runtime::ViewInst view;
  view.dst = function.newBuf();
  view.src = buf(op.getSource());
  view.dtype = dtypeOf(cast<MemRefType>(op.getType()).getElementType());
  view.offset = sizes(op.getStaticOffset(), op.getOffsets()).front();
  view.sizes = sizes(op.getStaticSizes(), op.getSizes());
  view.strides = sizes(op.getStaticStrides(), op.getStrides());
  bufs[op.getResult()] = view.dst;
  emit(std::move(view));
  return success();
}

LogicalResult FunctionBuilder::lowerCollective(program::CollectiveOp op) {
  runtime::CollectiveInst inst;
  inst.dst = buf(op.getTarget());
  for (size_t kind = 0; kind < runtime::kNumCollectiveKinds; ++kind)
    if (op.getKind() ==
        runtime::collectiveKindName(runtime::CollectiveKind(kind)))
      inst.kind = runtime::CollectiveKind(kind);
  for (size_t combiner = 0; combiner < runtime::kNumCombiners; ++combiner)
    if (op.getCombiner() ==
        StringRef(runtime::combinerName(runtime::Combiner(combiner))))
      inst.combiner = runtime::Combiner(combiner);
  if (inst.kind != runtime::CollectiveKind::rank) {
    inst.src = buf(op.getSource());
    runtime::RankLists lists;
    for (Attribute list : op.getLists())
      lists.push_back(cast<DenseI64ArrayAttr>(list).asArrayRef().vec());
    auto known = llvm::find(program.groups, lists);
    inst.groups = static_cast<int32_t>(known - program.groups.begin());
    if (known == program.groups.end())
      program.groups.push_back(std::move(lists));
  }
  emit(std::move(inst));
  return success();
}

LogicalResult FunctionBuilder::lowerReturn(program::ReturnOp op) {
  runtime::ReturnInst ret;
  for (Value value : op.getValues())
    ret.results.push_back(buf(value));
  emit(std::move(ret));
  return success();
}
