// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External functions of integers.
#include "ExternFunctions.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

constexpr Precision same = Precision::same;

/// A count of bits, which is i32 for i64, too.
template <typename OpTy> Term count(const ExternCall &call) {
  return apply<OpTy>(call[0]).extendTo(call.result);
}

/// The position of the lowest one, counted from 1, or 0.
Term findFirst(const ExternCall &call) {
  Term x = call[0];
  return select(x == 0, 0, apply<math::CountTrailingZerosOp>(x) + 1)
      .extendTo(call.result);
}

/// Swaps neighbouring groups of 1, 2, 4 ... bits.
Term reverseBits(const ExternCall &call) {
  Term x = call[0];
  for (unsigned width = 1; width < x.getWidth(); width *= 2) {
    // Ones in every other group.
    Term mask = x.bits(~uint64_t(0) / ((uint64_t(1) << width) + 1));
    x = (shiftRight(x, width) & mask) | ((x & mask) << width);
  }
  return x;
}

/// Four of the eight bytes of x and y, by the low bits of each nibble of z.
Term permuteBytes(const ExternCall &call) {
  Term x = call[0], y = call[1], selector = call[2];
  Type i64 = x.integer(64);
  Term bytes = x.extendTo(i64, false) | (y.extendTo(i64, false) << 32);
  Term wide = selector.extendTo(i64, false);
  Term result = bytes.bits(0);
  for (int i = 0; i < 4; ++i) {
    Term place = (shiftRight(wide, 4 * i) & bytes.bits(7)) << 3;
    Term byte = shiftRight(bytes, place) & bytes.bits(0xff);
    result = result | (byte << 8 * i);
  }
  return result.extendTo(call.result);
}

Term multiply24(const ExternCall &call) {
  return ((call[0] << 8) >> 8) * ((call[1] << 8) >> 8);
}

Term multiplyUnsigned24(const ExternCall &call) {
  Term mask = call[0].bits(0xffffff);
  return (call[0] & mask) * (call[1] & mask);
}

template <typename OpTy> Term highProduct(const ExternCall &call) {
  return call[0].highProduct<OpTy>(call[1]);
}

/// |x - y| + z
template <typename MaxOp, typename MinOp>
Term addDifference(const ExternCall &call) {
  return apply<MaxOp>(call[0], call[1]) - apply<MinOp>(call[0], call[1]) +
         call[2];
}

// Averages, rounded down and up; the sums do not overflow.
Term average(const ExternCall &call) {
  return (call[0] & call[1]) + ((call[0] ^ call[1]) >> 1);
}
Term averageUp(const ExternCall &call) {
  return (call[0] | call[1]) - ((call[0] ^ call[1]) >> 1);
}
Term averageUnsigned(const ExternCall &call) {
  return (call[0] & call[1]) + shiftRight(call[0] ^ call[1], 1);
}
Term averageUpUnsigned(const ExternCall &call) {
  return (call[0] | call[1]) - shiftRight(call[0] ^ call[1], 1);
}

// clang-format off
constexpr ExternFunction functions[] = {
    {"abs",       "i>i",   same, operation<math::AbsIOp>},
    {"llabs",     "l>l",   same, operation<math::AbsIOp>},
    {"iabs",      "n>n",   same, operation<math::AbsIOp>},
    {"max",       "ii>i",  same, operation<arith::MaxSIOp>},
    {"min",       "ii>i",  same, operation<arith::MinSIOp>},
    {"umax",      "ii>i",  same, operation<arith::MaxUIOp>},
    {"umin",      "ii>i",  same, operation<arith::MinUIOp>},
    {"llmax",     "ll>l",  same, operation<arith::MaxSIOp>},
    {"llmin",     "ll>l",  same, operation<arith::MinSIOp>},
    {"ullmax",    "ll>l",  same, operation<arith::MaxUIOp>},
    {"ullmin",    "ll>l",  same, operation<arith::MinUIOp>},
    {"clz",       "i>i",   same, count<math::CountLeadingZerosOp>},
    {"clzll",     "l>i",   same, count<math::CountLeadingZerosOp>},
    {"popc",      "i>i",   same, count<math::CtPopOp>},
    {"popcll",    "l>i",   same, count<math::CtPopOp>},
    {"ffs",       "i>i",   same, findFirst},
    {"ffsll",     "l>i",   same, findFirst},
    {"brev",      "i>i",   same, reverseBits},
    {"brevll",    "l>l",   same, reverseBits},
    {"byte_perm", "iii>i", same, permuteBytes},
    {"mul24",     "ii>i",  same, multiply24},
    {"umul24",    "ii>i",  same, multiplyUnsigned24},
    {"mulhi",     "ii>i",  same, highProduct<arith::MulSIExtendedOp>},
    {"umulhi",    "ii>i",  same, highProduct<arith::MulUIExtendedOp>},
    {"mul64hi",   "ll>l",  same, highProduct<arith::MulSIExtendedOp>},
    {"umul64hi",  "ll>l",  same, highProduct<arith::MulUIExtendedOp>},
    {"sad",       "iii>i", same, addDifference<arith::MaxSIOp, arith::MinSIOp>},
    {"usad",      "iii>i", same, addDifference<arith::MaxUIOp, arith::MinUIOp>},
    {"hadd",      "ii>i",  same, average},
    {"uhadd",     "ii>i",  same, averageUnsigned},
    {"rhadd",     "ii>i",  same, averageUp},
    {"urhadd",    "ii>i",  same, averageUpUnsigned},
};
// clang-format on

} // namespace

ArrayRef<ExternFunction> getIntegerFunctions() { return functions; }

} // namespace kiln::triton_to_tile
