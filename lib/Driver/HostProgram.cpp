//===- HostProgram.cpp - From program IR to the runtime's form ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostProgram.h"
#include "FunctionBuilder.h"
#include "Tolerance.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Tiling/Tiling.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

namespace {
/// Whether nothing in a kernel writes through a view; what is not known to
/// leave it alone counts as writing.
bool isOnlyRead(Value view) {
  return llvm::all_of(view.getUsers(), [&](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    bool makesView = llvm::any_of(user->getResultTypes(), [](Type type) {
      return isa<tile::ViewType, tile::PtrType>(type);
    });
    if (!effects || makesView || user->getNumRegions())
      return false;
    SmallVector<MemoryEffects::EffectInstance> list;
    effects.getEffects(list);
    return llvm::none_of(list, [&](const MemoryEffects::EffectInstance &one) {
      return isa<MemoryEffects::Write>(one.getEffect()) &&
             (!one.getValue() || one.getValue() == view);
    });
  });
}

/// The runtime's list of a kernel's parameters.
LogicalResult describeParams(tile::KernelOp kernel, const EntryNames *names,
                             std::vector<runtime::KernelParam> &params) {
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    runtime::KernelParam param;
    param.name = nameOf(names ? &names->arguments : nullptr, index, "arg");
    Type element = type;
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      element = view.getElementType();
      param.rank = view.getRank();
      param.shape.emplace();
      for (int64_t size : view.getShape())
        param.shape->push_back(ShapedType::isDynamic(size) ? runtime::kDynamic
                                                           : size);
      if (!view.getStrides().empty())
        param.strides.emplace();
      for (int64_t stride : view.getStrides())
        param.strides->push_back(
            ShapedType::isDynamic(stride) ? runtime::kAnyStride : stride);
    } else if (auto pointer = dyn_cast<tile::PtrType>(type)) {
      element = pointer.getElementType();
    } else {
      param.kind = runtime::KernelParam::Kind::scalar;
    }
    param.dtype = dtypeOf(element);
    if (param.dtype == runtime::DType::none)
      return kernel.emitError() << "unsupported: parameter " << index
                                << " of type " << type << " in a package";
    param.readonly =
        tile::getFact(kernel, index, tile::kReadonlyFact) != nullptr ||
        (isa<tile::ViewType>(type) && isOnlyRead(kernel.getArguments()[index]));
    if (auto align =
            tile::getFact<IntegerAttr>(kernel, index, tile::kAlignFact))
      param.align = align.getInt();
    params.push_back(std::move(param));
  }
  return success();
}

/// The runtime's list of the parameters of a function that is a kernel.
LogicalResult describeParams(func::FuncOp func, bool sizesOnly,
                             const EntryNames *names,
                             std::vector<runtime::KernelParam> &params) {
  auto add = [&](Type type, bool readonly) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    runtime::KernelParam param;
    size_t index = params.size(), numArguments = func.getNumArguments();
    param.name = index < numArguments
                     ? nameOf(names ? &names->arguments : nullptr, index, "arg")
                     : nameOf(names ? &names->results : nullptr,
                              index - numArguments, "result");
    param.dtype = dtypeOf(getElementTypeOrSelf(type));
    param.rank = shaped ? shaped.getRank() : 0;
    param.readonly = readonly;
    if (shaped) {
      param.shape.emplace();
      for (int64_t size : shaped.getShape())
        param.shape->push_back(ShapedType::isDynamic(size) ? runtime::kDynamic
                                                           : size);
      param.strides.emplace(size_t(param.rank), runtime::kAnyStride);
    }
    params.push_back(param);
    return success(param.dtype != runtime::DType::none &&
                   (shaped || type.isIntOrIndexOrFloat()));
  };
  for (Type type : func.getArgumentTypes())
    if (failed(add(type, true)))
      return func.emitError()
             << "unsupported: an argument of type " << type << " in a package";
  if (sizesOnly) {
    runtime::KernelParam sizes;
    sizes.name = "sizes";
    sizes.dtype = runtime::DType::i64;
    sizes.rank = 1;
    params.push_back(sizes);
    return success();
  }
  for (Type type : func.getResultTypes())
    if (failed(add(type, false)))
      return func.emitError()
             << "unsupported: a result of type " << type << " in a package";
  return success();
}

/// Fills a host program.
class ProgramBuilder {
public:
  ProgramBuilder(ModuleOp module, const CompiledKernels &kernels,
                 const Tolerances &tolerances, const Names &names,
                 ConstantPool &pool, runtime::HostProgram &result)
      : module(module), kernels(kernels), tolerances(tolerances), names(names),
        pool(pool), result(result) {}

  LogicalResult addKernel(Operation *op, StringRef name) {
    auto found = kernels.kernels.find(name);
    if (found == kernels.kernels.end())
      return op->emitError()
             << "the target returned no code for '" << name << "'";
    const CompiledKernels::Entry &entry = found->second;
    runtime::KernelInfo info;
    info.name = name.str();
    info.symbol = entry.code.symbol;
    info.module = entry.module;
    info.device = entry.device;
    info.scratchBytes = entry.code.scratchBytes;
    for (const auto &[key, value] : entry.code.notes)
      info.notes[key] = value;
    if (!entry.fallback.empty())
      info.notes["fallback"] = entry.fallback;
    if (std::string place = target::locationString(op->getLoc());
        !place.empty() && !StringRef(place).ends_with(":0:0"))
      info.notes["location"] = place;
    info.attributes = entry.code.attributes;
    info.recipes = entry.code.recipes;
    info.workspace = entry.code.workspace;
    info.metadata = entry.code.metadata;
    if (auto kernel = dyn_cast<tile::KernelOp>(op)) {
      if (StringAttr tiling = kernel.getTilingAttr()) {
        info.notes["tiling"] = tiling.str();
        info.notes["tiling_key"] = tiling::keyOf(module);
      }
      if (!hasContractBounds(kernel))
        info.notes["bounds"] = "estimated";
      if (failed(describeParams(kernel, namesOf(name), info.params)))
        return failure();
    } else if (failed(describeParams(
                   cast<func::FuncOp>(op), name.ends_with(":sizes"),
                   namesOf(cast<func::FuncOp>(op).getName()), info.params))) {
      return failure();
    }
    numbers[name] = result.kernels.size();
    result.kernels.push_back(std::move(info));
    return success();
  }

  LogicalResult addFunction(program::FuncOp func) {
    FunctionBuilder builder(numbers, namesOf(func.getSymName()), result, pool,
                            kernels.isWhole);
    auto tolerance = tolerances.find(func.getSymName().str());
    return builder.build(
        func, tolerance == tolerances.end() ? nullptr : &tolerance->second);
  }

  LogicalResult addPrimFunction(func::FuncOp func) {
    FunctionBuilder builder(numbers, namesOf(func.getSymName()), result, pool);
    auto tolerance = tolerances.find(func.getSymName().str());
    return builder.buildPrim(
        func, tolerance == tolerances.end() ? nullptr : &tolerance->second);
  }

  LogicalResult addKernelEntry(tile::KernelOp kernel) {
    FunctionBuilder builder(numbers, namesOf(kernel.getSymName()), result,
                            pool);
    return builder.buildKernelEntry(kernel);
  }

private:
  const EntryNames *namesOf(StringRef symbol) const {
    auto found = names.find(symbol.str());
    return found == names.end() ? nullptr : &found->second;
  }

  ModuleOp module;
  const CompiledKernels &kernels;
  const Tolerances &tolerances;
  const Names &names;
  ConstantPool &pool;
  runtime::HostProgram &result;
  llvm::StringMap<uint32_t> numbers;
};
} // namespace

LogicalResult
kiln::driver::buildHostProgram(ModuleOp module, const CompiledKernels &kernels,
                               const Tolerances &tolerances, const Names &names,
                               bool kernelEntries, ConstantPool &pool,
                               runtime::HostProgram &result) {
  result.devices = kernels.devices;
  ProgramBuilder builder(module, kernels, tolerances, names, pool, result);
  for (auto kernel : module.getOps<tile::KernelOp>())
    if (failed(builder.addKernel(kernel, kernel.getSymName())))
      return failure();
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || !func.isPublic())
      continue;
    std::string name = func.getSymName().str();
    bool dynamic = llvm::any_of(func.getResultTypes(), [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped && !shaped.hasStaticShape();
    });
    if (failed(builder.addKernel(func, name)) ||
        (dynamic && failed(builder.addKernel(func, name + ":sizes"))))
      return failure();
    if (failed(builder.addPrimFunction(func)))
      return failure();
  }
  for (auto func : module.getOps<program::FuncOp>())
    if (failed(builder.addFunction(func)))
      return failure();
  if (kernelEntries)
    for (auto kernel : module.getOps<tile::KernelOp>())
      if (kernel.getSymVisibility().value_or("public") != "private" &&
          failed(builder.addKernelEntry(kernel)))
        return failure();
  return success();
}
