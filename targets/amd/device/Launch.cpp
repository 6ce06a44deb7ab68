// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroups and waves: initial registers (LLVM's AMDGPU guide, "Initial Kernel
// Execution State"), turns, barriers.
#include "Launch.h"
#include "HostMode.h"
#include "Relative.h"
#include <algorithm>
#include <cstdio>
#include <deque>

using namespace kiln::amd::sim;

namespace {
/// Priorities of waves (S_SETPRIO).
constexpr unsigned kPriorities = 4;
/// Instructions that a wave runs before the next one has its turn.
constexpr unsigned kTurn = 4096;
/// Packet of the dispatch, of which kernels read the sizes.
constexpr unsigned kPacketBytes = 64;

/// Restores how the host's arithmetic rounds and flushes.
class ModeScope {
public:
  explicit ModeScope(const Wave &wave) { applyMode(wave); }
  ~ModeScope() { old.set(); }

private:
  HostMode old = HostMode::current();
};

class Launcher {
public:
  Launcher(Code &code, const KernelInfo &kernel, std::vector<uint8_t> kernarg,
           AddressMap &memory, const LaunchOptions &options)
      : code(code), kernel(kernel), kernarg(std::move(kernarg)),
        options(options), random(options.seed) {
    machine.isa = code.isa();
    machine.memory = &memory;
    machine.code = &code;
    machine.checks = options.checks;
    machine.float8 = options.float8;
    machine.findsOld = options.checks && options.findsOld;
  }

  std::string run();
  Machine machine;

private:
  void fillHidden();
  std::unique_ptr<Workgroup> start(uint64_t number);
  void prepare(Wave &wave, const Workgroup &group, uint64_t first);
  void turn(Wave &wave, unsigned most);
  bool turnAll(Workgroup &group);
  uint64_t draw() {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return random;
  }

  Code &code;
  const KernelInfo &kernel;
  std::vector<uint8_t> kernarg, packet;
  const LaunchOptions &options;
  uint64_t random;
  std::vector<std::unique_ptr<Wave>> unused;
};
} // namespace

/// Of the fields of the mode those of f32 come first, then those of f16 and
/// f64: how they round in bits 0 to 3, subnormal numbers in bits 4 to 7.
static void applyMode(uint32_t mode, bool isOfOthers) {
  constexpr unsigned kAllowAll = 3;
  uint32_t fields = isOfOthers ? mode >> 2 : mode;
  bool flushes = ((fields >> 4) & 3) != kAllowAll;
  HostMode::current().with(fields & 3, flushes).set();
}

void kiln::amd::sim::applyMode(const Wave &wave) {
  ::applyMode(wave.mode, /*isOfOthers=*/false);
}

/// Whether f16 and f64 round, or flush, unlike f32.
static bool hasTwoModes(uint32_t mode) {
  constexpr uint32_t kOfSingles = 0x33;
  return (mode ^ (mode >> 2)) & kOfSingles;
}

/// The dimensions of a launch that are not 1, counted from x.
static unsigned dimensionsOf(const LaunchOptions &options) {
  for (unsigned axis = 2; axis > 0; --axis)
    if (options.grid[axis] > 1 || options.threads[axis] > 1)
      return axis + 1;
  return 1;
}

void Launcher::fillHidden() {
  for (const KernelArgument &argument : kernel.arguments) {
    const std::string &kind = argument.kind;
    if (kind.rfind("hidden_", 0) != 0)
      continue;
    uint64_t value = 0;
    int axis = kind.back() - 'x';
    if (kind.rfind("hidden_block_count_", 0) == 0)
      value = options.grid[axis];
    else if (kind.rfind("hidden_group_size_", 0) == 0)
      value = options.threads[axis];
    else if (kind == "hidden_grid_dims")
      value = dimensionsOf(options);
    else if (kind == "hidden_dynamic_lds_size")
      value = options.dynamicLds;
    bool isPointer = !value && argument.size == 8 &&
                     kind.rfind("hidden_global_offset_", 0) != 0;
    if (isPointer)
      machine.nullArguments +=
          (machine.nullArguments.empty() ? "" : ", ") + kind;
    if (argument.offset + argument.size <= kernarg.size() && argument.size <= 8)
      std::memcpy(kernarg.data() + argument.offset, &value, argument.size);
  }
  packet.assign(kPacketBytes, 0);
  auto put = [&](unsigned at, auto value) {
    std::memcpy(packet.data() + at, &value, sizeof value);
  };
  // HSA's kernel dispatch packet.
  constexpr unsigned kDispatchType = 2, kSetupAt = 2, kScratchAt = 24,
                     kLdsAt = 28, kArgumentsAt = 40;
  put(0, uint16_t(kDispatchType));
  put(kSetupAt, uint16_t(dimensionsOf(options)));
  put(kScratchAt, kernel.scratchBytes);
  put(kLdsAt, uint32_t(kernel.ldsBytes + options.dynamicLds));
  put(kArgumentsAt, uint64_t(reinterpret_cast<uintptr_t>(kernarg.data())));
  for (unsigned i = 0; i < 3; ++i) {
    put(4 + 2 * i, uint16_t(options.threads[i]));
    put(12 + 4 * i, uint32_t(options.grid[i] * options.threads[i]));
  }
}

void Launcher::prepare(Wave &wave, const Workgroup &group, uint64_t first) {
  bool isPacked = machine.isa.chip != "gfx908";
  unsigned next = 0;
  auto put = [&](uint32_t value) {
    wave.s[next] = value;
    wave.isScalarDefined[next++] = true;
  };
  auto putAddress = [&](const void *address) {
    auto value = reinterpret_cast<uint64_t>(address);
    put(uint32_t(value));
    put(uint32_t(value >> 32));
  };
  uint32_t properties = kernel.properties;
  if (properties & 1) {
    // The descriptor of scratch memory.
    put(0);
    put(kPrivateBuffer);
    put(~0u);
    put(0);
  }
  if (properties & 2)
    putAddress(packet.data());
  if (properties & 4)
    putAddress(nullptr); // queue
  if (properties & 8)
    putAddress(kernarg.data());
  if (properties & 16)
    putAddress(nullptr); // number of the dispatch
  if (properties & 32)
    putAddress(nullptr); // scratch, which instructions find by themselves
  if (properties & 64)
    put(wave.scratchBytes);
  // Preloaded arguments are loaded again by code at the entry.
  unsigned users = (kernel.rsrc2 >> 1) & 31;
  next = std::max(next, users);
  if (machine.isa.major >= 12) {
    wave.s[kTtmp + 9] = group.id[0];
    wave.s[kTtmp + 7] = group.id[1] | group.id[2] << 16;
  } else {
    for (unsigned i = 0; i < 3; ++i)
      if ((kernel.rsrc2 >> (7 + i)) & 1)
        put(group.id[i]);
    if ((kernel.rsrc2 >> 10) & 1)
      put(0);
    if (kernel.rsrc2 & 1)
      put(0); // of the wave in scratch memory
  }
  uint64_t all =
      uint64_t(options.threads[0]) * options.threads[1] * options.threads[2];
  uint64_t active = 0;
  for (unsigned l = 0; l < wave.lanes && first + l < all; ++l) {
    active |= uint64_t(1) << l;
    uint64_t id = first + l;
    auto x = uint32_t(id % options.threads[0]);
    auto y = uint32_t(id / options.threads[0] % options.threads[1]);
    auto z = uint32_t(id / options.threads[0] / options.threads[1]);
    wave.v[0].lane[l] = isPacked ? x | y << 10 | z << 20 : x;
    if (!isPacked) {
      wave.v[1].lane[l] = y;
      wave.v[2].lane[l] = z;
    }
  }
  for (unsigned i = 0; i < (isPacked ? 1u : 3u); ++i)
    wave.defined[i] = ~uint64_t(0);
  wave.setExec(active);
}

std::unique_ptr<Workgroup> Launcher::start(uint64_t number) {
  auto group = std::make_unique<Workgroup>();
  group->id[0] = uint32_t(number % options.grid[0]);
  group->id[1] = uint32_t(number / options.grid[0] % options.grid[1]);
  group->id[2] = uint32_t(number / options.grid[0] / options.grid[1]);
  size_t bytes = kernel.ldsBytes + options.dynamicLds;
  group->lds.reset(bytes, machine.checks);
  uint64_t all =
      uint64_t(options.threads[0]) * options.threads[1] * options.threads[2];
  for (uint64_t first = 0; first < all; first += machine.isa.lanes) {
    std::unique_ptr<Wave> wave;
    if (!unused.empty()) {
      wave = std::move(unused.back());
      unused.pop_back();
      std::vector<Register> registers = std::move(wave->v);
      *wave = Wave();
      wave->v = std::move(registers);
    } else {
      wave = std::make_unique<Wave>();
      wave->v.resize(kVectorRegisters);
    }
    wave->machine = &machine;
    wave->group = group.get();
    wave->number = unsigned(group->waves.size());
    wave->lanes = machine.isa.lanes;
    wave->defined.assign(kVectorRegisters, 0);
    wave->pendingV.assign(kVectorRegisters, 0);
    wave->scratchBytes = kernel.scratchBytes;
    wave->scratch.assign(size_t(kMaxLanes) * kernel.scratchBytes, 0xcd);
    wave->pc = kernel.entry;
    // Bit 23 lets conversions saturate, of which the descriptor has bit 26.
    wave->mode = ((kernel.rsrc1 >> 12) & 0xff) | ((kernel.rsrc1 >> 26) & 1)
                                                     << 23;
    prepare(*wave, *group, first);
    group->waves.push_back(std::move(wave));
  }
  group->running = unsigned(group->waves.size());
  return group;
}

void Launcher::turn(Wave &wave, unsigned most) {
  ModeScope scope(wave);
  wave.yields = false;
  Counters &counters = machine.counters;
  for (unsigned n = 0; n < most; ++n) {
    const Inst &inst = code.at(wave.pc);
    wave.next = wave.pc + inst.size;
    ++counters.instructions[unsigned(inst.kind)];
    if (__builtin_expect(hasTwoModes(wave.mode), 0))
      ::applyMode(wave.mode, inst.hasOtherMode);
    if (__builtin_expect(wave.hasIndexMode, 0))
      runIndexed(wave, inst);
    else
      inst.run(wave, inst);
    wave.pc = wave.next;
    if (wave.state != Wave::State::Ready || wave.yields)
      return;
  }
}

/// One turn for each wave, of higher priorities first. Returns whether all have
/// ended.
bool Launcher::turnAll(Workgroup &group) {
  std::vector<Wave *> order;
  for (auto &wave : group.waves)
    if (wave->state == Wave::State::Ready)
      order.push_back(wave.get());
  if (options.seed)
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[draw() % i]);
  std::vector<Wave *> sorted;
  for (unsigned priority = kPriorities; priority-- > 0;)
    for (Wave *wave : order)
      if (wave->priority == priority)
        sorted.push_back(wave);
  for (Wave *wave : sorted) {
    try {
      turn(*wave, options.seed ? 1 + unsigned(draw() % 200) : kTurn);
    } catch (Fault &fault) {
      std::string where = "workgroup (" + std::to_string(group.id[0]) + ", " +
                          std::to_string(group.id[1]) + ", " +
                          std::to_string(group.id[2]) + "), wave " +
                          std::to_string(wave->number);
      std::string text = code.describe(wave->pc);
      fault.text = where + ": " + fault.text +
                   (text.empty() ? "" : ", at '" + text + "'");
      throw;
    }
  }
  unsigned ended = 0, waiting = 0;
  for (auto &wave : group.waves) {
    ended += wave->state == Wave::State::Ended;
    waiting += wave->state == Wave::State::Barrier;
  }
  if (ended == group.waves.size())
    return true;
  if (waiting && ended + waiting == group.waves.size()) {
    passBarrier(group);
    for (auto &wave : group.waves)
      if (wave->state == Wave::State::Barrier)
        wave->state = Wave::State::Ready;
  }
  return false;
}

std::string Launcher::run() {
  fillHidden();
  uint64_t threads =
      uint64_t(options.threads[0]) * options.threads[1] * options.threads[2];
  constexpr uint64_t kMostThreads = 1024;
  if (threads == 0 || threads > kMostThreads)
    return "a workgroup of " + std::to_string(threads) +
           " threads, expected 1 to 1024";
  if (threads > kernel.mostThreads)
    return "a workgroup of " + std::to_string(threads) +
           " threads, the code is for at most " +
           std::to_string(kernel.mostThreads);
  if (kernel.workgroupSize && kernel.workgroupSize != threads)
    return "a workgroup of " + std::to_string(threads) +
           " threads, the code is for " + std::to_string(kernel.workgroupSize);
  uint64_t lds = uint64_t(kernel.ldsBytes) + options.dynamicLds;
  uint64_t mostLds = machine.isa.chip == "gfx950" ? 160 << 10 : 64 << 10;
  if (lds > mostLds)
    return "a workgroup of " + std::to_string(lds) +
           " bytes of LDS, expected at most " + std::to_string(mostLds);
  uint64_t total =
      uint64_t(options.grid[0]) * options.grid[1] * options.grid[2];
  machine.memory->add(kernarg.data(), kernarg.size(), "kernarg segment", true);
  machine.memory->add(packet.data(), packet.size(), "dispatch packet", true);
  std::string problem;
  std::deque<std::unique_ptr<Workgroup>> active;
  uint64_t next = 0, done = 0;
  try {
    while (next < total || !active.empty()) {
      // Another workgroup comes when those that are there do not end: they may
      // wait for it.
      if (next < total &&
          (active.empty() || options.isCooperative || active.size() < 64))
        do
          active.push_back(start(next++));
        while (options.isCooperative && next < total);
      for (size_t i = 0; i < active.size();) {
        bool hasEnded = turnAll(*active[i]);
        // Waves that only wait for each other go on at once.
        while (!hasEnded && active.size() == 1 && !options.isCooperative &&
               std::none_of(active[i]->waves.begin(), active[i]->waves.end(),
                            [](auto &wave) { return wave->yields; }) &&
               active[i]->turns++ < 1000)
          hasEnded = turnAll(*active[i]);
        if (!hasEnded) {
          ++i;
          continue;
        }
        for (auto &wave : active[i]->waves)
          unused.push_back(std::move(wave));
        active.erase(active.begin() + long(i));
        if (options.progress)
          options.progress(++done, total);
      }
    }
  } catch (const Fault &fault) {
    problem = fault.text;
  }
  machine.memory->remove(kernarg.data());
  machine.memory->remove(packet.data());
  return problem;
}

std::string kiln::amd::sim::runKernel(Code &code, const KernelInfo &kernel,
                                      std::vector<uint8_t> kernarg,
                                      AddressMap &memory,
                                      const LaunchOptions &options,
                                      Counters &counters) {
  // Widened scalar loads may read what stands behind the arguments.
  kernarg.resize((std::max<size_t>(kernarg.size(), kernel.kernargBytes) + 63) /
                     64 * 64 +
                 64);
  Launcher launcher(code, kernel, std::move(kernarg), memory, options);
  std::string problem = launcher.run();
  for (unsigned i = 0; i < unsigned(Class::Count); ++i)
    counters.instructions[i] += launcher.machine.counters.instructions[i];
  counters.ldsPhases += launcher.machine.counters.ldsPhases;
  counters.ldsConflicts += launcher.machine.counters.ldsConflicts;
  counters.ldsBytes += launcher.machine.counters.ldsBytes;
  counters.globalBytes += launcher.machine.counters.globalBytes;
  return problem;
}

/// How many arguments a kernel has that are not hidden.
static size_t argumentCount(const KernelInfo &kernel) {
  size_t count = 0;
  for (const KernelArgument &argument : kernel.arguments)
    count += argument.kind.rfind("hidden_", 0) != 0;
  return count;
}

std::string kiln::amd::sim::packArguments(const KernelInfo &kernel,
                                          const std::vector<uint64_t> &words,
                                          std::vector<uint8_t> &kernarg) {
  kernarg.assign(kernel.kernargBytes, 0);
  size_t next = 0;
  for (const KernelArgument &argument : kernel.arguments) {
    if (argument.kind.rfind("hidden_", 0) == 0)
      continue;
    if (next >= words.size())
      return "too few arguments: it has more than " +
             std::to_string(words.size());
    if (argument.size > 8 ||
        uint64_t(argument.offset) + argument.size > kernarg.size())
      return "unsupported: an argument of " + std::to_string(argument.size) +
             " bytes";
    std::memcpy(kernarg.data() + argument.offset, &words[next++],
                argument.size);
  }
  return next == words.size()
             ? ""
             : "too many arguments: it has " + std::to_string(next) + ", not " +
                   std::to_string(words.size());
}

std::string kiln::amd::sim::packBare(const KernelInfo &kernel,
                                     const std::vector<BareArgument> &arguments,
                                     std::vector<uint8_t> &kernarg) {
  kernarg.assign(kernel.kernargBytes, 0);
  size_t next = 0, expected = 0;
  for (const KernelArgument &argument : kernel.arguments) {
    if (argument.kind.rfind("hidden_", 0) == 0)
      continue;
    std::string label = "argument " + std::to_string(expected++);
    if (uint64_t(argument.offset) + argument.size > kernarg.size())
      return label + " is outside of the kernarg segment of " +
             std::to_string(kernarg.size()) + " bytes";
    bool isStruct = argument.kind == "by_value" && argument.size > 8;
    for (uint64_t at = 0; at < argument.size;) {
      if (next == arguments.size())
        return "expected " + std::to_string(argumentCount(kernel)) +
               " arguments, found " + std::to_string(arguments.size());
      const BareArgument &given = arguments[next++];
      if (isStruct)
        at = (at + given.bytes - 1) / given.bytes * given.bytes;
      bool fits = isStruct ? at + given.bytes <= argument.size
                           : given.bytes == argument.size;
      if (!fits)
        return label + ": expected " + std::to_string(argument.size) +
               " bytes, found " + given.what + " of " +
               std::to_string(given.bytes);
      std::memcpy(kernarg.data() + argument.offset + at, &given.bits,
                  given.bytes);
      at += given.bytes;
    }
  }
  return next == arguments.size()
             ? ""
             : "expected " + std::to_string(argumentCount(kernel)) +
                   " arguments, found " + std::to_string(arguments.size());
}

bool kiln::amd::sim::readFloat8Kind(const std::string &text, Float8Kind &kind) {
  if (text != "ocp" && text != "fnuz")
    return false;
  kind = text == "ocp" ? Float8Kind::Ocp : Float8Kind::Fnuz;
  return true;
}

void kiln::amd::sim::printCounters(const std::string &kernel,
                                   const Counters &counters) {
  const char *names[] = {"scalar", "vector",        "matrix", "global",
                         "lds",    "scalar_memory", "control"};
  std::string text = "counters of '" + kernel + "':";
  for (unsigned i = 0; i < unsigned(Class::Count); ++i)
    text += std::string(" ") + names[i] + " " +
            std::to_string(counters.instructions[i]);
  std::fprintf(
      stderr,
      "%s; bytes: global %llu, lds %llu; lds cycles %llu, bank conflicts "
      "%llu\n",
      text.c_str(), static_cast<unsigned long long>(counters.globalBytes),
      static_cast<unsigned long long>(counters.ldsBytes),
      static_cast<unsigned long long>(counters.ldsPhases),
      static_cast<unsigned long long>(counters.ldsConflicts));
}
