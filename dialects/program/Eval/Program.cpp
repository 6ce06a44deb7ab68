// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host programs: buffers, launches, copies.
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Memory.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace kiln::eval {

namespace {

Box wholeBox(const View &view) {
  Box box = {&view, {}, view.sizes, {}};
  box.first.assign(view.sizes.size(), 0);
  box.steps.assign(view.sizes.size(), 1);
  return box;
}

/// Planned buffers share the arena: one that is overwritten while it is still
/// needed shows as a read of unwritten memory.
LogicalResult alloc(program::AllocOp op, Frame &frame) {
  auto type = cast<MemRefType>(op.getResult().getType());
  SmallVector<int64_t> sizes = frame.getInts(op.getSizes()), shape;
  size_t next = 0;
  __int128 count = 1;
  for (int64_t size : type.getShape()) {
    shape.push_back(ShapedType::isDynamic(size) ? sizes[next++] : size);
    if (shape.back() < 0)
      return op.emitOpError("expected sizes that are not negative, found ")
             << shape.back();
    count *= shape.back();
    if (count > int64_t(1) << 31)
      return op.emitOpError("unsupported: evaluation of a buffer this large");
  }
  DType dtype = dtypeOf(type);
  if (dtype == DType::none)
    return op.emitOpError("unsupported: evaluation of type ") << type;
  if (!op.getOffset())
    return frame.set(op.getResult(), Value::ofView(allocate(dtype, shape)));
  if (!frame.arena)
    return op.emitOpError("expected an arena before the first buffer in it");
  int64_t offset = frame.getInt(op.getOffset());
  int64_t bytes = countElements(shape) * runtime::dtypeBytes(dtype);
  if (offset < 0 || offset > frame.arena->bytes ||
      bytes > frame.arena->bytes - offset)
    return op.emitOpError("expected ")
           << bytes << " bytes at " << offset << " to lie in an arena of "
           << frame.arena->bytes << " bytes";
  View view;
  view.dtype = dtype;
  view.buffer = frame.arena;
  view.byteOffset = offset;
  view.sizes.assign(shape.begin(), shape.end());
  view.strides = rowMajorStrides(shape);
  frame.arena->markUnwritten(offset, offset + bytes);
  return frame.set(op.getResult(), Value::ofView(std::move(view)));
}

LogicalResult arena(program::ArenaOp op, Frame &frame) {
  int64_t bytes = frame.getInt(op.getBytes());
  if (bytes < 0 || bytes > int64_t(1) << 34)
    return op.emitOpError("unsupported: evaluation with an arena of ")
           << bytes << " bytes";
  frame.arena = std::make_shared<Buffer>(bytes);
  return success();
}

LogicalResult constant(program::ConstantOp op, Frame &frame) {
  Value value = constantValue(op.getValue());
  if (value.isNone())
    return op.emitOpError("unsupported: evaluation of this constant");
  return frame.set(op.getResult(), Value::ofView(viewOf(value)));
}

LogicalResult makeView(program::ViewOp op, Frame &frame) {
  View view = frame.get(op.getSource()).view();
  auto resolve = [&](ArrayRef<int64_t> fixed, ValueRange given) {
    SmallVector<int64_t, 4> result;
    SmallVector<int64_t> values = frame.getInts(given);
    size_t next = 0;
    for (int64_t value : fixed)
      result.push_back(ShapedType::isDynamic(value) && next < values.size()
                           ? values[next++]
                           : value);
    return result;
  };
  auto offset = resolve(op.getStaticOffset(), op.getOffsets());
  view.sizes = resolve(op.getStaticSizes(), op.getSizes());
  view.strides = resolve(op.getStaticStrides(), op.getStrides());
  for (int64_t size : view.sizes)
    if (size < 0)
      return op.emitOpError("expected sizes that are not negative, found ")
             << size;
  if (!offset.empty())
    view.byteOffset += offset.front() * runtime::dtypeBytes(view.dtype);
  return frame.set(op.getResult(), Value::ofView(std::move(view)));
}

LogicalResult copyBuffer(Operation *op, const View &source,
                         const View &target) {
  if (source.sizes != target.sizes)
    return op->emitOpError("expected buffers of one shape");
  Box from = wholeBox(source), to = wholeBox(target);
  if (failed(checkAccess(op, nullptr, from, Access::read)) ||
      failed(checkAccess(op, nullptr, to, Access::write)))
    return failure();
  SmallVector<int64_t, 4> fromStrides, toStrides;
  char *in = boxAddress(from, fromStrides), *out = boxAddress(to, toStrides);
  copyStrided(source.sizes, runtime::dtypeBytes(source.dtype), out, toStrides,
              in, fromStrides);
  return success();
}

LogicalResult transfer(program::TransferOp op, Frame &frame) {
  const View &source = frame.get(op.getSource()).view();
  View target = allocate(source.dtype, source.sizes);
  if (failed(copyBuffer(op, source, target)))
    return failure();
  return frame.set(op.getResult(), Value::ofView(std::move(target)));
}

/// The first variant whose guard holds; the last has none.
LogicalResult launch(program::LaunchOp op, Frame &frame) {
  auto names = op.getKernels().getAsRange<FlatSymbolRefAttr>();
  SmallVector<FlatSymbolRefAttr> variants(names.begin(), names.end());
  size_t chosen = 0;
  while (chosen < op.getGuards().size() &&
         !frame.getInt(op.getGuards()[chosen]))
    ++chosen;
  if (chosen >= variants.size())
    return op.emitOpError("expected a variant without a guard");
  StringRef name = variants[chosen].getValue();
  auto kernel = dyn_cast_or_null<tile::KernelOp>(frame.evaluator.lookup(name));
  if (!kernel)
    return op.emitOpError("expected a kernel, found '") << name << "'";
  std::array<int64_t, 3> grid = {1, 1, 1};
  // Variants may have grids of their own, one after another.
  size_t first = op.getGrid().size() > 3 ? 3 * chosen : 0;
  for (size_t d = 0; d < 3 && first + d < op.getGrid().size(); ++d)
    grid[d] = frame.getInt(op.getGrid()[first + d]);
  return launchKernel(frame.evaluator, kernel, grid, frame.get(op.getArgs()),
                      op.getLoc());
}

struct ProgramEvaluation : EvaluationInterface {
  explicit ProgramEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<program::AllocOp>(alloc);
    add<program::ArenaOp>(arena);
    add<program::ConstantOp>(constant);
    add<program::ViewOp>(makeView);
    add<program::TransferOp>(transfer);
    add<program::LaunchOp>(launch);
    add<program::CopyOp>([](program::CopyOp op, Frame &frame) {
      return copyBuffer(op, frame.get(op.getSource()).view(),
                        frame.get(op.getTarget()).view());
    });
    add<program::CheckOp>(
        [](program::CheckOp op, Frame &frame) -> LogicalResult {
          if (frame.getInt(op.getCondition()))
            return success();
          return op.emitError() << op.getMessage();
        });
  }
};

} // namespace

void registerProgramEvaluation(DialectRegistry &registry) {
  registry.insert<program::ProgramDialect>();
  registry.addExtension(+[](MLIRContext *, program::ProgramDialect *dialect) {
    dialect->addInterfaces<ProgramEvaluation>();
  });
}

} // namespace kiln::eval
