//===- LinearLayout.cpp - Parts and properties of layouts -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/LinearLayout.h"
#include "kiln/Layout/Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace kiln::layout;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

LinearLayout::LinearLayout(ArrayRef<Input> inputs, ArrayRef<Output> outputs)
    : inputs(inputs), outputs(outputs) {
  assert(verify(inputs, outputs).empty() && "not the parts of a layout");
}

LinearLayout LinearLayout::withSizes(ArrayRef<Input> inputs,
                                     ArrayRef<int64_t> sizes) {
  SmallVector<Output> outputs;
  for (auto [i, size] : enumerate(sizes))
    outputs.emplace_back(getDefaultOutputName(i), size);
  return LinearLayout(inputs, outputs);
}

std::string LinearLayout::getDefaultOutputName(unsigned i) {
  return "dim" + std::to_string(i);
}

LinearLayout LinearLayout::identity(int64_t size, StringRef in, StringRef out) {
  return strided(size, 1, in, out);
}

LinearLayout LinearLayout::zeros(int64_t size, StringRef in, StringRef out) {
  assert(isPowerOf2_64(size) && "sizes are powers of two");
  Input input{in.str(), {}};
  input.bases.assign(Log2_64(size), Basis{0});
  return LinearLayout({input}, {Output(out.str(), 1)});
}

LinearLayout LinearLayout::strided(int64_t size, int64_t stride, StringRef in,
                                   StringRef out) {
  assert(isPowerOf2_64(size) && isPowerOf2_64(stride) &&
         "sizes are powers of two");
  Input input{in.str(), {}};
  for (int64_t bit = 1; bit < size; bit *= 2)
    input.bases.push_back({bit * stride});
  return LinearLayout({input}, {Output(out.str(), size * stride)});
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

const LinearLayout::Input *LinearLayout::find(StringRef in) const {
  const auto *it =
      find_if(inputs, [&](const Input &input) { return input.name == in; });
  return it == inputs.end() ? nullptr : it;
}

SmallVector<StringRef> LinearLayout::getInputNames() const {
  SmallVector<StringRef> names;
  for (const Input &input : inputs)
    names.push_back(input.name);
  return names;
}

SmallVector<StringRef> LinearLayout::getOutputNames() const {
  SmallVector<StringRef> names;
  for (const Output &output : outputs)
    names.push_back(output.first);
  return names;
}

bool LinearLayout::hasInput(StringRef name) const { return find(name); }

bool LinearLayout::hasOutput(StringRef name) const {
  return is_contained(getOutputNames(), name);
}

int64_t LinearLayout::getInputSize(StringRef name) const {
  return int64_t(1) << getInputBits(name);
}

unsigned LinearLayout::getInputBits(StringRef name) const {
  const Input *input = find(name);
  return input ? input->bases.size() : 0;
}

unsigned LinearLayout::getTotalInputBits() const {
  unsigned bits = 0;
  for (const Input &input : inputs)
    bits += input.bases.size();
  return bits;
}

int64_t LinearLayout::getOutputSize(StringRef name) const {
  for (const Output &output : outputs)
    if (output.first == name)
      return output.second;
  return 1;
}

unsigned LinearLayout::getOutputIndex(StringRef name) const {
  assert(hasOutput(name) && "not an output");
  for (auto [i, output] : enumerate(outputs))
    if (output.first == name)
      return i;
  return 0;
}

SmallVector<int64_t> LinearLayout::getOutputSizes() const {
  SmallVector<int64_t> sizes;
  for (const Output &output : outputs)
    sizes.push_back(output.second);
  return sizes;
}

unsigned LinearLayout::getTotalOutputBits() const {
  unsigned bits = 0;
  for (const Output &output : outputs)
    bits += Log2_64(output.second);
  return bits;
}

ArrayRef<int64_t> LinearLayout::getBasis(StringRef in, unsigned bit) const {
  return getBases(in)[bit];
}

ArrayRef<LinearLayout::Basis> LinearLayout::getBases(StringRef in) const {
  const Input *input = find(in);
  return input ? ArrayRef<Basis>(input->bases) : ArrayRef<Basis>();
}

void LinearLayout::setBases(StringRef in, ArrayRef<Basis> bases) {
  for (Input &input : inputs)
    if (input.name == in) {
      input.bases.assign(bases.begin(), bases.end());
      assert(verify(inputs, outputs).empty() && "not bases of this layout");
      return;
    }
  Input added{in.str(), {}};
  added.bases.assign(bases.begin(), bases.end());
  inputs.push_back(std::move(added));
  assert(verify(inputs, outputs).empty() && "not bases of this layout");
}

//===----------------------------------------------------------------------===//
// Application
//===----------------------------------------------------------------------===//

SmallVector<int64_t> LinearLayout::apply(Place place) const {
  SmallVector<int64_t> result(outputs.size(), 0);
  for (const auto &[name, number] : place)
    for (auto [bit, basis] : enumerate(getBases(name)))
      if ((number >> bit) & 1)
        for (auto [coordinate, moved] : zip_equal(result, basis))
          coordinate ^= moved;
  return result;
}

uint64_t LinearLayout::applyFlat(uint64_t place) const {
  uint64_t result = 0;
  for (auto [bit, column] : enumerate(getColumns()))
    if ((place >> bit) & 1)
      result ^= column;
  return result;
}

uint64_t LinearLayout::flatten(ArrayRef<int64_t> coordinates) const {
  uint64_t number = 0;
  for (auto [coordinate, output] : zip_equal(coordinates, outputs))
    number = (number << Log2_64(output.second)) | uint64_t(coordinate);
  return number;
}

SmallVector<int64_t> LinearLayout::unflatten(uint64_t number) const {
  SmallVector<int64_t> coordinates(outputs.size());
  for (int i = outputs.size() - 1; i >= 0; --i) {
    coordinates[i] = int64_t(number & uint64_t(outputs[i].second - 1));
    number >>= Log2_64(outputs[i].second);
  }
  return coordinates;
}

SmallVector<uint64_t> LinearLayout::getColumns() const {
  SmallVector<uint64_t> columns;
  for (const Input &input : inputs)
    for (const Basis &basis : input.bases)
      columns.push_back(flatten(basis));
  return columns;
}

SmallVector<uint64_t> LinearLayout::getColumns(StringRef in) const {
  SmallVector<uint64_t> columns;
  for (const Basis &basis : getBases(in))
    columns.push_back(flatten(basis));
  return columns;
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

unsigned LinearLayout::getRank() const { return Span(getColumns()).getRank(); }

SmallVector<std::pair<std::string, int64_t>>
LinearLayout::getFreeMasks() const {
  SmallVector<std::pair<std::string, int64_t>> masks;
  Span needed;
  for (const Input &input : inputs) {
    int64_t mask = 0;
    for (auto [bit, basis] : enumerate(input.bases))
      if (!needed.add(flatten(basis)))
        mask |= int64_t(1) << bit;
    masks.emplace_back(input.name, mask);
  }
  return masks;
}

int64_t LinearLayout::getFreeMask(StringRef in) const {
  for (const auto &[name, mask] : getFreeMasks())
    if (name == in)
      return mask;
  return 0;
}

bool LinearLayout::isZero(ArrayRef<StringRef> ins,
                          ArrayRef<StringRef> outs) const {
  for (const Input &input : inputs) {
    if (!is_contained(ins, input.name))
      continue;
    for (const Basis &basis : input.bases)
      for (auto [moved, output] : zip_equal(basis, outputs))
        if (moved != 0 && is_contained(outs, output.first))
          return false;
  }
  return true;
}

bool LinearLayout::isIdentityOn(StringRef name) const {
  if (!hasInput(name) || !hasOutput(name) ||
      getInputSize(name) != getOutputSize(name))
    return false;
  unsigned index = getOutputIndex(name);
  for (const Input &input : inputs)
    for (auto [bit, basis] : enumerate(input.bases))
      for (auto [i, moved] : enumerate(basis)) {
        bool isOwn = input.name == name;
        int64_t expected = isOwn && i == index ? int64_t(1) << bit : 0;
        if ((isOwn || i == index) && moved != expected)
          return false;
      }
  return true;
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return outputs == other.outputs && inputs.size() == other.inputs.size() &&
         all_of(zip_equal(inputs, other.inputs), [](const auto &pair) {
           const auto &[a, b] = pair;
           return a.name == b.name && a.bases == b.bases;
         });
}

hash_code kiln::layout::hash_value(const LinearLayout &layout) {
  hash_code hash = hash_combine(layout.inputs.size(), layout.outputs.size());
  for (const auto &[name, size] : layout.outputs)
    hash = hash_combine(hash, name, size);
  for (const LinearLayout::Input &input : layout.inputs) {
    hash = hash_combine(hash, input.name, input.bases.size());
    for (const LinearLayout::Basis &basis : input.bases)
      hash = hash_combine(hash, hash_combine_range(basis));
  }
  return hash;
}
