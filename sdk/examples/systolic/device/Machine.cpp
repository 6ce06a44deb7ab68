// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instance of a kernel. Transfers take effect as late as a wait allows: a
// program that relies on one it has not waited for reads old bytes, or is
// stopped where it touches what a transfer still uses.
#include "Machine.h"
#include "Queue.h"
#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace systolic;

namespace {

[[noreturn]] void fault(const std::string &reason) {
  throw std::runtime_error(reason);
}

/// How many operands an instruction has; -1: some.
int64_t operandsOf(int64_t code) {
  static constexpr int64_t counts[NumCodes] = {2,  2,  2, 2, 3, 2,  8, 1, 2,
                                               -1, -1, 1, 4, 2, -1, 2, 1, 10,
                                               3,  5,  5, 4, 5, 9,  5, 4, 2};
  return counts[code];
}

/// Operations of the vector unit that take several passes.
bool isSlow(int64_t function) {
  return (function >= Fn_exp && function <= Fn_atan2) || function == Fn_divf ||
         function == Fn_remf;
}

class Instance {
public:
  Instance(const Kernel &kernel, const std::vector<Argument> &arguments,
           const int64_t *id, const int64_t *grid, Cycles &cycles)
      : code(kernel.code), arguments(arguments), id(id), grid(grid),
        cycles(cycles), queue(pad), scalars(size_t(kernel.scalars)),
        vectors(size_t(kernel.vectors) * kLanes), rings(size_t(kernel.rings)) {
    // Bytes that nobody wrote are a NaN in every type of float.
    std::memset(pad.data(), 0xff, pad.size());
  }

  void run() {
    for (at = 0; at < code.size();) {
      int64_t op = code[at];
      if (op < 0 || op >= NumCodes || at + 2 > code.size())
        fault("an instruction that does not exist");
      int64_t count = code[at + 1], wanted = operandsOf(op);
      if (count < 0 || uint64_t(count) > code.size() - at - 2 ||
          (wanted >= 0 && count != wanted))
        fault("an instruction that ends too early");
      const int64_t *x = &code[at] + 2;
      at += size_t(count) + 2;
      step(op, x, count);
    }
    if (queue.isBusy())
      fault("the kernel ends while " + queue.describe() + " is in flight");
    for (const Slots &ring : rings)
      if (ring.filled != ring.freed)
        fault("the kernel ends with a slot that was not freed");
    cycles.all += now;
    cycles.queue += queue.worked();
  }

private:
  struct Slots {
    int64_t base = 0, bytes = 0, depth = 0, filled = 0, taken = 0, freed = 0;
    std::vector<int64_t>
        tags; ///< of each slot, the last transfer that fills it
  };

  int64_t &scalar(int64_t n) {
    if (n < 0 || uint64_t(n) >= scalars.size())
      fault("a register that does not exist");
    return scalars[size_t(n)];
  }
  uint64_t *vector(int64_t n) {
    if (n < 0 || uint64_t(n) * kLanes >= vectors.size())
      fault("a vector register that does not exist");
    return &vectors[size_t(n) * kLanes];
  }
  const Argument &argument(int64_t n) {
    if (n < 0 || uint64_t(n) >= arguments.size())
      fault("an argument that does not exist");
    return arguments[size_t(n)];
  }
  Slots &ring(int64_t n) {
    if (n < 0 || uint64_t(n) >= rings.size())
      fault("a ring that does not exist");
    return rings[size_t(n)];
  }
  static int64_t type(int64_t t) {
    return t < 0 || t >= NumTypes ? (fault("a type that does not exist"), 0)
                                  : t;
  }
  static int64_t lanes(int64_t n, int64_t first = 0) {
    if (n < 1 || first < 0 || n > kLanes - first)
      fault("more lanes than a vector has");
    return n;
  }

  /// Bytes of the scratchpad, which no transfer may still use.
  char *bytes(int64_t address, int64_t count, bool isWrite) {
    if (count < 0 || address < 0 || count > kPadBytes ||
        address > kPadBytes - count)
      fault("an access outside of the scratchpad, at byte " +
            std::to_string(address));
    if (queue.touches(address, count, isWrite))
      fault((isWrite ? "writes bytes that " : "reads bytes that ") +
            queue.describe() + " still uses");
    return pad.data() + address;
  }

  void work(int64_t &unit, int64_t count) {
    unit += count;
    now += count;
  }
  void workLanes(int64_t t, int64_t count, int64_t passes = 1) {
    work(cycles.vector,
         passes * ((count * std::max<int64_t>(kTypeBytes[t], 4) + 63) / 64));
  }

  void step(int64_t op, const int64_t *x, int64_t count) {
    if (op < In_dma_in)
      return stepScalar(op, x);
    if (op < In_mma)
      return stepTransfer(op, x, count);
    if (op == In_mma)
      return multiply(x);
    stepVector(op, x);
  }

  void stepScalar(int64_t op, const int64_t *x) {
    work(cycles.scalar, 1);
    switch (op) {
    case In_constant:
      scalar(x[0]) = x[1];
      return;
    case In_move:
      scalar(x[0]) = scalar(x[1]);
      return;
    case In_program_id:
      scalar(x[0]) = id[x[1] & 3];
      return;
    case In_num_programs:
      scalar(x[0]) = grid[x[1] & 3];
      return;
    case In_dim:
      scalar(x[0]) = argument(x[2]).sizes.at(size_t(x[1]));
      return;
    case In_parameter:
      scalar(x[0]) = int64_t(argument(x[1]).bits);
      return;
    case In_scalar: {
      uint64_t result =
          evaluate(x[0], x[1], type(x[2]), type(x[3]), uint64_t(scalar(x[5])),
                   uint64_t(scalar(x[6])), uint64_t(scalar(x[7])));
      scalar(x[4]) = int64_t(result);
      return;
    }
    default: {
      int64_t target = x[op == In_jump_zero ? 1 : 0];
      if (target < 0 || uint64_t(target) > code.size())
        fault("a jump out of the kernel");
      if (op == In_jump || (scalar(x[0]) & 1) == 0)
        at = size_t(target);
      return;
    }
    }
  }

  void stepTransfer(int64_t op, const int64_t *x, int64_t count) {
    work(cycles.scalar, 1);
    switch (op) {
    case In_dma_in:
    case In_dma_out: {
      int64_t rank = (count - 5) / 3;
      if (count < 5 || (count - 5) % 3 || rank > kMaxRank)
        fault("a transfer without operands");
      const int64_t *behind = x + 1 + 2 * rank; // type, view, offsets, ...
      Transfer t;
      t.isIn = op == In_dma_in;
      t.elementBytes = kTypeBytes[type(behind[0])];
      t.argument = &argument(behind[1]);
      t.address = scalar(behind[2 + rank]);
      t.padding = uint64_t(scalar(behind[3 + rank]));
      for (int64_t d = 0; d < rank; ++d)
        t.dims.push_back({scalar(behind[2 + d]), x[1 + d], x[1 + rank + d]});
      scalar(x[0]) = queue.add(t, now);
      return;
    }
    case In_wait:
      now = queue.wait(scalar(x[0]), now);
      return;
    case In_ring:
      if (x[0] < 0 || x[0] > kPadBytes || x[1] < 1 || x[1] > kPadBytes ||
          x[2] < 1 || x[2] > 64)
        fault("a ring of no size");
      ring(x[3]) = {
          x[0], x[1], x[2], 0, 0, 0, std::vector<int64_t>(size_t(x[2]))};
      return;
    case In_slot_fill: {
      Slots &slots = ring(x[1]);
      if (!slots.depth || slots.filled - slots.freed >= slots.depth)
        fault("waits for an empty slot for ever");
      scalar(x[0]) = slots.base + slots.filled % slots.depth * slots.bytes;
      return;
    }
    case In_slot_commit: {
      if (count < 1 || !ring(x[0]).depth)
        fault("a slot of no ring");
      Slots &slots = ring(x[0]);
      int64_t last = 0;
      for (int64_t i = 1; i < count; ++i)
        last = std::max(last, scalar(x[i]));
      slots.tags[size_t(slots.filled++ % slots.depth)] = last;
      return;
    }
    case In_slot_take: {
      Slots &slots = ring(x[1]);
      if (slots.taken >= slots.filled)
        fault("waits for a full slot for ever");
      int64_t slot = slots.taken++ % slots.depth;
      now = queue.wait(slots.tags[size_t(slot)], now);
      scalar(x[0]) = slots.base + slot * slots.bytes;
      return;
    }
    default:
      if (ring(x[0]).freed >= ring(x[0]).taken)
        fault("frees a slot that was not taken");
      ++ring(x[0]).freed;
      return;
    }
  }

  /// Every row of a takes a cycle, and loading b one for each of its rows.
  void multiply(const int64_t *x) {
    int64_t t = type(x[3]), m = scalar(x[7]), n = scalar(x[8]),
            k = scalar(x[9]), size = kTypeBytes[t];
    if ((t != f32 && t != bf16) || m < 0 || n < 0 || k < 0 || m > kArray ||
        n > kArray || k > kArray)
      fault("a product that the matrix unit does not compute");
    work(cycles.matrix, m + k);
    if (!m || !n || !k)
      return;
    auto rows = [&](int64_t count, int64_t stride, int64_t width) {
      return (count - 1) * stride + width;
    };
    for (int i = 0; i < 3; ++i)
      if (x[i] < 0 || x[i] > kPadBytes)
        fault("rows that go backwards, or too far");
    const char *a = bytes(scalar(x[4]), rows(m, x[0], k * size), false);
    const char *b = bytes(scalar(x[5]), rows(k, x[1], n * size), false);
    char *c = bytes(scalar(x[6]), rows(m, x[2], n * 4), true);
    float right[kArray][kArray];
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        right[l][j] = number(t, b + l * x[1] + j * size);
    for (int64_t i = 0; i < m; ++i) {
      float sum[kArray];
      std::memcpy(sum, c + i * x[2], size_t(n) * 4);
      for (int64_t l = 0; l < k; ++l) {
        float left = number(t, a + i * x[0] + l * size);
        for (int64_t j = 0; j < n; ++j)
          sum[j] += left * right[l][j];
      }
      std::memcpy(c + i * x[2], sum, size_t(n) * 4);
    }
  }

  static uint64_t element(int64_t t, const char *from) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, size_t(kTypeBytes[t]));
    return bits;
  }
  static float number(int64_t t, const char *from) {
    return float(decode(t, element(t, from)));
  }

  /// x: as of load and store, from the address on alike.
  void moveLanes(int64_t stride, uint64_t *v, const int64_t *x, bool isStore) {
    int64_t t = type(x[3]), n = lanes(x[4]), size = kTypeBytes[t];
    if (std::abs(stride) > kPadBytes)
      fault("lanes that are too far apart");
    int64_t span = (n - 1) * std::abs(stride), back = stride < 0 ? span : 0;
    char *first = bytes(scalar(x[2]) - back, span + size, isStore) + back;
    for (int64_t i = 0; i < n; ++i) {
      if (isStore)
        std::memcpy(first + i * stride, &v[i], size_t(size));
      else
        v[i] = element(t, first + i * stride);
    }
    // Lanes that are not neighbours come one by one.
    workLanes(t, n, stride == size || stride == 0 ? 1 : 16);
  }

  void stepVector(int64_t op, const int64_t *x) {
    switch (op) {
    case In_fill: {
      char *to = bytes(scalar(x[2]), x[0], true);
      for (int64_t i = 0; i < x[0]; ++i)
        to[i] = reinterpret_cast<const char *>(&x[1])[i % 8];
      return work(cycles.vector, (x[0] + 63) / 64);
    }
    case In_load:
      return moveLanes(x[1], vector(x[0]), x, false);
    case In_store:
      return moveLanes(x[0], vector(x[1]), x, true);
    case In_splat:
      std::fill_n(vector(x[0]), lanes(x[3]), uint64_t(scalar(x[1])));
      return work(cycles.vector, 1);
    case In_count: {
      uint64_t *v = vector(x[0]);
      for (int64_t i = 0; i < lanes(x[4]); ++i)
        v[i] = evaluate(Fn_trunci, 0, type(x[3]), i64,
                        uint64_t(scalar(x[2])) + uint64_t(i) * uint64_t(x[1]),
                        0, 0);
      return work(cycles.vector, 1);
    }
    case In_vector: {
      int64_t t = type(x[2]), from = type(x[3]), n = lanes(x[8]);
      uint64_t *v = vector(x[4]), *a = vector(x[5]), *b = vector(x[6]),
               *c = vector(x[7]);
      for (int64_t i = 0; i < n; ++i)
        v[i] = evaluate(x[0], x[1], t, from, a[i], b[i], c[i]);
      return workLanes(std::max(t, from), n, isSlow(x[0]) ? 4 : 1);
    }
    case In_slice:
      std::memmove(vector(x[0]), vector(x[2]) + x[1],
                   size_t(lanes(x[4], x[1])) * 8);
      return work(cycles.vector, 1);
    case In_first:
      scalar(x[0]) = int64_t(vector(x[1])[0]);
      return work(cycles.vector, 1);
    default: // Copy
      std::memmove(vector(x[0]), vector(x[1]), kLanes * 8);
      return work(cycles.vector, 1);
    }
  }

  const std::vector<int64_t> &code;
  const std::vector<Argument> &arguments;
  const int64_t *id, *grid;
  Cycles &cycles;
  std::vector<char> pad = std::vector<char>(kPadBytes);
  Queue queue;
  std::vector<int64_t> scalars;
  std::vector<uint64_t> vectors;
  std::vector<Slots> rings;
  size_t at = 0;
  int64_t now = 0;
};

} // namespace

bool systolic::runInstance(const Kernel &kernel,
                           const std::vector<Argument> &arguments,
                           const int64_t *id, const int64_t *grid,
                           Cycles &cycles, std::string &problem) {
  try {
    Instance(kernel, arguments, id, grid, cycles).run();
    return true;
  } catch (const std::exception &e) {
    problem = "kernel '" + kernel.name + "': " + e.what();
    return false;
  }
}
