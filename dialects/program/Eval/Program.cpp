// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host programs: buffers, launches, copies.
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Program/CollectiveOps.h"
#include "kiln/Dialect/Program/HostOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Eval/Collective.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/HostFunctions.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Memory.h"
#include "kiln/Eval/Register.h"
#include "kiln/Eval/Watch.h"
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

/// The memory that a buffer or an arena is in.
template <typename Op> std::string placeOf(Op op) {
  return (op.getDevice().value_or("") + "#" +
          Twine(op.getOrdinal().value_or(0)) + "." +
          op.getMemory().value_or(""))
      .str();
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
  std::shared_ptr<Buffer> arena = frame.arenas.lookup(placeOf(op));
  if (!arena)
    return op.emitOpError("expected an arena before the first buffer in it");
  int64_t offset = frame.getInt(op.getOffset());
  int64_t bytes = countElements(shape) * runtime::dtypeBytes(dtype);
  if (offset < 0 || offset > arena->bytes || bytes > arena->bytes - offset)
    return op.emitOpError("expected ")
           << bytes << " bytes at " << offset << " to lie in an arena of "
           << arena->bytes << " bytes";
  View view;
  view.dtype = dtype;
  view.buffer = arena;
  view.byteOffset = offset;
  view.sizes.assign(shape.begin(), shape.end());
  view.strides = rowMajorStrides(shape);
  arena->markUnwritten(offset, offset + bytes);
  return frame.set(op.getResult(), Value::ofView(std::move(view)));
}

LogicalResult arena(program::ArenaOp op, Frame &frame) {
  int64_t bytes = frame.getInt(op.getBytes());
  if (bytes < 0 || bytes > int64_t(1) << 34)
    return op.emitOpError("unsupported: evaluation with an arena of ")
           << bytes << " bytes";
  frame.arenas[placeOf(op)] = std::make_shared<Buffer>(bytes);
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
  for (auto [d, extent] : llvm::enumerate(op.getGridOf(chosen)))
    grid[d] = frame.getInt(extent);
  SmallVector<Value> args = frame.get(op.getArgs());
  if (watch().onLaunch)
    watch().onLaunch(kernel, grid, args);
  return launchKernel(frame.evaluator, kernel, grid, args, op.getLoc());
}

LogicalResult fill(program::FillOp op, Frame &frame) {
  const View &target = frame.get(op.getTarget()).view();
  Box to = wholeBox(target);
  if (failed(checkAccess(op, nullptr, to, Access::write)))
    return failure();
  if (ArrayRef<int64_t>(target.strides) !=
      ArrayRef<int64_t>(rowMajorStrides(target.sizes)))
    return op.emitOpError("expected a dense buffer");
  SmallVector<int64_t, 4> strides;
  char *out = boxAddress(to, strides);
  std::memset(out, static_cast<int>(op.getByte()),
              static_cast<size_t>(countElements(target.sizes) *
                                  runtime::dtypeBytes(target.dtype)));
  return success();
}

LogicalResult read(program::ReadOp op, Frame &frame) {
  const View &source = frame.get(op.getSource()).view();
  int64_t index = frame.getInt(op.getIndex());
  if (index < 0 || index >= countElements(source.sizes))
    return op.emitOpError("element ")
           << index << " of " << countElements(source.sizes)
           << " cannot be read";
  Box from = wholeBox(source);
  if (failed(checkAccess(op, nullptr, from, Access::read)))
    return failure();
  SmallVector<int64_t, 4> strides;
  const char *in = boxAddress(from, strides);
  return frame.set(op.getResult(),
                   Value::ofIndex(runtime::loadAsInt(source.dtype, in, index)));
}

/// Done at once: whoever waits for it finds it done.
LogicalResult collective(program::CollectiveOp op, Frame &frame) {
  const View &target = frame.get(op.getTarget()).view();
  if (op.getKind() == "rank") {
    Value number = Value::tensor(DType::i32, {});
    int64_t rank = ownRank();
    storeInts(DType::i32, number.mutableData(), 0, 1, &rank);
    return copyBuffer(op, viewOf(number), target);
  }
  const View &source = frame.get(op.getSource()).view();
  Box from = wholeBox(source);
  if (failed(checkAccess(op, nullptr, from, Access::read)))
    return failure();
  Value mine = readView(source);
  SmallVector<ArrayRef<int64_t>> lists;
  for (Attribute list : op.getLists())
    lists.push_back(cast<DenseI64ArrayAttr>(list).asArrayRef());
  if (op.getKind() == "permute") {
    FailureOr<Value> received = permute(op, lists, mine);
    return failed(received) ? failure()
                            : copyBuffer(op, viewOf(*received), target);
  }
  FailureOr<std::vector<Value>> all = exchange(op, lists, mine);
  if (failed(all))
    return failure();
  auto n = static_cast<int64_t>(all->size());
  int64_t position = 0;
  for (ArrayRef<int64_t> group : lists)
    if (const auto *found = llvm::find(group, ownRank()); found != group.end())
      position = found - group.begin();
  Value result = Value::tensor(target.dtype, target.sizes);
  int64_t bytes = result.size() * runtime::dtypeBytes(target.dtype);
  int64_t given = mine.size() * runtime::dtypeBytes(mine.dtype());
  bool gathers = op.getKind() == "all_gather";
  bool scatters = op.getKind() == "reduce_scatter";
  if (gathers ? bytes != given * n
      : scatters
          ? given != bytes * n
          : bytes != given || (op.getKind() == "all_to_all" && given % n))
    return op.emitOpError("expected buffers whose sizes fit ")
           << n << " ranks, found " << given << " and " << bytes << " bytes";
  char *to = result.as<char>();
  auto bytesOf = [&](int64_t k) {
    return static_cast<const char *>((*all)[k].data());
  };
  if (op.getKind() == "broadcast") {
    std::memcpy(to, bytesOf(0), static_cast<size_t>(bytes));
  } else if (gathers) {
    for (int64_t k = 0; k < n; ++k)
      std::memcpy(to + k * given, bytesOf(k), static_cast<size_t>(given));
  } else if (op.getKind() == "all_to_all") {
    int64_t part = given / n;
    for (int64_t k = 0; k < n; ++k)
      std::memcpy(to + k * part, bytesOf(k) + position * part,
                  static_cast<size_t>(part));
  } else {
    Value sum = combine(*op.getCombiner(), *all);
    std::memcpy(to,
                static_cast<const char *>(sum.data()) +
                    (scatters ? position * bytes : 0),
                static_cast<size_t>(bytes));
  }
  return copyBuffer(op, viewOf(result), target);
}

LogicalResult host(program::HostOp op, Frame &frame) {
  std::vector<Value> inputs, outputs;
  for (mlir::Value source : op.getSources()) {
    const View &view = frame.get(source).view();
    if (failed(checkAccess(op, nullptr, wholeBox(view), Access::read)))
      return failure();
    inputs.push_back(readView(view));
  }
  for (mlir::Value target : op.getTargets()) {
    const View &view = frame.get(target).view();
    outputs.push_back(Value::tensor(view.dtype, view.sizes));
  }
  SmallVector<StringRef> flags;
  if (ArrayAttr given = op.getFlagsAttr())
    llvm::append_range(flags, given.getAsValueRange<StringAttr>());
  if (failed(runHostFunction(op, op.getFunction(), flags, inputs, outputs)))
    return failure();
  for (auto [target, output] : llvm::zip(op.getTargets(), outputs))
    if (failed(copyBuffer(op, viewOf(output), frame.get(target).view())))
      return failure();
  return success();
}

/// Buffers of the evaluator begin where memory is aligned as well as anywhere.
LogicalResult aligned(program::AlignedOp op, Frame &frame) {
  const View &source = frame.get(op.getSource()).view();
  bool isAligned = source.byteOffset % static_cast<int64_t>(op.getBytes()) == 0;
  return frame.set(op.getResult(), Value::ofInt(DType::i1, isAligned));
}

struct ProgramEvaluation : EvaluationInterface {
  explicit ProgramEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<program::AllocOp>(alloc);
    add<program::ArenaOp>(arena);
    add<program::ConstantOp>(constant);
    add<program::ViewOp>(makeView);
    add<program::TransferOp>(transfer);
    add<program::LaunchOp>(launch);
    add<program::FillOp>(fill);
    add<program::ReadOp>(read);
    add<program::CollectiveOp>(collective);
    add<program::WaitOp>([](program::WaitOp, Frame &) { return success(); });
    add<program::HostOp>(host);
    add<program::AlignedOp>(aligned);
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
