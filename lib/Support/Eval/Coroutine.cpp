// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that run in parts.
#include "kiln/Eval/Coroutine.h"
#include <cstdint>
#include <sys/mman.h>
#include <utility>

namespace kiln::eval {

static constexpr size_t kStackBytes = 1 << 20;

Coroutine::~Coroutine() {
  if (stack)
    munmap(stack, kStackBytes);
}

void Coroutine::enter(unsigned low, unsigned high) {
  auto *self =
      reinterpret_cast<Coroutine *>(uintptr_t(low) | (uintptr_t(high) << 32));
  try {
    self->body();
  } catch (...) {
    self->thrown = std::current_exception();
  }
  self->ended = true;
  self->suspend();
}

bool Coroutine::start(std::function<void()> function) {
  body = std::move(function);
  stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) {
    stack = nullptr;
    return false;
  }
  if (getcontext(&inside) != 0)
    return false;
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = kStackBytes;
  inside.uc_link = nullptr;
  auto bits = reinterpret_cast<uintptr_t>(this);
  makecontext(&inside, reinterpret_cast<void (*)()>(enter), 2,
              static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32));
  return true;
}

void Coroutine::resume() {
  swapcontext(&outside, &inside);
  if (thrown)
    std::rethrow_exception(std::exchange(thrown, nullptr));
}

void Coroutine::suspend() { swapcontext(&inside, &outside); }

} // namespace kiln::eval
