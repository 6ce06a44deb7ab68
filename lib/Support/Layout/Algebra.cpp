//===- Algebra.cpp - Products, composition, inverses ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/LinearLayout.h"
#include "kiln/Layout/Span.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace kiln::layout;

using Basis = LinearLayout::Basis;
using Output = LinearLayout::Output;

/// A basis of `from` among the outputs of `to`, its coordinates multiplied by
/// `scale` of their output. None if it moves one that `to` lacks.
static std::optional<Basis> carryOver(const Basis &basis,
                                      const LinearLayout &from,
                                      const LinearLayout &to,
                                      function_ref<int64_t(StringRef)> scale) {
  Basis result(to.getNumOutputs(), 0);
  for (auto [moved, output] : zip_equal(basis, from.getOutputs())) {
    if (moved == 0)
      continue;
    if (!to.hasOutput(output.first))
      return std::nullopt;
    result[to.getOutputIndex(output.first)] = moved * scale(output.first);
  }
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &b) const {
  LinearLayout result;
  for (const auto &[name, size] : outputs)
    result.outputs.emplace_back(name, size * b.getOutputSize(name));
  for (const Output &output : b.outputs)
    if (!hasOutput(output.first))
      result.outputs.push_back(output);

  auto append = [&](const LinearLayout &from,
                    function_ref<int64_t(StringRef)> scale) {
    for (const Input &input : from.inputs) {
      SmallVector<Basis> bases(result.getBases(input.name));
      for (const Basis &basis : input.bases)
        bases.push_back(*carryOver(basis, from, result, scale));
      result.setBases(input.name, bases);
    }
  };
  append(*this, [](StringRef) { return 1; });
  append(b, [&](StringRef name) { return getOutputSize(name); });
  return result;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  LinearLayout result;
  result.outputs = outer.outputs;
  for (const Input &input : inputs) {
    SmallVector<Basis> bases;
    for (const Basis &basis : input.bases) {
      SmallVector<std::pair<StringRef, int64_t>> place;
      for (auto [moved, output] : zip_equal(basis, outputs)) {
        assert(outer.getInputSize(output.first) > moved &&
               "an output that the outer layout does not take");
        place.emplace_back(output.first, moved);
      }
      bases.push_back(outer.apply(place));
    }
    result.setBases(input.name, bases);
  }
  return result;
}

/// The inputs of a layout as the outputs of another: innermost last.
static SmallVector<Output> getInputsAsOutputs(const LinearLayout &layout) {
  SmallVector<Output> outputs;
  for (const LinearLayout::Input &input : reverse(layout.getInputs()))
    outputs.emplace_back(input.name, int64_t(1) << input.bases.size());
  return outputs;
}

std::optional<LinearLayout>
LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  // Both in the same outputs, so that columns can be compared.
  LinearLayout from = outer.reorderOutputs(getOutputNames());
  SmallVector<int64_t> sizes;
  for (auto [a, b] : zip_equal(outputs, from.outputs))
    sizes.push_back(std::max(a.second, b.second));
  from = from.resizeOutputs(sizes);
  LinearLayout to = resizeOutputs(sizes);

  Span span(from.getColumns());
  LinearLayout result;
  result.outputs = getInputsAsOutputs(outer);
  for (const Input &input : to.inputs) {
    SmallVector<Basis> bases;
    ArrayRef<Basis> same = from.getBases(input.name);
    for (auto [bit, basis] : enumerate(input.bases)) {
      if (bit < same.size() && same[bit] == basis) {
        Basis stay(result.getNumOutputs(), 0);
        stay[result.getOutputIndex(input.name)] = int64_t(1) << bit;
        bases.push_back(stay);
        continue;
      }
      std::optional<uint64_t> sources = span.solve(to.flatten(basis));
      if (!sources)
        return std::nullopt;
      // Columns are numbered as flattened inputs are, and those of `outer`
      // vary in this order as outputs too.
      bases.push_back(result.unflatten(*sources));
    }
    result.setBases(input.name, bases);
  }
  return result;
}

LinearLayout LinearLayout::invert() const {
  assert(isBijective() && "has no inverse");
  return pseudoInvert();
}

LinearLayout LinearLayout::pseudoInvert() const {
  Span span(getColumns());
  LinearLayout result;
  result.outputs = getInputsAsOutputs(*this);
  uint64_t unit = 1;
  for (const Output &output : reverse(outputs)) {
    SmallVector<Basis> bases;
    for (int64_t bit = 1; bit < output.second; bit *= 2, unit *= 2) {
      std::optional<uint64_t> sources = span.solve(unit);
      assert(sources && "a coordinate without a place");
      bases.push_back(result.unflatten(*sources));
    }
    result.setBases(output.first, bases);
  }
  return result;
}

/// Whether everything that moves in `part` has room in `whole`.
static bool hasRoomFor(const LinearLayout &whole, const LinearLayout &part) {
  return all_of(part.getInputNames(),
                [&](StringRef name) {
                  return part.getInputBits(name) <= whole.getInputBits(name);
                }) &&
         all_of(part.getOutputNames(), [&](StringRef name) {
           return part.getOutputSize(name) <= whole.getOutputSize(name);
         });
}

std::optional<LinearLayout>
LinearLayout::divideLeft(const LinearLayout &b) const {
  if (!hasRoomFor(*this, b))
    return std::nullopt;
  LinearLayout result;
  for (const auto &[name, size] : outputs)
    result.outputs.emplace_back(name, size / b.getOutputSize(name));
  for (const Input &input : inputs) {
    ArrayRef<Basis> divisor = b.getBases(input.name);
    SmallVector<Basis> bases;
    for (auto [bit, basis] : enumerate(input.bases)) {
      if (bit < divisor.size()) {
        if (carryOver(divisor[bit], b, *this, [](StringRef) { return 1; }) !=
            basis)
          return std::nullopt;
        continue;
      }
      Basis rest;
      for (auto [moved, output] : zip_equal(basis, outputs)) {
        int64_t taken = b.getOutputSize(output.first);
        if (moved % taken != 0)
          return std::nullopt;
        rest.push_back(moved / taken);
      }
      bases.push_back(rest);
    }
    result.setBases(input.name, bases);
  }
  return result;
}

std::optional<LinearLayout>
LinearLayout::divideRight(const LinearLayout &b) const {
  if (!hasRoomFor(*this, b))
    return std::nullopt;
  LinearLayout result;
  for (const auto &[name, size] : outputs)
    result.outputs.emplace_back(name, size / b.getOutputSize(name));
  for (const Input &input : inputs) {
    ArrayRef<Basis> divisor = b.getBases(input.name);
    size_t kept = input.bases.size() - divisor.size();
    SmallVector<Basis> bases(ArrayRef<Basis>(input.bases).take_front(kept));
    for (const Basis &basis : bases)
      for (auto [moved, output] : zip_equal(basis, result.outputs))
        if (moved >= output.second)
          return std::nullopt;
    for (auto [i, basis] : enumerate(divisor)) {
      auto scale = [&](StringRef name) { return result.getOutputSize(name); };
      if (carryOver(basis, b, *this, scale) != input.bases[kept + i])
        return std::nullopt;
    }
    result.setBases(input.name, bases);
  }
  return result;
}

std::optional<LinearLayout>
LinearLayout::quotient(ArrayRef<StringRef> names) const {
  for (StringRef name : names)
    if (!isIdentityOn(name))
      return std::nullopt;
  auto without = [&](ArrayRef<StringRef> all) {
    SmallVector<StringRef> kept;
    for (StringRef name : all)
      if (!is_contained(names, name))
        kept.push_back(name);
    return kept;
  };
  return sublayout(without(getInputNames()), without(getOutputNames()));
}

LinearLayout LinearLayout::sublayout(ArrayRef<StringRef> ins,
                                     ArrayRef<StringRef> outs) const {
  LinearLayout result;
  for (StringRef name : outs)
    result.outputs.push_back(outputs[getOutputIndex(name)]);
  for (StringRef name : ins) {
    SmallVector<Basis> bases;
    for (const Basis &basis : getBases(name)) {
      Basis &kept = bases.emplace_back();
      for (StringRef out : outs)
        kept.push_back(basis[getOutputIndex(out)]);
    }
    result.setBases(name, bases);
  }
  return result;
}
