//===- Tiling.h - Choosing block sizes --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One place picks sizes: a measured choice from a cache where there is one, a
// forced one, else the first candidate of the target's model.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TILING_TILING_H
#define KILN_TILING_TILING_H

#include "kiln/Target/Target.h"
#include "kiln/Target/TilingModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace kiln::tiling {

/// The model that reads a description, which may be null:
///
/// - preferred sizes are those of `tiles`; a contraction without an entry there
///   gets what moves fewest bytes among the sizes that fit;
/// - where a matrix unit has an instruction for the types, blocks are multiples
///   of its sizes, also at edges;
/// - the tiles of an instance fit into the nearest memory of kind `explicit`,
///   those read step by step twice where there is a unit of kind `dma`;
/// - no tile has more elements than the limit `max_tile_elements`;
/// - blocks get smaller where cores of the topology (or the option `threads`)
///   would have no instance and there is work for them.
///
/// Where cores hold many threads it knows these, too: docs/tiling.md.
///
/// `packs`: the family copies operands of products into panels, and pads them
/// there, so that blocks need not be multiples of anything.
std::unique_ptr<target::TilingModel>
createDescribedModel(target::TargetAttr description,
                     const target::TargetOptions &options, bool packs = false);

/// The largest block along one dimension that anything may ask for.
inline constexpr int64_t kLargestBlock = 1 << 20;

/// What picks the sizes for one target.
class Chooser {
public:
  /// The target's own model, else the described one. `target` may be null.
  Chooser(const target::Target *target, target::TargetAttr description,
          const target::TargetOptions &options);
  ~Chooser();

  /// The block sizes of a problem: those that the cache of the option
  /// `tiling_cache` has for it and this chip, those of the option `blocks`
  /// (contractions only, rows x columns x depth, and how many instances share
  /// out the depth: 1 if it is absent), else the candidate that the
  /// option `candidate` counts to, 0 if it is absent, the last one if there are
  /// fewer. What a cache holds but the model does not allow is passed over, and
  /// so are candidates with blocks beyond kLargestBlock; where none is left,
  /// the model that reads the description is asked. A model of a plug-in
  /// without candidates, or with one that does not have a block of at least 1
  /// for each dimension, is an error.
  target::Tiling choose(const target::TilingProblem &problem);

  /// Whether the option `blocks` says how many instances share the depth of
  /// matmuls (split-K).
  bool forcesParts() const;

  const target::TilingModel &model() const { return *known; }

private:
  std::unique_ptr<target::TilingModel> known;
  target::TargetAttr description;
  target::TargetOptions options;
  class Cache;
  std::unique_ptr<Cache> cache;
};

/// What picks the sizes for the target that a module names; null after an error
/// at the module.
std::unique_ptr<Chooser> chooserOf(mlir::ModuleOp module);

/// What picks the sizes of each kernel of a module: for the target that the
/// kernel names itself, else for the module's.
class Choosers {
public:
  explicit Choosers(mlir::ModuleOp module) : module(module) {}

  /// Null after an error at the module.
  Chooser *of(mlir::Operation *kernel);

private:
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<Chooser>> bySpec;
};

/// Sets the `tiling` of a kernel whose blocks were chosen: `PROBLEM -> BLOCKS`,
/// such as `contraction 64x64x64 f32*f32+f32 holds ... -> 64x64x64`.
void noteTiling(mlir::Operation *kernel, const target::TilingProblem &problem,
                const target::Tiling &tiling);

/// What choices are kept for in a cache: the target and the processor that it
/// is, with the number of threads where one was asked for.
std::string keyOf(const target::TargetOptions &options,
                  target::TargetAttr description);
/// The same for the target that a module names.
std::string keyOf(mlir::ModuleOp module);

/// Gives every kernel that holds one matrix product the block sizes of the
/// model of its target, through tile::retile; launches follow. Kernels with
/// `tiling` have theirs already. Says in the report which kernels keep
/// their blocks, and why. Fails after an error at the module.
mlir::LogicalResult retileProducts(mlir::ModuleOp module);

/// Checks the options `blocks` and `tiling_cache`. The result is a line for the
/// user; empty if they can be used.
std::string checkOptions(const target::TargetOptions &options);

/// Reads a cache's file. The error is a line for the user; empty if it could be
/// read. A file that is absent is an empty cache.
std::string checkCache(llvm::StringRef path);

} // namespace kiln::tiling

#endif // KILN_TILING_TILING_H
