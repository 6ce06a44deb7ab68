//===- MemoryFactors.cpp - How factors come to lie in memory --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"
#include "Fragments.h"
#include "MemoryProducts.h"
#include "ProductChoice.h"
#include "StagedLoads.h"
#include "StoredFactors.h"
#include "Work.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Whether an access loads a tile of rows and columns without steps, and with
/// lists of places only where `takesList`.
static bool loadsMatrix(ViewAccessOpInterface load, bool takesList) {
  return load && !load.getWrittenOperand() && !load.isVolatileAccess() &&
         load.getAccessedType().getRank() == 2 &&
         llvm::all_of(load.getAxes(), [&](const ViewAxis &axis) {
           return axis.step == 1 && (!axis.isIndirect() || takesList);
         });
}

/// The load in a product's block that gives a factor, through operations that
/// hand its bytes on: of a whole box, or of what a list says where that is
/// known ahead. Null where it comes from elsewhere.
static ViewAccessOpInterface loadOf(Value factor, scf::ForOp loop,
                                    bool &isTransposed) {
  while (Value before = bytesBefore(factor)) {
    isTransposed ^= isTransposition(factor.getDefiningOp());
    factor = before;
  }
  auto load = factor.getDefiningOp<ViewAccessOpInterface>();
  bool isOfLoop = load && load->getBlock() == loop.getBody();
  return isOfLoop && loadsMatrix(load, isKnownEarly(load, loop))
             ? load
             : ViewAccessOpInterface();
}

/// The load before a loop that gives the left factor of a product in it, in one
/// piece. Null where it comes from elsewhere.
static ViewAccessOpInterface loadBeforeLoop(MatrixProductOpInterface op,
                                            scf::ForOp loop) {
  auto load = op.getLhsOperand().get().getDefiningOp<ViewAccessOpInterface>();
  return load && !loop->isAncestor(load) &&
                 loadsMatrix(load, /*takesList=*/false)
             ? load
             : ViewAccessOpInterface();
}

/// Whether threads that held the left factors that a loop does not change would
/// have too few registers for what its products compute: all of their sums, and
/// as much again for what becomes of these, addresses and numbers.
static bool leavesFactorsInMemory(scf::ForOp loop, int64_t threads,
                                  target::TargetAttr description) {
  int64_t bytes = 0;
  llvm::SmallPtrSet<Operation *, 4> held;
  auto add = [&](Type tile) {
    auto type = cast<RankedTensorType>(tile);
    bytes += type.getNumElements() *
             ThreadBuilder::storedBytes(type.getElementType());
  };
  for (auto product : loop.getBody()->getOps<MatrixProductOpInterface>()) {
    add(product->getResult(0).getType());
    ViewAccessOpInterface load = loadBeforeLoop(product, loop);
    if (load && held.insert(load).second)
      add(product.getLhsOperand().get().getType());
  }
  return 4 * bytes > 3 * 4 * registersOf(description) * threads;
}

/// The load of the loop around a product that gives a factor and can run ahead
/// of the loop; null where there is none.
static ViewAccessOpInterface loadAhead(OpOperand &factor, bool &isTransposed) {
  auto loop = dyn_cast<scf::ForOp>(factor.getOwner()->getParentOp());
  ViewAccessOpInterface load =
      loop ? loadOf(factor.get(), loop, isTransposed) : ViewAccessOpInterface();
  if (!load || !hasZeros(load) || LoopWrites(loop).findConflict(load))
    return {};
  return load;
}

/// Whether what a load reads lies in pieces that copies beside the threads
/// move.
static bool liesInPieces(const Contiguity &along, RankedTensorType type) {
  constexpr int64_t kLeast = 4;
  return along.dim >= 0 &&
         along.count * ThreadBuilder::storedBytes(type.getElementType()) >=
             kLeast;
}

/// Whether such a load lies as an instruction reads it, so that it is copied.
static bool isCopiedAhead(OpOperand &factor, SwizzleAttr swizzle,
                          unsigned summed) {
  bool isTransposed = false;
  ViewAccessOpInterface load = loadAhead(factor, isTransposed);
  if (!load)
    return false;
  index::Analysis scalars;
  tile::AxisAnalysis facts(scalars);
  RankedTensorType type = load.getAccessedType();
  Contiguity along = contiguityOf(load, facts);
  // There are chunks to permute.
  return liesInPieces(along, type) &&
         mayLieAlong(type, along.dim,
                     (along.dim ^ int(isTransposed)) == int(summed), swizzle);
}

bool simt::mayLieAlong(RankedTensorType type, unsigned dim, bool isSummed,
                       SwizzleAttr swizzle) {
  int64_t bytes =
      type.getDimSize(dim) * ThreadBuilder::storedBytes(type.getElementType());
  return isSummed ? bytes >= 2 * swizzle.getChunk()
                  : swizzle.getAcross() && bytes >= swizzle.getRow();
}

/// What a factor is before its bytes are handed on.
static Value sourceOf(Value factor, bool *isTransposed = nullptr) {
  while (Value before = bytesBefore(factor)) {
    if (isTransposed)
      *isTransposed ^= isTransposition(factor.getDefiningOp());
    factor = before;
  }
  return factor;
}

/// The dimension along which neighbours of a loaded tile lie side by side; -1
/// where nothing tells, or where the tile is not loaded.
static int nearestOf(Operation *made) {
  if (!isTileLoad(made))
    return -1;
  index::Analysis scalars;
  tile::AxisAnalysis facts(scalars);
  if (auto pointers = getPointerAccess(made))
    return contiguityOf(pointers->pointers, pointers->mask, facts).dim;
  auto access = dyn_cast<ViewAccessOpInterface>(made);
  return access ? contiguityOf(access, facts).dim : -1;
}

/// Whether threads write a factor to shared memory as an instruction reads it.
/// What a loop loads may be copied ahead, and then lies there as in memory.
static bool canBeStored(OpOperand &factor, SwizzleAttr swizzle,
                        unsigned summed) {
  bool isTransposed = false;
  Value source = sourceOf(factor.get(), &isTransposed);
  auto type = cast<RankedTensorType>(source.getType());
  int along = summed ^ unsigned(isTransposed);
  Operation *made = source.getDefiningOp();
  // Bytes that do not lie along the sum would be written one by one.
  if (type.getElementTypeBitWidth() < 16)
    return nearestOf(made) == along && !isa<scf::ForOp>(made->getParentOp()) &&
           mayLieAlong(type, along, /*isSummed=*/true, swizzle);
  if (isTileLoad(made) && isa<scf::ForOp>(made->getParentOp())) {
    // What could be copied ahead is better read as fragments.
    bool isAcross = false;
    index::Analysis scalars;
    tile::AxisAnalysis facts(scalars);
    if (ViewAccessOpInterface load = loadAhead(factor, isAcross))
      if (liesInPieces(contiguityOf(load, facts), type))
        return false;
    if (int dim = nearestOf(made); getPointerAccess(made) && dim >= 0)
      return mayLieAlong(type, dim, dim == along, swizzle);
  }
  return mayLieAlong(type, along, /*isSummed=*/true, swizzle) ||
         mayLieAlong(type, 1 - along, /*isSummed=*/false, swizzle);
}

int64_t
simt::bytesToStore(Operation *within,
                   function_ref<bool(MatrixProductOpInterface, int)> isRead) {
  llvm::SmallDenseSet<Value> known;
  int64_t bytes = 0;
  within->walk([&](MatrixProductOpInterface op) {
    for (int which : {0, 1}) {
      OpOperand &factor = which == 0 ? op.getLhsOperand() : op.getRhsOperand();
      Value source = sourceOf(factor.get());
      auto type = dyn_cast<RankedTensorType>(source.getType());
      if (!type || !isRead(op, which))
        continue;
      Operation *made = source.getDefiningOp();
      bool isCopied = made && made->getBlock() == op->getBlock() &&
                      isTileLoad(made) && isa<scf::ForOp>(op->getParentOp());
      if (!isCopied && known.insert(source).second)
        bytes += type.getNumElements() *
                 ThreadBuilder::storedBytes(type.getElementType());
    }
  });
  return bytes;
}

/// Bytes that a kernel's products would have stored, were all of them by rows
/// that read shared memory. Left factors of 16 bits stay in registers.
static int64_t mostBytesToStore(Operation *kernel) {
  return bytesToStore(kernel, [](MatrixProductOpInterface op, int which) {
    Type type = op.getLhsOperand().get().getType();
    return which == 1 ||
           getElementTypeOrSelf(type).getIntOrFloatBitWidth() != 16;
  });
}

/// Whether the description has a row for a product's types that reads only the
/// right factor from memory.
static bool hasRowForRegisters(MatrixProductOpInterface op,
                               target::TargetAttr description) {
  return llvm::any_of(description.getMatrixInstructions(),
                      [&](target::MatrixInstructionAttr row) {
                        return readsMemory(row) && !swizzleOf(row, 0) &&
                               target::takesTypes(row, op);
                      });
}

/// Whether the description says that registers of a product's left operand may
/// be overwritten where the product is: the loop around it does not change
/// them, branches, and holds another product that takes a computed left operand
/// from registers.
static bool losesHeldLeft(MatrixProductOpInterface op,
                          target::MatrixInstructionAttr row) {
  if (!row.getLosesHeldLhs())
    return false;
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (!loop || !loop.isDefinedOutsideOfLoop(sourceOf(op.getLhsOperand().get())))
    return false;
  bool hasBranches = false, hasComputed = false;
  loop->walk([&](Operation *other) {
    hasBranches |= other != loop && isa<RegionBranchOpInterface>(other);
    auto product = dyn_cast<MatrixProductOpInterface>(other);
    if (!product || product == op)
      return;
    Value left = sourceOf(product.getLhsOperand().get());
    hasComputed |=
        !loop.isDefinedOutsideOfLoop(left) && !isTileLoad(left.getDefiningOp());
  });
  return hasBranches && hasComputed;
}

/// Whether the left factor of a product is a load before its loop that is to be
/// copied once to where the instruction reads it.
static bool isCopiedOnce(MatrixProductOpInterface op,
                         target::MatrixInstructionAttr row, SwizzleAttr swizzle,
                         target::TargetAttr description, int64_t threads) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  ViewAccessOpInterface load =
      loop ? loadBeforeLoop(op, loop) : ViewAccessOpInterface();
  if (!load || !hasZeros(load))
    return false;
  index::Analysis scalars;
  tile::AxisAnalysis facts(scalars);
  Contiguity along = contiguityOf(load, facts);
  RankedTensorType type = load.getAccessedType();
  return liesInPieces(along, type) &&
         mayLieAlong(type, along.dim, along.dim == 1, swizzle) &&
         (target::findAsked(op, "instruction") || losesHeldLeft(op, row) ||
          leavesFactorsInMemory(loop, threads, description));
}

/// Whether threads load the left factor in the loop, in pieces too short for
/// copies beside them, and write it to where the instruction reads it: other
/// threads take it from there anyway.
static bool isLoadedByThreads(MatrixProductOpInterface op, SwizzleAttr swizzle,
                              target::TargetAttr description) {
  OpOperand &left = op.getLhsOperand();
  Value source = sourceOf(left.get());
  Operation *made = source.getDefiningOp();
  if (!isTileLoad(made) || !isa<scf::ForOp>(made->getParentOp()) ||
      !canBeStored(left, swizzle, 1))
    return false;
  auto type = cast<RankedTensorType>(source.getType());
  index::Analysis scalars;
  tile::AxisAnalysis facts(scalars);
  std::optional<PointerAccess> pointers = getPointerAccess(made);
  Contiguity along =
      pointers ? contiguityOf(pointers->pointers, pointers->mask, facts)
               : contiguityOf(cast<ViewAccessOpInterface>(made), facts);
  int64_t bytes =
      type.getNumElements() * ThreadBuilder::storedBytes(type.getElementType());
  return !liesInPieces(along, type) &&
         2 * (mostBytesToStore(op->getParentOfType<tile::KernelOp>()) +
              bytes) <=
             sharedBytesOf(description);
}

bool simt::suitsMemory(MatrixProductOpInterface op,
                       target::MatrixInstructionAttr row,
                       target::TargetAttr description, int64_t warps) {
  int64_t lanes = lanesOf(description);
  if (!whySizesDoNotSuit(op, row, lanes, warps).empty() ||
      !description.getUnitOfKind(target::UnitKind::DMA))
    return false;
  SwizzleAttr ofLeft = swizzleOf(row, 0), ofRight = swizzleOf(row, 1);
  OpOperand &left = op.getLhsOperand(), &right = op.getRhsOperand();
  bool isLeftAhead = isCopiedAhead(left, ofLeft ? ofLeft : ofRight, 1),
       isRightAhead = isCopiedAhead(right, ofRight, 0),
       isLeftOnce = isCopiedOnce(op, row, ofLeft ? ofLeft : ofRight,
                                 description, lanes * warps);
  // Groups of other rows have what another product takes of their sums.
  bool keepsRows = !isChained(op) || splitOf(op, row, warps)->columns == 1;
  bool isLeftLoaded =
      !isLeftAhead && keepsRows &&
      isLoadedByThreads(op, ofLeft ? ofLeft : ofRight, description);
  bool isHeld = losesHeldLeft(op, row);
  if (isHeld && !ofLeft)
    return false;
  // These are for rows that read both, unless a script asks for one.
  if (!ofLeft && (isLeftAhead || ((isLeftOnce || isLeftLoaded) &&
                                  !target::findAsked(op, "instruction"))))
    return false;
  if (ofLeft && hasRowForRegisters(op, description)) {
    bool isStored = isHeld && canBeStored(left, ofLeft, 1);
    if (!(isLeftAhead || isLeftOnce || isLeftLoaded || isStored) || !keepsRows)
      return false;
  } else if (ofLeft && !isLeftAhead && !canBeStored(left, ofLeft, 1)) {
    return false;
  }
  if (isRightAhead && (isLeftAhead || isLeftOnce || !ofLeft))
    return true;
  // Half of the memory is for what is copied ahead, and for exchanges.
  return (isRightAhead || canBeStored(right, ofRight, 0)) &&
         2 * mostBytesToStore(op->getParentOfType<tile::KernelOp>()) <=
             sharedBytesOf(description);
}

std::string simt::whyNotFromMemory(MatrixProductOpInterface op,
                                   target::MatrixInstructionAttr row,
                                   target::TargetAttr description,
                                   int64_t warps) {
  for (target::OperandAttr factor : {row.getLhs(), row.getRhs()})
    if (isa<SwizzleAttr>(factor.getLayout()) &&
        factor.getHome() != sharedSpaceOf(description))
      return ("its operands live in '" + factor.getHome() +
              "', but storage is in '" + sharedSpaceOf(description) + "'")
          .str();
  if (std::string reason = whyImprecise(op, row); !reason.empty())
    return reason;
  if (suitsMemory(op, row, description, warps))
    return "";
  std::string reason = whySizesDoNotSuit(op, row, lanesOf(description), warps);
  if (!reason.empty())
    return reason;
  if (swizzleOf(row, 0) && isChained(op))
    return "one product goes into another one";
  return swizzleOf(row, 0)
             ? "its factors have no room in shared memory as it reads them, or "
               "the left one is computed, which another row has in registers"
             : "its left factor can be copied ahead, or the right one has no "
               "room in shared memory as it reads it";
}
