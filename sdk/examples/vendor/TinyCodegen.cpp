// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TinyCodegen.h"
#include "TinyIsa.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;

namespace {
/// The instruction for an elementwise operation on tiles, or "".
StringRef tileInstruction(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("arith.addf", "tadd")
      .Case("arith.subf", "tsub")
      .Case("arith.mulf", "tmul")
      .Case("arith.divf", "tdiv")
      .Case("arith.maximumf", "tmax")
      .Case("arith.minimumf", "tmin")
      .Case("arith.negf", "tneg")
      .Case("math.exp", "texp")
      .Default("");
}

/// The instruction for arithmetic on `index`, or "".
StringRef scalarInstruction(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("arith.addi", "add")
      .Case("arith.subi", "sub")
      .Case("arith.muli", "mul")
      .Case("arith.minsi", "min")
      .Case("arith.maxsi", "max")
      .Default("");
}

bool isTileType(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getElementType().isF32() &&
         tile.getNumElements() <= tiny::kMaxTile;
}

int64_t floatBits(Attribute value) {
  return cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue();
}

/// Writes one kernel.
class Generator {
public:
  explicit Generator(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run(std::string &text) {
    for (auto [index, arg] : llvm::enumerate(kernel.getBody().getArguments()))
      params[arg] = index;
    for (Operation &op : kernel.getBody().front())
      if (failed(visit(op)))
        return failure();
    text += (".kernel " + kernel.getSymName() + " " + Twine(numScalars) + " " +
             Twine(numTiles) + "\n" + body)
                .str();
    return success();
  }

private:
  void line(const Twine &text) { body += ("  " + text + "\n").str(); }
  int newScalar(Value value) { return numbers[value] = numScalars++; }
  int newTile(Value value) { return numbers[value] = numTiles++; }

  /// `n operands...` of a load or a store.
  template <typename Op>
  void access(StringRef name, Op op, int tile, int64_t padding, bool isLoad) {
    auto view = cast<tile::ViewType>(op.getView().getType());
    std::string text;
    for (int64_t dim = 0; dim < view.getRank(); ++dim) {
      int64_t block = op.getBlock(dim);
      int offset = numbers.lookup(op.getCoords()[dim]);
      if (!op.getElementOffsets() && block != 1) {
        int size = numScalars++;
        line("const " + Twine(size) + " " + Twine(block));
        line("mul " + Twine(numScalars) + " " + Twine(offset) + " " +
             Twine(size));
        offset = numScalars++;
      }
      text += (" " + Twine(block) + " " + Twine(offset) + " " +
               Twine(op.getStepOf(dim)))
                  .str();
    }
    int64_t count = 3 + isLoad + 3 * view.getRank();
    line(name + " " + Twine(count) + " " + Twine(tile) + " " +
         Twine(params.lookup(op.getView())) + " " + Twine(view.getRank()) +
         (isLoad ? " " + std::to_string(padding) : std::string()) + text);
  }

  LogicalResult visit(Operation &op) {
    if (isa<tile::ReturnOp>(op))
      return success();
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
        line("fill " + Twine(newTile(constant)) + " " +
             Twine(dense.getNumElements()) + " " +
             Twine(floatBits(dense.getSplatValue<Attribute>())));
      else
        line("const " + Twine(newScalar(constant)) + " " +
             Twine(cast<IntegerAttr>(constant.getValue()).getInt()));
      return success();
    }
    if (isa<tile::ProgramIdOp, tile::NumProgramsOp>(op)) {
      StringRef name = isa<tile::ProgramIdOp>(op) ? "pid " : "programs ";
      for (OpResult id : op.getResults())
        line(name + Twine(newScalar(id)) + " " + Twine(id.getResultNumber()));
      return success();
    }
    if (auto dim = dyn_cast<tile::DimOp>(op)) {
      line("dim " + Twine(newScalar(dim)) + " " +
           Twine(params.lookup(dim.getView())) + " " + Twine(dim.getDim()));
      return success();
    }
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      int64_t padding =
          load.getPadding() == tile::Padding::nan ? 0x7fc00000 : 0;
      access("load", load, newTile(load), padding, true);
      return success();
    }
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      access("store", store, numbers.lookup(store.getValue()), 0, false);
      return success();
    }
    bool onTiles = isa<RankedTensorType>(op.getResult(0).getType());
    std::string operands;
    for (Value operand : op.getOperands())
      operands += " " + std::to_string(numbers.lookup(operand));
    if (!onTiles) {
      line(scalarInstruction(&op) + " " + Twine(newScalar(op.getResult(0))) +
           operands);
      return success();
    }
    int64_t count =
        cast<RankedTensorType>(op.getResult(0).getType()).getNumElements();
    line(tileInstruction(&op) + " " + Twine(newTile(op.getResult(0))) +
         operands + " " + Twine(count));
    return success();
  }

  tile::KernelOp kernel;
  std::string body;
  llvm::DenseMap<Value, int> numbers, params;
  int numScalars = 0, numTiles = 0;
};
} // namespace

bool tiny::canRun(tile::KernelOp kernel, std::string &reason) {
  for (Type type : kernel.getArgumentTypes()) {
    auto view = dyn_cast<tile::ViewType>(type);
    if (view && view.getElementType().isF32() && view.getRank() <= 4)
      continue;
    reason = "it only takes views of f32 of rank 4 or less";
    return false;
  }
  for (Operation &op : kernel.getBody().front()) {
    auto bad = [&](StringRef why) {
      reason = ("'" + op.getName().getStringRef() + "' " + why).str();
      return false;
    };
    for (Type type : op.getResultTypes())
      if (!type.isIndex() && !isTileType(type))
        return bad("gives what is no tile of at most 4096 f32");
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (load.getPadding() == tile::Padding::value)
        return bad("pads with a scalar");
      continue;
    }
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      if (store.getCombine() != tile::Combine::assign)
        return bad("combines with what is there");
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (dense && !dense.isSplat())
        return bad("is no splat");
      continue;
    }
    if (isa<tile::ReturnOp, tile::ProgramIdOp, tile::NumProgramsOp,
            tile::DimOp>(op))
      continue;
    bool onTiles = op.getNumResults() == 1 &&
                   isa<RankedTensorType>(op.getResult(0).getType());
    if ((onTiles ? tileInstruction(&op) : scalarInstruction(&op)).empty())
      return bad("has no instruction");
  }
  return true;
}

LogicalResult tiny::generate(tile::KernelOp kernel, std::string &text) {
  return Generator(kernel).run(text);
}
