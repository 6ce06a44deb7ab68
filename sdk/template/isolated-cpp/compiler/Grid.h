// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers and places of instances: the operations by which kernels of matmuls take the blocks of the grid in bands, and the number of
// blocks that a loop covers. It needs arithmetic on numbers and the coordinates of the instance.
#ifndef KILN_ISOLATED_GRID_H
#define KILN_ISOLATED_GRID_H

#include "Isolated.h"
#include "llvm/ADT/SmallVector.h"
#include <utility>

namespace isolated {

/// The instructions on numbers that a machine has. Each emits one, and returns the register of the result.
struct Numbers {
  std::function<int64_t(int64_t value)> constant;
  /// By an operation's name: arith.addi, arith.subi, arith.muli, arith.minsi and arith.divsi.
  std::function<int64_t(llvm::StringRef name, int64_t lhs, int64_t rhs)> compute;
  /// tile.program_id or tile.num_programs along an axis.
  std::function<int64_t(llvm::StringRef name, int64_t axis)> program;
  /// A size of the view that is a parameter of the kernel.
  std::function<int64_t(mlir::Value view, int64_t dim)> size;
};

/// Writes tile.instance_id, tile.num_instances, tile.grid_coordinates and tile.num_blocks by these instructions.
class Grid {
public:
  explicit Grid(Numbers numbers) : numbers(std::move(numbers)) {}

  /// The registers of the results; none for any other operation. `operands` are the registers of the operands that are numbers.
  llvm::SmallVector<int64_t, 3> write(mlir::Operation *op, llvm::ArrayRef<int64_t> operands) {
    llvm::StringRef name = op->getName().getStringRef();
    if (name == "tile.instance_id") {
      int64_t row = add(along("tile.program_id", 1), mul(along("tile.num_programs", 1), along("tile.program_id", 2)));
      return {add(along("tile.program_id", 0), mul(along("tile.num_programs", 0), row))};
    }
    if (name == "tile.num_instances")
      return {mul(mul(along("tile.num_programs", 0), along("tile.num_programs", 1)), along("tile.num_programs", 2))};
    if (name == "tile.num_blocks") {
      int64_t block = integer(op, "block"), size = numbers.size(op->getOperand(0), integer(op, "dim"));
      return {div(add(size, numbers.constant(block - 1)), numbers.constant(block))};
    }
    if (name != "tile.grid_coordinates" || operands.size() != 4)
      return {};
    if (!attribute(op, "group")) {
      auto [rows, x] = divide(operands[0], operands[1]);
      auto [z, y] = divide(rows, operands[2]);
      return {x, y, z};
    }
    return bands(op, operands);
  }

private:
  int64_t add(int64_t lhs, int64_t rhs) { return numbers.compute("arith.addi", lhs, rhs); }
  int64_t sub(int64_t lhs, int64_t rhs) { return numbers.compute("arith.subi", lhs, rhs); }
  int64_t mul(int64_t lhs, int64_t rhs) { return numbers.compute("arith.muli", lhs, rhs); }
  int64_t min(int64_t lhs, int64_t rhs) { return numbers.compute("arith.minsi", lhs, rhs); }
  int64_t div(int64_t lhs, int64_t rhs) { return numbers.compute("arith.divsi", lhs, rhs); }
  int64_t along(llvm::StringRef name, int64_t axis) { return numbers.program(name, axis); }

  /// Quotient and remainder of numbers that are not negative.
  std::pair<int64_t, int64_t> divide(int64_t lhs, int64_t rhs) {
    int64_t quotient = div(lhs, rhs);
    return {quotient, sub(lhs, mul(quotient, rhs))};
  }

  /// Coordinates in bands, as the reference of tile.grid_coordinates has them.
  llvm::SmallVector<int64_t, 3> bands(mlir::Operation *op, llvm::ArrayRef<int64_t> operands) {
    size_t inBand = size_t(integer(op, "along")), other = 1 - inBand;
    llvm::ArrayRef<int64_t> extents = operands.drop_front();
    auto [plane, place] = divide(operands[0], mul(extents[0], extents[1]));
    int64_t group = min(extents[inBand], numbers.constant(integer(op, "group")));
    auto [band, rest] = divide(place, mul(group, extents[other]));
    int64_t first = mul(band, group);
    auto [outer, inner] = divide(rest, min(sub(extents[inBand], first), group));
    llvm::SmallVector<int64_t, 3> places(3, plane);
    places[inBand] = add(first, inner);
    places[other] = outer;
    return places;
  }

  Numbers numbers;
};

} // namespace isolated

#endif
