//===- SerialLines.h - Kernels that walk along lines ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sorts in linear time share: an instance takes whole lines along one
// dimension of a tensor, one after the other, element by element. It suits
// machines whose instances are threads of a processor.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_SERIALLINES_H
#define KILN_LIB_SCHEDULE_SERIALLINES_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// One line of a view: all coordinates but the last.
struct Line {
  mlir::Value view;
  llvm::SmallVector<mlir::Value, 4> coords;
};

/// One kernel. What it is asked to build goes into the loop over the lines of
/// an instance.
class SerialLines {
public:
  SerialLines(ScheduleContext &ctx, mlir::Location loc,
              llvm::ArrayRef<Extent> sizes, unsigned dim);

  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Body = llvm::function_ref<void(mlir::Value)>;
  using Carrying = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;

  /// The current line of a tensor of the sizes given, but for the last.
  Line lineOf(const Buffer &buffer, bool write);
  /// `count` elements that belong to the instance.
  Line scratch(mlir::Type element, Extent count);

  /// `count` elements from `at` on; those behind the end are zero.
  mlir::Value load(const Line &line, mlir::Value at, int64_t count = 1);
  void store(mlir::Value tile, const Line &line, mlir::Value at);
  /// The element of a tile of one, and the other way round.
  mlir::Value scalar(mlir::Value tile);
  mlir::Value tileOf(mlir::Value scalar);
  /// A tile of one as an index.
  mlir::Value place(mlir::Value tile);
  /// An index as a tile of one element of an integer type.
  mlir::Value tileOf(mlir::Value index, mlir::Type element);
  /// A number as a tile of one.
  mlir::Value constant(mlir::Type element, const llvm::APInt &value);

  void loop(mlir::Value first, mlir::Value end, Body body);
  llvm::SmallVector<mlir::Value> loop(mlir::Value first, mlir::Value end,
                                      int64_t step, mlir::ValueRange inits,
                                      Carrying body);
  /// What `then` gives where `condition` holds, else `otherwise`.
  llvm::SmallVector<mlir::Value>
  choose(mlir::Value condition, mlir::ValueRange otherwise,
         llvm::function_ref<llvm::SmallVector<mlir::Value>()> then);

  void finish(llvm::StringRef schedule);

private:
  ScheduleContext &ctx;
  unsigned dim;
  Extent instances;
  mlir::Value instance;
  llvm::SmallVector<mlir::Value> others; ///< coordinates of the line
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SERIALLINES_H
