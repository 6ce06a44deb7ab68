//===- WindowProduct.h - Convolutions as products of threads ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_WINDOWPRODUCT_H
#define KILN_LIB_SCHEDULE_WINDOWPRODUCT_H

#include "ColumnPieces.h"
#include "SplitConvolution.h"

namespace kiln::schedule {

/// Builds a convolution as one product, for machines whose threads share out
/// the tiles of an instance:
///
///   result[rows, channels] = sum over the window and blocks of input channels
///       of input[place of each row, input channels] * filter
///
/// Rows are images and positions together, as far as they follow each other in
/// the result. Each row has a place in the input, which a step of the window
/// moves; where it leaves the input nothing is read. So blocks are those of
/// products, and the input is looked up by a list of places.
///
/// Along a dimension whose elements are spread D apart, positions with one
/// remainder by D, a phase, read every D-th element of the window, and an input
/// without zeros (conversions/PrimToTile/SplitPhases.cpp derives it). Rows of
/// an instance have one phase, and their places in the result are listed, too.
class WindowProduct : public SplitConvolution {
public:
  using SplitConvolution::SplitConvolution;

  mlir::LogicalResult run();

private:
  /// A dimension that rows move along in the input: images, or one of space.
  struct Axis {
    Extent size, places; ///< elements, and how many places one is apart
    int dim = -1;        ///< of the result; -1: a single one
    int64_t stride = 1, low = 0, spread = 1;
    int64_t dilation = 0; ///< of the window; 0: none
    int window = -1;      ///< the dimension of the window; -1: a single one
    bool leaves = false;  ///< whether a row may lie outside
    mlir::Value start;    ///< tile: where the window begins
    int phase = -1;       ///< counts phases, by what they skip; -1: none
    /// Of an instance's phase: the remainder of its positions, how many
    /// elements of the window it reads, and the one of a step.
    mlir::Value remainder, taps, tap;

    /// Whether zeros of the input are read between its elements.
    bool isSpread() const { return spread != 1 && phase < 0; }
  };

  mlir::LogicalResult findDims();
  mlir::LogicalResult findOperands();
  mlir::LogicalResult findAxes();
  /// Whether rows have places at equal distances in the input.
  bool hasPlaces(const Buffer &input);
  /// An operand in memory of its own.
  mlir::FailureOr<Surrounded> compute(unsigned number,
                                      llvm::ArrayRef<ZerosAround> around);
  /// Zeros behind the channels of an operand, so that rows begin at chunks.
  llvm::SmallVector<ZerosAround> wholeChunks(mlir::Value operand) const;
  /// Whether a line of the window has so few channels that it is read as one
  /// piece: it is, in a copy with zeros around the positions.
  bool joinsLine() const;
  mlir::LogicalResult joinLine();
  void mergeRows();
  /// Whether the group uses the index of a row other than to read a view: in
  /// an iota, in bounds of a pad or cat, or along what a gather reads. Such
  /// code takes rows of a tile for neighbours, which those of a phase are not.
  bool needsNeighbours() const;
  /// Gives dimensions of the input that are spread their phases.
  void findPhases();
  bool hasPhases() const {
    return llvm::any_of(axes, [](const Axis &axis) { return axis.phase >= 0; });
  }
  int64_t countPhases() const;
  /// Rows of a phase along a dimension of `merged`.
  Extent rowsAlong(int dim) const;
  /// What an instance computes of its phases, and how many steps it has.
  void placePhases();
  /// Builds the kernel that sums the products of zeros and the filter, for each
  /// element of the window.
  void sumZeros();
  /// `sum` with those that the instance's phase leaves out.
  mlir::Value addZeros(mlir::Value sum);
  /// Where the rows of a tile are in the result.
  void listRows();
  void chooseBlocks();
  /// The coordinates of a tile's rows along a dimension of the result.
  mlir::Value coordinateOf(int dim);
  void placeRows();
  /// The places of a tile's rows for a step of the window, -1 for none.
  mlir::Value placesOfStep();
  /// Gives window and input channels the place of a step.
  void placeStep();
  /// The same where their number depends on the phase.
  void placePhaseStep();
  mlir::Value inputTile();
  /// Whether a block of channels may have several pieces.
  bool takesPieces() const;
  /// Stores the sums of each piece of a block of channels.
  mlir::LogicalResult storeSums(llvm::ArrayRef<mlir::Value> sums,
                                llvm::ArrayRef<ColumnPiece> pieces);

  mlir::Value splat(mlir::Value scalar);
  mlir::Value splat(int64_t value) { return splat(kernel.constant(value)); }
  template <typename Op> mlir::Value binary(mlir::Value a, mlir::Value b) {
    return Op::create(kernel.b, kernel.loc, a, b);
  }

  Buffer input, filter, zerosOfWindow;
  AccessMap filterMap;
  Surrounded inputCopy, filterCopy;
  llvm::SmallVector<Axis> axes;
  /// Distance of neighbouring places in the input, in elements.
  Extent pitch = 1;
  /// Dimensions of the kernel. Rows are those of `merged`, outermost first, of
  /// which the last is `row`; those of `others` are in the grid.
  llvm::SmallVector<int> merged, others, groups;
  int row = -1, channel = -1, depth = -1, step = -1;
  int place = -1;    ///< counts rows: `row`, or those of one phase
  mlir::Value base;  ///< tile: what rows and images add to a place
  mlir::Value index; ///< tile: the numbers of rows
  mlir::Type element, indexType;
};

/// Registered as `generic.window_product`.
mlir::LogicalResult scheduleWindowProduct(prim::FusionOp group,
                                          ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_WINDOWPRODUCT_H
