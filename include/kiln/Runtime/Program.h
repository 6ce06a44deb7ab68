// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host program: a small register machine that the runtime verifies and
// interprets. The compiler fills these structs in; docs/package.md gives the
// JSON form and the meaning of each instruction.
#ifndef KILN_RUNTIME_PROGRAM_H
#define KILN_RUNTIME_PROGRAM_H

#include "kiln/Runtime/Launch.h"
#include "kiln/System/DType.h"
#include "kiln/System/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kiln::runtime {

/// A 64-bit integer register r0, r1 … of a function. Registers can be written
/// more than once and start as 0.
using Reg = int32_t;
/// A buffer register b0, b1 …: storage, byte offset, dtype, sizes, strides.
using Buf = int32_t;
constexpr int32_t kNone = -1;
/// A size that is only known when the program runs.
constexpr int64_t kDynamic = -1;
/// A stride that is only known when the program runs; -1 is a stride.
constexpr int64_t kAnyStride = INT64_MIN;

/// dst = value.
struct ConstInst {
  Reg dst = kNone;
  int64_t value = 0;
};

/// Arithmetic wraps; division by zero is a runtime error. `cmp*` are signed
/// and give 0 or 1. `andI`/`orI`/`xorI` are bitwise.
enum class IntOp : uint8_t {
  add,
  sub,
  mul,
  floordiv,
  ceildiv,
  mod,
  min,
  max,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  andI,
  orI,
  xorI,
  mov
};
/// Nothing on a division that has no result.
std::optional<int64_t> computeInt(IntOp op, int64_t a, int64_t b);

/// dst = a op b, in 64 bits.
struct IntInst {
  IntOp op = IntOp::add;
  Reg dst = kNone;
  Reg lhs = kNone;
  Reg rhs = kNone; ///< kNone for mov
};

/// dst = cond != 0 ? ifTrue : ifFalse.
struct SelectInst {
  Reg dst = kNone;
  Reg cond = kNone;
  Reg ifTrue = kNone;
  Reg ifFalse = kNone;
};

/// dst = size `dim` of the buffer.
struct DimInst {
  Reg dst = kNone;
  Buf buffer = kNone;
  int32_t dim = 0;
};

/// dst = stride `dim` of the buffer, in elements.
struct StrideInst {
  Reg dst = kNone;
  Buf buffer = kNone;
  int32_t dim = 0;
};

/// dst = 1 when the buffer's first element is at a multiple of `bytes`, for
/// guards; else 0.
struct AlignedInst {
  Reg dst = kNone;
  Buf buffer = kNone;
  int64_t bytes = 1; ///< a power of two
};

/// Ends the call with `message` when cond is 0.
struct CheckInst {
  Reg cond = kNone;
  std::string message;
};

/// Reserves the arena of a memory of a device, once per call and before its
/// first use.
struct ArenaInst {
  int32_t device = 0;
  Reg bytes = kNone;
  std::string memory = {}; ///< see AllocInst
};

/// A contiguous buffer: part of the arena at byte `offset`, or, when offset is
/// kNone, an allocation of its own (what results need: they outlive the call).
struct AllocInst {
  Buf dst = kNone;
  DType dtype = DType::none;
  std::vector<Reg> sizes;
  Reg offset = kNone;
  int32_t device = 0;
  std::string name; ///< for reports
  /// A memory kind of the device, by the driver's name; empty: its first.
  std::string memory = {};
};

/// A constant of the package, on `device`.
struct ConstantInst {
  Buf dst = kNone;
  std::string name;
  int32_t device = 0;
};

/// Another look at the storage of `src`: starts `offset` elements (of `dtype`)
/// after src's start; strides in elements. The range is checked.
struct ViewInst {
  Buf dst = kNone;
  Buf src = kNone;
  DType dtype = DType::none; ///< none: that of src
  Reg offset = kNone;        ///< kNone: 0
  std::vector<Reg> sizes;
  std::vector<Reg> strides; ///< empty: row-major
};

/// Every byte of a contiguous buffer becomes `byte`.
struct FillInst {
  Buf dst = kNone;
  uint8_t byte = 0;
};

/// Copies elements between buffers of one shape and element width, on one
/// device or across devices (a transfer).
struct CopyInst {
  Buf dst = kNone;
  Buf src = kNone;
};

/// dst = element `index` (row-major) of an integer buffer; waits for it.
struct ReadInst {
  Reg dst = kNone;
  Buf src = kNone;
  Reg index = kNone; ///< kNone: 0
};

/// KILN_COLLECTIVE_*, and the number of this rank as a tensor.
enum class CollectiveKind : uint8_t {
  allReduce,
  allGather,
  reduceScatter,
  allToAll,
  broadcast,
  permute,
  rank
};
/// KILN_COMBINER_*.
enum class Combiner : uint8_t {
  add,
  mul,
  min,
  max,
  umin,
  umax,
  andBits,
  orBits,
  xorBits
};
constexpr size_t kNumCollectiveKinds = size_t(CollectiveKind::rank) + 1;
constexpr size_t kNumCombiners = size_t(Combiner::xorBits) + 1;
/// "all_reduce", "add"; as the program dialect has them.
const char *collectiveKindName(CollectiveKind kind);
const char *combinerName(Combiner combiner);

/// Lists of ranks: groups, or pairs of senders and receivers.
using RankLists = std::vector<std::vector<int64_t>>;

/// Starts an exchange between ranks; a WaitInst for `dst` ends it.
struct CollectiveInst {
  CollectiveKind kind = CollectiveKind::allReduce;
  Combiner combiner = Combiner::add;
  Buf dst = kNone;
  Buf src = kNone;        ///< kNone for rank
  int32_t groups = kNone; ///< index into HostProgram::groups; kNone for rank
};

/// Waits for the exchange that writes `dst`.
struct WaitInst {
  Buf dst = kNone;
};

/// Runs a function of the runtime on dense buffers: sources, then targets. The
/// operation of prim of that name says what it does.
struct HostInst {
  std::string function;
  std::vector<std::string> flags; ///< what of it is asked for
  std::vector<Buf> src, dst;
};

/// An argument of a launch: a buffer or a scalar.
struct LaunchArg {
  enum Kind : uint8_t { buffer, scalar } kind = buffer;
  /// A Buf, or a Reg with the value's bits (floats: their bits, zero-extended).
  int32_t index = kNone;
  static LaunchArg ofBuffer(Buf b) { return {buffer, b}; }
  static LaunchArg ofScalar(Reg r) { return {scalar, r}; }
};

/// One of the kernels that can do a launch; the first whose guard holds runs.
struct LaunchVariant {
  Reg guard = kNone; ///< kNone: always
  uint32_t kernel = 0;
  std::array<Reg, 3> grid = {kNone, kNone, kNone}; ///< kNone: 1
};

/// Runs a kernel over a grid.
struct LaunchInst {
  std::string name; ///< for reports; empty: the kernel's
  std::vector<LaunchVariant> variants;
  std::vector<LaunchArg> args;
  Reg flops = kNone; ///< estimate for reports
  Reg bytes = kNone; ///< estimate of the memory traffic, for reports
  /// In place of those of the kernel that have the same tag.
  std::vector<LaunchAttribute> attributes = {};
};

struct Instruction;

/// Runs one of two blocks.
struct IfInst {
  Reg cond = kNone;
  std::vector<Instruction> thenCode;
  std::vector<Instruction> elseCode;
};

/// Runs `before`, then, while cond is not 0, `body` and `before` again.
struct WhileInst {
  std::vector<Instruction> before;
  Reg cond = kNone;
  std::vector<Instruction> body;
};

/// Ends the function; only as its last instruction.
struct ReturnInst {
  std::vector<Buf> results;
};

/// An instruction of a host program, of one of the kinds above.
struct Instruction {
  using Body = std::variant<ConstInst, IntInst, SelectInst, DimInst, StrideInst,
                            AlignedInst, CheckInst, ArenaInst, AllocInst,
                            ConstantInst, ViewInst, FillInst, CopyInst,
                            ReadInst, CollectiveInst, WaitInst, HostInst,
                            LaunchInst, IfInst, WhileInst, ReturnInst>;
  Body body;
  Instruction() = default;
  template <typename T,
            typename = std::enable_if_t<std::is_constructible_v<Body, T>>>
  Instruction(T inst) : body(std::move(inst)) {}
};

/// Values that a program can use, beyond any range: what divides is not zero, a
/// logarithm takes what is positive. Invented inputs keep to it.
enum class Domain : uint8_t { any, nonzero, nonnegative, positive };

/// "nonzero"; empty for any.
const char *domainName(Domain domain);

/// What a caller has to pass.
struct Argument {
  std::string name;
  bool isScalar = false; ///< a value in a Reg, else a tensor in a Buf
  DType dtype = DType::none;
  std::vector<int64_t> shape; ///< kDynamic for sizes taken from the tensor
  int32_t reg = kNone;        ///< the Reg or Buf that receives it
  int32_t device = 0;
  bool writable = false; ///< the program may write the caller's storage
  bool strided = false;  ///< any strides are fine, else row-major is needed
  int64_t align = 1;     ///< bytes; 1: any
  /// Integers that the program is defined for, when it is known: the indices of
  /// a gather, say. Invented inputs keep to it. low > high: any.
  int64_t low = 0;
  int64_t high = -1;
  Domain domain = Domain::any;
  std::vector<std::string> dims; ///< names of its dimensions, "" for none
  bool isUnsigned =
      false;        ///< its integers, of a type without sign, in the source
  int32_t bits = 0; ///< of its integers in the source, if fewer; 0: all
};

/// How far a correct result can be from the reference.
struct Tolerance {
  /// Type in which the coarsest rounding on the way happens.
  DType dtype = DType::none;
  /// The longest sum that a result element depends on (1: none).
  int64_t accumulation = 1;
  Reg accumulationReg = kNone; ///< when it is not static
  bool exact = false;          ///< bit for bit
};

/// A result of an entry.
struct Result {
  std::string name;
  DType dtype = DType::none;
  std::vector<int64_t> shape;
  int32_t device = 0;
  Tolerance tolerance;
  std::vector<std::string> dims; ///< as an argument's
  bool isUnsigned = false;       ///< as an argument's
  int32_t bits = 0;              ///< as an argument's
};

/// An entry that can be called.
struct Function {
  enum class Kind : uint8_t {
    function, ///< tensors in, tensors out
    kernel,   ///< one tile kernel, called with views, scalars and a grid
  };
  std::string name;
  Kind kind = Kind::function;
  bool isPublic = true;
  std::vector<Argument> args;
  std::vector<Result> results;
  /// Where the caller's grid arrives; for kernels.
  std::array<Reg, 3> grid = {kNone, kNone, kNone};
  int32_t numRegs = 0;
  int32_t numBufs = 0;
  std::vector<Instruction> code;

  Reg newReg() { return numRegs++; }
  Buf newBuf() { return numBufs++; }
};

/// A parameter of a kernel: a view or a scalar.
struct KernelParam {
  enum class Kind : uint8_t { view, scalar } kind = Kind::view;
  std::string name;
  DType dtype = DType::none;
  int32_t rank = 0; ///< of a view
  bool readonly = false;
  int64_t align = 1; ///< bytes that the base address is a multiple of
  /// The sizes that the code is for, kDynamic for any; absent: it is not known
  /// what the kernel reaches.
  std::optional<std::vector<int64_t>> shape;
  /// The strides that the code is for, in elements, kAnyStride for any; absent
  /// with a shape: row-major. Those of dimensions of one element do not count.
  std::optional<std::vector<int64_t>> strides;
};

/// A compiled kernel.
struct KernelInfo {
  std::string name;         ///< for reports
  std::string symbol;       ///< in the module
  uint32_t module = 0;      ///< index into TargetProgram::modules
  int32_t device = 0;       ///< index into TargetProgram::devices
  int64_t scratchBytes = 0; ///< per thread, 64-byte aligned
  std::vector<KernelParam> params;
  /// Free-form facts for `--inspect` ("schedule", "tile", …).
  std::map<std::string, std::string> notes;
  std::vector<LaunchAttribute> attributes = {};
  std::vector<Recipe> recipes = {};
  std::optional<Workspace> workspace = {};
  std::string metadata = {}; ///< bytes for the driver alone
};

/// A device that the functions of a target use, by its driver's name.
struct DeviceRef {
  std::string name;    ///< libkiln-device-NAME.so
  std::string options; ///< "chip,key=value,…", given to the driver
  /// What the machine must have to run the kernels on it, by names that the
  /// driver knows; given to it as "requires=A+B" before anything is loaded.
  std::vector<std::string> requirements = {};
  int32_t ordinal = 0; ///< the number among the devices of the driver
};

/// Everything but blobs: what "program.json" holds for one target.
struct HostProgram {
  std::vector<DeviceRef> devices;
  std::vector<KernelInfo> kernels;
  std::vector<Function> functions;
  /// The lists of ranks that collectives use.
  std::vector<RankLists> groups = {};

  const Function *lookup(const std::string &name) const;
};

/// Checks every index, rank and type; the message says where.
Error verify(const HostProgram &program, size_t numModules);

/// "fake", "fake#1" for the second device of a driver.
std::string deviceText(const DeviceRef &device);

/// Compact JSON.
std::string toJson(const HostProgram &program);
/// Reads and verifies nothing but the form; call verify() after it.
Expected<HostProgram> programFromJson(std::string_view text);

/// One line per instruction, for people.
std::string toText(const HostProgram &program);

} // namespace kiln::runtime

#endif
