//===- StagedLoads.cpp - Which loads become storage
//------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedLoads.h"
#include "LayoutChoice.h"
#include "Machine.h"
#include "MemoryProducts.h"
#include "RowCopies.h"
#include "StorageAreas.h"
#include "SwizzleChoice.h"
#include "ThreadProducts.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

bool simt::hasZeros(Operation *load) {
  auto isZero = [](Value value) {
    return matchPattern(value, m_Zero()) ||
           matchPattern(value, m_PosZeroFloat());
  };
  if (auto pointers = dyn_cast<PointerAccessOpInterface>(load))
    return !pointers.getDisabledValue() || isZero(pointers.getDisabledValue());
  auto access = cast<ViewAccessOpInterface>(load);
  Outside outside = access.getOutside();
  return outside == Outside::Zero || outside == Outside::Any ||
         (outside == Outside::Value && isZero(access.getOutsideValue()));
}

std::optional<Box> simt::boxOf(Operation *load) {
  auto access = dyn_cast<ViewAccessOpInterface>(load);
  if (!access)
    return std::nullopt;
  auto axes = access.getAxes();
  auto view = cast<tile::ViewType>(access.getAccessedView().getType());
  RankedTensorType tile = access.getAccessedType();
  int64_t first = int64_t(axes.size()) - tile.getRank();
  Box box{access.getAccessedView(), {}, axes.front().countsBlocks};
  for (auto [d, axis] : llvm::enumerate(axes)) {
    int64_t dim = std::max<int64_t>(int64_t(d) - first, -1);
    if (axis.isIndirect() || axis.tileDim != dim || axis.step != 1 ||
        axis.countsBlocks != box.countsBlocks ||
        axis.block != (dim < 0 ? 1 : tile.getDimSize(dim)))
      return std::nullopt;
    box.offsets.push_back(axis.offset);
  }
  if (first < 0 || view.getElementType() != tile.getElementType())
    return std::nullopt;
  return box;
}

namespace {
/// Whether a tile only reaches products by matrix instructions that `takes`
/// says, as a factor, through operations that hand its bytes on.
bool feedsProducts(Value tile, function_ref<bool(Operation *)> takes) {
  return !tile.use_empty() && llvm::all_of(tile.getUsers(), [&](Operation *to) {
    if (handsOnBytes(to))
      return feedsProducts(to->getResult(0), takes);
    auto product = dyn_cast<MatrixProductOpInterface>(to);
    return product && takes(to) &&
           (!product.getAccOperand() || product.getAccOperand()->get() != tile);
  });
}

/// Whether a load is a factor that threads read by themselves, if both factors
/// are storage.
bool goesToThreads(Operation *load, const BlockShape &block) {
  return feedsProducts(load->getResult(0), [&](Operation *to) {
    const RegisterCandidate *lowering = findLowering(to, block);
    return (!lowering || lowering->isOwn) &&
           multipliesLoads(cast<MatrixProductOpInterface>(to));
  });
}

bool hasStep(Operation *load) {
  auto access = dyn_cast<ViewAccessOpInterface>(load);
  return access && llvm::any_of(access.getAxes(), [](const ViewAxis &axis) {
           return axis.step != 1;
         });
}

/// The elements of a load that follow each other, and how many of them each
/// thread has together.
Contiguity piecesOf(Operation *load, bool isBox, tile::AxisAnalysis &facts) {
  Contiguity along;
  if (auto pointers = dyn_cast<PointerAccessOpInterface>(load))
    along = contiguityOf(pointers.getAccessedPointers(),
                         pointers.getAccessMask(), facts);
  else
    along = contiguityOf(cast<ViewAccessOpInterface>(load), facts);
  // A copy of a box has a layout of its own.
  if (along.dim >= 0 && !isBox)
    along.count = int64_t(1) << vectorBits(getLayout(load->getResult(0)),
                                           along.dim, along.count)
                                    .size();
  return along;
}
} // namespace

std::optional<StagedLoad> simt::stagedLoad(Operation *load, scf::ForOp loop,
                                           const BlockShape &block,
                                           tile::AxisAnalysis &facts,
                                           bool takesNumbers,
                                           std::string &why) {
  auto decline = [&](const Twine &reason) {
    why = reason.str();
    return std::nullopt;
  };
  auto type = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  bool hasCopier = bool(getDecided(load, kCopierEntry));
  if (const RegisterCandidate *lowering = findLowering(load, block);
      !hasCopier && lowering && !lowering->isOwn)
    return decline("lowering '" + lowering->lowering->name +
                   "' has the code of this load");
  // What a plug-in copies stays its load.
  bool isBox = boxOf(load).has_value() && !hasCopier;
  SmallVector<ConvertLayoutOp> converts;
  if (type)
    for (Operation *user : load->getUsers())
      if (auto convert = dyn_cast<ConvertLayoutOp>(user);
          convert && convert->getBlock() == load->getBlock())
        converts.push_back(convert);
  auto description = target::getDescription(load);
  bool isRead = type && feedsProducts(load->getResult(0), [&](Operation *to) {
                  return isMemoryProduct(to, description);
                });
  // Rows as an instruction has them that reads memory, whatever else reads
  // them.
  SwizzleAttr swizzle =
      type ? swizzleOf(load->getResult(0), description) : SwizzleAttr();
  auto takesFragments = [](Operation *to) {
    return getDecided(to, kRowEntry) || isa<LayoutRuleOpInterface>(to);
  };
  bool isThreads = type && goesToThreads(load, block);
  auto *factor = llvm::find_if(converts, [&](ConvertLayoutOp convert) {
    return feedsProducts(convert.getResult(), takesFragments);
  });
  bool isFactor = isRead || swizzle || isThreads || factor != converts.end();
  if (factor != converts.end())
    std::swap(converts.front(), *factor);
  if (!isFactor && !(type && takesNumbers))
    return decline("its result is not only an operand of matmuls by a "
                   "matrix instruction");
  // A tile of one dimension is a row of storage.
  int64_t missing = 2 - type.getRank();
  auto access = dyn_cast<ViewAccessOpInterface>(load);
  if (missing && (missing != 1 || isFactor || !isBox ||
                  access.getAxes().size() < size_t(2)))
    return decline("it loads a tile of rank " + Twine(type.getRank()));
  if (isVolatileLoad(load))
    return decline("it is volatile");
  if (hasStep(load))
    return decline("it loads with a step");
  if (!hasZeros(load))
    return decline("places without an element are not read as zero");
  for (int64_t size : type.getShape())
    if (!llvm::isPowerOf2_64(size))
      return decline("its sizes are not powers of two");
  if (!isa<FloatType, IntegerType>(type.getElementType()) ||
      type.getElementTypeBitWidth() < 8)
    return decline("its elements are not bytes");
  Contiguity along = piecesOf(load, isBox, facts);
  int64_t each = ThreadBuilder::storedBytes(type.getElementType());
  if (along.dim < 0)
    return decline("no neighbours of its tile lie side by side");
  if (along.count * each < 4)
    return decline("its rows are known to begin at multiples of " +
                   Twine(along.count * each) +
                   " bytes only, and copies move 4");
  // Rows of at least one chunk of 16 bytes.
  if (type.getDimSize(along.dim) * each < 16)
    return decline("its rows are shorter than 16 bytes");
  if (int64_t bytes = rowCopyBytesOf(description)) {
    if (!isBox)
      return decline("each thread loads from an address of its own, and copies "
                     "of a warp are written side by side");
    auto access = cast<ViewAccessOpInterface>(load);
    if (along.count * each != bytes ||
        sizeDivisor(access.getAccessedView(), unsigned(along.axis),
                    facts.getScalars()) %
            along.count)
      return decline("its rows are not known to consist of the " +
                     Twine(bytes) + " bytes that a copy moves");
    if (type.getNumElements() * each < bytes * block.lanes * block.warps)
      return decline("threads have less than " + Twine(bytes) +
                     " bytes of it to copy");
  }
  if (!isBox && !isKnownEarly(load, loop))
    return decline("where it reads depends on memory");
  return StagedLoad{load,
                    std::move(converts),
                    int(along.dim + missing),
                    type.getNumElements() * each,
                    swizzle ? swizzle.getAlign() : lineBytesOf(description),
                    swizzle,
                    isBox};
}
