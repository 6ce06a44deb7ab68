//===- FunctionEntry.cpp - Kernels that are called by themselves ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionBuilder.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Tile/Retile.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using runtime::IntOp;
using runtime::kNone;

runtime::LaunchVariant FunctionBuilder::variantOf(tile::KernelOp kernel) {
  runtime::LaunchVariant variant;
  variant.kernel = kernels.lookup(kernel.getSymName());
  variant.grid = function.grid;
  // Callers give the grid for the blocks that the kernel was written with.
  auto scale = kernel.getGridScaleAttr();
  for (size_t axis = 0; scale && scale.size() == 6 && axis < 3; ++axis)
    if (scale[2 * axis] != scale[2 * axis + 1])
      variant.grid[axis] = binary(
          IntOp::ceildiv,
          binary(IntOp::mul, variant.grid[axis], constant(scale[2 * axis])),
          constant(scale[2 * axis + 1]));
  return variant;
}

runtime::Reg FunctionBuilder::guardOf(tile::KernelOp variant,
                                      tile::KernelOp kernel,
                                      ArrayRef<runtime::LaunchArg> args) {
  Reg guard = kNone;
  auto require = [&](Reg holds) {
    guard = guard == kNone ? holds : binary(IntOp::andI, guard, holds);
  };
  auto divides = [&](Reg number, int64_t divisor) {
    if (divisor > 1)
      require(binary(IntOp::eq, binary(IntOp::mod, number, constant(divisor)),
                     constant(0)));
  };
  for (auto [index, arg] : llvm::enumerate(args)) {
    auto number = [&, index = index](StringRef name) -> int64_t {
      auto fact = tile::getFact<IntegerAttr>(variant, index, name);
      // What the kernel is told, too, every launch has to keep.
      return fact && fact != tile::getFact(kernel, index, name) ? fact.getInt()
                                                                : 1;
    };
    if (arg.kind == runtime::LaunchArg::scalar) {
      divides(arg.index, number(tile::kDivisibilityFact));
      continue;
    }
    if (int64_t bytes = number(tile::kAlignFact); bytes > 1) {
      Reg dst = function.newReg();
      emit(runtime::AlignedInst{dst, arg.index, bytes});
      require(dst);
    }
    auto view = dyn_cast<tile::ViewType>(variant.getArgumentTypes()[index]);
    if (!view)
      continue;
    auto list = [&, index = index](StringRef name) {
      return tile::getFact<DenseI64ArrayAttr>(variant, index, name);
    };
    auto sizes = list(tile::kSizeDivFact), strides = list(tile::kStrideDivFact);
    for (int64_t dim = 0; dim < view.getRank(); ++dim) {
      if (sizes && sizes[dim] > 1) {
        Reg size = function.newReg();
        emit(runtime::DimInst{size, arg.index, int32_t(dim)});
        divides(size, sizes[dim]);
      }
      if (strides && strides[dim] > 1) {
        Reg stride = function.newReg();
        emit(runtime::StrideInst{stride, arg.index, int32_t(dim)});
        divides(stride, strides[dim]);
      }
    }
  }
  if (Reg launch = requirementsOf(variant, args); launch != kNone)
    require(launch);
  return guard == kNone ? constant(1) : guard;
}

runtime::Reg
FunctionBuilder::requirementsOf(tile::KernelOp kernel,
                                ArrayRef<runtime::LaunchArg> args) {
  auto set = kernel.getConditionAttr();
  if (!set)
    return kNone;
  // All are at least 0 where the least of them is.
  Reg least = kNone;
  for (AffineExpr expr : set.getValue().getConstraints()) {
    Reg number = conditionOf(expr, args);
    least = least == kNone ? number : binary(IntOp::min, least, number);
  }
  return least == kNone ? kNone : binary(IntOp::ge, least, constant(0));
}

/// An expression of `condition`. Divisors that another condition refuses
/// must not end the launch.
runtime::Reg FunctionBuilder::conditionOf(AffineExpr expr,
                                          ArrayRef<runtime::LaunchArg> args) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  auto known = conditions.find(expr);
  if (known != conditions.end())
    return known->second;
  auto compute = [&]() -> Reg {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      unsigned position = symbol.getPosition();
      if (position >= args.size())
        return function.grid[position - args.size()];
      // Integers come sign-extended.
      return args[position].kind == runtime::LaunchArg::scalar
                 ? args[position].index
                 : constant(0);
    }
    auto both = cast<AffineBinaryOpExpr>(expr);
    Reg lhs = conditionOf(both.getLHS(), args);
    Reg rhs = conditionOf(both.getRHS(), args);
    auto divisor = [&] {
      return isa<AffineConstantExpr>(both.getRHS())
                 ? rhs
                 : binary(IntOp::max, rhs, constant(1));
    };
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return binary(IntOp::add, lhs, rhs);
    case AffineExprKind::Mul:
      return binary(IntOp::mul, lhs, rhs);
    case AffineExprKind::FloorDiv:
      return binary(IntOp::floordiv, lhs, divisor());
    case AffineExprKind::CeilDiv:
      return binary(IntOp::ceildiv, lhs, divisor());
    default:
      return binary(IntOp::mod, lhs, divisor());
    }
  };
  Reg result = compute();
  return conditions[expr] = result;
}

LogicalResult FunctionBuilder::buildKernelEntry(tile::KernelOp kernel) {
  function.name = kernel.getSymName().str();
  function.kind = runtime::Function::Kind::kernel;
  auto deviceOf = [&](tile::KernelOp op) {
    return program.kernels[kernels.lookup(op.getSymName())].device;
  };
  runtime::LaunchInst inst;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (failed(addArgument(type, Value(), kernel)))
      return failure();
    runtime::Argument &arg = function.args.back();
    // Of a kernel that another target has taken, the arguments go there, too.
    arg.device = deviceOf(kernel);
    if (tile::getFact(kernel, index, tile::kReadonlyFact))
      arg.writable = false;
    inst.args.push_back(arg.isScalar ? runtime::LaunchArg::ofScalar(arg.reg)
                                     : runtime::LaunchArg::ofBuffer(arg.reg));
  }
  for (Reg &extent : function.grid)
    extent = function.newReg();
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto names = kernel.getVariantsAttr())
    for (auto name : names.getAsRange<FlatSymbolRefAttr>()) {
      auto variant = module.lookupSymbol<tile::KernelOp>(name.getAttr());
      if (!variant || variant.getFunctionType() != kernel.getFunctionType())
        return kernel.emitError() << "expected variant " << name
                                  << " to be a kernel with the same parameters";
      if (deviceOf(variant) != deviceOf(kernel))
        continue;
      runtime::LaunchVariant chosen = variantOf(variant);
      chosen.guard = guardOf(variant, kernel, inst.args);
      inst.variants.push_back(chosen);
    }
  if (Reg holds = requirementsOf(kernel, inst.args); holds != kNone)
    emit(runtime::CheckInst{
        holds, "unsupported: a launch of '" + function.name +
                   "' whose arguments and grid its condition refuses"});
  inst.variants.push_back(variantOf(kernel));
  emit(std::move(inst));
  emit(runtime::ReturnInst{});
  program.functions.push_back(std::move(function));
  return success();
}
