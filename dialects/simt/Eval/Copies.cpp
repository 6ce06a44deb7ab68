// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies. Their bytes arrive at any time between the issue and the
// wait that covers them; until then no thread may touch these.
#include "Machine.h"
#include "kiln/Eval/Marks.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

LogicalResult ThreadBlock::issue(ThreadCopy copy) {
  Warp &warp = *copy.warp;
  if (failed(checkShared(copy.op, copy.target, copy.bytes, copy.bytes)) ||
      failed(touch(copy.op, warp, copy.lane, shared, "shared memory",
                   copy.target, copy.bytes, Use::write, nullptr, nullptr)))
    return failure();
  int64_t id = nextCopy++;
  for (int64_t at = copy.target; at < copy.target + copy.bytes; ++at)
    shared.at(at).copy = uint32_t(id + 1);
  warp.copies[copy.lane].open.push_back(id);
  copies[id] = std::move(copy);
  return success();
}

LogicalResult ThreadBlock::arrive(ThreadCopy &copy) {
  if (copy.isDone)
    return success();
  copy.isDone = true;
  size_t size = copy.snapshot.size();
  if (size && copy.source &&
      std::memcmp(copy.source, copy.snapshot.data(), size))
    return copy.op->emitError("is a copy whose source is written while it is "
                              "in flight, by thread ")
           << copy.warp->thread(copy.lane) << " or another one";
  char *to = sharedData.data() + copy.target;
  std::memset(to, 0, copy.bytes);
  std::memcpy(to, copy.snapshot.data(), size);
  std::memset(sharedMarks.data() + copy.target, 0, copy.bytes);
  return success();
}

LogicalResult ThreadBlock::finishCopy(int64_t id) {
  ThreadCopy copy = std::move(copies.at(id));
  copies.erase(id);
  if (failed(arrive(copy)))
    return failure();
  for (int64_t at = copy.target; at < copy.target + copy.bytes; ++at)
    shared.at(at).copy = 0;
  // From now on they are what the thread has written.
  return touch(copy.op, *copy.warp, copy.lane, shared, "shared memory",
               copy.target, copy.bytes, Use::write, nullptr, nullptr);
}

namespace {

/// How many bytes a lane's copy reads.
int64_t validBytes(AsyncCopyOpInterface op, const Value &valid, unsigned lane) {
  int64_t all = op.getBytes();
  if (valid.isNone())
    return all;
  int64_t given = intAt(valid, lane);
  return op.getValid().getType().isInteger(1) ? (given ? all : 0) : given;
}

} // namespace

LogicalResult evaluateAsyncCopy(Operation *started, Frame &frame) {
  auto op = cast<AsyncCopyOpInterface>(started);
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  auto space =
      cast<LLVM::LLVMPointerType>(op.getSource().getType()).getAddressSpace();
  if (space == simt::kShared ||
      cast<LLVM::LLVMPointerType>(op.getTarget().getType()).getAddressSpace() !=
          simt::kShared)
    return op->emitOpError("unsupported: evaluation of a copy between these "
                           "memories");
  LaneMask all = warp->active;
  if (op.getMask()) {
    const Value &mask = frame.get(op.getMask());
    if (failed(warp->checkHasValue(op, mask, "the mask")))
      return failure();
    warp->active = warp->lanesWhere(mask);
  }
  Value source = frame.get(op.getSource()), target = frame.get(op.getTarget());
  Value valid = op.getValid() ? frame.get(op.getValid()) : Value();
  LogicalResult result = success();
  if (failed(warp->checkHasValue(op, target, "the target")) ||
      (op.getValid() &&
       failed(warp->checkHasValue(op, valid, "how much is valid"))))
    return failure();
  result = warp->eachLane([&](unsigned lane) -> LogicalResult {
    int64_t bytes = op.getBytes(), read = validBytes(op, valid, lane);
    if (read < 0 || read > bytes)
      return op->emitOpError("expected at most ")
             << bytes << " valid bytes, found " << read;
    ThreadCopy copy;
    copy.op = op;
    copy.warp = warp;
    copy.lane = lane;
    copy.target = intAt(target, lane);
    copy.bytes = bytes;
    if (read) {
      if (failed(warp->checkHasValue(op, source, "the source")))
        return failure();
      auto span = warp->block.reach(op, *warp, lane, space, intAt(source, lane),
                                    read, bytes, ThreadBlock::Use::read);
      if (failed(span))
        return failure();
      copy.source = span->data;
      copy.snapshot.assign(span->data, size_t(read));
    }
    return warp->block.issue(std::move(copy));
  });
  warp->active = all;
  return result;
}

namespace {

LogicalResult evaluateCommit(simt::CommitCopiesOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  return warp->eachLane([&](unsigned lane) -> LogicalResult {
    Warp::Copies &own = warp->copies[lane];
    own.groups.push_back(std::move(own.open));
    own.open.clear();
    return success();
  });
}

LogicalResult evaluateWait(simt::WaitCopiesOp op, Frame &frame) {
  if (!isInThreadCode(frame))
    return success();
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->block.stir(*warp)))
    return failure();
  return warp->eachLane([&](unsigned lane) -> LogicalResult {
    auto &groups = warp->copies[lane].groups;
    while (groups.size() > size_t(op.getBut())) {
      for (int64_t id : groups.front())
        if (failed(warp->block.finishCopy(id)))
          return failure();
      groups.pop_front();
    }
    return success();
  });
}

} // namespace

void addSimtCopies(EvaluationInterface &table) {
  table.add<simt::CommitCopiesOp>(evaluateCommit);
  table.add<simt::WaitCopiesOp>(evaluateWait);
  table.add<simt::PublishOp>([](simt::PublishOp op, Frame &frame) {
    if (!isInThreadCode(frame))
      return LogicalResult(success());
    Warp *warp = warpOf(op, frame);
    if (!warp)
      return LogicalResult(failure());
    return warp->eachLane([&](unsigned lane) -> LogicalResult {
      ++warp->fences[lane];
      return success();
    });
  });
}

} // namespace kiln::eval
