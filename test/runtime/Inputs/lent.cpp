// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lent PACKAGE: calls with memory that is lent, again and again.
#include "kiln-c/Runtime.h"
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char *what, int line) {
  if (holds)
    return;
  ++failures;
  std::printf("line %d: %s (%s)\n", line, what, kilnLastError());
}
#define CHECK(X) check(bool(X), #X, __LINE__)

constexpr int kMost = 64;

/// Numbers that begin at a multiple of 64 bytes, or so many floats behind.
struct Numbers {
  explicit Numbers(float first, int64_t n = 8, int behind = 0)
      : size(n), data(memory + behind) {
    for (int i = 0; i < n; ++i)
      data[i] = first + float(i);
  }
  KilnLentTensor lent() { return {data, KILN_DTYPE_F32, 1, &size, nullptr}; }
  int64_t size;
  alignas(64) float memory[kMost];
  float *data;
};

float at(const KilnTensor *tensor, int i) {
  return static_cast<const float *>(kilnTensorData(tensor))[i];
}

/// Calls an entry with one result; null where that fails.
KilnTensor *call(KilnSession *session, const char *entry,
                 std::initializer_list<KilnLentTensor> given) {
  KilnTensor *result = nullptr;
  int status = kilnSessionRunLent(session, entry, given.size(), given.begin(),
                                  1, &result);
  CHECK(!status == (result != nullptr));
  return result;
}

bool fails(KilnSession *session, const char *entry,
           std::initializer_list<KilnLentTensor> given, const char *part) {
  return !call(session, entry, given) && std::strstr(kilnLastError(), part);
}

/// x + y, each time with other memory; what came out before stays.
void testAgain(KilnSession *session, const char *entry) {
  std::vector<KilnTensor *> kept;
  for (int i = 0; i < 4; ++i) {
    Numbers x{float(i)}, y{float(10 * i)};
    kept.push_back(call(session, entry, {x.lent(), y.lent()}));
  }
  for (int i = 0; i < 4; ++i) {
    CHECK(kept[size_t(i)] && at(kept[size_t(i)], 0) == float(11 * i) &&
          at(kept[size_t(i)], 7) == float(11 * i + 14));
    kilnTensorDestroy(kept[size_t(i)]);
  }
  // One memory for both arguments, then two again.
  Numbers x(1), y(2);
  for (KilnLentTensor second : {x.lent(), y.lent()}) {
    KilnTensor *sum = call(session, entry, {x.lent(), second});
    CHECK(sum && at(sum, 3) == 4 + static_cast<float *>(second.data)[3]);
    kilnTensorDestroy(sum);
  }
  // Memory that begins elsewhere.
  for (int behind : {1, 0, 3}) {
    Numbers z(5, 8, behind);
    KilnTensor *sum = call(session, entry, {x.lent(), z.lent()});
    CHECK(sum && at(sum, 7) == 8 + 12);
    kilnTensorDestroy(sum);
  }
  CHECK(!kilnSessionTrim(session));
  KilnTensor *sum = call(session, entry, {x.lent(), y.lent()});
  CHECK(sum && at(sum, 7) == 8 + 9);
  kilnTensorDestroy(sum);
}

void testSizes(KilnSession *session) {
  for (int64_t n : {3, 3, 17, 3, 0, 0, 40}) {
    Numbers x(1, n), y(2, n);
    KilnTensor *sum = call(session, "open", {x.lent(), y.lent()});
    CHECK(sum && kilnTensorShape(sum)[0] == n);
    for (int i = 0; sum && i < n; ++i)
      CHECK(at(sum, i) == float(3 + 2 * i));
    kilnTensorDestroy(sum);
  }
}

void testResults(KilnSession *session) {
  for (int i = 0; i < 3; ++i) {
    Numbers x{float(i)};
    KilnLentTensor given = x.lent();
    KilnTensor *results[2] = {};
    CHECK(!kilnSessionRunLent(session, "both", 1, &given, 2, results));
    CHECK(at(results[0], 2) == float(i + 2) * float(i + 2) &&
          at(results[1], 2) == float(i + 2) + float(i + 2));
    kilnTensorDestroy(results[0]);
    kilnTensorDestroy(results[1]);
    KilnTensor *same = call(session, "same", {x.lent()});
    CHECK(same && at(same, 5) == float(i + 5) &&
          kilnTensorData(same) != x.data);
    kilnTensorDestroy(same);
  }
  // A loop whose length the contents decide.
  for (int32_t times : {3, 5, 0}) {
    Numbers x(1);
    KilnTensor *sum =
        call(session, "loop",
             {x.lent(), {&times, KILN_DTYPE_I32, 0, nullptr, nullptr}});
    CHECK(sum && at(sum, 1) == 2.0f * float(1 << times));
    kilnTensorDestroy(sum);
  }
}

void testTensors(KilnSession *session) {
  Numbers x(1), y(2, 16);
  int64_t n = 8, two = 2;
  KilnTensor *tensor, *wide;
  CHECK(!kilnTensorWrap(KILN_DTYPE_F32, 1, &n, nullptr, y.data, &tensor));
  CHECK(!kilnTensorWrap(KILN_DTYPE_F32, 1, &n, &two, y.data, &wide));
  for (int i = 0; i < 2; ++i) {
    KilnTensor *sum =
        call(session, "add",
             {x.lent(), {nullptr, KILN_DTYPE_NONE, 0, nullptr, tensor}});
    CHECK(sum && at(sum, 7) == 8 + 9);
    kilnTensorDestroy(sum);
    sum = call(session, "add",
               {x.lent(), {nullptr, KILN_DTYPE_NONE, 0, nullptr, wide}});
    CHECK(sum && at(sum, 7) == 8 + 16);
    kilnTensorDestroy(sum);
  }
  kilnTensorDestroy(tensor);
  kilnTensorDestroy(wide);
}

/// What is wrong is said before and behind calls that are right.
void testWrong(KilnSession *session) {
  for (int i = 0; i < 2; ++i) {
    Numbers x(1), y(2), small(3, 7);
    KilnLentTensor none = x.lent(), other = x.lent(), unknown = x.lent();
    none.data = nullptr;
    other.dtype = KILN_DTYPE_I32;
    unknown.dtype = KILN_DTYPE_COUNT;
    CHECK(fails(session, "add", {x.lent(), small.lent()},
                "argument 1 ('y') of 'add': expected 8xf32, found 7xf32"));
    CHECK(fails(session, "add", {x.lent(), other},
                "expected 8xf32, found 8xi32"));
    CHECK(fails(session, "add", {none, y.lent()}, "its memory is null"));
    CHECK(fails(session, "add", {unknown, y.lent()}, "unknown element type"));
    CHECK(fails(session, "add", {x.lent()}, "takes 2 arguments, 1 given"));
    CHECK(fails(session, "nothing", {x.lent()}, "no entry 'nothing'"));
    KilnTensor *sum = call(session, "add", {x.lent(), y.lent()});
    CHECK(sum && at(sum, 0) == 3);
    kilnTensorDestroy(sum);
  }
}

void testThreads(KilnSession *session) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([session, t] {
      for (int i = 0; i < 100; ++i) {
        Numbers x{float(t)}, y{float(i)};
        KilnLentTensor given[] = {x.lent(), y.lent()};
        KilnTensor *sum = nullptr;
        bool ok = !kilnSessionRunLent(session, t % 2 ? "add" : "open", 2, given,
                                      1, &sum) &&
                  at(sum, 4) == float(t + i + 8);
        kilnTensorDestroy(sum);
        if (!ok)
          std::printf("thread %d: a wrong sum\n", t);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

int main(int argc, char **argv) {
  KilnPackage *package;
  KilnSession *session;
  if (argc != 2 || kilnPackageLoadFile(argv[1], &package) ||
      kilnSessionCreate(package, nullptr, &session)) {
    std::printf("%s\n", kilnLastError());
    return 1;
  }
  testWrong(session);
  testAgain(session, "add");
  testAgain(session, "open");
  testSizes(session);
  testResults(session);
  testTensors(session);
  testThreads(session);
  kilnSessionDestroy(session);
  kilnPackageDestroy(package);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
