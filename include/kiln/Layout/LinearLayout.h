//===- LinearLayout.h - Where elements of a tile are ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear layout is a function from places to coordinates. A place has one
// number for each of several named inputs (a register, a lane, an offset in
// memory, ...), of which there are 2^n; a coordinate one number for each of
// several named outputs (the dimensions of a tile), whose sizes are powers of
// two. The function is linear over GF(2): the coordinates of a place are the
// XOR of those of its bits, so that a *basis* for every bit of every input says
// it all. What the names mean is the caller's affair.
//
// Shapes. A basis has one number per output, in the order of the outputs, each
// below the output's size. A layout may send several places to one coordinate
// (broadcast) and may leave coordinates without a place.
//
// Order. Where several inputs or outputs are seen as one number ("flattened"),
// the FIRST input and the LAST output vary fastest: inputs are listed from what
// is innermost, outputs are the dimensions of a row-major tile. What turns
// inputs into outputs (`invert`, `invertAndCompose`) therefore reverses their
// order, and inverting twice changes nothing.
//
// Names. Outputs are called dim0, dim1, ... unless the caller names them.
// Operations on two layouts match inputs and outputs by name.
//
// Limits. All inputs together have at most 63 bits, all outputs too.
//
// Errors. Functions that may have no result return an optional. Others state
// what they take; `verify` says what is wrong with parts of a layout that come
// from outside, and `parse` does with text.
//
// Text. `register = [[0, 1], [8, 0]], lane = [[0, 2], [1, 0]]`: the bases of
// each input from bit 0. Sizes of the outputs are the least that hold all bases
// and their names the default ones; where that is not so, they follow as in
// `lane = [[1, 0]] -> [row = 8, column = 1]`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LAYOUT_LINEARLAYOUT_H
#define KILN_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace kiln::layout {

/// A linear function from named inputs to named outputs.
class LinearLayout {
public:
  /// The coordinates that one bit of an input adds, one for each output.
  using Basis = llvm::SmallVector<int64_t>;
  /// A named number of a place, with as many bits as bases.
  struct Input {
    std::string name;               ///< no two inputs have the same
    llvm::SmallVector<Basis> bases; ///< the image of each bit, from bit 0
  };
  /// The name of an output and its size, a power of two.
  using Output = std::pair<std::string, int64_t>;
  /// Numbers for some of the inputs; those that are not named are 0.
  using Place = llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>>;
  /// New order of the bits of an input: bit i is what bit [i] was.
  using Permutation = llvm::ArrayRef<unsigned>;

  /// No inputs and no outputs: what a product begins with.
  LinearLayout() = default;
  /// Makes a layout of parts for which `verify` returns an empty text.
  LinearLayout(llvm::ArrayRef<Input> inputs, llvm::ArrayRef<Output> outputs);
  /// The same with the default names of outputs.
  static LinearLayout withSizes(llvm::ArrayRef<Input> inputs,
                                llvm::ArrayRef<int64_t> sizes);
  /// What keeps these from being a layout, empty if nothing does.
  static std::string verify(llvm::ArrayRef<Input> inputs,
                            llvm::ArrayRef<Output> outputs);
  /// Returns the name of output `i` where the caller gives none: "dim" and `i`.
  static std::string getDefaultOutputName(unsigned i);

  /// The layout of `size` (a power of two) places that sends place i of `in` to
  /// coordinate i of `out`.
  static LinearLayout identity(int64_t size, llvm::StringRef in,
                               llvm::StringRef out);
  /// The layout of `size` places that all hold coordinate 0 of `out`, whose
  /// size is 1 (copies of one element).
  static LinearLayout zeros(int64_t size, llvm::StringRef in,
                            llvm::StringRef out);
  /// The layout that sends place i of `in` to coordinate i * `stride` of `out`,
  /// whose size is `size` * `stride`; both are powers of two.
  static LinearLayout strided(int64_t size, int64_t stride, llvm::StringRef in,
                              llvm::StringRef out);

  //===--- Parts ----------------------------------------------------------===//

  /// Returns the inputs, the innermost first.
  llvm::ArrayRef<Input> getInputs() const { return inputs; }
  /// Returns the outputs, the innermost last.
  llvm::ArrayRef<Output> getOutputs() const { return outputs; }
  /// Returns the names of the inputs, in order.
  llvm::SmallVector<llvm::StringRef> getInputNames() const;
  /// Returns the names of the outputs, in order.
  llvm::SmallVector<llvm::StringRef> getOutputNames() const;
  /// Returns true if there is an input of this name.
  bool hasInput(llvm::StringRef name) const;
  /// Returns true if there is an output of this name.
  bool hasOutput(llvm::StringRef name) const;
  /// Returns how many numbers an input has; 1 for one that does not exist.
  int64_t getInputSize(llvm::StringRef name) const;
  /// Returns the bits of an input; 0 for one that does not exist.
  unsigned getInputBits(llvm::StringRef name) const;
  /// Returns the number of inputs.
  unsigned getNumInputs() const { return inputs.size(); }
  /// Returns the bits of all inputs together, at most 63.
  unsigned getTotalInputBits() const;
  /// Returns the size of an output; 1 for one that does not exist.
  int64_t getOutputSize(llvm::StringRef name) const;
  /// Returns the number of outputs.
  unsigned getNumOutputs() const { return outputs.size(); }
  /// Returns the position of an output, which has to exist.
  unsigned getOutputIndex(llvm::StringRef name) const;
  /// Returns the sizes of the outputs, in order.
  llvm::SmallVector<int64_t> getOutputSizes() const;
  /// Returns the bits of all outputs together, at most 63.
  unsigned getTotalOutputBits() const;
  /// Returns the coordinates that bit `bit` of an existing input adds.
  llvm::ArrayRef<int64_t> getBasis(llvm::StringRef in, unsigned bit) const;
  /// Returns the bases of an existing input, from bit 0.
  llvm::ArrayRef<Basis> getBases(llvm::StringRef in) const;
  /// Gives an input, new or not, these bases.
  void setBases(llvm::StringRef in, llvm::ArrayRef<Basis> bases);

  /// The coordinates of a place, in the order of the outputs. Bits of a number
  /// beyond its input's are ignored.
  llvm::SmallVector<int64_t> apply(Place place) const;
  /// The same as `apply`, from a flattened place to flattened coordinates.
  uint64_t applyFlat(uint64_t place) const;
  /// Returns coordinates, one for each output, as one number in which the last
  /// output varies fastest.
  uint64_t flatten(llvm::ArrayRef<int64_t> coordinates) const;
  /// Returns the coordinates that `flatten` makes this number of.
  llvm::SmallVector<int64_t> unflatten(uint64_t number) const;
  /// Returns the bases of all inputs, flattened.
  llvm::SmallVector<uint64_t> getColumns() const;
  /// Returns the bases of one input, flattened.
  llvm::SmallVector<uint64_t> getColumns(llvm::StringRef in) const;

  //===--- Properties -----------------------------------------------------===//

  /// Returns the rank over GF(2): 2^rank coordinates have a place.
  unsigned getRank() const;
  /// Returns true if every coordinate has a place.
  bool isSurjective() const { return getRank() == getTotalOutputBits(); }
  /// Returns true if no two places have the same coordinates.
  bool isInjective() const { return getRank() == getTotalInputBits(); }
  /// Returns true if places and coordinates correspond one to one.
  bool isBijective() const { return isSurjective() && isInjective(); }
  /// For every input the bits that are not needed to reach what the layout
  /// reaches; earlier bits are kept in favour of later ones. Places in which
  /// they are 0 have every coordinate that any place has, each once.
  llvm::SmallVector<std::pair<std::string, int64_t>> getFreeMasks() const;
  /// Returns these bits of one input; 0 if it does not exist.
  int64_t getFreeMask(llvm::StringRef in) const;
  /// Returns true if no bit of these inputs changes a coordinate along these
  /// outputs.
  bool isZero(llvm::ArrayRef<llvm::StringRef> ins,
              llvm::ArrayRef<llvm::StringRef> outs) const;
  /// Whether an input is sent to the output of the same name and size
  /// unchanged, and neither has to do with anything else.
  bool isIdentityOn(llvm::StringRef name) const;

  //===--- Algebra --------------------------------------------------------===//

  /// Direct sum: bits of `b` follow those of this in every input and above
  /// those of this in every output that both have.
  LinearLayout operator*(const LinearLayout &b) const;
  /// Appends `b`.
  LinearLayout &operator*=(const LinearLayout &b) { return *this = *this * b; }
  /// outer(this(x)). Every output of this is an input of `outer`, at least as
  /// large; further inputs of `outer` are 0.
  LinearLayout compose(const LinearLayout &outer) const;
  /// From the inputs of this to those of `outer`: where in `outer` the element
  /// is that this has at a place. outer(result(x)) = this(x). None where
  /// `outer` lacks an element. Both have the same outputs, in any order. A bit
  /// that has the same basis in both stays where it is, so that copies are not
  /// fetched from afar; otherwise early bits of `outer` are preferred.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &outer) const;
  /// The inverse, from coordinates to places. The layout must be bijective.
  LinearLayout invert() const;
  /// A place for every coordinate, the one without free bits; for a surjective
  /// layout.
  LinearLayout pseudoInvert() const;

  /// q such that this = b * q, if there is one. It has all
  /// inputs and outputs of this, even those with nothing left.
  std::optional<LinearLayout> divideLeft(const LinearLayout &b) const;
  /// The same from the other side: q such that this = q * b.
  std::optional<LinearLayout> divideRight(const LinearLayout &b) const;
  /// Without inputs and outputs of these names, none unless it is the identity
  /// on each.
  std::optional<LinearLayout>
  quotient(llvm::ArrayRef<llvm::StringRef> names) const;
  /// The layout of these inputs and outputs alone, in this order; all others
  /// are left out, and bases lose their coordinates along them.
  LinearLayout sublayout(llvm::ArrayRef<llvm::StringRef> ins,
                         llvm::ArrayRef<llvm::StringRef> outs) const;

  //===--- Forms ----------------------------------------------------------===//

  /// The same function with all inputs as one of this name, flattened as
  /// described above.
  LinearLayout flattenInputs(llvm::StringRef name) const;
  /// The same for all outputs.
  LinearLayout flattenOutputs(llvm::StringRef name = "dim0") const;
  /// The same flattened layout with other inputs, whose sizes have the product
  /// that they had.
  LinearLayout reshapeInputs(llvm::ArrayRef<Output> sizes) const;
  /// The same flattened layout with other outputs, whose sizes have the product
  /// that they had.
  LinearLayout reshapeOutputs(llvm::ArrayRef<Output> sizes) const;
  /// The same with default names of outputs.
  LinearLayout reshapeOutputs(llvm::ArrayRef<int64_t> sizes) const;
  /// Layout of the transposed tile: output i moves as [i] did. Names stay in
  /// their positions.
  LinearLayout transposeOutputs(llvm::ArrayRef<unsigned> permutation) const;
  /// The same function with inputs listed in another order: all names, each
  /// once.
  LinearLayout reorderInputs(llvm::ArrayRef<llvm::StringRef> names) const;
  /// The same for outputs.
  LinearLayout reorderOutputs(llvm::ArrayRef<llvm::StringRef> names) const;
  /// The same function with another name of an existing input.
  LinearLayout renameInput(llvm::StringRef from, llvm::StringRef to) const;
  /// The same function with other names of outputs, one for each.
  LinearLayout renameOutputs(llvm::ArrayRef<llvm::StringRef> names) const;
  /// The same function with the default names of outputs, dim0, dim1, ...
  LinearLayout renameOutputs() const;
  /// Layout of a slice: bases lose a coordinate. Default names are numbered
  /// anew here and below.
  LinearLayout dropOutput(unsigned i) const;
  /// The same with a new output in front of output i: all places have
  /// coordinate 0 along it.
  LinearLayout insertOutput(unsigned i, int64_t size = 1,
                            llvm::StringRef name = "") const;
  /// The same with the sizes of outputs raised, to sizes that are no smaller.
  LinearLayout resizeOutputs(llvm::ArrayRef<int64_t> sizes) const;
  /// The same with the bits of an existing input in another order.
  LinearLayout permuteInput(llvm::StringRef in, Permutation order) const;
  /// Without the bits of an input that move nothing.
  LinearLayout removeZeroBases(llvm::StringRef in) const;

  /// Returns true for equal inputs and outputs: names, order, bases and sizes.
  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  //===--- Text -----------------------------------------------------------===//

  /// Prints the text that `parse` reads.
  void print(llvm::raw_ostream &os) const;
  /// Returns the text that `print` prints.
  std::string str() const;
  /// What is wrong with a text, and at which of its characters.
  struct TextError {
    size_t offset = 0;   ///< characters from the beginning of the text
    std::string message; ///< what was expected and what was found
  };
  /// Returns the layout of a text; none, with `error`, if it has none.
  static std::optional<LinearLayout> parse(llvm::StringRef text,
                                           TextError &error);
  /// The least sizes that hold all bases, for inputs with some basis.
  static llvm::SmallVector<Output> deduceOutputs(llvm::ArrayRef<Input> inputs);

private:
  const Input *find(llvm::StringRef in) const;
  bool hasDefaultNames() const;

  llvm::SmallVector<Input> inputs;
  llvm::SmallVector<Output> outputs;
};

/// Hashing and printing, for containers and streams of LLVM.
llvm::hash_code hash_value(const LinearLayout &layout);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const LinearLayout &layout);

/// Values in the order that a permutation of the bits of their numbers gives:
/// number n of the result was number old[n].
llvm::SmallVector<unsigned> getPermutedNumbers(LinearLayout::Permutation order);

} // namespace kiln::layout

#endif // KILN_LAYOUT_LINEARLAYOUT_H
