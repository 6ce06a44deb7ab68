// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack of its own for what takes turns with others: concurrent program
// instances, roles.
#ifndef KILN_EVAL_COROUTINE_H
#define KILN_EVAL_COROUTINE_H

#include <cstddef>
#include <exception>
#include <functional>
#include <ucontext.h>

namespace kiln::eval {

/// Runs a function in parts, on a stack of 1 MiB.
class Coroutine {
public:
  Coroutine() = default;
  ~Coroutine();
  Coroutine(const Coroutine &) = delete;
  Coroutine &operator=(const Coroutine &) = delete;

  /// Nothing runs yet. False: there is no memory for the stack.
  bool start(std::function<void()> body);
  /// Goes on until the function suspends or ends. What it throws is thrown
  /// here.
  void resume();
  /// Called by the function: back to where it was resumed.
  void suspend();
  bool isDone() const { return ended; }

private:
  static void enter(unsigned low, unsigned high);

  std::function<void()> body;
  ucontext_t inside, outside;
  void *stack = nullptr;
  bool ended = false;
  std::exception_ptr thrown;
};

} // namespace kiln::eval

#endif // KILN_EVAL_COROUTINE_H
