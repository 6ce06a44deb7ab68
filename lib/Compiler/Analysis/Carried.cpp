//===- Carried.cpp - What loops carry -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Carried.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {

/// The operations that gather contributions.
enum class Gathering { None, Sum, Product, Max, Min, And, Or, Xor, Choice };

/// How an operation combines its operand `number` with the others; nothing for
/// operations that do not gather.
std::optional<Gathering> gatheringOf(Operation *op, unsigned number) {
  return llvm::TypeSwitch<Operation *, std::optional<Gathering>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Gathering::Sum; })
      .Case<arith::SubFOp, arith::SubIOp>(
          [&](auto) -> std::optional<Gathering> {
            if (number == 0)
              return Gathering::Sum;
            return std::nullopt;
          })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) { return Gathering::Product; })
      .Case<arith::DivFOp>([&](auto) -> std::optional<Gathering> {
        if (number == 0)
          return Gathering::Product;
        return std::nullopt;
      })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp,
            arith::MaxUIOp>([](auto) { return Gathering::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp,
            arith::MinUIOp>([](auto) { return Gathering::Min; })
      .Case<arith::AndIOp>([](auto) { return Gathering::And; })
      .Case<arith::OrIOp>([](auto) { return Gathering::Or; })
      .Case<arith::XOrIOp>([](auto) { return Gathering::Xor; })
      .Case<arith::SelectOp>([](auto) { return Gathering::Choice; })
      .Case<MatrixProductOpInterface>(
          [&](auto product) -> std::optional<Gathering> {
            OpOperand *acc = product.getAccOperand();
            if (acc && acc->getOperandNumber() == number)
              return Gathering::Sum;
            return std::nullopt;
          })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp, scf::ForOp>([](auto) { return Gathering::None; })
      .Default([](Operation *other) -> std::optional<Gathering> {
        if (handsOnElements(other))
          return Gathering::None;
        return std::nullopt;
      });
}

/// Follows carried values through the body of one loop.
class CarriedValues {
public:
  CarriedValues(scf::ForOp loop, Linearizer &linearizer)
      : loop(loop), linearizer(linearizer) {
    unsigned count = loop.getNumRegionIterArgs();
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      // Counters are positions, not results.
      if (linearizer.isInduction(argument))
        continue;
      llvm::SmallBitVector bits(count);
      bits.set(i);
      depends[argument] = bits;
    }
    for (Operation &op : loop.getBody()->without_terminator())
      propagate(&op);
  }

  std::string check() {
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (depends.contains(loop.getRegionIterArg(i)))
        if (StringRef why = check(i); !why.empty())
          return why.str();
    return {};
  }

private:
  void propagate(Operation *op) {
    llvm::SmallBitVector bits(loop.getNumRegionIterArgs());
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto found = depends.find(operand); found != depends.end())
          bits |= found->second;
    });
    if (bits.any())
      for (Value result : op->getResults())
        depends[result] = bits;
  }

  bool dependsOn(Value value, unsigned i) const {
    auto found = depends.find(value);
    return found != depends.end() && found->second.test(i);
  }

  StringRef check(unsigned i) {
    Value value = loop.getYieldedValues()[i];
    if (!dependsOn(value, i))
      return linearizer.varies(value)
                 ? "its loop carries something of the last block only"
                 : StringRef();
    llvm::SmallSet<int, 2> kinds;
    while (value != loop.getRegionIterArg(i)) {
      Operation *op = value.getDefiningOp();
      std::optional<unsigned> next;
      bool rescales = false;
      unsigned begin = 0, end = op ? op->getNumOperands() : 0;
      if (auto inner = dyn_cast_or_null<scf::ForOp>(op)) {
        begin = inner.getNumControlOperands() +
                cast<OpResult>(value).getResultNumber();
        end = begin + 1;
      } else if (isa_and_nonnull<arith::SelectOp>(op)) {
        begin = 1; // the condition may look at anything
      }
      for (unsigned number = begin; number < end; ++number) {
        if (dependsOn(op->getOperand(number), i)) {
          if (next)
            return "its loop combines the carried value with itself";
          next = number;
        } else if (depends.contains(op->getOperand(number))) {
          rescales = true;
        }
      }
      std::optional<Gathering> kind;
      if (next)
        kind = gatheringOf(op, *next);
      if (!kind)
        return "its loop does not only accumulate the carried value";
      if (*kind != Gathering::None && *kind != Gathering::Choice && !rescales)
        kinds.insert(static_cast<int>(*kind));
      value = op->getOperand(*next);
    }
    if (kinds.size() > 1)
      return "its loop accumulates the carried value by several operations";
    return {};
  }

  scf::ForOp loop;
  Linearizer &linearizer;
  DenseMap<Value, llvm::SmallBitVector> depends;
};

} // namespace

std::string kiln::tile::whyBlocksMatter(scf::ForOp loop,
                                        Linearizer &linearizer) {
  return CarriedValues(loop, linearizer).check();
}
