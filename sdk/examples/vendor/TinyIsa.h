// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine: scalar registers of 64 bits, tile registers of up to 4096 f32.
// A program is lines of text, one instruction each; the assembler turns them
// into words of 64 bits. Shared by code generator, assembler and device.
#ifndef TINY_ISA_H
#define TINY_ISA_H

#include <cstdint>

namespace tiny {

constexpr int64_t kMaxTile = 4096;
constexpr char kMagic[8] = {'T', 'I', 'N', 'Y', '0', '0', '0', '1'};

struct Opcode {
  const char *name;
  int operands; ///< -1: the first operand says how many follow
};

enum Code : int64_t {
  Const,    // const d value
  Pid,      // pid d axis
  Programs, // programs d axis
  Dim,      // dim d param dim
  Add,      // add d a b          (scalars)
  Sub,
  Mul,
  Min,
  Max,
  Fill,    // fill t count bits
  Load,    // load n: t param rank bits, then per dimension: block offset step
  Store,   // store n: t param rank, then per dimension: block offset step
  TileAdd, // tadd d a b count
  TileSub,
  TileMul,
  TileDiv,
  TileMax,
  TileMin,
  TileNeg, // tneg d a count
  TileExp,
  NumCodes
};

constexpr Opcode kOpcodes[NumCodes] = {
    {"const", 2}, {"pid", 2},    {"programs", 2}, {"dim", 3},  {"add", 3},
    {"sub", 3},   {"mul", 3},    {"min", 3},      {"max", 3},  {"fill", 3},
    {"load", -1}, {"store", -1}, {"tadd", 4},     {"tsub", 4}, {"tmul", 4},
    {"tdiv", 4},  {"tmax", 4},   {"tmin", 4},     {"tneg", 3}, {"texp", 3},
};

} // namespace tiny

#endif
