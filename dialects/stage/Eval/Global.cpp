// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses to the memory of the launch beside what is under way, and clones of
// accesses.
#include "State.h"
#include "kiln/Eval/Elements.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

/// Calls `fn(begin, end)` with the bytes of each row of a box.
static void forRows(const Box &box,
                    llvm::function_ref<void(int64_t begin, int64_t end)> fn) {
  SmallVector<int64_t, 4> strides;
  int64_t bytes = runtime::dtypeBytes(box.view->dtype);
  int64_t at = boxAddress(box, strides) - box.view->buffer->data();
  size_t rank = box.sizes.size();
  bool isDense = rank > 0 && strides[rank - 1] == 1;
  size_t outer = isDense ? rank - 1 : rank;
  int64_t row = isDense ? box.sizes[rank - 1] * bytes : bytes;
  SmallVector<int64_t, 4> index(outer, 0);
  while (true) {
    fn(at, at + row);
    int64_t d = static_cast<int64_t>(outer) - 1;
    for (; d >= 0; --d) {
      at += strides[d] * bytes;
      if (++index[d] < box.sizes[d])
        break;
      at -= strides[d] * bytes * box.sizes[d];
      index[d] = 0;
    }
    if (d < 0)
      return;
  }
}

Pending::Global globalOf(const Box &box, bool isWrite) {
  Pending::Global global = {box.view->buffer.get(), isWrite, {}};
  forRows(box, [&](int64_t begin, int64_t end) {
    global.rows.push_back({begin, end});
  });
  llvm::sort(global.rows);
  return global;
}

/// Clones of one access read the same.
static LogicalResult checkClones(StageState &state, Operation *op,
                                 const Box &box) {
  auto clone = op->getAttrOfType<stage::CloneAttr>(stage::kDecidedAttr);
  if (!clone)
    return success();
  Value contents = Value::tensor(box.view->dtype, box.sizes);
  readBox(box, contents, 0, rowMajorStrides(box.sizes));
  std::vector<int64_t> place = {
      reinterpret_cast<intptr_t>(box.view->buffer.get()), box.view->byteOffset};
  place.insert(place.end(), box.first.begin(), box.first.end());
  place.insert(place.end(), box.sizes.begin(), box.sizes.end());
  if (clone.getFirst()) {
    state.origins[{clone.getNumber(), place}] = contents;
    return success();
  }
  auto known = state.origins.find({clone.getNumber(), place});
  if (known == state.origins.end() ||
      std::memcmp(known->second.data(), contents.data(), contents.bytes()) == 0)
    return success();
  return op->emitError("recomputes a value whose memory has changed since it "
                       "was read first");
}

LogicalResult StageState::access(Operation *op, const Box &box, Access access) {
  bool writes = access != Access::read;
  for (auto &[id, pending] : operations)
    for (const Pending::Global &global : pending.globals) {
      if (global.buffer != box.view->buffer.get() ||
          (!writes && !global.isWrite))
        continue;
      bool overlaps = false;
      forRows(box, [&](int64_t begin, int64_t end) {
        auto it = llvm::upper_bound(global.rows,
                                    std::pair(begin, int64_t(INT64_MAX)));
        overlaps |= it != global.rows.end() && it->first < end;
        overlaps |= it != global.rows.begin() && std::prev(it)->second > begin;
      });
      if (!overlaps)
        continue;
      InFlightDiagnostic diagnostic =
          op->emitError(writes ? "write to" : "read of")
          << " memory that a copy in flight "
          << (global.isWrite ? "writes" : "reads");
      diagnostic.attachNote(pending.op->getLoc()) << "is not waited for before";
      return diagnostic;
    }
  if (access == Access::read)
    return checkClones(*this, op, box);
  return success();
}

LogicalResult StageState::meetCluster(Operation *op) {
  for (auto &[id, pending] : operations)
    for (const Pending::Global &global : pending.globals) {
      if (!global.isWrite)
        continue;
      InFlightDiagnostic diagnostic =
          op->emitError("lets other instances read memory that a copy in "
                        "flight writes");
      diagnostic.attachNote(pending.op->getLoc()) << "is not waited for before";
      return diagnostic;
    }
  return success();
}

} // namespace kiln::eval
