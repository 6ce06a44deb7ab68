// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that the system stops: for accesses outside of all memory, say.
#include "Faults.h"
#include "Watch.h"
#include "kiln/Runtime/DriverCall.h"
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <unistd.h>

namespace {

pid_t process = 0;

/// Whether memory was asked for and not there. Who cannot do without aborts.
std::atomic<bool> isOutOfMemory{false};

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// A line put together without memory or locks.
class Line {
public:
  Line &operator<<(const char *text) {
    while (*text && size + 1 < sizeof(bytes))
      bytes[size++] = *text++;
    return *this;
  }
  Line &hex(uintptr_t value) {
    char digits[2 * sizeof(value) + 1] = {};
    char *next = digits + sizeof(digits) - 1;
    do {
      *--next = "0123456789abcdef"[value % 16];
      value /= 16;
    } while (value);
    return *this << "0x" << next;
  }
  void print() {
    bytes[size++] = '\n';
    for (size_t done = 0; done < size;) {
      ssize_t put = write(STDERR_FILENO, bytes + done, size - done);
      if (put <= 0)
        return;
      done += size_t(put);
    }
  }

private:
  char bytes[1024];
  size_t size = 0;
};

const char *whatHappened(int number) {
  switch (number) {
  case SIGSEGV:
  case SIGBUS:
    return "access outside of its buffers";
  case SIGFPE:
    return "arithmetic exception";
  case SIGILL:
    return "instruction that this machine lacks";
  default:
    return isOutOfMemory ? "out of memory"
                         : "memory outside of its buffers was overwritten";
  }
}

/// Only async-signal-safe functions from here on.
void onSignal(int number, siginfo_t *info, void *) {
  // What somebody sent, what came before all kernels and what happens in a
  // child is not ours: it happens again, without this handler.
  const char *kernelName = kiln::run::activity().kernel;
  const char *call = kiln::runtime::currentDriverCall();
  bool isSent = info->si_code <= 0 && number != SIGABRT;
  if ((!kernelName[0] && !call[0]) || isSent || getpid() != process) {
    signal(number, SIG_DFL);
    if (isSent)
      raise(number);
    return;
  }
  static std::atomic_flag isReported = ATOMIC_FLAG_INIT;
  if (isReported.test_and_set())
    while (true)
      pause(); // another thread is about to end the process
  Line line;
  // Not a kernel's fault where the driver does something else.
  if (call[0] && !std::strstr(call, "executing") &&
      !std::strstr(call, "waiting")) {
    const char *name = sigdescr_np(number);
    line << "kiln-run: error: " << call << ": " << (name ? name : "a signal");
    line.print();
    _exit(1);
  }
  line << "kiln-run: error: kernel '" << kernelName
       << "': " << whatHappened(number);
  // Processors do not tell addresses that no memory could have.
  if ((number == SIGSEGV || number == SIGBUS) && info->si_code != SI_KERNEL)
    (line << " (address ").hex(reinterpret_cast<uintptr_t>(info->si_addr))
        << ")";
  if (number != SIGILL && !isOutOfMemory)
    line << "; run it with --target=reference, which names the operation";
  line.print();
  _exit(1);
}

} // namespace

void kiln::run::reportFaults() {
  process = getpid();
  std::set_new_handler([] {
    isOutOfMemory = true;
    throw std::bad_alloc();
  });
  // Where the thread's own stack may be what overflowed.
  alignas(16) static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int number : kSignals)
    sigaction(number, &action, nullptr);
}
