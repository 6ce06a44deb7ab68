// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling, calling and timing.
#include "Harness.h"
#include "kiln-c/Compiler.h"
#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <thread>

using namespace bench;

Settings bench::settings;

static void check(int status, const char *what) {
  if (status == 0)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, kilnLastError());
  std::exit(1);
}

Compiled::Compiled(const std::string &source, int threads) {
  std::string target = settings.target + ",threads=" + std::to_string(threads);
  std::string option = "--target=" + target;
  const char *args[] = {option.c_str()};
  void *bytes = nullptr;
  size_t size = 0;
  auto print = [](const char *message, void *) {
    std::fprintf(stderr, "%s\n", message);
  };
  if (kilnCompileBuffer(source.data(), source.size(), "bench.mlir", 1, args,
                        print, nullptr, &bytes, &size) != 0)
    std::exit(1);
  check(kilnPackageLoad(bytes, size, &package), "package");
  kilnFreeBytes(bytes);
  check(kilnSessionCreate(package, target.c_str(), &session), "session");
}

Compiled::~Compiled() {
  kilnTensorDestroy(output);
  for (KilnTensor *argument : arguments)
    kilnTensorDestroy(argument);
  kilnSessionDestroy(session);
  kilnPackageDestroy(package);
}

void Compiled::bind(KilnDType dtype, std::vector<int64_t> shape, void *data) {
  KilnTensor *tensor = nullptr;
  check(kilnTensorWrap(dtype, int(shape.size()), shape.data(), nullptr, data,
                       &tensor),
        "argument");
  arguments.push_back(tensor);
}

void Compiled::call() {
  kilnTensorDestroy(output);
  output = nullptr;
  check(kilnSessionRun(session, "main", arguments.size(), arguments.data(), 1,
                       &output),
        "call");
}

const void *Compiled::result() const { return kilnTensorData(output); }

void bench::race(std::vector<Contender> &contenders, int threads) {
  using Clock = std::chrono::steady_clock;
  constexpr double kTurn = 0.01;
  constexpr std::chrono::milliseconds kUntilAsleep(30);
  auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  auto call = [&](Contender &contender) {
    Clock::time_point begin = Clock::now();
    contender.run();
    double seconds = since(begin);
    if (contender.seconds == 0 || seconds < contender.seconds)
      contender.seconds = seconds;
  };
  for (Contender &contender : contenders)
    contender.run();
  Clock::time_point start = Clock::now();
  for (int round = 0;
       since(start) < settings.seconds * (round < 15 ? 5 : 1) || round < 3;
       ++round)
    for (Contender &contender : contenders) {
      if (threads > 1)
        std::this_thread::sleep_for(kUntilAsleep);
      Clock::time_point begin = Clock::now();
      do
        call(contender);
      while (threads > 1 && since(begin) < kTurn);
    }
}

void bench::report(const std::string &title,
                   const std::vector<Contender> &contenders, double work,
                   const char *unit) {
  std::printf("%-34s", title.c_str());
  for (const Contender &contender : contenders)
    std::printf(" %s %7.1f", contender.name.c_str(),
                work * 1e-9 / contender.seconds);
  std::printf(" %s  ratio", unit);
  for (size_t i = 1; i < contenders.size(); ++i)
    std::printf(" %.2f", contenders[i].seconds / contenders[0].seconds);
  std::printf("\n");
  std::fflush(stdout);
}

Array<float> bench::randomFloats(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-1.0f, 1.0f);
  Array<float> result(count);
  for (float &value : result)
    value = values(generator);
  return result;
}

Array<uint8_t> bench::randomBytes(size_t count, unsigned seed, int least,
                                  int most) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> values(least, most);
  Array<uint8_t> result(count);
  for (uint8_t &value : result)
    value = uint8_t(values(generator));
  return result;
}

void bench::verify(const std::string &what, const float *got,
                   const float *expected, size_t count, double tolerance) {
  double largest = 0, error = 0;
  for (size_t i = 0; i < count; ++i) {
    largest = std::max(largest, double(std::fabs(expected[i])));
    double difference = std::fabs(double(got[i]) - expected[i]);
    error = std::isnan(difference) ? INFINITY : std::max(error, difference);
  }
  if (error <= tolerance * std::max(largest, 1e-30))
    return;
  std::fprintf(stderr, "error: %s: largest error %g where values reach %g\n",
               what.c_str(), error, largest);
  std::exit(1);
}

void bench::verify(const std::string &what, const int32_t *got,
                   const int32_t *expected, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (got[i] == expected[i])
      continue;
    std::fprintf(stderr, "error: %s: element %zu is %d, expected %d\n",
                 what.c_str(), i, got[i], expected[i]);
    std::exit(1);
  }
}

void bench::copy(float *to, const float *from, size_t count, int threads) {
  if (threads == 1) {
    std::memcpy(to, from, count * sizeof(float));
    return;
  }
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    size_t begin = count * t / threads, end = count * (t + 1) / threads;
    workers.emplace_back([=] {
      std::memcpy(to + begin, from + begin, (end - begin) * sizeof(float));
    });
  }
  for (std::thread &worker : workers)
    worker.join();
}

void bench::setPeerThreads(int threads) {
  openblas_set_num_threads(threads);
  // oneDNN takes its threads from OpenMP, whichever library that is.
  if (void *set = dlsym(RTLD_DEFAULT, "omp_set_num_threads"))
    reinterpret_cast<void (*)(int)>(set)(threads);
}
