//===- AlignSizes.cpp - Variants of kernels for sizes that divide ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Program/AlignSizes.h"
#include "RowDivisors.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Index/Analysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using kiln::program::RowDivisors;
using kiln::program::rowDivisorsOf;

namespace {
/// Makes the variants of one kernel.
class SizeAligner {
public:
  SizeAligner(tile::KernelOp kernel, int64_t bytes) : kernel(kernel) {
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (auto divisors = rowDivisorsOf(argument, bytes);
          divisors && divisors->isOpen)
        (divisors->isSingle ? single : needed).push_back(std::move(*divisors));
  }

  void run(ArrayRef<program::LaunchOpInterface> launches, SymbolTable &symbols);

private:
  /// What a launch has to check: values by what shall divide them. None where
  /// they do not, or where nobody knows them.
  using Checks = llvm::MapVector<int64_t, SmallVector<Value>>;
  std::optional<Checks> checksOf(program::LaunchOpInterface launch);
  /// Moves single rows to what is needed whose ends the checks decide already.
  void
  takeImplied(ArrayRef<std::pair<program::LaunchOpInterface, Checks>> launches);
  static Value guardOf(program::LaunchOpInterface launch, const Checks &checks);
  /// Makes a variant that has a guard depend on these checks, too.
  static void addGuard(program::LaunchOpInterface launch, unsigned variant,
                       const Checks &checks);
  void addFacts(tile::KernelOp to) const;

  tile::KernelOp kernel;
  SmallVector<RowDivisors> needed, single;
  index::Analysis facts;
};
} // namespace

/// A size of a buffer, found or computed before a launch.
static OpFoldResult sizeOf(Value buffer, int64_t dim,
                           program::LaunchOpInterface launch) {
  OpBuilder b(launch);
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (auto made = buffer.getDefiningOp<program::BufferOpInterface>())
    return made.getSizeOperand(dim);
  // One that the program has computed anyway.
  for (Operation *user : buffer.getUsers())
    if (auto known = dyn_cast<memref::DimOp>(user);
        known && known.getConstantIndex() == dim)
      if (Operation *beside = known->getBlock()->findAncestorOpInBlock(*launch);
          beside && known->isBeforeInBlock(beside))
        return known.getResult();
  return b.createOrFold<memref::DimOp>(launch.getLoc(), buffer, dim);
}

/// A stride of a buffer; null where it does not follow from the program.
static OpFoldResult strideOf(Value buffer, int64_t dim) {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(buffer.getType());
  if (failed(type.getStridesAndOffset(strides, offset)))
    return {};
  if (!ShapedType::isDynamic(strides[dim]))
    return IntegerAttr::get(IndexType::get(buffer.getContext()), strides[dim]);
  auto made = buffer.getDefiningOp<program::BufferOpInterface>();
  return made ? made.getStrideOperand(dim) : Value();
}

std::optional<SizeAligner::Checks>
SizeAligner::checksOf(program::LaunchOpInterface launch) {
  Checks checks;
  auto check = [&](OpFoldResult number, int64_t divisor) {
    if (!number)
      return false;
    if (std::optional<int64_t> known = getConstantIntValue(number))
      return *known % divisor == 0;
    auto value = cast<Value>(number);
    index::Facts known = facts.of(value);
    if (known.divisor % divisor && !llvm::is_contained(checks[divisor], value))
      checks[divisor].push_back(value);
    return true;
  };
  for (const RowDivisors &divisors : needed) {
    Value buffer = launch.getArgs()[divisors.parameter];
    for (auto [dim, size] : llvm::enumerate(divisors.sizes))
      if (size > 1 && !check(sizeOf(buffer, dim, launch), size))
        return std::nullopt;
    for (auto [dim, stride] : llvm::enumerate(divisors.strides))
      if (stride > 1 && !check(strideOf(buffer, dim), stride))
        return std::nullopt;
  }
  return checks;
}

void SizeAligner::takeImplied(
    ArrayRef<std::pair<program::LaunchOpInterface, Checks>> launches) {
  for (RowDivisors &row : single)
    if (llvm::all_of(launches, [&](const auto &entry) {
          program::LaunchOpInterface launch = entry.first;
          const Checks &checks = entry.second;
          int64_t divisor = row.sizes[0];
          OpFoldResult size =
              sizeOf(launch.getArgs()[row.parameter], 0, launch);
          if (std::optional<int64_t> known = getConstantIntValue(size))
            return *known % divisor == 0;
          auto value = cast<Value>(size);
          return facts.of(value).divisor % divisor == 0 ||
                 llvm::any_of(checks, [&](const auto &check) {
                   return check.first % divisor == 0 &&
                          llvm::is_contained(check.second, value);
                 });
        }))
      needed.push_back(row);
}

/// Whether all of the values divide; null where that is known.
Value SizeAligner::guardOf(program::LaunchOpInterface launch,
                           const Checks &checks) {
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  Value guard;
  for (auto &[divisor, values] : checks) {
    Value bits;
    for (Value value : values)
      bits = bits ? arith::OrIOp::create(b, loc, bits, value) : value;
    if (!bits)
      continue;
    // A power of two divides what has none of the bits below it.
    bits = arith::AndIOp::create(
        b, loc, bits, arith::ConstantIndexOp::create(b, loc, divisor - 1));
    Value whole =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits,
                              arith::ConstantIndexOp::create(b, loc, 0));
    guard = guard ? arith::AndIOp::create(b, loc, guard, whole) : whole;
  }
  return guard;
}

void SizeAligner::addGuard(program::LaunchOpInterface launch, unsigned variant,
                           const Checks &checks) {
  Value guard = guardOf(launch, checks);
  if (!guard)
    return;
  OpBuilder b(launch);
  Value both = arith::AndIOp::create(b, launch.getLoc(),
                                     launch.getGuards()[variant], guard);
  launch.getGuardsMutable()[variant].set(both);
}

void SizeAligner::addFacts(tile::KernelOp to) const {
  Builder b(to.getContext());
  for (const RowDivisors &divisors : needed)
    for (auto [name, list] : {std::pair(tile::kSizeDivFact, &divisors.sizes),
                              {tile::kStrideDivFact, &divisors.strides}})
      if (llvm::any_of(*list, [](int64_t divisor) { return divisor > 1; }))
        tile::setFact(to, divisors.parameter, name,
                      b.getDenseI64ArrayAttr(*list));
}

void SizeAligner::run(ArrayRef<program::LaunchOpInterface> launches,
                      SymbolTable &symbols) {
  if (needed.empty() || launches.empty())
    return;
  Attribute name = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
  auto isLast = [&](program::LaunchOpInterface launch) {
    return launch.getKernels().getValue().back() == name;
  };
  SmallVector<std::pair<program::LaunchOpInterface, Checks>> found;
  bool isWhole = true;
  for (program::LaunchOpInterface launch : launches) {
    std::optional<Checks> checks = checksOf(launch);
    isWhole &= checks && llvm::all_of(*checks, [](const auto &check) {
                 return check.second.empty();
               });
    if (checks)
      found.push_back({launch, std::move(*checks)});
  }
  takeImplied(found);
  if (isWhole)
    return addFacts(kernel);
  if (llvm::none_of(launches, isLast)) {
    // What does not divide goes on to the variants behind it.
    if (found.size() < launches.size())
      return;
    addFacts(kernel);
    for (auto &[launch, checks] : found)
      addGuard(launch,
               llvm::find(launch.getKernels(), name) -
                   launch.getKernels().begin(),
               checks);
    return;
  }
  if (found.empty() || !llvm::all_of(launches, isLast))
    return;
  tile::KernelOp variant = kernel.clone();
  variant.setSymName((kernel.getSymName() + "_aligned").str());
  symbols.insert(variant, std::next(kernel->getIterator()));
  addFacts(variant);
  auto other = FlatSymbolRefAttr::get(variant.getSymNameAttr());
  for (auto &[launch, checks] : found) {
    SmallVector<Attribute> kernels(launch.getKernels().getValue());
    SmallVector<Value> guards(launch.getGuards()), grid;
    Value guard = guardOf(launch, checks);
    for (unsigned i = 0; i < kernels.size(); ++i)
      llvm::append_range(grid, launch.getGridOf(i));
    if (guard) {
      guards.push_back(guard);
      kernels.insert(std::prev(kernels.end()), other);
      llvm::append_range(grid, launch.getGridOf(guards.size() - 1));
    } else {
      kernels.back() = other;
    }
    launch.getGridMutable().assign(grid);
    launch.getGuardsMutable().assign(guards);
    launch.setKernelsAttr(ArrayAttr::get(launch.getContext(), kernels));
  }
}

void program::alignSizes(ModuleOp module,
                         function_ref<int64_t(Operation *)> bytesOf) {
  llvm::MapVector<StringAttr, SmallVector<program::LaunchOpInterface>> launches;
  module.walk([&](program::LaunchOpInterface launch) {
    for (auto name : launch.getKernels().getAsRange<FlatSymbolRefAttr>())
      launches[name.getAttr()].push_back(launch);
  });
  SymbolTable symbols(module);
  for (auto &[name, list] : launches)
    // Anybody may launch public ones, with any sizes.
    if (auto kernel = symbols.lookup<tile::KernelOp>(name);
        kernel && kernel.isPrivate())
      if (int64_t bytes = bytesOf(kernel); bytes > 1)
        SizeAligner(kernel, bytes).run(list, symbols);
}
