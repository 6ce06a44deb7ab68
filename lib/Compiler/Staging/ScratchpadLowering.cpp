//===- ScratchpadLowering.cpp - From stage to operations of a vendor ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CountedRings.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Interfaces/OpTable.h"
#include "kiln/Staging/FactorLayouts.h"
#include "kiln/Staging/Scratchpad.h"
#include "kiln/Target/Declines.h"
#include "kiln/Target/Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

ScratchpadLowering::ScratchpadLowering(RewriterBase &b,
                                       const target::BoundTarget &bound)
    : b(b), addresses(b), bound(bound),
      counted(std::make_unique<CountedRings>(b)) {}
ScratchpadLowering::~ScratchpadLowering() = default;

void ScratchpadLowering::makeRing(int64_t ring, int64_t base, int64_t slotBytes,
                                  int64_t depth) {
  defaults |= Make;
  Value none = noTransfer();
  if (!none)
    none = addresses.constant(loc, 0);
  noneType = none.getType();
  counted->make(loc, ring, base, slotBytes, depth, none);
}
// Where a subclass overrides makeRing alone there is no ring here, and
// checkRingSteps reports it.
Value ScratchpadLowering::fillSlot(int64_t ring) {
  defaults |= Fill;
  return counted->has(ring) ? counted->fill(loc, ring)
                            : addresses.constant(loc, 0);
}
Value ScratchpadLowering::takeSlot(int64_t ring) {
  defaults |= Take;
  return counted->has(ring) ? counted->take(loc, ring)
                            : addresses.constant(loc, 0);
}
void ScratchpadLowering::commitSlot(int64_t ring, ValueRange begun) {
  defaults |= Commit;
  if (counted->has(ring))
    counted->commit(loc, ring, begun);
}
// The next filling of a slot stands behind this.
void ScratchpadLowering::freeSlot(int64_t) { defaults |= Free; }
Value ScratchpadLowering::noTransfer() { return addresses.constant(loc, 0); }

namespace {

/// Whole storage that a region does nothing but fill with one value.
struct Filling {
  Value storage;
  int64_t bytes;
  uint64_t word; ///< the value again and again
};

std::optional<Filling> getFilling(stage::ComputeOp region) {
  Block &body = region.getBody().front();
  if (!llvm::hasNItems(body, 3) || !region.getFrom().empty() ||
      !region.getTo().empty())
    return std::nullopt;
  auto write =
      dyn_cast<stage::StorageWriteOpInterface>(*std::next(body.begin()));
  DenseElementsAttr value;
  if (!write || !matchPattern(write.getValue(), m_Constant(&value)) ||
      !value.isSplat() || !write.getOrigin().empty())
    return std::nullopt;
  auto type = cast<MemRefType>(write.getStorage().getType());
  Attribute element = value.getSplatValue<Attribute>();
  APInt bits;
  if (auto number = dyn_cast<FloatAttr>(element))
    bits = number.getValue().bitcastToAPInt();
  else if (auto number = dyn_cast<IntegerAttr>(element))
    bits = number.getValue();
  else
    return std::nullopt;
  int64_t width = stage::elementBytes(type.getElementType()) * 8;
  if (width > 64)
    return std::nullopt;
  return Filling{write.getStorage(), *stage::storageBytes(type),
                 APInt::getSplat(64, bits.zextOrTrunc(width)).getZExtValue()};
}

/// What machines with scalars do as it stands.
bool isScalar(Operation *op) {
  auto isTile = [](Type type) { return isa<ShapedType>(type); };
  return isa<scf::ForOp, scf::IfOp, scf::YieldOp, tile::ReturnOp, tile::DimOp,
             tile::ProgramIdOp, tile::NumProgramsOp>(op) ||
         (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
          llvm::none_of(op->getResultTypes(), isTile));
}

} // namespace

LogicalResult ScratchpadLowering::run(tile::KernelOp kernel) {
  SmallVector<Operation *> ops, done;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    return isa<stage::BoxRegionOpInterface>(op) ? WalkResult::skip()
                                                : WalkResult::advance();
  });
  for (Operation *op : ops) {
    // Regions and sizes are replaced, all else stays until nothing needs it.
    if (isa<stage::StageDialect, memref::MemRefDialect>(op->getDialect()) &&
        !isa<stage::BoxRegionOpInterface>(op))
      done.push_back(op);
    // What fills a slot happens where the slot is filled.
    Operation *filling = op->getParentOfType<stage::ProduceOp>();
    b.setInsertionPoint(filling ? filling : op);
    loc = op->getLoc();
    if (isScalar(op)) {
      if (filling)
        op->moveBefore(filling);
    } else if (!addresses.bind(op) && failed(convert(op))) {
      return failure();
    }
  }
  for (Operation *op : llvm::reverse(done)) {
    op->dropAllUses();
    op->erase();
  }
  if (failed(checkRingSteps(kernel)))
    return failure();
  counted->finish(kernel, [&](Value transfer) { wait(transfer); });
  return success();
}

LogicalResult ScratchpadLowering::blame(Operation *op, const Twine &what) {
  std::string owner =
      bound.target
          ? target::describeTarget(*bound.target, "scratchpad lowering of")
          : "scratchpad lowering";
  return op->emitError() << owner << " " << what;
}

/// The functions of rings belong together.
LogicalResult ScratchpadLowering::checkRingSteps(tile::KernelOp kernel) {
  constexpr std::pair<unsigned, StringLiteral> kSteps[] = {
      {Make, "makeRing"},
      {Fill, "fillSlot"},
      {Take, "takeSlot"},
      {Commit, "commitSlot"},
      {Free, "freeSlot"}};
  unsigned own = asked & ~defaults, left = asked & defaults & ~Free;
  // The default of freeSlot does nothing, so that others do not miss it.
  if (!(own & ~Free) || !left)
    return success();
  std::string owned, missing;
  for (auto [step, name] : kSteps) {
    std::string &list = own & step ? owned : missing;
    if ((own | left) & step)
      list += (list.empty() ? "" : ", ") + name.str();
  }
  return blame(kernel, "overrides " + owned + " and not " + missing +
                           ": expected all five functions of rings, or none");
}

LogicalResult ScratchpadLowering::bindSlot(Operation *op, Value ring,
                                           ValueRange parts, Value slot,
                                           StringRef by) {
  if (!slot || !slot.getType().isIndex())
    return blame(op, "gave no address of type index from " + by);
  addresses.bindSlot(ring.getDefiningOp<stage::RingOp>(), parts, slot);
  return success();
}

LogicalResult ScratchpadLowering::convertRing(stage::RingOp ring) {
  int64_t number = rings.size();
  rings[ring] = number;
  asked |= Make;
  makeRing(number, ring.getOffset().value_or(0), Addresses::slotBytes(ring),
           ring.getRing().getType().getDepth());
  return success();
}

LogicalResult ScratchpadLowering::convertProduce(stage::ProduceOp produce) {
  asked |= Fill;
  return bindSlot(produce, produce.getRing(), produce.getBody().getArguments(),
                  fillSlot(rings.lookup(produce.getRing())), "fillSlot");
}

LogicalResult ScratchpadLowering::convertConsume(stage::ConsumeOp consume) {
  asked |= Take;
  return bindSlot(consume, consume.getRing(), consume.getParts(),
                  takeSlot(rings.lookup(consume.getRing())), "takeSlot");
}

LogicalResult ScratchpadLowering::convertRelease(stage::ReleaseOp release) {
  asked |= Free;
  freeSlot(rings.lookup(release.getRing()));
  return success();
}

LogicalResult ScratchpadLowering::convertCommit(stage::CommitOp commit) {
  SmallVector<Value> filling;
  for (Value token : commit.getTokens())
    llvm::append_range(filling, transfers.lookup(token));
  for (Value transfer : filling)
    if (noneType && transfer.getType() != noneType) {
      std::string types;
      llvm::raw_string_ostream(types)
          << transfer.getType() << ", found " << noneType;
      return blame(commit, "gave a value of another type from noTransfer than "
                           "from beginTransfer: expected " +
                               types);
    }
  asked |= Commit;
  commitSlot(rings.lookup(stage::ringFilledBy(commit->getParentOp())), filling);
  return success();
}

LogicalResult ScratchpadLowering::convertWait(stage::WaitOp waiting) {
  if (waiting.getNumResults())
    return target::emitUnsupported(waiting, "a future on a scratchpad machine");
  for (Value token : waiting.getAwaited())
    for (Value transfer : transfers.lookup(token))
      wait(transfer);
  return success();
}

LogicalResult ScratchpadLowering::convertCount(tile::NumBlocksOp count) {
  Value size = tile::DimOp::create(b, loc, count.getView(), count.getDim());
  b.replaceOpWithNewOp<arith::CeilDivSIOp>(
      count, size, addresses.constant(loc, count.getBlock()));
  return success();
}

LogicalResult ScratchpadLowering::convert(Operation *op) {
  using Rule = LogicalResult (*)(Operation *, ScratchpadLowering &);
  using Self = ScratchpadLowering;
  static const OpTable<Rule> rules =
      OpTable<Rule>()
          .addRules<&Self::convertCopy, &Self::convertWait, &Self::convertRing,
                    &Self::convertProduce, &Self::convertConsume,
                    &Self::convertCommit, &Self::convertRelease,
                    &Self::convertProduct, &Self::convertRegion,
                    &Self::convertCount>();
  if (Rule rule = rules.find(op))
    return rule(op, *this);
  return target::emitUnsupported(op, "'" + op->getName().getStringRef() +
                                         "' on a scratchpad machine");
}

LogicalResult ScratchpadLowering::convertRegion(stage::ComputeOp region) {
  if (std::optional<Filling> filling = getFilling(region)) {
    Value address = addresses.at(loc, filling->storage);
    fill(address, filling->bytes, filling->word);
    b.eraseOp(region);
    return success();
  }
  // What refused a product in it is why it is still there.
  region.walk([&](Operation *op) {
    if (Attribute declines = op->removeAttr(target::kReportedAttr))
      region->setAttr(target::kReportedAttr, declines);
  });
  target::restoreDeclines(region);
  RegionContext ctx(b, bound, addresses);
  if (failed(target::LoweringRegistry::get().apply(region, ctx)))
    return target::emitUnsupported(region, "a region that nothing computes");
  return success();
}

LogicalResult ScratchpadLowering::convertCopy(stage::CopyOp copy) {
  SmallVector<TransferBox> boxes = addresses.transfers(copy);
  if (boxes.empty())
    return target::emitUnsupported(copy, "a copy between storages");
  SmallVector<Value> begun;
  for (const TransferBox &box : boxes) {
    FailureOr<Value> transfer = beginTransfer(box);
    if (failed(transfer))
      return failure();
    if (!*transfer)
      return blame(copy, "gave no value from beginTransfer");
    begun.push_back(*transfer);
  }
  if (copy.getAsync())
    transfers[copy.getToken()] = std::move(begun);
  else
    llvm::for_each(begun, [&](Value transfer) { wait(transfer); });
  return success();
}

LogicalResult ScratchpadLowering::convertProduct(stage::ProductOp product) {
  ProductBlock block;
  block.op = product;
  Value operands[] = {product.getLhs(), product.getRhs(), product.getAcc()};
  ValueRange origins[] = {product.getLhsOrigin(), product.getRhsOrigin(),
                          product.getAccOrigin()};
  Value counts[] = {product.getRows(), product.getColumns(),
                    product.getDepth()};
  if (product.getAsync() || product.getMinus() || product.getFresh())
    return target::emitUnsupported(product, "a product of this form");
  for (int i = 0; i < 3; ++i) {
    auto type = dyn_cast<MemRefType>(operands[i].getType());
    std::optional<PanelLayout> panels =
        type ? getPanelLayout(type) : std::nullopt;
    if (!type || (!panels && !stage::isStrided(type)))
      return target::emitUnsupported(product, "a matmul whose operands are "
                                              "not matrices in storage");
    block.sizes[i] =
        counts[i] ? counts[i] : addresses.constant(loc, product.getSizes()[i]);
    if (panels) {
      block.addresses[i] = addresses.atPanel(loc, operands[i], origins[i]);
      block.rowBytes[i] = panels->width * panels->group *
                          stage::elementBytes(type.getElementType());
      continue;
    }
    block.addresses[i] = addresses.at(loc, operands[i], origins[i]);
    // Of rows and columns those that do not lie beside each other.
    SmallVector<int64_t> strides = Addresses::byteStrides(type);
    int64_t rows = strides.end()[-2], columns = strides.back();
    block.rowBytes[i] =
        columns > stage::elementBytes(type.getElementType()) ? columns : rows;
  }
  return multiply(block);
}
