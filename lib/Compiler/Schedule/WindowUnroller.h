//===- WindowUnroller.h - Builds windows as one expression ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance of the kernel computes a tile of results. Where threads share out
// tiles, it computes several such tiles: results that are neighbours along the
// spatial dimensions, whose windows overlap. Each element of the input that
// these windows read is then read once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_WINDOWUNROLLER_H
#define KILN_LIB_SCHEDULE_WINDOWUNROLLER_H

#include "UnrolledWindow.h"

namespace kiln::schedule {

/// Builds the kernel.
class WindowUnroller {
public:
  WindowUnroller(Group &group, KernelBuilder &kernel, const Buffer &out,
                 const Buffer &input)
      : group(group), kernel(kernel), out(out),
        anchor(group.plan.anchors.front()), input(input),
        conv(llvm::dyn_cast<prim::ConvOp>(anchor.op)),
        spatial(anchor.virtualDims.size()),
        sharesTiles(group.ctx.tiling.model().sharesTiles()),
        hasViews(sharesTiles), beside(spatial, 1) {}

  /// With `sharesInput` an instance computes several results side by side where
  /// that pays, from elements of the input that it reads once.
  mlir::LogicalResult run(bool sharesInput);
  std::string reason;
  /// Whether it computes several.
  bool hasNeighbours() const {
    return llvm::any_of(beside, [](int64_t results) { return results > 1; });
  }

private:
  llvm::ArrayRef<int64_t> list(llvm::StringRef name) const {
    auto attr = anchor.op->getAttrOfType<mlir::DenseI64ArrayAttr>(name);
    return attr ? attr.asArrayRef() : llvm::ArrayRef<int64_t>();
  }
  int64_t windowOf(unsigned d) const {
    return conv ? llvm::cast<mlir::RankedTensorType>(conv.getFilter().getType())
                      .getDimSize(d + 1)
                : list("window")[d];
  }
  int64_t dilationOf(unsigned d) const {
    llvm::ArrayRef<int64_t> dilation = list("dilation");
    return dilation.empty() ? 1 : dilation[d];
  }
  /// Elements of the input, along spatial dimension `d`, from the first that
  /// `results` neighbours read to behind their last.
  int64_t readBy(unsigned d, int64_t results) const {
    return (results - 1) * list("strides")[d] +
           (windowOf(d) - 1) * dilationOf(d) + 1;
  }
  /// The same of all results.
  int64_t neededBy(unsigned d) const;
  /// Whether windows read around the input.
  bool padsInput() const;
  /// Whether a core reads around the input by conditions, and not a copy: where
  /// channels are innermost, all lanes of a vector share one condition.
  bool readsAround() const;
  /// The space of what windows read, in place of that of their results.
  Space spaceAround(const Space &space);
  /// What all windows read at a position, with what is around the input.
  mlir::Value loadAround(TileBuilder &around, llvm::ArrayRef<int64_t> position);
  void surroundInput();
  /// Copies a filter whose channels lie apart while threads read neighbouring
  /// channels, if many instances read it.
  void orderFilter();
  mlir::LogicalResult findOperands();
  /// The dimensions of the result, outermost first in memory.
  llvm::SmallVector<int> dimsByStride();
  target::TilingProblem problemOf(llvm::ArrayRef<int> dims);
  /// In the model's unit, of all that instances read and write. None where
  /// neighbours together leave too few instances for the cores.
  std::optional<double> costOf(llvm::ArrayRef<int> dims);
  /// The channels of a block where a core computes such blocks one after the
  /// other; 0: none. `dim` is the innermost dimension of the result.
  int64_t channelBlock(int dim) const;
  /// Makes the channels two dimensions of the kernel: blocks, and what is in a
  /// block.
  void splitChannels(int dim, int64_t block);
  void chooseBlocks(Space &space);
  /// Makes blocks of positions equally long: a short last one would compute
  /// fewer rows together.
  void evenBlocks(llvm::ArrayRef<int> dims);
  void chooseBeside();
  /// Every instance computes so many neighbours, and there are fewer of them.
  void setBeside(llvm::ArrayRef<int64_t> results);
  /// The map of what is accessed by `map`, for one of the neighbours, with
  /// channels that are split.
  AccessMap ofNeighbour(const AccessMap &map, llvm::ArrayRef<int64_t> number);
  /// What stands `offset` elements behind the first element of the input that
  /// the neighbours read, with nothing around. None where that is empty.
  std::optional<AccessMap> placeView(llvm::ArrayRef<int64_t> offset);
  /// What stands for an element around the input.
  mlir::TypedAttr outside() const { return neutralValue(anchor.op, element); }
  /// The order in which `unroll` goes through the dimensions of a window, the
  /// last one fastest. On CPUs that is the one along which a nest computes
  /// several rows at once: the next position of a row is then the last one of
  /// its neighbour, and still in a register.
  llvm::SmallVector<unsigned> windowOrder();
  /// The elements of all positions, put together.
  mlir::Value unroll(TileBuilder &emitter, const Space &space);
  /// The same for each of the neighbours, the last dimension innermost.
  llvm::SmallVector<mlir::Value> unrollBeside(TileBuilder &emitter);
  /// The filter is accessed at this position of the window from here on.
  void placeWindow(llvm::ArrayRef<int64_t> position) {
    for (unsigned d = 0; d < spatial; ++d)
      for (int dim : anchor.window[d].dims())
        kernel.place(dim, kernel.constant(position[d]));
  }
  /// `made` with what one position of the window contributes.
  mlir::Value add(mlir::Value made, mlir::Value x, mlir::Value factor,
                  TileBuilder &emitter);
  mlir::Value widened(mlir::Value tile);
  mlir::LogicalResult emitResults();
  mlir::LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return mlir::failure();
  }

  Group &group;
  KernelBuilder &kernel;
  const Buffer &out;
  const AnchorVisit &anchor;
  Buffer input, filter;
  mutable prim::ConvOp conv;
  unsigned spatial;
  /// Threads share out tiles.
  bool sharesTiles;
  /// Threads read around the input by masks, at no cost, from a view for each
  /// position of the window. Others take a copy of the input, as those do for a
  /// window of many positions.
  bool hasViews;
  /// How many results an instance computes for each point, along each spatial
  /// dimension.
  llvm::SmallVector<int64_t> beside;
  /// For each spatial dimension the kernel's dimension that counts what
  /// neighbours read of the copy of the input; empty if they read views.
  llvm::SmallVector<int> offsetDims;
  /// The sizes of the dimensions of the plan, before neighbours were put
  /// together.
  llvm::SmallVector<Extent> wholeSizes;
  /// The kernel's dimensions of blocks of channels and within a block; -1:
  /// channels are not split.
  int channel = -1, inLine = -1;
  Surrounded surrounded, orderedFilter;
  /// Into how many parts the copy of the input divides its lines.
  int64_t phases = 1;
  mlir::Type element, acc;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_WINDOWUNROLLER_H
