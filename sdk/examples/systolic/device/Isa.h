// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine, as the compiler and the device see it: 64-bit scalar registers,
// a scratchpad of 64 KiB, a queue of transfers between it and memory, rings of
// slots with counters, a matrix unit of 16 x 16, vector registers of 64 lanes.
//
// A module is words of 64 bits: magic, version, checksum of all that follows,
// and for each kernel: length and bytes of its name, padded to words; numbers
// of scalar registers, vector registers, rings; length and words of its code.
// An instruction is its code, the number of its operands, the operands.
#ifndef SYSTOLIC_ISA_H
#define SYSTOLIC_ISA_H

#include <cstddef>
#include <cstdint>

namespace systolic {

constexpr uint64_t kMagic = 0x31434C4F54535953; // "SYSTOLC1"
constexpr uint64_t kVersion = 1;
constexpr int64_t kPadBytes = 65536, kLanes = 64, kArray = 16;
constexpr int64_t kMaxRank = 4, kMaxRegisters = 65536;

// Instructions. The operands of those with the names of operations of the
// dialect are, in this order: registers of the results; the attributes by
// their names, numbers all; what the operation takes: registers, for a view the
// number of the parameter; of an operation with vectors the type and the number
// of lanes.
// clang-format off
#define SYSTOLIC_INSTRUCTIONS(X)                                               \
  /* d number; d a; d axis; d axis; d dim parameter; d parameter */            \
  X(constant) X(move) X(program_id) X(num_programs) X(dim) X(parameter)        \
  /* function variant type from d a b c; target; a target */                   \
  X(scalar) X(jump) X(jump_zero)                                               \
  /* transfers: tag, counts, strides, type, view, offsets, address, padding */ \
  X(dma_in) X(dma_out) X(wait)                                                 \
  /* base bytes depth ring; d ring; ring tags; d ring; ring */                 \
  X(ring) X(slot_fill) X(slot_commit) X(slot_take) X(slot_free)                \
  /* strides type a b c m n k; bytes word address */                           \
  X(mma) X(fill)                                                               \
  /* the vector unit: v stride address; stride v address; v a; v step first;   \
     function variant type from v a b c lanes; v first a; d v; v a */          \
  X(load) X(store) X(splat) X(count) X(vector) X(slice) X(first) X(copy)
// clang-format on
enum Code : int64_t {
#define X(name) In_##name,
  SYSTOLIC_INSTRUCTIONS(X)
#undef X
      NumCodes
};
constexpr const char *kInstructions[NumCodes] = {
#define X(name) #name,
    SYSTOLIC_INSTRUCTIONS(X)
#undef X
};

/// Types of elements, by their names.
enum Type : int64_t { i1, i8, i16, i32, i64, bf16, f16, f32, NumTypes };
constexpr const char *kTypes[NumTypes] = {"i1",  "i8",   "i16", "i32",
                                          "i64", "bf16", "f16", "f32"};
constexpr int64_t kTypeBytes[NumTypes] = {1, 1, 2, 4, 8, 2, 2, 4};

// Functions of the scalar and the vector unit, as arith and math call them.
// clang-format off
#define SYSTOLIC_FUNCTIONS(X)                                                  \
  X(addi) X(subi) X(muli) X(divsi) X(divui) X(remsi) X(remui) X(ceildivsi)     \
  X(floordivsi) X(andi) X(ori) X(xori) X(shli) X(shrsi) X(shrui) X(maxsi)      \
  X(minsi) X(maxui) X(minui) X(absi) X(cmpi) X(select) X(addf) X(subf) X(mulf) \
  X(divf) X(remf) X(maximumf) X(minimumf) X(maxnumf) X(minnumf) X(negf)        \
  X(absf) X(copysign) X(fma) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10)   \
  X(log1p) X(sqrt) X(rsqrt) X(sin) X(cos) X(tan) X(tanh) X(erf) X(powf)        \
  X(atan2) X(floor) X(ceil) X(round) X(roundeven) X(trunc) X(cmpf) X(extf)     \
  X(truncf) X(sitofp) X(uitofp) X(fptosi) X(fptoui) X(extsi) X(extui)          \
  X(trunci) X(index_cast) X(index_castui) X(bitcast)
// clang-format on
enum Function : int64_t {
#define X(name) Fn_##name,
  SYSTOLIC_FUNCTIONS(X)
#undef X
      NumFunctions
};
constexpr const char *kFunctions[NumFunctions] = {
#define X(name) #name,
    SYSTOLIC_FUNCTIONS(X)
#undef X
};

/// Seals a module against damage.
inline uint64_t checksum(const uint64_t *words, size_t count) {
  uint64_t sum = 0xcbf29ce484222325;
  for (size_t i = 0; i < count; ++i)
    sum = ((sum ^ words[i]) * 0x100000001b3) ^ (sum >> 29);
  return sum;
}

} // namespace systolic

#endif
