// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks a communication driver for all exchanges, with ranks that are threads:
// communication LIB.
#include "kiln-c/Communication.h"
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable changed;
static std::map<std::string, std::string> keys;
static int failures = 0;

static int setKey(void *, const char *key, const void *bytes, size_t size,
                  KilnError *) {
  std::lock_guard<std::mutex> lock(mutex);
  keys[key] = std::string(static_cast<const char *>(bytes), size);
  changed.notify_all();
  return 0;
}

static int getKey(void *, const char *key, void *bytes, size_t capacity,
                  size_t *size, double seconds, KilnError *error) {
  std::unique_lock<std::mutex> lock(mutex);
  if (!changed.wait_for(lock, std::chrono::duration<double>(seconds),
                        [&] { return keys.count(key) != 0; })) {
    std::strcpy(error->message, "no such key");
    return 1;
  }
  *size = keys[key].size();
  std::memcpy(bytes, keys[key].data(), std::min(capacity, *size));
  return 0;
}

static void expect(bool holds, const std::string &what) {
  if (holds)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (++failures < 20)
    std::printf("FAILED: %s\n", what.c_str());
}

struct Rank {
  const KilnCommunicationDriver *driver;
  KilnCommunicator *communicator = nullptr;
  int64_t rank, size;

  std::string run(KilnCollective c) {
    c.structSize = sizeof c;
    KilnError error = {};
    KilnRequest *request = nullptr;
    if (driver->start(communicator, &c, &request, &error) ||
        driver->wait(communicator, request, &error))
      return error.message;
    return "";
  }

  /// Element i of what rank r gives.
  static int64_t given(int64_t r, uint64_t i) {
    return int64_t((i * 7 + uint64_t(r) * 13) % 101) - 50;
  }

  template <typename T> void check(uint32_t dtype, uint64_t part) {
    uint64_t n = uint64_t(size), count = part * n;
    std::vector<T> source(count), target(count * n, T(99));
    for (uint64_t i = 0; i < count; ++i)
      source[i] = T(given(rank, i));
    KilnCollective c = {};
    c.dtype = dtype;
    c.count = count;
    c.source = source.data();
    c.target = target.data();
    std::string name = std::string(driver->name) + ", " + std::to_string(size) +
                       " ranks, type " + std::to_string(dtype) + ", " +
                       std::to_string(count) + " elements, rank " +
                       std::to_string(rank) + ": ";
    auto all = [&](uint64_t number, const std::string &what, auto wanted) {
      for (uint64_t i = 0; i < number; ++i)
        if (!(target[i] == T(wanted(i))))
          return expect(false, name + what + ", element " + std::to_string(i));
    };
    auto sum = [&](uint64_t i) {
      int64_t total = 0;
      for (int64_t r = 0; r < size; ++r)
        total += given(r, i);
      return total;
    };
    auto most = [&](uint64_t i) {
      int64_t best = given(0, i);
      for (int64_t r = 1; r < size; ++r)
        best = std::max(best, given(r, i));
      return best;
    };
    c.kind = KILN_COLLECTIVE_ALL_REDUCE;
    expect(run(c).empty(), name + "all_reduce");
    all(count, "sum", sum);
    c.combiner = KILN_COMBINER_MAX;
    expect(run(c).empty(), name + "all_reduce");
    all(count, "maximum", most);
    c.kind = KILN_COLLECTIVE_REDUCE_SCATTER;
    expect(run(c).empty(), name + "reduce_scatter");
    all(part, "maximum of a part",
        [&](uint64_t i) { return most(uint64_t(rank) * part + i); });
    c.kind = KILN_COLLECTIVE_ALL_GATHER;
    expect(run(c).empty(), name + "all_gather");
    all(count * n, "gather",
        [&](uint64_t i) { return given(int64_t(i / count), i % count); });
    c.kind = KILN_COLLECTIVE_ALL_TO_ALL;
    expect(run(c).empty(), name + "all_to_all");
    all(count, "parts", [&](uint64_t i) {
      return given(int64_t(i / part), uint64_t(rank) * part + i % part);
    });
    c.kind = KILN_COLLECTIVE_BROADCAST;
    expect(run(c).empty(), name + "broadcast");
    all(count, "broadcast", [&](uint64_t i) { return given(0, i); });
    int64_t pairs[] = {0, 1, size - 1, 0};
    c.kind = KILN_COLLECTIVE_PERMUTE;
    c.pairs = pairs;
    c.numPairs = 2;
    std::memset(target.data(), 0, target.size() * sizeof(T));
    expect(run(c).empty(), name + "permute");
    all(count, "permute", [&](uint64_t i) {
      return rank == 1 ? given(0, i) : rank == 0 ? given(size - 1, i) : 0;
    });
    // In place.
    c.kind = KILN_COLLECTIVE_ALL_REDUCE;
    c.combiner = KILN_COMBINER_ADD;
    std::memcpy(target.data(), source.data(), count * sizeof(T));
    c.source = target.data();
    expect(run(c).empty(), name + "all_reduce in place");
    all(count, "sum in place", sum);
  }

  void checkAll() {
    for (uint64_t part : {1, 2, 37, 5001, 200003}) {
      check<float>(KILN_DTYPE_F32, part);
      check<int8_t>(KILN_DTYPE_I8, part);
      check<int64_t>(KILN_DTYPE_I64, part);
      check<double>(KILN_DTYPE_F64, part);
      check<_Float16>(KILN_DTYPE_F16, part);
      check<int16_t>(KILN_DTYPE_I16, part);
      check<int32_t>(KILN_DTYPE_I32, part);
    }
    // Several at once.
    std::vector<float> a(100000, 1), b(a), x(a), y(a);
    KilnError error = {};
    KilnRequest *first = nullptr, *second = nullptr;
    expect(!driver->check || !driver->check(communicator, &error), "check");
    KilnCollective c = {sizeof c,
                        KILN_COLLECTIVE_ALL_REDUCE,
                        KILN_COMBINER_ADD,
                        KILN_DTYPE_F32,
                        0,
                        a.size(),
                        a.data(),
                        x.data(),
                        nullptr,
                        nullptr};
    expect(!driver->start(communicator, &c, &first, &error), "start");
    c.source = b.data();
    c.target = y.data();
    expect(!driver->start(communicator, &c, &second, &error), "start");
    expect(!driver->wait(communicator, first, &error), "wait");
    expect(!driver->wait(communicator, second, &error), "wait");
    expect(x.back() == float(size) && y.back() == float(size), "two at once");
    // What is not known is refused before anything is sent.
    c.combiner = KILN_COMBINER_XOR;
    expect(driver->start(communicator, &c, &first, &error) != 0 &&
               std::strstr(error.message, "unsupported"),
           "xor of floats");
    c.combiner = KILN_COMBINER_ADD;
    // Unequal exchanges are an error on all ranks that wait for each other.
    if (size == 2) {
      c.count = rank ? 10 : 20;
      expect(run(c).find("different exchanges") != std::string::npos,
             "different exchanges");
      return;
    }
    // One gives up: the others are told.
    c.count = a.size();
    if (rank == 1) {
      driver->abort(communicator, "it was enough");
    } else {
      std::string said = run(c);
      expect(!said.empty(), "after abort");
    }
  }
};

static void together(const KilnCommunicationDriver *driver, int64_t size) {
  std::vector<std::thread> threads;
  KilnStore store = {sizeof store, nullptr, setKey, getKey};
  std::string name = "group" + std::to_string(size);
  std::vector<int64_t> ranks;
  for (int64_t r = 0; r < size; ++r)
    ranks.push_back(r);
  for (int64_t r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      Rank one = {driver, nullptr, r, size};
      KilnCommunicatorDescription description = {};
      description.structSize = sizeof description;
      description.rank = r;
      description.size = size;
      description.ranks = ranks.data();
      description.name = name.c_str();
      description.store = &store;
      description.seconds = 60;
      KilnError error = {};
      if (driver->open(&description, &one.communicator, &error))
        return expect(false, std::string("open: ") + error.message);
      one.checkAll();
      driver->close(one.communicator);
    });
  for (std::thread &thread : threads)
    thread.join();
}

int main(int, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  auto entry = reinterpret_cast<KilnGetCommunicationDriverFn>(
      dlsym(library, "kilnGetCommunicationDriver"));
  if (entry(KILN_COMMUNICATION_API_MAJOR + 1))
    return 1;
  const KilnCommunicationDriver *driver = entry(KILN_COMMUNICATION_API_MAJOR);
  for (int64_t size : {2, 3, 5})
    together(driver, size);
  std::printf("%s: %d failures\n", driver->name, failures);
  return failures ? 1 : 0;
}
