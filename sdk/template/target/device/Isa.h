// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction set. The machine has scalar registers of 64 bits, and tile
// registers of up to kMaxTile f32 elements. A program is text with one
// instruction on each line; the assembler turns it into words of 64 bits: the
// opcode, then the operands.
//
// In the comments below d, a and b are registers, t is a tile register, and n is
// the number of operands that follow.
#ifndef @NAME@_ISA_H
#define @NAME@_ISA_H

#include <cstdint>

namespace @name@ {

constexpr int64_t kMaxTile = 4096;     ///< elements
constexpr char kMagic[9] = "KMACHIN1"; ///< the first bytes of assembled code

/// The name of an instruction in assembly, and the number of its operands.
struct Opcode {
  const char *name;
  int operands; ///< -1: the first operand is the number of those that follow
};

enum Code : int64_t {
  Const,    // const d value
  Pid,      // pid d axis
  Programs, // programs d axis
  Dim,      // dim d param dim
  Param,    // param d param: an argument that is a number
  ScalarAdd, // add d a b
  ScalarSub,
  ScalarMul,
  ScalarMin,
  ScalarMax,
  Fill,      // fill t count bits
  Splat,     // splat t count a
  Load,      // load n: t param rank bits, then per dimension: block offset step
  Store,     // store n: t param rank, then per dimension: block offset step
  VectorAdd, // vadd d a b count
  VectorSub,
  VectorMul,
  VectorDiv,
  VectorMax,
  VectorMin,
  VectorNeg, // vneg d a count
  VectorExp,
  NumCodes
};

constexpr Opcode kOpcodes[NumCodes] = {
    {"const", 2}, {"pid", 2},   {"programs", 2}, {"dim", 3},  {"param", 2},
    {"add", 3},   {"sub", 3},   {"mul", 3},      {"min", 3},  {"max", 3},
    {"fill", 3},  {"splat", 3}, {"load", -1},    {"store", -1},
    {"vadd", 4},  {"vsub", 4},  {"vmul", 4},     {"vdiv", 4}, {"vmax", 4},
    {"vmin", 4},  {"vneg", 3},  {"vexp", 3},
};

} // namespace @name@

#endif
