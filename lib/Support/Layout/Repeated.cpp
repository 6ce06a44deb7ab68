//===- Repeated.cpp - Atoms side by side ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Layout/Distribution.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <map>

using namespace llvm;
using namespace kiln::layout;

RepeatedLayout::RepeatedLayout(const LinearLayout &atom,
                               ArrayRef<int64_t> counts)
    : atom(atom), counts(counts) {
  if (counts.empty())
    this->counts.assign(atom.getNumOutputs(), 1);
  assert(this->counts.size() == atom.getNumOutputs() &&
         "a count for every output");
}

SmallVector<int64_t> RepeatedLayout::getSizes() const {
  SmallVector<int64_t> sizes = atom.getOutputSizes();
  for (auto [size, count] : zip_equal(sizes, counts))
    size *= count;
  return sizes;
}

int64_t RepeatedLayout::getNumCopies() const {
  int64_t copies = 1;
  for (int64_t count : counts)
    copies *= count;
  return copies;
}

SmallVector<int64_t> RepeatedLayout::getOrigin(int64_t copy) const {
  SmallVector<int64_t> origin = atom.getOutputSizes();
  for (int i = origin.size() - 1; i >= 0; --i) {
    origin[i] *= copy % counts[i];
    copy /= counts[i];
  }
  return origin;
}

SmallVector<int64_t> RepeatedLayout::apply(StringRef registers, int64_t value,
                                           LinearLayout::Place place) const {
  int64_t perCopy = atom.getInputSize(registers);
  SmallVector<std::pair<StringRef, int64_t>> inAtom(place);
  inAtom.emplace_back(registers, value % perCopy);
  SmallVector<int64_t> result = atom.apply(inAtom);
  for (auto [coordinate, first] : zip_equal(result, getOrigin(value / perCopy)))
    coordinate += first;
  return result;
}

std::optional<RepeatedLayout>
RepeatedLayout::withAtomSizes(ArrayRef<int64_t> atomSizes,
                              StringRef registers) const {
  RepeatedLayout result = *this;
  // The last output varies fastest, in registers as in copies.
  for (int i = counts.size() - 1; i >= 0; --i) {
    const auto &[name, size] = atom.getOutputs()[i];
    if (atomSizes[i] % size != 0)
      return std::nullopt;
    int64_t copies = atomSizes[i] / size;
    if (!isPowerOf2_64(copies) || counts[i] % copies != 0)
      return std::nullopt;
    result.atom *= LinearLayout::identity(copies, registers, name);
    result.counts[i] /= copies;
  }
  return result;
}

SmallVector<unsigned> RepeatedLayout::getOldValues(const RepeatedLayout &old,
                                                   StringRef registers) const {
  // Copies are aligned, so that where a copy of the old one begins decides.
  std::map<SmallVector<int64_t>, unsigned> oldCopies;
  for (int64_t copy = 0; copy < old.getNumCopies(); ++copy)
    oldCopies[old.getOrigin(copy)] = copy;
  int64_t perOld = old.atom.getInputSize(registers);
  int64_t perCopy = atom.getInputSize(registers);
  SmallVector<unsigned> values;
  for (int64_t value = 0; value < perCopy * getNumCopies(); ++value) {
    // The registers that were copies move by whole atoms.
    SmallVector<int64_t> origin =
        apply(registers,
              value - value % perCopy + value % perCopy / perOld * perOld, {});
    values.push_back(oldCopies[origin] * perOld + value % perOld);
  }
  return values;
}

std::optional<LinearLayout>
RepeatedLayout::getLinear(StringRef registers) const {
  std::optional<RepeatedLayout> whole = withAtomSizes(getSizes(), registers);
  if (!whole)
    return std::nullopt;
  return whole->atom;
}

std::string RepeatedLayout::str() const {
  std::string text = atom.str();
  if (getNumCopies() == 1)
    return text;
  text += " * [";
  text += join(map_range(counts, [](int64_t n) { return std::to_string(n); }),
               ", ");
  return text + "]";
}

std::optional<RepeatedLayout>
RepeatedLayout::parse(StringRef text, LinearLayout::TextError &error) {
  size_t star = text.find('*');
  std::optional<LinearLayout> atom =
      LinearLayout::parse(text.substr(0, star), error);
  if (!atom)
    return std::nullopt;
  RepeatedLayout result(*atom);
  if (star == StringRef::npos)
    return result;
  auto fail = [&](StringRef at, const Twine &message) {
    error.offset = at.data() - text.data();
    error.message = message.str();
    return std::nullopt;
  };
  StringRef rest = text.substr(star + 1).ltrim();
  StringRef list = rest.rtrim();
  if (!list.consume_front("[") || !list.consume_back("]"))
    return fail(rest, "expected counts in brackets behind '*'");
  result.counts.clear();
  SmallVector<StringRef> parts;
  if (!list.trim().empty())
    list.split(parts, ',');
  for (StringRef part : parts) {
    int64_t count = 0;
    if (part.trim().getAsInteger(10, count) || count < 1 ||
        count > std::numeric_limits<int32_t>::max())
      return fail(part, "expected a count from 1 to 2147483647, found '" +
                            part.trim() + "'");
    result.counts.push_back(count);
  }
  if (result.counts.size() != atom->getNumOutputs())
    return fail(rest, "expected " + Twine(atom->getNumOutputs()) +
                          " counts, found " + Twine(result.counts.size()));
  return result;
}

std::optional<std::pair<RepeatedLayout, RepeatedLayout>>
kiln::layout::withCommonAtoms(const RepeatedLayout &a, const RepeatedLayout &b,
                              StringRef registers) {
  if (a.getSizes() != b.getSizes())
    return std::nullopt;
  SmallVector<int64_t> sizes = a.atom.getOutputSizes();
  for (auto [size, other] : zip_equal(sizes, b.atom.getOutputSizes()))
    size = std::max(size, other);
  std::optional<RepeatedLayout> first = a.withAtomSizes(sizes, registers);
  std::optional<RepeatedLayout> second = b.withAtomSizes(sizes, registers);
  if (!first || !second)
    return std::nullopt;
  return std::make_pair(*first, *second);
}
