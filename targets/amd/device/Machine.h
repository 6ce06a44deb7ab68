// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated device: a wave's registers, workgroups, decoded instructions.
#ifndef KILN_TARGETS_AMD_DEVICE_MACHINE_H
#define KILN_TARGETS_AMD_DEVICE_MACHINE_H

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::amd::sim {

/// Lanes that arrays have room for. Waves of RDNA have 32.
constexpr unsigned kMaxLanes = 64;
/// Vector registers 256 to 511 are the accumulation registers.
constexpr unsigned kVectorRegisters = 512, kFirstAcc = 256;

/// Scalar registers by their encoding (instruction set manuals, "Scalar
/// Operands"), but that `m0` and `null` have one place in all families.
enum ScalarRegister : unsigned {
  kFlatScratch = 102,
  kVcc = 106,
  kTtmp = 108,
  kM0 = 124,
  kNull = 125,
  kExec = 126,
  kScalarRegisters = 128
};

/// High words of the 64-bit addresses that stand for LDS and scratch. The
/// host's addresses, which global memory has, are below.
constexpr uint32_t kSharedAperture = 0x00010000, kPrivateAperture = 0x00020000;
/// What stands for the upper half of the address in a buffer descriptor of
/// scratch memory.
constexpr uint32_t kPrivateBuffer = 0xffff;

/// Why a launch ends: what the checks found, or an instruction that is not
/// known.
struct Fault {
  std::string text;
};

/// Counters that s_waitcnt and its successors wait for. One memory instruction
/// counts on one of them. Families before gfx12 count stores with loads
/// (gfx9), and scalar loads with LDS.
enum class Counter : uint8_t { Load, Store, Lds, Scalar, Count };

/// What is counted of instructions.
enum class Class : uint8_t {
  Scalar,
  Vector,
  Matrix,
  Global,
  Lds,
  ScalarMemory,
  Control,
  Count
};

/// The types that constants of an operand are meant in.
enum class Type : uint8_t { B32, F32, B16, F16, BF16, B64, I64, F64 };

struct Operand {
  enum class Kind : uint8_t { None, Vector, Scalar, Constant, Special };
  Kind kind = Kind::None;
  bool negate = false, absolute = false, isHigh = false;
  uint16_t reg = 0, count = 1;
  uint64_t value = 0; ///< of a constant, in the type of the operand
};

struct Wave;
struct Inst;
using Run = void (*)(Wave &, const Inst &);

/// Data parallel processing: where each lane reads from. -1: no lane.
struct Dpp {
  int8_t from[kMaxLanes];
  uint64_t writes = ~uint64_t(0); ///< rows and banks that are written
  bool zeroes = false; ///< missing lanes read 0, else keep the result
  bool fetchesInactive = false;
};

/// A part of a source or result (SDWA): bits from `shift` on.
struct Part {
  uint8_t shift = 0, bits = 32;
  bool isSigned = false;
};
struct Sdwa {
  Part result, sources[2];
  bool preserves = false, extends = false;
};

struct Inst {
  Run run = nullptr;
  std::array<Operand, 8> ops;
  uint8_t numOps = 0;
  Class kind = Class::Scalar;
  uint8_t opSel = 0, opSelHi = 0, negLo = 0, negHi = 0;
  uint8_t scale = 0; ///< 1: times 2, 2: times 4, 3: by 2
  bool clamp = false;
  bool isBuffered = false; ///< offen, idxen or lds: see `Memory.cpp`
  bool offsetEnabled = false, indexEnabled = false, toLds = false;
  bool isSigned = false, isHigh = false, keepsHalf = false;
  bool returns = false; ///< an atomic's old value
  uint8_t bytes = 0;    ///< of one access
  uint8_t aux = 0;      ///< of the handler
  int32_t offset = 0, offset1 = 0;
  uint16_t stride = 0; ///< of offsets of an access in two parts
  uint32_t size = 0;   ///< bytes of its encoding
  uint32_t target = 0; ///< of a branch: an offset in the text
  uint32_t waits[unsigned(Counter::Count)] = {~0u, ~0u, ~0u, ~0u};
  uint32_t flags = 0; ///< of matrix instructions: cbsz, abid, blgp
  /// Whether it computes or converts f16 or f64, which have a mode of their
  /// own.
  bool hasOtherMode = false;
  std::unique_ptr<Dpp> dpp;
  std::unique_ptr<Sdwa> sdwa;
  std::unique_ptr<Inst> second; ///< the other half of a dual instruction
  Run half = nullptr;           ///< what the first half runs
  std::string name;
};

/// A range of addresses that code may use.
struct Allocation {
  uint64_t begin = 0, bytes = 0;
  const char *what = "buffer";
  bool isReadOnly = false;
};

/// All that may be accessed, by address.
class AddressMap {
public:
  void add(const void *begin, uint64_t bytes, const char *what,
           bool isReadOnly = false);
  void remove(const void *begin);
  /// The allocation that holds the range, or null. Remembers the last one.
  const Allocation *find(uint64_t address, uint64_t bytes) {
    if (last && address - last->begin < last->bytes &&
        bytes <= last->bytes - (address - last->begin))
      return last;
    return search(address, bytes);
  }
  /// The allocation that begins at or before the address.
  const Allocation *nearest(uint64_t address) const;

private:
  const Allocation *search(uint64_t address, uint64_t bytes);
  std::map<uint64_t, Allocation> all;
  const Allocation *last = nullptr;
};

/// What the instruction set of a chip is like.
struct Isa {
  unsigned major = 9; ///< 9 for CDNA, 11 and 12 for RDNA
  unsigned lanes = 64;
  std::string chip;
  bool keepsHighHalf = false; ///< results of 16 bits leave the upper half
  bool hasOcpFloat8 = false;  ///< 8-bit floats are those of OCP, not FNUZ
  /// MFMA of floats of 16 bits reads and writes subnormal numbers as zero.
  bool flushesHalves = false;
};

struct Counters {
  uint64_t instructions[unsigned(Class::Count)] = {};
  uint64_t ldsPhases = 0;    ///< cycles of LDS, without conflicts
  uint64_t ldsConflicts = 0; ///< cycles beyond these
  uint64_t globalBytes = 0, ldsBytes = 0;
  uint64_t total() const {
    uint64_t sum = 0;
    for (uint64_t n : instructions)
      sum += n;
    return sum;
  }
};

/// The formats of 8-bit floats that a launch has in its buffers.
enum class Float8Kind : uint8_t { Any, Ocp, Fnuz };

class Code;

/// How a byte of LDS was used.
struct LdsState {
  /// Epoch of the barrier, above the number of the wave plus 1; a reader of 255
  /// is several ones.
  uint32_t writer = 0, reader = 0;
  /// Where the machine looks for old values: the epoch plus 1 of the last
  /// write, and of the first read of what it wrote.
  uint32_t made = 0, used = 0;
  bool operator==(const LdsState &) const = default;
};

/// The states of four words of LDS, by their parts: one line of the host's
/// cache for the widest access of a lane.
struct alignas(64) LdsBlock {
  static constexpr unsigned kWords = 4;
  uint32_t writers[kWords], readers[kWords], made[kWords], used[kWords];
};

/// LDS of a workgroup, and who used it since the last barrier. The four bytes
/// of a word mostly have the same state, which is kept once. The bytes of other
/// words have states of their own.
struct Lds {
  /// The writer of a word whose bytes have states of their own.
  static constexpr uint32_t kSplit = ~uint32_t(0);

  std::vector<uint8_t> bytes;
  std::vector<bool> isUpdated; ///< bytes that an atomic operation wrote
  std::vector<LdsBlock> blocks;
  std::vector<LdsState> ofBytes; ///< of words that are split
  uint32_t epoch = 1;
  /// Bytes that the running instruction writes and another wave wrote: where,
  /// what, and who.
  struct Suspect {
    uint32_t at;
    uint8_t value, wave;
  };
  std::vector<Suspect> suspects;

  /// Begins with bytes that were never written. `checks`: keeps states of them.
  void reset(size_t size, bool checks);
  uint32_t &writer(uint32_t word) {
    return blocks[word / LdsBlock::kWords].writers[word % LdsBlock::kWords];
  }
  /// The state of a byte, to be changed: its word is split.
  LdsState &byte(uint32_t address);
  /// Puts the states of words together whose bytes are in the same state.
  void merge(uint32_t address, unsigned size);
  /// Whether a byte was written, by a store or by an atomic operation.
  bool wasWritten(uint32_t address) {
    uint32_t entry = writer(address / 4);
    return (entry == kSplit ? ofBytes[address].writer : entry) ||
           isUpdated[address];
  }
};

/// Bank conflicts of an access: others of the same distances between their
/// lanes have as many.
struct BankPattern {
  unsigned bytes = 0, offset = 0; ///< offset of the first lane in its word
  uint64_t lanes = 0;
  alignas(64) uint32_t distances[kMaxLanes];
  unsigned phases = 0, conflicts = 0;
};

struct Workgroup {
  Lds lds;
  std::vector<std::unique_ptr<Wave>> waves;
  unsigned running = 0;
  unsigned turns = 0; ///< without another workgroup beside it
  uint32_t id[3] = {0, 0, 0};
};

/// What all waves of a launch share.
struct Machine {
  Isa isa;
  AddressMap *memory = nullptr;
  Code *code = nullptr;
  Counters counters;
  bool checks = true;
  bool findsOld = false; ///< whether reads of old values of LDS are reported
  Float8Kind float8 = Float8Kind::Any;
  std::string nullArguments; ///< hidden pointers of the kernel, all null
  static constexpr size_t kBankPatterns = 1024;
  std::vector<BankPattern> bankPatterns{kBankPatterns};
};

struct alignas(64) Register {
  uint32_t lane[kMaxLanes];
};

/// Registers and state of a wave.
struct Wave {
  Machine *machine = nullptr;
  Workgroup *group = nullptr;
  unsigned number = 0, lanes = 64;
  std::vector<Register> v;
  std::vector<uint64_t> defined;  ///< lanes of each vector register
  std::vector<uint32_t> pendingV; ///< see `pending`
  uint32_t s[kScalarRegisters + 8] = {};
  uint32_t pendingS[kScalarRegisters + 8] = {};
  bool isScalarDefined[kScalarRegisters + 8] = {};
  bool scc = false;
  uint64_t pc = 0, next = 0; ///< offsets in the text
  uint32_t mode = 0;
  enum class State { Ready, Barrier, Ended } state = State::Ready;
  bool hasSignalled = false; ///< of a split barrier
  unsigned priority = 0;     ///< of its turns, 0 to 3
  bool yields = false;
  bool hasIndexMode = false; ///< see Relative.h
  /// Memory instructions of each counter that were issued, and that have ended
  /// for sure.
  uint32_t issued[unsigned(Counter::Count)] = {};
  /// What an instruction has read or written in LDS: as many bytes in each of
  /// its lanes.
  struct LdsUse {
    uint32_t issue;
    Counter counter;
    bool writes;
    unsigned bytes;
    uint64_t lanes;
    uint32_t at[kMaxLanes];
  };
  /// Those that the wave has not waited for, in order: a barrier does not order
  /// these accesses.
  std::vector<LdsUse> ldsUses;
  uint32_t ended[unsigned(Counter::Count)] = {};
  uint32_t lastScalar = 0; ///< the latest scalar load that counts with LDS
  std::vector<uint8_t> scratch;
  uint32_t scratchBytes = 0;          ///< of a lane
  uint64_t sourceMask = ~uint64_t(0); ///< lanes whose sources are defined
  const Inst *current = nullptr;

  uint64_t exec() const {
    uint64_t mask;
    std::memcpy(&mask, &s[kExec], sizeof mask);
    return lanes == 64 ? mask : uint32_t(mask);
  }
  void setExec(uint64_t mask) { std::memcpy(&s[kExec], &mask, sizeof mask); }
  uint64_t scalar64(unsigned reg) const {
    return s[reg] | uint64_t(s[reg + 1]) << 32;
  }
  /// A mask of lanes in scalar registers.
  uint64_t mask(unsigned reg) const {
    return lanes == 64 ? scalar64(reg) : s[reg];
  }

  void touchVector(unsigned reg) {
    if (__builtin_expect(reg >= v.size(), 0))
      failRegister(reg);
    if (__builtin_expect(pendingV[reg] != 0, 0))
      settle(pendingV[reg], false, reg);
  }
  /// The same for a register that a load fills: an earlier load of the same
  /// counter ends before it.
  void touchLoaded(unsigned reg, Counter counter) {
    if (reg < v.size() && (pendingV[reg] & 7) == unsigned(counter) + 1)
      pendingV[reg] = 0;
    touchVector(reg);
  }
  void touchScalar(unsigned reg) {
    if (__builtin_expect(pendingS[reg] != 0, 0))
      settle(pendingS[reg], true, reg);
  }
  uint32_t readScalar(unsigned reg) {
    touchScalar(reg);
    return s[reg];
  }
  void writeScalar(unsigned reg, uint32_t value) {
    touchScalar(reg);
    if (reg == kNull)
      return;
    s[reg] = value;
    isScalarDefined[reg] = true;
  }
  void writeScalar64(unsigned reg, uint64_t value) {
    writeScalar(reg, uint32_t(value));
    if (reg != kNull)
      writeScalar(reg + 1, uint32_t(value >> 32));
  }
  void writeMask(unsigned reg, uint64_t value) {
    if (lanes == 64)
      writeScalar64(reg, value);
    else
      writeScalar(reg, uint32_t(value));
  }
  /// Notes that a memory instruction will fill registers. Returns the mark that
  /// they keep until it has been waited for.
  uint32_t issue(Counter counter) {
    return (++issued[unsigned(counter)] << 3) | (unsigned(counter) + 1);
  }
  /// The same for a scalar load, which may end before those issued earlier.
  uint32_t issueScalar() {
    bool isOwn = machine->isa.major >= 12;
    uint32_t mark = issue(isOwn ? Counter::Scalar : Counter::Lds);
    if (!isOwn)
      lastScalar = issued[unsigned(Counter::Lds)];
    return mark;
  }
  void wait(const uint32_t (&most)[unsigned(Counter::Count)]);

  /// Ends a mark, or reports a register that is used before its load was waited
  /// for.
  void settle(uint32_t &mark, bool isScalar, unsigned reg);
  [[noreturn]] void failRegister(unsigned reg);
  [[noreturn]] void fail(const std::string &what);
  /// Whether the 8-bit floats of the chip are those of OCP, not FNUZ. Reports
  /// it where the buffers of the launch hold the others.
  bool hasOcpFloat8();
};

/// How an instruction accesses LDS.
enum class LdsAccess { Read, Write, Atomic };
/// Begins what follows a barrier. Accesses that their wave has not waited for
/// belong to both sides of it.
void passBarrier(Workgroup &group);
/// Checks an access of a lane to LDS before it is made: its range, what it
/// reads, and races. Whether a byte that another wave wrote too gets another
/// value is known when all lanes have written: `settleLds` says so then.
/// The counter is that of an access that a barrier orders once it has been
/// waited for.
void checkLds(Wave &wave, unsigned lane, uint32_t address, unsigned bytes,
              LdsAccess access, Counter counter = Counter::Count);
/// The same of an instruction that reads or writes as many bytes in each lane
/// of a mask. Of what it reads, a word of each lane, it also reports old
/// values: bytes that were read behind an earlier barrier, among others that
/// were written since. Where all that is read together is written together, as
/// the compiler's tiles are, a write is missing. `isOneTile`: so are all words
/// of a lane.
void checkLdsLanes(Wave &wave, const uint32_t *addresses, uint64_t lanes,
                   unsigned bytes, LdsAccess access, bool isOneTile = false,
                   Counter counter = Counter::Lds);
void settleLds(Wave &wave);
/// Counts bank conflicts of an access by the lanes of a mask.
void countBanks(Wave &wave, const uint32_t *addresses, uint64_t lanes,
                unsigned bytes);
/// The host's address for an access of a lane; reports one outside of all
/// allocations.
uint8_t *globalAddress(Wave &wave, unsigned lane, uint64_t address,
                       unsigned bytes, bool writes);

} // namespace kiln::amd::sim

#endif
