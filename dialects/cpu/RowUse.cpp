//===- RowUse.cpp - Whether micro-kernels can use a matrix instruction ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Cpu/RowUse.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

std::pair<Type, Type> cpu::factorTypes(MatrixProductOpInterface product) {
  auto withSign = [](Value operand, bool isUnsigned) -> Type {
    Type type = cast<ShapedType>(operand.getType()).getElementType();
    auto integer = dyn_cast<IntegerType>(type);
    if (!integer)
      return type;
    return IntegerType::get(type.getContext(), integer.getWidth(),
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signed);
  };
  return {withSign(product.getLhsOperand().get(), product.isLhsUnsigned()),
          withSign(product.getRhsOperand().get(), product.isRhsUnsigned())};
}

namespace {
/// What becomes of a factor that is packed for a row.
enum class Packing { No, Exact, Narrow, Widened, Offset };
} // namespace

/// Whether a row takes integers as bytes (words) of which one bit and more is
/// of no use.
static bool isNarrower(IntegerType from, IntegerType to) {
  return to.getWidth() < from.getWidth() &&
         llvm::PowerOf2Ceil(to.getWidth()) == from.getWidth() &&
         to.getSignedness() == from.getSignedness();
}

/// How a factor of type `from`, with a sign, is packed as `to`.
static Packing packingOf(Type from, Type to, bool isBounded) {
  auto x = dyn_cast<IntegerType>(from), y = dyn_cast<IntegerType>(to);
  if (!x || !y) {
    if (from == to)
      return Packing::Exact;
    if (isa<BFloat16Type, Float16Type>(from) && (to.isF32() || to.isF64()))
      return Packing::Widened;
    return from.isF32() && to.isF64() ? Packing::Widened : Packing::No;
  }
  if (x.getWidth() == y.getWidth()) {
    if (y.isSignless() || x.getSignedness() == y.getSignedness())
      return Packing::Exact;
    return x.getWidth() == 8 && x.isSigned() ? Packing::Offset : Packing::No;
  }
  if (isBounded && isNarrower(x, y))
    return Packing::Narrow;
  if (x.getWidth() > y.getWidth() || (x.isSigned() && y.isUnsigned()))
    return Packing::No;
  return Packing::Widened;
}

/// The type of `operand` that a factor is packed as, the narrowest first, and
/// how.
static Packing choosePacking(target::OperandAttr operand, Type from,
                             bool isBounded, Type &chosen) {
  Packing best = Packing::No;
  for (Type type : operand.getTypes()) {
    Packing packing = packingOf(from, type, isBounded);
    if (packing == Packing::No || (best != Packing::No && packing >= best))
      continue;
    best = packing;
    chosen = type;
  }
  if (auto integer = dyn_cast_if_present<IntegerType>(chosen);
      best != Packing::No && integer && integer.isSignless())
    chosen = IntegerType::get(chosen.getContext(), integer.getWidth(),
                              cast<IntegerType>(from).getSignedness());
  return best;
}

/// The group of a factor's layout; nothing for layouts that are not panels.
/// Panels in groups of one step hold rows of a left factor in columns, and
/// columns of a right one in rows.
static std::optional<int64_t> groupOf(target::OperandAttr factor,
                                      target::Order order) {
  Attribute layout = factor.getLayout();
  if (auto panels = dyn_cast_if_present<target::InterleaveAttr>(layout))
    return panels.getGroup();
  auto plain = dyn_cast_if_present<target::OrderAttr>(layout);
  if (!layout || (plain && plain.getValue() == order))
    return 1;
  return std::nullopt;
}

/// Why micro-kernels, which read panels in ordinary memory and add to sums
/// there, cannot use an operand of a row; empty where they can.
static std::string whyOperand(StringRef name, target::OperandAttr operand,
                              bool hasLayout, target::TargetAttr description) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (!hasLayout)
    os << "its " << name << " lies as " << operand.getLayout()
       << ", which micro-kernels do not have";
  target::MemoryAttr home = description
                                ? description.getMemory(operand.getHome())
                                : target::MemoryAttr();
  if (reason.empty() && home && home.getKind() == target::MemoryKind::Explicit)
    os << "its " << name << " lives in '" << home.getName()
       << "', which micro-kernels do not read";
  return reason;
}

/// Why no product can be computed by a row, whatever its types.
static std::string whyNeverUsed(target::MatrixInstructionAttr row,
                                target::TargetAttr description) {
  std::string reason = target::whyFormDiffers(row);
  auto plain = dyn_cast_if_present<target::OrderAttr>(row.getAcc().getLayout());
  bool areRows = !row.getAcc().getLayout() ||
                 (plain && plain.getValue() == target::Order::Row);
  std::tuple<StringRef, target::OperandAttr, bool> operands[] = {
      {"lhs", row.getLhs(),
       groupOf(row.getLhs(), target::Order::Col).has_value()},
      {"rhs", row.getRhs(),
       groupOf(row.getRhs(), target::Order::Row).has_value()},
      {"acc", row.getAcc(), areRows}};
  for (auto &[name, operand, hasLayout] : operands)
    if (reason.empty())
      reason = whyOperand(name, operand, hasLayout, description);
  return reason;
}

std::optional<RowUse> cpu::useOfRow(target::MatrixInstructionAttr row,
                                    MatrixProductOpInterface product,
                                    bool isBounded, std::string *reason) {
  std::string never = whyNeverUsed(row, target::getDescription(product));
  auto refuse = [&](std::string why) -> std::optional<RowUse> {
    if (reason)
      *reason = std::move(why);
    return std::nullopt;
  };
  auto [left, right] = factorTypes(product);
  RowUse use{row.getM().getMin(),
             row.getN().getMin(),
             row.getK().getMin(),
             left,
             right,
             1,
             1,
             0};
  Packing lhs = choosePacking(row.getLhs(), left, isBounded, use.lhs);
  Packing rhs = choosePacking(row.getRhs(), right, isBounded, use.rhs);
  if (lhs == Packing::No || rhs == Packing::No || rhs == Packing::Offset ||
      !target::takesSums(row, product))
    return refuse(target::whyTypesDiffer(row, product));
  if (!never.empty())
    return refuse(std::move(never));
  // What the offset adds is summed by the same instruction, in a block of one
  // row.
  if (lhs == Packing::Offset && use.m > 1)
    return refuse("it takes " + std::to_string(use.m) +
                  " rows at once, and numbers with signs only with an offset");
  use.lhsGroup = *groupOf(row.getLhs(), target::Order::Col);
  use.rhsGroup = *groupOf(row.getRhs(), target::Order::Row);
  use.lhsOffset = lhs == Packing::Offset ? 128 : 0;
  // Panels hold whole bytes.
  if (lhs == Packing::Narrow)
    use.lhsBits = std::exchange(use.lhs, left).getIntOrFloatBitWidth();
  if (rhs == Packing::Narrow)
    use.rhsBits = std::exchange(use.rhs, right).getIntOrFloatBitWidth();
  return use;
}
