//===- Address.cpp - Layouts evaluated at run time ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Address.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>
#include <map>

using namespace llvm;
using namespace kiln::layout;

static int64_t shifted(int64_t number, int shift) {
  return shift >= 0 ? number << shift : number >> -shift;
}

SmallVector<AddressTerm>
kiln::layout::getAddressTerms(const LinearLayout &layout,
                              ArrayRef<StringRef> inputs) {
  assert(layout.getNumOutputs() == 1 && "an offset is one number");
  SmallVector<AddressTerm> terms;
  int64_t reached = 0;
  for (StringRef input : inputs) {
    std::map<int, int64_t> masks;
    for (auto [bit, basis] : enumerate(layout.getBases(input)))
      for (int64_t left = basis[0]; left != 0; left &= left - 1)
        masks[countr_zero(uint64_t(left)) - int(bit)] |= int64_t(1) << bit;
    for (auto [shift, mask] : masks) {
      AddressTerm &term = terms.emplace_back();
      term.input = input.str();
      term.mask = mask;
      term.shift = shift;
      term.isWhole = mask == layout.getInputSize(input) - 1;
      int64_t bits = shifted(mask, shift);
      term.isDisjoint = (bits & reached) == 0;
      reached |= bits;
    }
  }
  return terms;
}

AddressPlan kiln::layout::getAddressPlan(const LinearLayout &layout,
                                         StringRef known, unsigned scaleBits,
                                         const Padding &padding) {
  AddressPlan plan;
  // Padding comes between the XOR and the scale.
  bool isPadded = padding.interval != 0;
  unsigned early = isPadded ? 0 : scaleBits;
  plan.padding = padding;
  plan.scaleBits = scaleBits - early;
  SmallVector<StringRef> variable;
  for (StringRef name : layout.getInputNames())
    if (name != known)
      variable.push_back(name);
  plan.terms = getAddressTerms(layout, variable);
  int64_t variableBits = 0;
  for (StringRef name : variable)
    for (const LinearLayout::Basis &basis : layout.getBases(name))
      variableBits |= basis[0];
  for (int64_t i = 0; i < layout.getInputSize(known); ++i) {
    int64_t moved = layout.apply({{known, i}})[0];
    Immediate &immediate = plan.immediates.emplace_back();
    immediate.exclusive = (moved & variableBits) << early;
    // Both parts of an offset have no bit in common, so that padding adds to
    // their sum what it adds to each.
    immediate.additive = padding.apply(moved & ~variableBits) << scaleBits;
  }
  plan.variableBits = variableBits << early;
  for (AddressTerm &term : plan.terms)
    term.shift += int(early);
  return plan;
}

SmallVector<int64_t> AddressPlan::getExclusives() const {
  SmallVector<int64_t> values;
  for (const Immediate &immediate : immediates)
    if (immediate.exclusive != 0 && !is_contained(values, immediate.exclusive))
      values.push_back(immediate.exclusive);
  return values;
}

int64_t AddressPlan::evaluateVariable(LinearLayout::Place place) const {
  int64_t result = 0;
  for (const AddressTerm &term : terms)
    for (const auto &[name, number] : place)
      if (name == term.input)
        result ^= shifted(number & term.mask, term.shift);
  return result;
}

int64_t AddressPlan::evaluate(LinearLayout::Place place, int64_t known) const {
  const Immediate &immediate = immediates[known];
  int64_t offset = evaluateVariable(place) ^ immediate.exclusive;
  return (padding.apply(offset) << scaleBits) + immediate.additive;
}

void AddressPlan::print(raw_ostream &os) const {
  if (terms.empty())
    os << '0';
  for (auto [i, term] : enumerate(terms)) {
    if (i > 0)
      os << (term.isDisjoint ? " + " : " ^ ");
    if (term.shift != 0)
      os << '(';
    if (term.isWhole)
      os << term.input;
    else
      os << '(' << term.input << " & " << term.mask << ')';
    if (term.shift != 0)
      os << (term.shift > 0 ? " << " : " >> ") << std::abs(term.shift) << ')';
  }
}

std::string AddressPlan::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}
