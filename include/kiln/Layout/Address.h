//===- Address.h - Layouts evaluated at run time ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an offset is computed from numbers of which some are known to the
// compiler (registers) and others only to a thread (lane, warp). As data: an
// emitter makes instructions of it.
//
//   offset(place) = pad(variable ^ immediate.exclusive) + immediate.additive
//   variable      = XOR over terms of ((number & mask) << shift)
//
// A product with a matrix of bits is a few of its diagonals: bits that move by
// the same distance are masked and shifted together. Of what a register adds,
// the bits that nothing variable reaches are a plain sum, which instructions
// take as an immediate; the others have to be combined by XOR, once for every
// different value.
//
// Offsets are in elements, or in bytes where a scale says so.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LAYOUT_ADDRESS_H
#define KILN_LAYOUT_ADDRESS_H

#include "kiln/Layout/Shared.h"

namespace kiln::layout {

/// Bits of one number that move by one distance.
struct AddressTerm {
  std::string input;
  int64_t mask = 0;
  int shift = 0; ///< to the left; to the right if it is negative
  /// The mask leaves every bit that the input has.
  bool isWhole = false;
  /// No term before this one reaches a bit of it: it may be added, or combined
  /// by OR, instead of by XOR.
  bool isDisjoint = false;
};

/// What known numbers add to an offset.
struct Immediate {
  int64_t exclusive = 0; ///< to be combined by XOR, first
  int64_t additive = 0;  ///< to be added then
  bool operator==(const Immediate &other) const {
    return exclusive == other.exclusive && additive == other.additive;
  }
};

/// How offsets are computed at run time: terms of lane and warp that are masked
/// and shifted, and immediates of registers.
struct AddressPlan {
  llvm::SmallVector<AddressTerm> terms;
  int64_t variableBits = 0; ///< of offsets, that terms may set
  /// By the number of the known input.
  llvm::SmallVector<Immediate> immediates;
  /// What is done to the variable part after the XOR: padding, then a shift to
  /// the left. Without padding the shift is part of the terms.
  Padding padding;
  unsigned scaleBits = 0;
  /// Different values to combine by XOR, without 0.
  llvm::SmallVector<int64_t> getExclusives() const;
  /// The offset of a place; `known` is the number of the known input.
  int64_t evaluate(LinearLayout::Place place, int64_t known) const;
  int64_t evaluateVariable(LinearLayout::Place place) const;
  /// The variable part as an expression.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;
};

/// The terms by which `layout`, which has one output, is computed from inputs
/// of the given names; other inputs are 0.
llvm::SmallVector<AddressTerm>
getAddressTerms(const LinearLayout &layout,
                llvm::ArrayRef<llvm::StringRef> inputs);

/// The plan for a layout with one output, of which the compiler knows the input
/// `known`. Offsets are padded, in their own unit, and then multiplied by
/// 2^scaleBits.
AddressPlan getAddressPlan(const LinearLayout &layout, llvm::StringRef known,
                           unsigned scaleBits = 0, const Padding &padding = {});

} // namespace kiln::layout

#endif // KILN_LAYOUT_ADDRESS_H
