//===- Raster.cpp - Program ids that stand for several coordinates --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/Raster.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tile;

namespace {

bool isDivision(Operation *op) {
  return isa_and_nonnull<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
      op);
}

bool isRemainder(Operation *op) {
  return isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(op);
}

/// True for two values that are equal wherever both are defined.
bool sameValue(Value a, Value b) {
  if (a == b)
    return true;
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return *x == *y;
  auto p = a.getDefiningOp<NumBlocksOp>(), q = b.getDefiningOp<NumBlocksOp>();
  return p && q && p.getView() == q.getView() && p.getDim() == q.getDim() &&
         p.getBlock() == q.getBlock();
}

/// The factors of a product, each with the operand that mentions it.
struct Product {
  SmallVector<OpOperand *> factors;
  SmallVector<Operation *> operations; ///< the multiplications
};

void collectFactors(OpOperand *operand, Product &product) {
  // Products of rasters have few factors. One of a value by itself has twice
  // as many as that value.
  constexpr size_t kMost = 16;
  auto mul = operand->get().getDefiningOp<arith::MulIOp>();
  if (mul && product.operations.size() < kMost) {
    product.operations.push_back(mul);
    for (OpOperand &factor : mul->getOpOperands())
      collectFactors(&factor, product);
    return;
  }
  product.factors.push_back(operand);
}

Product getProduct(OpOperand *operand) {
  Product product;
  collectFactors(operand, product);
  return product;
}

/// Removes `factor` from `list`; false when it is not there.
bool removeFactor(SmallVectorImpl<OpOperand *> &list, Value factor) {
  auto *found = llvm::find_if(list, [&](OpOperand *operand) {
    return sameValue(operand->get(), factor);
  });
  if (found == list.end())
    return false;
  list.erase(found);
  return true;
}

//===----------------------------------------------------------------------===//
// Groups of rows
//===----------------------------------------------------------------------===//

/// Matches coordinates in groups of G rows:
///   first = id / (G * n) * G;   size = min(m - first, G)
///   row = first + (id % (G * n)) % size;   column = (id % (G * n)) / size
/// where the row may also use the whole id in the place of id % (G * n).
class GroupedMatcher {
public:
  explicit GroupedMatcher(Value id) : id(id) {}

  std::optional<Raster> match() {
    for (Operation *user : id.getUsers()) {
      if (!isDivision(user) || user->getOperand(0) != id)
        continue;
      for (Operation *mul : user->getUsers())
        if (isa<arith::MulIOp>(mul) && matchFirst(user, mul))
          return raster;
    }
    return std::nullopt;
  }

private:
  /// `quotient` is id / (G * n), `first` multiplies it with G.
  bool matchFirst(Operation *quotient, Operation *first) {
    raster = {};
    OpOperand &other = first->getOperand(0) == quotient->getResult(0)
                           ? first->getOpOperand(1)
                           : first->getOpOperand(0);
    group = other.get();
    Product product = getProduct(&quotient->getOpOperand(1));
    auto factors = product.factors;
    if (!removeFactor(factors, group) || factors.size() != 1)
      return false;
    column.extent = factors.front()->get();
    column.extentUses.push_back(factors.front());
    note(product);
    raster.operations.insert(quotient);
    raster.operations.insert(first);
    for (Operation *user : first->getUsers())
      if (auto remaining = dyn_cast<arith::SubIOp>(user))
        if (remaining.getRhs() == first->getResult(0) &&
            matchSize(first, remaining))
          return true;
    return false;
  }

  bool matchSize(Operation *first, arith::SubIOp remaining) {
    for (Operation *size : remaining->getUsers()) {
      if (!isa<arith::MinSIOp, arith::MinUIOp>(size))
        continue;
      Value other = size->getOperand(0) == remaining.getResult()
                        ? size->getOperand(1)
                        : size->getOperand(0);
      if (!sameValue(other, group))
        continue;
      row.extent = remaining.getLhs();
      row.extentUses = {&remaining->getOpOperand(0)};
      raster.operations.insert(remaining);
      raster.operations.insert(size);
      if (matchDigits(first, size))
        return true;
    }
    return false;
  }

  /// id % (G * n), or the whole id when `allowWhole`.
  bool isInner(Value value, bool allowWhole) {
    if (value == id)
      return allowWhole;
    Operation *op = value.getDefiningOp();
    if (!isRemainder(op) || op->getOperand(0) != id)
      return false;
    Product product = getProduct(&op->getOpOperand(1));
    auto factors = product.factors;
    if (!removeFactor(factors, group) || factors.size() != 1 ||
        !sameValue(factors.front()->get(), column.extent))
      return false;
    if (raster.operations.insert(op).second &&
        !llvm::is_contained(column.extentUses, factors.front()))
      column.extentUses.push_back(factors.front());
    note(product);
    return true;
  }

  bool matchDigits(Operation *first, Operation *size) {
    row.index = column.index = {};
    for (Operation *user : size->getUsers()) {
      if ((!isDivision(user) && !isRemainder(user)) ||
          user->getOperand(1) != size->getResult(0))
        return false;
      raster.operations.insert(user);
      if (isDivision(user) && isInner(user->getOperand(0), false)) {
        column.index = user->getResult(0);
      } else if (isRemainder(user) && isInner(user->getOperand(0), true)) {
        for (Operation *sum : user->getUsers())
          if (isa<arith::AddIOp>(sum) &&
              llvm::is_contained(sum->getOperands(), first->getResult(0)))
            row.index = sum->getResult(0);
      } else {
        return false;
      }
    }
    if (!row.index || !column.index)
      return false;
    raster.operations.insert(row.index.getDefiningOp());
    raster.digits = {row, column};
    return true;
  }

  void note(Product &product) {
    raster.operations.insert(product.operations.begin(),
                             product.operations.end());
  }

  Value id, group;
  RasterDigit row, column;
  Raster raster;
};

//===----------------------------------------------------------------------===//
// Mixed radix
//===----------------------------------------------------------------------===//

/// Matches coordinates that are (id / d) % n, where d is the product of the
/// numbers of the coordinates below.
class RadixMatcher {
public:
  explicit RadixMatcher(Value id) { visit({id, {}, {}, false}); }

  std::optional<Raster> match() {
    // Only what something besides the raster uses is a coordinate.
    SmallVector<Node> digits;
    for (Node &node : nodes) {
      bool used = llvm::any_of(node.value.getUsers(), [&](Operation *user) {
        return !raster.operations.contains(user);
      });
      if (used)
        digits.push_back(node);
    }
    if (digits.size() < 2)
      return std::nullopt;
    llvm::sort(digits, [](const Node &a, const Node &b) {
      return a.below.size() < b.below.size();
    });
    SmallVector<Value> below;
    for (auto [position, node] : llvm::enumerate(digits)) {
      // What lies below must be exactly the coordinates that come before.
      auto rest = node.below;
      for (Value extent : below)
        if (!removeFactor(rest, extent))
          return std::nullopt;
      bool top = position + 1 == digits.size();
      if (!rest.empty() || (!top && !node.bounded) ||
          (node.bounded && node.extent.size() != 1))
        return std::nullopt;
      RasterDigit digit;
      digit.index = node.value;
      if (node.bounded) {
        digit.extent = node.extent.front()->get();
        below.push_back(digit.extent);
      }
      raster.digits.push_back(digit);
    }
    if (!assignUses())
      return std::nullopt;
    std::reverse(raster.digits.begin(), raster.digits.end());
    return raster;
  }

private:
  /// (id / product of `below`) % product of `extent`, the latter if `bounded`.
  struct Node {
    Value value;
    SmallVector<OpOperand *> below, extent;
    bool bounded;
  };

  /// A mention of numbers of coordinates, the first of which has `below`
  /// coordinates under it.
  struct Use {
    OpOperand *operand;
    size_t below;
    bool alone;
  };

  /// Says which coordinate's number each operand mentions.
  bool assignUses() {
    for (const Use &use : uses) {
      RasterDigit *found = nullptr;
      for (auto [i, digit] : llvm::enumerate(raster.digits)) {
        if (!digit.extent || !sameValue(use.operand->get(), digit.extent) ||
            (use.alone && i != use.below))
          continue;
        if (found) // equal numbers in one product: which is which is open
          return false;
        found = &digit;
      }
      if (!found)
        return false;
      found->extentUses.push_back(use.operand);
    }
    return true;
  }

  void visit(Node node) {
    nodes.push_back(node);
    for (Operation *user : node.value.getUsers()) {
      if ((!isDivision(user) && !isRemainder(user)) ||
          user->getOperand(0) != node.value ||
          user->getOperand(1) == node.value)
        continue;
      Product product = getProduct(&user->getOpOperand(1));
      Node next = node;
      next.value = user->getResult(0);
      if (isDivision(user)) {
        next.below.append(product.factors);
        for (OpOperand *factor : product.factors)
          if (next.bounded && !removeFactor(next.extent, factor->get()))
            return;
      } else {
        next.extent = product.factors;
        auto rest = node.extent;
        for (OpOperand *factor : product.factors)
          if (next.bounded && !removeFactor(rest, factor->get()))
            return;
        next.bounded = true;
      }
      raster.operations.insert(user);
      raster.operations.insert(product.operations.begin(),
                               product.operations.end());
      for (OpOperand *factor : product.factors)
        uses.push_back(
            {factor, node.below.size(), product.factors.size() == 1});
      visit(next);
    }
  }

  SmallVector<Node> nodes;
  SmallVector<Use> uses;
  Raster raster;
};

} // namespace

std::optional<Raster> kiln::tile::matchRaster(Value id) {
  bool divided = llvm::any_of(id.getUsers(), [](Operation *user) {
    return isDivision(user) || isRemainder(user);
  });
  if (!divided)
    return std::nullopt;
  std::optional<Raster> raster = GroupedMatcher(id).match();
  if (!raster)
    raster = RadixMatcher(id).match();
  if (!raster)
    return std::nullopt;
  // The id itself and what is computed on the way must not be used otherwise.
  auto isCoordinate = [&](Value value) {
    return llvm::any_of(raster->digits, [&](const RasterDigit &digit) {
      return digit.index == value;
    });
  };
  auto isPrivate = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return raster->operations.contains(user);
    });
  };
  if (!isPrivate(id))
    return std::nullopt;
  for (Operation *op : raster->operations)
    if (!isCoordinate(op->getResult(0)) && !isPrivate(op->getResult(0)))
      return std::nullopt;
  return raster;
}
