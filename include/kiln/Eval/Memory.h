// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory at evaluation: buffers that know which bytes were written and which
// program instances touched them, and accesses that are checked against that.
#ifndef KILN_EVAL_MEMORY_H
#define KILN_EVAL_MEMORY_H

#include "kiln/Eval/Evaluator.h"
#include <limits>
#include <string>
#include <unordered_map>

namespace kiln::eval {

/// Who touched the elements of a buffer during one launch.
class Touched {
public:
  Touched(int64_t bytes, int64_t granule, bool timed);

  int64_t granule; ///< bytes per entry
  bool timed;      ///< keep times, for kernels whose instances synchronise

  /// 0: none; n + 1: instance n; -(n + 1): instance n by combining stores
  /// alone; `many`: several instances by combining stores.
  std::vector<int32_t> writer;
  /// 0: none; n + 1: instance n; `many`: several.
  std::vector<int32_t> reader;
  std::vector<uint32_t> writerTime, readerTime;
  /// All readers of an entry with several, and when.
  std::unordered_map<int64_t, std::vector<std::pair<int32_t, uint32_t>>>
      readers;
  /// What the combining stores to an entry have released.
  std::unordered_map<int64_t, std::vector<uint32_t>> released;

  static constexpr int32_t many = std::numeric_limits<int32_t>::min();

  /// Makes entries smaller: the last access was of a narrower type.
  void refine(int64_t newGranule);
};

/// A piece of memory.
class Buffer {
public:
  /// New memory that nothing has written yet.
  explicit Buffer(int64_t bytes);
  /// Memory of another owner, taken to be written.
  Buffer(void *data, int64_t bytes) : bytes(bytes), memory(data) {}
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  const int64_t bytes;
  std::string name; ///< of the argument that it is, for messages
  char *data() const { return static_cast<char *>(memory); }

  void markWritten(int64_t begin, int64_t end);
  void markUnwritten(int64_t begin, int64_t end);
  /// One byte per byte, 0 where nothing was written; null when all is.
  const uint8_t *written() const {
    return states.empty() ? nullptr : states.data();
  }
  /// Accesses of the running launch; null while they need no watching.
  std::unique_ptr<Touched> touched;

private:
  void *memory;
  bool owned = false;
  std::vector<uint8_t> states;
};

/// The elements that an access enables: a box of a view.
struct Box {
  const View *view;
  llvm::SmallVector<int64_t, 4> first; ///< coordinates of its first element
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> steps; ///< coordinates per element
};

/// How an instance accesses an element.
enum class Access : uint8_t { read, write, combine };

/// What the fences of a thread order for its atomic accesses that have no order
/// of their own. Times as in Instance::clock.
struct Fences {
  /// What the thread knew at its latest release fence: each atomic access
  /// behind it releases that. Empty: there was none.
  std::vector<uint32_t> released;
  /// What its atomic accesses have found released: known behind the next
  /// acquire fence.
  std::vector<uint32_t> found;

  /// The thread comes to a fence; `clock` is what it knows.
  void pass(bool acquire, bool release, std::vector<uint32_t> &clock);
};

/// What a combining access orders for the instance, where they can
/// synchronise.
struct Order {
  bool acquire = true;
  bool release = true;
  Fences *fences = nullptr; ///< of the thread, where it has some
};

/// Checks an access of `instance` (null: the host program): inside of the
/// buffer, read only after a write, no race. Reports on `op`; remembers the
/// access. An empty box passes. `stored` are the elements that a write is about
/// to store, dense: bytes that keep their values do not race.
mlir::LogicalResult checkAccess(mlir::Operation *op, Instance *instance,
                                const Box &box, Access access,
                                Order order = Order(),
                                const char *stored = nullptr);

/// Copies the elements of a box into `out`, at `offset` with `strides`.
void readBox(const Box &box, Value &out, int64_t offset,
             llvm::ArrayRef<int64_t> strides);
/// The address of the first element, and strides in elements.
char *boxAddress(const Box &box, llvm::SmallVectorImpl<int64_t> &strides);

/// The address that a view of rank 0 or its first element has.
int64_t addressOf(const View &view);

/// The whole view as a tensor, unchecked against writes.
Value readView(const View &view);
/// A dense view of a new buffer.
View allocate(DType dtype, llvm::ArrayRef<int64_t> shape);
/// A dense view of the tensor's memory, which must not be written.
View viewOf(const Value &tensor);

} // namespace kiln::eval

#endif // KILN_EVAL_MEMORY_H
