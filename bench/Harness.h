// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the comparisons share: compiling, calling, timing side by side.
#ifndef KILN_BENCH_HARNESS_H
#define KILN_BENCH_HARNESS_H

#include "kiln-c/Runtime.h"
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <vector>

namespace bench {

/// Memory that starts at a cache line, as that of tensors does.
template <typename T> struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U> AlignedAllocator(const AlignedAllocator<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(
        ::operator new(count * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T *memory, size_t) {
    ::operator delete(memory, std::align_val_t(64));
  }
  bool operator==(const AlignedAllocator &) const { return true; }
  bool operator!=(const AlignedAllocator &) const { return false; }
};
template <typename T> using Array = std::vector<T, AlignedAllocator<T>>;

/// What the command line says.
struct Settings {
  std::string target = "cpu"; ///< SPEC of what Kiln compiles for
  double seconds = 2;         ///< of each case
};
extern Settings settings;

/// A function compiled for `TARGET,threads=N`, with its arguments bound.
class Compiled {
public:
  Compiled(const std::string &source, int threads);
  ~Compiled();
  Compiled(const Compiled &) = delete;
  /// Adds an argument that the caller keeps.
  void bind(KilnDType dtype, std::vector<int64_t> shape, void *data);
  /// Calls its function; the result is valid until the next call.
  void call();
  const void *result() const;

private:
  KilnPackage *package = nullptr;
  KilnSession *session = nullptr;
  std::vector<KilnTensor *> arguments;
  KilnTensor *output = nullptr;
};

/// One thing to be timed.
struct Contender {
  std::string name;
  std::function<void()> run;
  double seconds = 0; ///< best of the rounds
};

/// Runs the contenders by turns, for `settings.seconds` and 15 rounds at least
/// (three where one takes long), and keeps the best time of each. With several
/// threads each turn is a few calls, before which everybody's threads have gone
/// to sleep: those of OpenMP stay awake for milliseconds behind a call, on
/// processors that the next contender is to use.
void race(std::vector<Contender> &contenders, int threads);

/// Prints a line: rates (in `unit`, work * scale / seconds) and the first
/// contender's ratio to each other one.
void report(const std::string &title, const std::vector<Contender> &contenders,
            double work, const char *unit);

/// Reproducible values between -1 and 1.
Array<float> randomFloats(size_t count, unsigned seed);
/// Reproducible bytes of numbers from `least` to `most`.
Array<uint8_t> randomBytes(size_t count, unsigned seed, int least, int most);

/// Stops with a message when the outputs differ by more than `tolerance`
/// relative to the largest expected value.
void verify(const std::string &what, const float *got, const float *expected,
            size_t count, double tolerance);
/// The same where they differ at all.
void verify(const std::string &what, const int32_t *got,
            const int32_t *expected, size_t count);

/// Copies with `threads` threads.
void copy(float *to, const float *from, size_t count, int threads);

/// Sets the number of threads of the libraries compared with.
void setPeerThreads(int threads);

void runProducts(const std::string &filter, int threads);
void runRows(const std::string &filter, int threads);

} // namespace bench

#endif // KILN_BENCH_HARNESS_H
