// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that the system stops: for accesses outside of all memory, say.
#include "Faults.h"
#include "Watch.h"
#include "kiln/Runtime/DriverCall.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <new>
#include <ucontext.h>
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

/// Where an address comes from.
enum class Code {
  kernel,    ///< no library, or one that a driver loads from memory
  system,    ///< the C and C++ libraries
  allocator, ///< of these, what manages memory
  other,     ///< a driver, what it links, or the runtime
};

/// Of a library that a driver has made in memory, as the device cpu does.
bool isInMemory(const char *path) {
  for (const char *prefix : {"/proc/self/fd/", "/dev/fd/", "/memfd:"})
    if (std::strncmp(path, prefix, std::strlen(prefix)) == 0)
      return true;
  return false;
}

Code codeAt(const void *address) {
  struct Search {
    uintptr_t address;
    const char *path;
  } search = {reinterpret_cast<uintptr_t>(address), nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info *library, size_t, void *opaque) {
        auto *search = static_cast<Search *>(opaque);
        for (size_t i = 0; i < library->dlpi_phnum; ++i) {
          const auto &segment = library->dlpi_phdr[i];
          uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && search->address >= begin &&
              search->address - begin < segment.p_memsz)
            search->path = library->dlpi_name;
        }
        return int(search->path != nullptr);
      },
      &search);
  if (!search.path || isInMemory(search.path))
    return Code::kernel;
  bool isSystem = false;
  for (const char *name : {"/libc.so", "/libstdc++.so", "/libgcc_s.so",
                           "/libm.so", "/libc++.so", "/libc++abi.so"})
    isSystem |= std::strstr(search.path, name) != nullptr;
  if (!isSystem)
    return Code::other;
  Dl_info info;
  if (dladdr(address, &info) && info.dli_sname)
    for (const char *name : {"malloc", "free", "cfree", "calloc", "realloc",
                             "aligned_alloc", "memalign", "posix_memalign"})
      if (std::strcmp(info.dli_sname, name) == 0)
        return Code::allocator;
  return Code::system;
}

/// The address of the instruction that faulted, and the one that it would
/// return to if it is the first of a function.
void faultingCode(const void *context, void *&code, void *&caller) {
  code = caller = nullptr;
  const mcontext_t &state =
      static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  code = reinterpret_cast<void *>(state.gregs[REG_RIP]);
  if (!code) // a null function was called
    caller = *reinterpret_cast<void **>(state.gregs[REG_RSP]);
#elif defined(__aarch64__)
  code = reinterpret_cast<void *>(state.pc);
  caller = reinterpret_cast<void *>(state.regs[30]);
#elif defined(__riscv)
  code = reinterpret_cast<void *>(state.__gregs[REG_PC]);
  caller = reinterpret_cast<void *>(state.__gregs[REG_RA]);
#else
  (void)state;
#endif
}

/// Whether a driver's own code went wrong, not a kernel, nor the memory that
/// one has left behind.
bool isDriversFault(const void *context) {
  constexpr int kMost = 64;
  void *stack[kMost], *code, *caller;
  faultingCode(context, code, caller);
  if (!code)
    return caller && codeAt(caller) != Code::kernel;
  int depth = backtrace(stack, kMost), at = 0;
  while (at < depth && stack[at] != code)
    ++at;
  if (at == depth)
    return codeAt(code) != Code::kernel;
  bool isOutside = false;
  for (; at < depth; ++at) {
    Code kind = codeAt(stack[at]);
    // What a kernel calls works for it.
    if (kind == Code::kernel)
      return false;
    if (kind == Code::allocator && !isOutside)
      return false;
    isOutside |= kind == Code::other;
  }
  return isOutside;
}

/// Whether this thread came here through the allocator.
bool isInAllocator() {
  constexpr int kMost = 64;
  void *stack[kMost];
  int depth = backtrace(stack, kMost);
  return std::any_of(stack, stack + depth, [](void *address) {
    return codeAt(address) == Code::allocator;
  });
}

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
    // What manages memory aborts where it finds its own records overwritten.
    return isOutOfMemory     ? "out of memory"
           : isInAllocator() ? "memory outside of its buffers was overwritten"
                             : "the code aborts";
  }
}

/// Only async-signal-safe functions from here on, and those that find
/// libraries.
void onSignal(int number, siginfo_t *info, void *context) {
  // What somebody sent, what came before all kernels and what happens in a
  // child is not ours: it happens again, without this handler.
  const char *kernelName = kiln::run::activity().kernel;
  const char *call = kiln::runtime::currentDriverCall();
  bool isSent = info->si_code <= 0 && number != SIGABRT;
  // Behind the end of the program only destructors run.
  bool isDone = kiln::run::activity().isDone;
  if ((!kernelName[0] && !call[0]) || isSent || isDone || getpid() != process) {
    signal(number, SIG_DFL);
    if (isSent)
      raise(number);
    return;
  }
  static std::atomic_flag isReported = ATOMIC_FLAG_INIT;
  if (isReported.test_and_set())
    while (true)
      pause(); // another thread is about to end the process
  kiln::run::activity().isLost = true;
  Line line;
  // Not a kernel's fault where the driver does something else, or fails by
  // itself.
  bool mayBeKernel = kernelName[0] && (std::strstr(call, "while executing") ||
                                       std::strstr(call, "while waiting"));
  if (call[0] && (!mayBeKernel || isDriversFault(context))) {
    const char *name = sigdescr_np(number);
    line << "kiln-run: error: " << call;
    if (mayBeKernel)
      line << " (kernel '" << kernelName << "')";
    line << ": " << (name ? name : "a signal");
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
  // What it loads must be there before something goes wrong.
  void *unused[1];
  backtrace(unused, 1);
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
