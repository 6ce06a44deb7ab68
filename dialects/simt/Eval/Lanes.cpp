// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of threads, barriers, and what lanes of a warp do together.
#include "Machine.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// An index for each lane.
template <typename OpTy, typename Fn>
void addNumber(EvaluationInterface &table, Fn fn) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) -> LogicalResult {
    Warp *warp = warpOf(op, frame);
    if (!warp)
      return failure();
    Value out = laneValue(*warp, op->getResult(0).getType());
    SmallVector<int64_t, 64> numbers;
    for (unsigned lane = 0; lane < warp->block.code->lanes; ++lane)
      numbers.push_back(fn(op, *warp, lane));
    storeInts(out.dtype(), out.mutableData(), 0, out.size(), numbers.data());
    return frame.set(op->getResult(0), std::move(out));
  });
}

void addNumbers(EvaluationInterface &table) {
  auto along = [](auto op, int64_t x, int64_t otherwise) {
    return op.getDimension() == gpu::Dimension::x ? x : otherwise;
  };
  addNumber<gpu::ThreadIdOp>(
      table, [along](gpu::ThreadIdOp op, Warp &warp, unsigned lane) {
        return along(op, warp.thread(lane), 0);
      });
  addNumber<gpu::BlockDimOp>(table,
                             [along](gpu::BlockDimOp op, Warp &warp, unsigned) {
                               return along(op, warp.block.code->threads, 1);
                             });
  addNumber<gpu::BlockIdOp>(table, [](gpu::BlockIdOp op, Warp &warp, unsigned) {
    return warp.block.instance->id[size_t(op.getDimension())];
  });
  addNumber<gpu::GridDimOp>(table, [](gpu::GridDimOp op, Warp &warp, unsigned) {
    return warp.block.instance->grid[size_t(op.getDimension())];
  });
  addNumber<gpu::LaneIdOp>(table, [](gpu::LaneIdOp, Warp &, unsigned lane) {
    return int64_t(lane);
  });
  addNumber<gpu::SubgroupIdOp>(table,
                               [](gpu::SubgroupIdOp, Warp &warp, unsigned) {
                                 return int64_t(warp.number);
                               });
  addNumber<gpu::SubgroupSizeOp>(table,
                                 [](gpu::SubgroupSizeOp, Warp &warp, unsigned) {
                                   return warp.block.code->lanes;
                                 });
  addNumber<gpu::NumSubgroupsOp>(table,
                                 [](gpu::NumSubgroupsOp, Warp &warp, unsigned) {
                                   return int64_t(warp.block.warps.size());
                                 });
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// The lane that a lane reads; negative where it is none of its group.
int64_t sourceOf(gpu::ShuffleMode mode, int64_t lane, int64_t by,
                 int64_t width) {
  int64_t within = lane % width, first = lane - within;
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    within ^= by;
    break;
  case gpu::ShuffleMode::UP:
    within -= by;
    break;
  case gpu::ShuffleMode::DOWN:
    within += by;
    break;
  case gpu::ShuffleMode::IDX:
    within = by;
    break;
  }
  return within < 0 || within >= width ? -1 : first + within;
}

LogicalResult shuffle(gpu::ShuffleOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->checkConverged(op)))
    return failure();
  const Value &value = frame.get(op.getValue());
  const Value &offset = frame.get(op.getOffset());
  const Value &width = frame.get(op.getWidth());
  if (failed(warp->checkHasValue(op, offset, "the offset")) ||
      failed(warp->checkHasValue(op, width, "the width")))
    return failure();
  Value out = Value::tensor(value.dtype(), value.shape());
  Value valid = Value::tensor(DType::i1, {value.dim(0)});
  std::memset(out.mutableData(), 0, out.bytes());
  std::memset(valid.mutableData(), 0, valid.bytes());
  int64_t lanes = value.dim(0), each = value.bytes() / lanes,
          parts = value.size() / lanes;
  LogicalResult result = warp->eachLane([&](unsigned lane) -> LogicalResult {
    int64_t group = intAt(width, lane);
    if (group < 1 || group > lanes || (group & (group - 1)))
      return op.emitOpError("expected a width that is a power of two of at "
                            "most ")
             << lanes << ", found " << group;
    int64_t from = sourceOf(op.getMode(), lane, intAt(offset, lane), group);
    if (from < 0 || !(warp->live >> from & 1)) {
      std::memset(out.makePoison() + lane * parts, kPoison, parts);
      return success();
    }
    std::memcpy(out.as<char>() + lane * each, value.as<char>() + from * each,
                each);
    valid.as<uint8_t>()[lane] = 1;
    if (value.poison())
      std::memcpy(out.makePoison() + lane * parts,
                  value.poison() + from * parts, parts);
    return success();
  });
  if (failed(result))
    return failure();
  (void)frame.set(op.getShuffleResult(), std::move(out));
  return frame.set(op.getValid(), std::move(valid));
}

LogicalResult barrier(gpu::BarrierOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return warp->block.barrier(*warp, op);
}

LogicalResult warpBarrier(simt::WarpBarrierOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)) ||
      failed(warp->checkConverged(op)))
    return failure();
  ++warp->epoch;
  warp->fencesBeforeWarp = warp->fences;
  return success();
}

//===----------------------------------------------------------------------===//
// Matrices of 8 rows of 16 bytes
//===----------------------------------------------------------------------===//

/// Where a part of a lane's word lies: from the beginning of its row, and the
/// row of the matrix.
struct WordPart {
  int64_t row, byte, bytes;
};

SmallVector<WordPart, 2> partsOf(unsigned lane, bool isTransposed) {
  if (!isTransposed)
    return {{lane / 4, lane % 4 * 4, 4}};
  int64_t row = 2 * (lane % 4), byte = lane / 4 * 2;
  return {{row, byte, 2}, {row + 1, byte, 2}};
}

/// Calls `fn(lane, matrix, byte of the word, address, bytes)` for all parts of
/// all words of a warp.
template <typename Fn>
LogicalResult eachPart(Operation *op, Warp &warp, mlir::Value pointer,
                       unsigned matrices, bool isTransposed, Fn fn) {
  if (warp.block.code->lanes != 32 || warp.live != 0xffffffff)
    return op->emitOpError("expected a warp of 32 lanes");
  if (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() !=
      simt::kShared)
    return op->emitOpError("expected an address in shared memory");
  if (failed(warp.block.stir(warp)) || failed(warp.checkConverged(op)))
    return failure();
  Value address = warp.frame.get(pointer);
  LaneMask all = warp.active;
  warp.active = matrices == 4 ? all : (LaneMask(1) << 8 * matrices) - 1;
  LogicalResult hasValue = warp.checkHasValue(op, address, "the address");
  warp.active = all;
  if (failed(hasValue))
    return failure();
  return warp.eachLane([&](unsigned lane) -> LogicalResult {
    for (unsigned m = 0; m < matrices; ++m) {
      int64_t at = 0;
      for (const WordPart &part : partsOf(lane, isTransposed)) {
        int64_t row = address.as<int64_t>()[8 * m + part.row];
        if (failed(warp.block.checkShared(op, row, 16, 16)) ||
            failed(fn(lane, m, at, row + part.byte, part.bytes)))
          return failure();
        at += part.bytes;
      }
    }
    return success();
  });
}

LogicalResult loadMatrix(simt::LoadMatrixOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  SmallVector<Value, 4> words;
  for (Type type : op.getResultTypes()) {
    words.push_back(laneValue(*warp, type));
    std::memset(words.back().mutableData(), 0, words.back().bytes());
  }
  ThreadBlock &block = warp->block;
  if (failed(eachPart(
          op, *warp, op.getAddress(), words.size(), op.getTransposed(),
          [&](unsigned lane, unsigned m, int64_t byte, int64_t at,
              int64_t bytes) -> LogicalResult {
            auto span = block.reach(op, *warp, lane, simt::kShared, at, bytes,
                                    bytes, ThreadBlock::Use::read);
            if (failed(span))
              return failure();
            std::memcpy(words[m].as<char>() + lane * 4 + byte, span->data,
                        bytes);
            for (int64_t i = at; i < at + bytes; ++i)
              if (uint8_t mark = block.sharedMarks[i]) {
                if (mark == kPoison && block.shared.at(i).write.isNone())
                  mark = poisonBy(op, "reads byte " + std::to_string(i) +
                                          " of shared memory, which no thread "
                                          "has written");
                uint8_t &to = words[m].makePoison()[lane];
                to = joinMarks(to, mark);
              }
            return success();
          })))
    return failure();
  for (auto [result, word] : llvm::zip(op.getWords(), words))
    (void)frame.set(result, std::move(word));
  return success();
}

LogicalResult storeMatrix(simt::StoreMatrixOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  SmallVector<Value> words = frame.get(op.getWords());
  ThreadBlock &block = warp->block;
  return eachPart(op, *warp, op.getAddress(), words.size(), op.getTransposed(),
                  [&](unsigned lane, unsigned m, int64_t byte, int64_t at,
                      int64_t bytes) -> LogicalResult {
                    const char *from = words[m].as<char>() + lane * 4 + byte;
                    auto span =
                        block.reach(op, *warp, lane, simt::kShared, at, bytes,
                                    bytes, ThreadBlock::Use::write, from);
                    if (failed(span))
                      return failure();
                    std::memcpy(span->data, from, bytes);
                    uint8_t mark =
                        words[m].poison() ? words[m].poison()[lane] : 0;
                    std::memset(block.sharedMarks.data() + at, mark, bytes);
                    return success();
                  });
}

} // namespace

void addGpu(EvaluationInterface &table) {
  addNumbers(table);
  table.add<gpu::ShuffleOp>(shuffle);
  table.add<gpu::BarrierOp>(barrier);
}

void addSimtMatrices(EvaluationInterface &table) {
  table.add<simt::WarpBarrierOp>(warpBarrier);
  table.add<simt::LoadMatrixOp>(loadMatrix);
  table.add<simt::StoreMatrixOp>(storeMatrix);
}

} // namespace kiln::eval
