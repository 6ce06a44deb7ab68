//===- WindowBuilder.h - Kernels that slide a window ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_WINDOWBUILDER_H
#define KILN_LIB_SCHEDULE_WINDOWBUILDER_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Builds the kernel of one convolution or pooling. The grid runs over images,
/// rows, blocks of the last spatial dimension and blocks of channels; loops run
/// over the positions of the window and, in convolutions, blocks of input
/// channels.
class WindowBuilder {
public:
  WindowBuilder(Group &group, KernelBuilder &kernel, const Buffer &out);

  mlir::LogicalResult run();
  std::string reason;

private:
  /// What happens at one position of the window.
  enum class Kind { Dot, Depthwise, Pool };

  void readAttributes();
  mlir::LogicalResult findDims();
  void chooseBlocks();
  void placeWindow();
  /// The tile of the input; outside of it is `outside`.
  mlir::Value inputTile(TileBuilder &emitter, mlir::TypedAttr outside);
  /// The same where the input is spread by `inputDilation`.
  mlir::Value spreadTile(TileBuilder &emitter);
  mlir::Value step(mlir::Value carried, TileBuilder &input,
                   TileBuilder *filter);
  mlir::Value finish(mlir::Value sum, TileBuilder &epilogue);
  int dimOrNew(const IndexExpr &expr);
  void note(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
  }
  mlir::LogicalResult fail(const llvm::Twine &why) {
    note(why);
    return mlir::failure();
  }

  Group &group;
  KernelBuilder &kernel;
  const Buffer &out;
  const AnchorVisit &anchor;
  Kind kind = Kind::Pool;
  unsigned spatial = 0;
  bool spread = false;
  llvm::SmallVector<int64_t> strides, padLow, dilation, inputDilation;
  /// Spatial dimensions of the result and window positions; -1: size 1.
  llvm::SmallVector<int> position, window;
  int tilePosition = -1, tileOut = -1, tileIn = -1;
  mlir::Type element, acc;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_WINDOWBUILDER_H
