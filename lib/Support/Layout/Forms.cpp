//===- Forms.cpp - Other forms of one layout ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace kiln::layout;

LinearLayout LinearLayout::flattenInputs(StringRef name) const {
  return reshapeInputs({{name.str(), int64_t(1) << getTotalInputBits()}});
}

LinearLayout LinearLayout::flattenOutputs(StringRef name) const {
  return reshapeOutputs({{name.str(), int64_t(1) << getTotalOutputBits()}});
}

LinearLayout LinearLayout::reshapeInputs(ArrayRef<Output> sizes) const {
  SmallVector<Basis> all;
  for (const Input &input : inputs)
    append_range(all, input.bases);
  LinearLayout result;
  result.outputs = outputs;
  size_t taken = 0;
  for (const auto &[name, size] : sizes) {
    unsigned bits = Log2_64(size);
    assert(taken + bits <= all.size() && "more places than there were");
    result.setBases(name, ArrayRef<Basis>(all).slice(taken, bits));
    taken += bits;
  }
  assert(taken == all.size() && "fewer places than there were");
  return result;
}

LinearLayout LinearLayout::reshapeOutputs(ArrayRef<Output> sizes) const {
  LinearLayout result;
  result.outputs.assign(sizes.begin(), sizes.end());
  assert(result.getTotalOutputBits() == getTotalOutputBits() &&
         "another number of coordinates");
  for (const Input &input : inputs) {
    SmallVector<Basis> bases;
    for (const Basis &basis : input.bases)
      bases.push_back(result.unflatten(flatten(basis)));
    result.setBases(input.name, bases);
  }
  return result;
}

LinearLayout LinearLayout::reshapeOutputs(ArrayRef<int64_t> sizes) const {
  SmallVector<Output> named;
  for (auto [i, size] : enumerate(sizes))
    named.emplace_back(getDefaultOutputName(i), size);
  return reshapeOutputs(named);
}

LinearLayout
LinearLayout::transposeOutputs(ArrayRef<unsigned> permutation) const {
  SmallVector<StringRef> order;
  for (unsigned i : permutation)
    order.push_back(outputs[i].first);
  return reorderOutputs(order).renameOutputs(getOutputNames());
}

LinearLayout LinearLayout::reorderInputs(ArrayRef<StringRef> names) const {
  assert(names.size() == inputs.size() && "not all inputs");
  return sublayout(names, getOutputNames());
}

LinearLayout LinearLayout::reorderOutputs(ArrayRef<StringRef> names) const {
  assert(names.size() == outputs.size() && "not all outputs");
  return sublayout(getInputNames(), names);
}

LinearLayout LinearLayout::renameInput(StringRef from, StringRef to) const {
  assert((from == to || !hasInput(to)) && "there is such an input");
  LinearLayout result = *this;
  for (Input &input : result.inputs)
    if (input.name == from)
      input.name = to.str();
  return result;
}

LinearLayout LinearLayout::renameOutputs(ArrayRef<StringRef> names) const {
  LinearLayout result = *this;
  for (auto [output, name] : zip_equal(result.outputs, names))
    output.first = name.str();
  assert(verify(result.inputs, result.outputs).empty() && "a name twice");
  return result;
}

LinearLayout LinearLayout::renameOutputs() const {
  LinearLayout result = *this;
  for (auto [i, output] : enumerate(result.outputs))
    output.first = getDefaultOutputName(i);
  return result;
}

bool LinearLayout::hasDefaultNames() const {
  return all_of(enumerate(outputs), [](const auto &item) {
    return item.value().first == getDefaultOutputName(item.index());
  });
}

LinearLayout LinearLayout::dropOutput(unsigned i) const {
  LinearLayout result = *this;
  result.outputs.erase(result.outputs.begin() + i);
  for (Input &input : result.inputs)
    for (Basis &basis : input.bases)
      basis.erase(basis.begin() + i);
  return hasDefaultNames() ? result.renameOutputs() : result;
}

LinearLayout LinearLayout::insertOutput(unsigned i, int64_t size,
                                        StringRef name) const {
  bool isDefault = name.empty() && hasDefaultNames();
  LinearLayout result = *this;
  std::string own = name.empty() ? getDefaultOutputName(i) : name.str();
  result.outputs.insert(result.outputs.begin() + i, Output(own, size));
  for (Input &input : result.inputs)
    for (Basis &basis : input.bases)
      basis.insert(basis.begin() + i, 0);
  if (isDefault)
    return result.renameOutputs();
  assert(verify(result.inputs, result.outputs).empty() && "a name twice");
  return result;
}

LinearLayout LinearLayout::resizeOutputs(ArrayRef<int64_t> sizes) const {
  LinearLayout result = *this;
  for (auto [output, size] : zip_equal(result.outputs, sizes)) {
    assert(size >= output.second && "coordinates beyond the new size");
    output.second = size;
  }
  return result;
}

LinearLayout LinearLayout::permuteInput(StringRef in, Permutation order) const {
  ArrayRef<Basis> bases = getBases(in);
  assert(order.size() == bases.size() && "not all bits");
  SmallVector<Basis> permuted;
  for (unsigned bit : order)
    permuted.push_back(bases[bit]);
  LinearLayout result = *this;
  result.setBases(in, permuted);
  return result;
}

LinearLayout LinearLayout::removeZeroBases(StringRef in) const {
  SmallVector<Basis> kept;
  for (const Basis &basis : getBases(in))
    if (any_of(basis, [](int64_t moved) { return moved != 0; }))
      kept.push_back(basis);
  LinearLayout result = *this;
  if (hasInput(in))
    result.setBases(in, kept);
  return result;
}

SmallVector<unsigned>
kiln::layout::getPermutedNumbers(LinearLayout::Permutation order) {
  SmallVector<unsigned> old;
  for (unsigned number = 0; number < (1u << order.size()); ++number) {
    unsigned was = 0;
    for (auto [bit, from] : enumerate(order))
      was |= ((number >> bit) & 1) << from;
    old.push_back(was);
  }
  return old;
}
