//===- LoweringTable.h - Where the family's lowerings register --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the family has to know of an operation is registered by the file
// that lowers it: its code, what it borrows of shared memory, and the layouts
// of its tiles.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_LOWERINGTABLE_H
#define KILN_LIB_GPU_LOWERINGTABLE_H

#include "LayoutRules.h"
#include "ThreadWriter.h"
#include "kiln/Interfaces/Names.h"

namespace kiln::simt {

class LLVM_LIBRARY_VISIBILITY LoweringTable {
public:
  explicit LoweringTable(target::TargetRegistry &registry)
      : registry(registry) {}

  /// What a lowering of the family is: its code, and what it borrows.
  template <typename OpT>
  using Lower = mlir::LogicalResult (*)(OpT, ThreadWriter &);
  template <typename OpT>
  using Needs = ScratchNeeds (*)(OpT, const BlockShape &);

  /// For operations of a name or a kind, whose class is OpT. Of two for one
  /// operation the last one counts.
  template <typename OpT>
  void add(llvm::StringRef op, Lower<OpT> lower, Needs<OpT> needs = nullptr) {
    auto code = [lower](mlir::Operation *op, ThreadWriter &w) {
      return lower(llvm::cast<OpT>(op), w);
    };
    if (!needs)
      return addAny(op, code, nullptr);
    addAny(op, code, [needs](mlir::Operation *op, const BlockShape &block) {
      return needs(llvm::cast<OpT>(op), block);
    });
  }
  template <typename OpT>
  void add(Lower<OpT> lower, Needs<OpT> needs = nullptr) {
    add<OpT>(OpT::getOperationName(), lower, needs);
  }

  /// The layouts of an operation of `tile` that the general rule
  /// (layoutRuleOf) does not fit.
  template <typename OpT, LayoutRule (*rule)(OpT, const LayoutQuery &)>
  void addLayouts() {
    registry.addDialects([](mlir::DialectRegistry &dialects) {
      dialects.addExtension(
          +[](mlir::MLIRContext *context, tile::TileDialect *) {
            OpT::template attachInterface<Model<OpT, rule>>(*context);
          });
    });
  }

private:
  using Code =
      std::function<mlir::LogicalResult(mlir::Operation *, ThreadWriter &)>;
  using Borrowed =
      std::function<ScratchNeeds(mlir::Operation *, const BlockShape &)>;
  void addAny(llvm::StringRef op, Code code, Borrowed needs);

  template <typename OpT, LayoutRule (*rule)(OpT, const LayoutQuery &)>
  struct Model : LayoutRuleOpInterface::ExternalModel<Model<OpT, rule>, OpT> {
    LayoutRule getLayoutRule(mlir::Operation *op,
                             const LayoutQuery &query) const {
      return rule(llvm::cast<OpT>(op), query);
    }
  };

  target::TargetRegistry &registry;
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_LOWERINGTABLE_H
