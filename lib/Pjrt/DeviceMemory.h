// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory and the queue that all programs share on a device with memory of
// its own.
#ifndef KILN_LIB_PJRT_DEVICEMEMORY_H
#define KILN_LIB_PJRT_DEVICEMEMORY_H

#include "Objects.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace kiln::pjrt {

/// Allocates buffers on a device, and knows which queued work has ended. All
/// work on the device goes into one queue, so that memory that is released may
/// be allocated again at once: what uses it next is queued behind.
///
/// Work is numbered: `queued` is called behind each piece, and returns its
/// number. Functions may be called in any thread.
class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
public:
  /// Opens the device of this name, which a program on `on` uses. Null if
  /// its driver cannot share memory and queues between sessions: buffers stay
  /// on the host then.
  static std::shared_ptr<DeviceMemory> open(const Device &on,
                                            const std::string &name);
  ~DeviceMemory();

  /// The number of this device among those of a session; -1 if the session
  /// does not use it.
  int findIn(const KilnSession *session) const;
  /// The queue, as kilnSessionUseQueue takes it.
  void *queue() const { return native; }

  /// A new tensor on the device, with undefined contents.
  Error *allocate(KilnDType dtype, int rank, const int64_t *shape,
                  TensorPtr &tensor);
  /// Queues a copy from or to memory of the host, which the caller keeps until
  /// the returned number has ended, or between tensors on the device.
  Error *copy(const KilnTensor *from, const KilnTensor *to, uint64_t &number);
  /// Makes a tensor on the device of one on the host, with a queued copy.
  Error *upload(const TensorPtr &host, TensorPtr &tensor, uint64_t &number);
  /// Makes a row-major tensor on the host, and waits for it.
  Error *download(const KilnTensor *tensor, TensorPtr &host);
  /// Makes a tensor of this memory from one that a program's session has made.
  Error *adopt(const KilnTensor *tensor, TensorPtr &adopted);

  /// The number of a piece of work that was just put into the queue.
  uint64_t queued() { return ++submitted; }
  /// The number of the last piece.
  uint64_t last() const { return submitted; }
  bool hasEnded(uint64_t number) const { return ended >= number; }
  /// Waits for a piece of work; an error if it, or work beside it, failed.
  Error *wait(uint64_t number);
  /// An error if a piece of work is known to have failed. Does not wait.
  Error *check(uint64_t number);
  /// Calls a function when a piece of work has ended, in another thread unless
  /// it has already. The function owns the error.
  void whenEnded(uint64_t number, std::function<void(Error *)> then);
  /// Keeps something until a piece of work has ended.
  void keep(uint64_t number, std::shared_ptr<void> what, size_t bytes);

  /// Held while a buffer moves to the device.
  std::mutex moving;

private:
  DeviceMemory() = default;
  Error *failureOf(uint64_t number) const;
  void dropKept();

  using SessionPtr = std::unique_ptr<KilnSession, SessionDeleter>;
  /// One allocates and copies; the other waits, so that a thread that waits
  /// does not stop calls.
  SessionPtr session, waiter;
  size_t device = 0; ///< its number in both
  std::string name;
  void *native = nullptr;

  std::atomic<uint64_t> submitted = 0, ended = 0;
  std::mutex waiting;
  struct Failure {
    uint64_t behind = 0, upTo = 0; ///< numbers that it may concern
    std::string message;
  };
  std::deque<Failure> failures; ///< the last ones, under `waiting`

  struct Kept {
    uint64_t number;
    std::shared_ptr<void> what;
    size_t bytes;
  };
  std::mutex keeping;
  std::deque<Kept> kept;
  size_t keptBytes = 0;

  struct Request {
    std::shared_ptr<DeviceMemory> memory;
    uint64_t number = 0;
    std::function<void(Error *)> then;
  };
  /// What the thread that waits for others works on. It outlives this object
  /// where a request of the thread was the last to hold it.
  struct Server {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<Request> requests;
    bool isEnding = false;
  };
  static void serve(Server &server);
  std::shared_ptr<Server> server = std::make_shared<Server>();
  std::thread thread; ///< under the server's mutex
};

/// Moves a buffer to the device unless it is there, and gives its tensor.
Error *tensorOnDevice(DeviceMemory &memory, Buffer &buffer, TensorPtr &tensor);

/// Calls a part of a program, that of the device of number `rank`, which has
/// this memory.
Error *executeOnDevice(std::shared_ptr<DeviceMemory> memory, ExecuteArgs &args,
                       size_t rank, Part &part);

} // namespace kiln::pjrt

#endif
