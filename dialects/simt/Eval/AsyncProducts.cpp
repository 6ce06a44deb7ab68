// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products that read shared memory by themselves. They read it at any time
// between the issue and the wait that covers them; until then no thread may
// write there, and their sums are no values.
#include "ProductSums.h"
#include "Products.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>

using namespace mlir;

namespace kiln::eval {

//===----------------------------------------------------------------------===//
// In flight
//===----------------------------------------------------------------------===//

/// Reports unless what threads wrote to a byte is there for a product.
static LogicalResult checkWritten(WarpProduct &product, int64_t at) {
  Warp &warp = *product.warp;
  ThreadBlock &block = warp.block;
  ByteState &byte = block.shared.at(at);
  auto report = [&](StringRef why, Operation *other, StringRef note) {
    InFlightDiagnostic diag = product.op->emitError("reads byte ")
                              << at << " of shared memory, " << why;
    diag.attachNote(other->getLoc()) << note;
    return diag;
  };
  if (byte.copy)
    return report("which a copy in flight writes",
                  block.copies.at(byte.copy - 1).op,
                  "the copy, which is not waited for before");
  if (byte.write.isNone())
    return success();
  // Bulk copies write as the product reads.
  if (byte.phase && warp.awaitedPhases[byte.slot] >= byte.phase)
    return success();
  Operation *writer = block.opOf(byte.write.op);
  Moment now = warp.moment(0);
  if (!byte.write.isBeforeWarp(now))
    return report("which a thread writes without a barrier in between", writer,
                  "it does so here");
  // The writer has fenced between its write and the barrier.
  bool isOfBlock = byte.write.blockEpoch < now.passed;
  for (auto &other : block.warps) {
    if (!(byte.write.warps >> other->number & 1))
      continue;
    const auto &fences = isOfBlock
                             ? other->fencesBeforeBlock[(now.passed - 1) & 1]
                             : other->fencesBeforeWarp;
    for (LaneMask rest = byte.write.lanes; rest; rest &= rest - 1)
      if (fences[__builtin_ctzll(rest)] <= byte.fences)
        return report("which its writer does not publish before a barrier",
                      writer, "it is written here");
  }
  return success();
}

LogicalResult WarpProduct::happen() {
  if (isDone)
    return success();
  auto made = effect();
  if (failed(made))
    return failure();
  results = std::move(*made);
  isDone = true;
  effect = nullptr;
  return success();
}

LogicalResult ThreadBlock::issue(std::shared_ptr<WarpProduct> product) {
  for (auto [begin, end] : product->reads)
    for (int64_t at = begin; at < end; ++at) {
      if (failed(checkWritten(*product, at)))
        return failure();
      ++shared.at(at).products;
    }
  product->warp->openProducts.push_back(product);
  products.push_back(std::move(product));
  return success();
}

LogicalResult ThreadBlock::finishProduct(WarpProduct &product) {
  if (failed(product.happen()))
    return failure();
  product.isInFlight = false;
  Warp &warp = *product.warp;
  uint32_t number = numberOf(product.op);
  // All lanes wait: only other warps need a barrier before they write.
  Moment before = warp.moment(0);
  --before.warpEpoch;
  for (auto [begin, end] : product.reads)
    for (int64_t at = begin; at < end; ++at) {
      ByteState &byte = shared.at(at);
      --byte.products;
      noteRead(at, warp);
      if (byte.read.blockEpoch != before.blockEpoch ||
          byte.read.warps != uint32_t(1) << warp.number)
        byte.read.add(before, number);
    }
  llvm::erase_if(products,
                 [&](auto &other) { return other.get() == &product; });
  return success();
}

namespace {

/// A factor in shared memory.
struct Factor {
  int64_t address;
  simt::MatrixAttr form;
  simt::SwizzleAttr swizzle;
  DType dtype;
  int64_t depth; ///< of one step

  int64_t fullDepth() const { return form.getSteps().size() * depth; }
  /// The bytes where elements begin, by their place across the sum and then
  /// along it, step by step.
  std::vector<int64_t> placesOf(ArrayRef<int64_t> across) const;
};

std::vector<int64_t> Factor::placesOf(ArrayRef<int64_t> across) const {
  int64_t bytes = runtime::dtypeBytes(dtype), row = form.getRow();
  int64_t swizzled = swizzle.getRow(), chunk = swizzle.getChunk();
  int64_t group = swizzled / chunk, chunks = row / chunk;
  bool isSummed = form.getSummed();
  std::vector<int64_t> places;
  places.reserve(across.size() * fullDepth());
  for (int64_t place : across)
    for (int64_t step : form.getSteps().asArrayRef())
      for (int64_t k = 0; k < depth; ++k) {
        int64_t along = isSummed ? k * bytes : place * bytes,
                line = isSummed ? place : k, panel = 0;
        if (!isSummed) {
          panel = along / row;
          along %= row;
        }
        int64_t at = address + step + panel * form.getPanel() +
                     line / group * form.getGroup() + line % group * row +
                     along;
        // Chunks are permuted by the number of the swizzle's row.
        places.push_back(at ^ (at / swizzled % chunks * chunk));
      }
  return places;
}

/// One product of a warp: its rows of the accumulator.
struct Multiplication {
  simt::MmaAsyncOp op;
  Warp *warp;
  simt::LayoutAttr layout; ///< of the narrowest accumulator
  int64_t width = 0;       ///< columns
  int64_t narrowest = 0;
  unsigned numberInGroup = 0;
  std::pair<int64_t, int64_t> ofWarp; ///< what that adds to a place
  SmallVector<int64_t, 16> rows;      ///< that the warp has
  llvm::SmallDenseMap<int64_t, int64_t> rowNumber;
  std::optional<Factor> lhs; ///< none: in registers
  Value left;                ///< what it is there
  Factor rhs;
  std::vector<int64_t> lhsPlaces, rhsPlaces; ///< in shared memory
  DotMode mode;
  SmallVector<Value> acc;

  /// The element that a lane has in a register of the results.
  std::pair<int64_t, int64_t> placeOf(int64_t reg, unsigned lane) const {
    int64_t inAtom = layout.getNumRegisters();
    auto [row, column] = warp->block.code->placesOf(
        layout)[(reg % inAtom) * warp->block.code->lanes + lane];
    return {row ^ ofWarp.first,
            (column ^ ofWarp.second) + reg / inAtom * narrowest};
  }
  Value read(const Factor &factor, ArrayRef<int64_t> places, bool isLhs) const;
  std::vector<std::pair<int64_t, int64_t>> bytesRead() const;
  FailureOr<SmallVector<Value>> compute();
};

Value Multiplication::read(const Factor &factor, ArrayRef<int64_t> places,
                           bool isLhs) const {
  ThreadBlock &block = warp->block;
  int64_t depth = factor.fullDepth(), count = int64_t(places.size()) / depth;
  Value out = isLhs ? zeroMatrix(factor.dtype, count, depth)
                    : zeroMatrix(factor.dtype, depth, count);
  int64_t bytes = runtime::dtypeBytes(factor.dtype);
  for (int64_t x = 0; x < count; ++x)
    for (int64_t k = 0; k < depth; ++k) {
      int64_t at = places[x * depth + k];
      int64_t index = isLhs ? x * depth + k : k * count + x;
      std::memcpy(out.as<char>() + index * bytes, block.sharedData.data() + at,
                  bytes);
      for (int64_t i = 0; i < bytes; ++i)
        if (uint8_t mark = block.sharedMarks[at + i]) {
          if (mark == kPoison && block.shared.at(at + i).write.isNone())
            mark = poisonBy(op, "reads byte " + std::to_string(at + i) +
                                    " of shared memory, which no thread has "
                                    "written");
          out.makePoison()[index] = mark;
        }
    }
  return out;
}

/// Ranges of bytes, sorted, that meet nowhere.
std::vector<std::pair<int64_t, int64_t>> Multiplication::bytesRead() const {
  int64_t bytes = runtime::dtypeBytes(rhs.dtype);
  auto [first, last] = std::minmax_element(rhsPlaces.begin(), rhsPlaces.end());
  int64_t begin = *first, end = *last + bytes;
  for (int64_t at : lhsPlaces) {
    begin = std::min(begin, at);
    end = std::max(end, at + bytes);
  }
  llvm::BitVector isRead(end - begin);
  for (ArrayRef<int64_t> places : {ArrayRef(lhsPlaces), ArrayRef(rhsPlaces)})
    for (int64_t at : places)
      isRead.set(at - begin, at - begin + bytes);
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (int from = isRead.find_first(); from >= 0;) {
    int to = isRead.find_next_unset(from);
    ranges.push_back({begin + from, to < 0 ? end : begin + to});
    from = to < 0 ? -1 : isRead.find_next(to);
  }
  return ranges;
}

FailureOr<SmallVector<Value>> Multiplication::compute() {
  // A product in flight may add to the sums of another one.
  Value start = zeroMatrix(acc[0].dtype(), rows.size(), width);
  for (auto [reg, value] : llvm::enumerate(acc)) {
    FailureOr<Value> known =
        resolveSums(*warp, value, /*waitedForAlone=*/false);
    if (failed(known))
      return failure();
    for (unsigned lane = 0; lane < warp->block.code->lanes; ++lane) {
      auto [row, column] = placeOf(reg, lane);
      copyElement(*known, lane, start, rowNumber.lookup(row) * width + column);
    }
  }
  Value right = read(rhs, rhsPlaces, /*isLhs=*/false);
  Value sum = dotOf(lhs ? read(*lhs, lhsPlaces, /*isLhs=*/true) : left, right,
                    start, mode);
  SmallVector<Value> results;
  for (size_t reg = 0; reg < acc.size(); ++reg) {
    Value out = Value::tensor(sum.dtype(), {warp->block.code->lanes});
    for (unsigned lane = 0; lane < warp->block.code->lanes; ++lane) {
      auto [row, column] = placeOf(reg, lane);
      copyElement(sum, rowNumber.lookup(row) * width + column, out, lane);
    }
    results.push_back(std::move(out));
  }
  return results;
}

/// The address that all lanes of a warp have.
FailureOr<int64_t> uniformAddress(Operation *op, Warp &warp, mlir::Value of) {
  const Value &address = warp.frame.get(of);
  if (cast<LLVM::LLVMPointerType>(of.getType()).getAddressSpace() !=
      simt::kShared) {
    op->emitOpError("expected an address in shared memory");
    return failure();
  }
  if (failed(warp.checkHasValue(op, address, "the address")))
    return failure();
  int64_t first = address.as<int64_t>()[0];
  for (int64_t lane = 1; lane < address.size(); ++lane)
    if (warp.active >> lane & 1 && address.as<int64_t>()[lane] != first) {
      op->emitOpError("expected the same address in all lanes, found ")
          << first << " and " << address.as<int64_t>()[lane];
      return failure();
    }
  return first;
}

/// The left factor of a product whose lanes have it in registers, step by step
/// as the row's layout says: the rows of the warp.
LogicalResult gatherLeft(Multiplication &made, target::OperandAttr operand,
                         int64_t depth) {
  simt::MmaAsyncOp op = made.op;
  ThreadCode &code = *made.warp->block.code;
  auto layout = dyn_cast_or_null<simt::LayoutAttr>(operand.getLayout());
  int64_t steps = op.getRhsMatrix().getSteps().size();
  if (!layout || layout.getRank() != 2 ||
      layout.getNumRegisters() * steps != int64_t(op.getLhs().size()))
    return op.emitOpError("expected registers of the left factor as the row's "
                          "layout has them");
  made.left = zeroMatrix(laneType(op.getLhs()[0].getType()), made.rows.size(),
                         steps * depth);
  auto places = code.placesOf(layout);
  for (auto [n, value] : llvm::enumerate(op.getLhs())) {
    FailureOr<Value> known =
        resolveSums(*made.warp, made.warp->frame.get(value),
                    /*waitedForAlone=*/true);
    if (failed(known))
      return failure();
    int64_t reg = n % layout.getNumRegisters(),
            step = n / layout.getNumRegisters();
    for (unsigned lane = 0; lane < code.lanes; ++lane) {
      auto [row, column] = places[reg * code.lanes + lane];
      auto found = made.rowNumber.find(row ^ made.ofWarp.first);
      if (found == made.rowNumber.end())
        return op.emitOpError("expected each warp to hold the rows of lhs that "
                              "its accumulator has, found another row");
      copyElement(*known, lane, made.left,
                  found->second * steps * depth + step * depth + column);
    }
  }
  return success();
}

/// Fills in what an operation computes.
LogicalResult prepare(simt::MmaAsyncOp op, Warp &warp, Multiplication &made) {
  target::MatrixInstructionAttr row = rowOf(op, warp, op.getRow());
  if (!row)
    return failure();
  made.op = op;
  made.warp = &warp;
  made.layout = dyn_cast_or_null<simt::LayoutAttr>(row.getAcc().getLayout());
  made.narrowest = row.getN().getMin();
  if (!made.layout || made.layout.getRank() != 2 || op.getAcc().empty() ||
      op.getAcc().size() % made.layout.getNumRegisters() ||
      laneType(op.getAcc()[0].getType()) == DType::none ||
      !(hasHalfSums(laneType(op.getAcc()[0].getType())) ||
        runtime::dtypeBytes(laneType(op.getAcc()[0].getType())) == 4))
    return op.emitOpError("unsupported: evaluation of this accumulator");
  made.width = int64_t(op.getAcc().size()) / made.layout.getNumRegisters() *
               made.narrowest;
  unsigned together = 1u << made.layout.getWarpBases(0).size();
  made.numberInGroup = warp.number % together;
  for (auto [bit, basis] : llvm::enumerate(made.layout.getWarpBases(0)))
    if (made.numberInGroup >> bit & 1) {
      made.ofWarp.first ^= basis[0];
      made.ofWarp.second ^= basis[1];
    }
  made.mode = modeOf(op, row);
  auto isUnsigned = [](simt::MatrixAttr form) {
    return form.getElement() && form.getElement().isUnsignedInteger();
  };
  made.mode.lhsUnsigned |=
      op.getLhsMatrixAttr() && isUnsigned(op.getLhsMatrixAttr());
  made.mode.rhsUnsigned |= isUnsigned(op.getRhsMatrix());
  for (unsigned lane = 0; lane < warp.block.code->lanes; ++lane)
    for (int64_t reg = 0; reg < made.layout.getNumRegisters(); ++reg) {
      int64_t at = made.placeOf(reg, lane).first;
      if (made.rowNumber.try_emplace(at, made.rows.size()).second)
        made.rows.push_back(at);
    }
  for (mlir::Value value : op.getAcc())
    made.acc.push_back(warp.frame.get(value));
  auto fill = [&](Factor &factor, target::OperandAttr operand,
                  mlir::Value address, simt::MatrixAttr form) -> LogicalResult {
    auto at = uniformAddress(op, warp, address);
    if (failed(at))
      return failure();
    Type type =
        form.getElement() ? form.getElement() : operand.getTypes().front();
    factor.swizzle = dyn_cast_or_null<simt::SwizzleAttr>(operand.getLayout());
    if (!factor.swizzle)
      return op.emitOpError("unsupported: evaluation of factors without "
                            "#simt.swizzle");
    factor.address = *at;
    factor.form = form;
    // Whether integers have a sign is up to the product.
    if (auto integer = dyn_cast<IntegerType>(type))
      type = IntegerType::get(op.getContext(), integer.getWidth());
    factor.dtype = type.isTF32() ? DType::f32 : laneType(type);
    factor.depth = row.getK().getMin();
    return warp.block.checkShared(op, *at, form.getBytes(), 16);
  };
  if (failed(fill(made.rhs, row.getRhs(), op.getRhs(), op.getRhsMatrix())))
    return failure();
  if (!op.getLhsMatrixAttr())
    return gatherLeft(made, row.getLhs(), made.rhs.depth);
  made.lhs.emplace();
  return fill(*made.lhs, row.getLhs(), op.getLhsAddress(),
              op.getLhsMatrixAttr());
}

LogicalResult multiply(simt::MmaAsyncOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  auto made = std::make_shared<Multiplication>();
  if (failed(prepare(op, *warp, *made)))
    return failure();
  // The warps of the instruction come to it together.
  unsigned together = 1u << made->layout.getWarpBases(0).size();
  uint32_t group = llvm::maskTrailingOnes<uint32_t>(together)
                   << (warp->number - made->numberInGroup);
  if (failed(warp->block.meet(*warp, op, group)))
    return failure();
  if (made->lhs)
    made->lhsPlaces = made->lhs->placesOf(made->rows);
  made->rhsPlaces =
      made->rhs.placesOf(llvm::to_vector(llvm::seq<int64_t>(0, made->width)));
  auto product = std::make_shared<WarpProduct>();
  product->op = op;
  product->warp = warp;
  product->reads = made->bytesRead();
  int64_t first = made->rhs.address,
          last = first + op.getRhsMatrix().getBytes();
  if (made->lhs) {
    first = std::min(first, made->lhs->address);
    last =
        std::max(last, made->lhs->address + op.getLhsMatrixAttr().getBytes());
  }
  if (product->reads.front().first < first ||
      product->reads.back().second > last)
    return op.emitOpError("reads bytes ")
           << product->reads.front().first << " to "
           << product->reads.back().second - 1
           << " of shared memory, beyond its factors";
  product->effect = [made] { return made->compute(); };
  if (failed(numberProduct(op, *warp, product)))
    return failure();
  for (auto [n, result] : llvm::enumerate(op.getResults()))
    (void)frame.set(
        result, sumInFlight(*warp, *product, n, laneType(result.getType())));
  return warp->block.issue(std::move(product));
}

LogicalResult commit(simt::CommitProductsOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->checkConverged(op)))
    return failure();
  warp->productGroups.push_back(std::move(warp->openProducts));
  warp->openProducts.clear();
  return success();
}

LogicalResult wait(simt::WaitProductsOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)) ||
      failed(warp->checkConverged(op)))
    return failure();
  auto &groups = warp->productGroups;
  while (groups.size() > size_t(op.getBut())) {
    for (auto &product : groups.front())
      if (failed(warp->block.finishProduct(*product)))
        return failure();
    groups.pop_front();
  }
  for (auto [value, result] : llvm::zip(op.getValues(), op.getResults())) {
    FailureOr<Value> known =
        resolveSums(*warp, frame.get(value), /*waitedForAlone=*/true);
    if (failed(known))
      return failure();
    (void)frame.set(result, std::move(*known));
  }
  return success();
}

} // namespace

void addSimtAsyncProducts(EvaluationInterface &table) {
  table.add<simt::MmaAsyncOp>(multiply);
  table.add<simt::CommitProductsOp>(commit);
  table.add<simt::WaitProductsOp>(wait);
  table.add<simt::FutureOp>([](simt::FutureOp op, Frame &frame) {
    return frame.set(op.getFuture(), frame.get(op.getSource()));
  });
}

} // namespace kiln::eval
