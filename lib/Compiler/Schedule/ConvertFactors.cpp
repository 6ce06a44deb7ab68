//===- ConvertFactors.cpp - Converted factors in memory -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product converts its factors as it loads them, which reads the fewest
// bytes. A unit that reads factors from the memory of a block then waits: the
// threads hold each block in registers before it gets there, and no copy goes
// on by itself. Where every element is multiplied many times a kernel of its
// own converts each of them once.
//
// A factor whose depth is several dimensions, as windows of an image are that
// the other factor has in another order, has no deep blocks: its product loops
// over short ones, and shares out none of them. A copy has them as one.
//
//===----------------------------------------------------------------------===//

#include "ConvertFactors.h"
#include "AlignRows.h"
#include "ResultOrder.h"
#include "TileMath.h"
#include "kiln/Interfaces/Movement.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

bool kiln::schedule::hasSharedFactors(TargetAttr description, Type element) {
  MemoryAttr shared =
      description ? description.getSharedMemory() : MemoryAttr();
  return shared &&
         llvm::any_of(description.getMatrixInstructions(),
                      [&](MatrixInstructionAttr row) {
                        return row.getLhs().getHome() == shared.getName() &&
                               llvm::is_contained(row.getLhs().getTypes(),
                                                  element);
                      });
}

bool kiln::schedule::roundsCopies(TargetAttr description, Type element,
                                  prim::Precision precision) {
  if (!description || !element.isF32() || precision != prim::Precision::tf32)
    return false;
  Type tf32 = FloatTF32Type::get(element.getContext());
  return llvm::any_of(
      description.getMatrixInstructions(), [&](MatrixInstructionAttr row) {
        return llvm::is_contained(row.getLhs().getTypes(), tf32);
      });
}

Value kiln::schedule::roundToTf32(Value tile, OpBuilder &b, Location loc) {
  // From half a unit below 2^128 on, rounding gives infinity.
  constexpr int64_t kHalf = 0x1000, kKept = ~int64_t(0x1fff),
                    kMagnitude = 0x7fffffff, kLimit = 0x7f7ff000;
  TileMath m{b, loc};
  Value bits =
      m.make<arith::BitcastOp>(TileMath::as(tile, b.getI32Type()), tile);
  Value sum = m.make<arith::AddIOp>(bits, m.integer(bits, kHalf));
  Value rounded = m.both(sum, m.integer(bits, kKept));
  Value isFinite = m.compare(arith::CmpIPredicate::ult,
                             m.both(bits, m.integer(bits, kMagnitude)),
                             m.integer(bits, kLimit));
  return m.make<arith::BitcastOp>(tile.getType(),
                                  m.select(isFinite, rounded, bits));
}

/// The operation of the group that computes the elements of a factor, through
/// movements and padding; null where they lie in memory.
static Operation *findComputation(const Group &group, Value factor) {
  Operation *source = factor.getDefiningOp();
  while (source && group.inGroup()(source)) {
    if (isElementwisePrim(source))
      return source;
    if (!isViewMovement(source) && !isa<PaddingOpInterface>(source))
      break;
    source = source->getOperand(0).getDefiningOp();
  }
  return nullptr;
}

/// Memory for the result of a part of a group, which lies as the first of what
/// it reads that has all of its dimensions.
static Buffer allocateLikeSource(Group &part) {
  HostProgramBuilder &host = part.host;
  SmallVector<Extent> sizes = host.sizesOf(part.root);
  Buffer seen;
  seen.sizes.assign(sizes.begin(), sizes.end());
  ArrayRef<IndexExpr> root = part.plan.rootMap.index;
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(sizes.size()));
  for (const LeafVisit &leaf : part.plan.leaves) {
    if (!host.hasBuffer(leaf.value))
      continue;
    seen.strides.clear();
    for (const IndexExpr &at : root) {
      int dim = at.asDim();
      // Dimensions of one element come first.
      seen.strides.push_back(
          dim < 0 ? Extent(int64_t(1) << 60)
                  : part.strideOf(host.buffer(leaf.value), leaf.map, dim));
    }
    if (llvm::any_of(seen.strides, [](const Extent &stride) {
          return !stride.isStatic() || stride.get() <= 0;
        }))
      continue;
    order = orderOf(seen);
    break;
  }
  return allocateInOrder(host, getElementTypeOrSelf(part.root), sizes, order);
}

/// How many places along the depth follow each other, innermost, in the memory
/// that a factor is moved from; 0 where that is not known, or nothing moves it.
static int64_t runAlongDepth(Group &group, const AnchorVisit &anchor,
                             Value factor) {
  Value origin = factor;
  for (Operation *source = origin.getDefiningOp();
       source && group.inGroup()(source); source = origin.getDefiningOp()) {
    if (!isViewMovement(source))
      return 0;
    origin = source->getOperand(0);
  }
  if (origin == factor || !group.host.hasBuffer(origin))
    return 0;
  const Buffer &buffer = group.host.buffer(origin);
  auto leaf = llvm::find_if(group.plan.leaves, [&](const LeafVisit &one) {
    return one.value == origin;
  });
  if (leaf == group.plan.leaves.end())
    return 0;
  int64_t run = 1;
  int inner = -1;
  for (int dim : llvm::reverse(anchor.reduced)) {
    const Extent &size = group.plan.sizes[dim];
    if (!size.isStatic())
      return 0;
    if (inner >= 0 && !group.strideOf(buffer, leaf->map, dim)
                           .same(group.strideOf(buffer, leaf->map, inner) *
                                 group.plan.sizes[inner]))
      break;
    run *= size.get();
    inner = dim;
  }
  return run;
}

/// Whether a copy of a factor makes a deep product of one that has short runs
/// along the depth.
static bool isCutAlongDepth(Group &group, prim::DotGeneralOp dot,
                            Value factor) {
  constexpr int64_t kRun = 64, kDeep = 512, kUses = 32,
                    kLeast = int64_t(1) << 26;
  const AnchorVisit &anchor = group.plan.anchors.front();
  int64_t run = runAlongDepth(group, anchor, factor), depth = 1;
  if (run == 0 || run >= kRun)
    return false;
  for (int dim : anchor.reduced) {
    if (!group.plan.sizes[dim].isStatic())
      return false;
    depth *= group.plan.sizes[dim].get();
  }
  int64_t products = productsOf(group.host, dot),
          elements = countOf(group.host.sizesOf(factor));
  return depth >= kDeep && products >= kLeast && elements > 0 &&
         products / elements >= kUses;
}

SmallVector<Operation *, 2>
kiln::schedule::convertFactors(Group &group, prim::DotGeneralOp dot) {
  // A kernel of its own moves an element three times, and a launch takes as
  // long as many products.
  constexpr int64_t kUses = 1024, kLeast = int64_t(1) << 32;
  ScheduleContext &ctx = group.ctx;
  SmallVector<Operation *, 2> converted;
  if (!ctx.tiling.model().sharesTiles() || !ctx.description ||
      !ctx.description.getUnitOfKind(UnitKind::DMA))
    return converted;
  int64_t products = productsOf(ctx.host, dot);
  std::string name = ctx.kernelName;
  llvm::scope_exit restore([&] { ctx.kernelName = name; });
  for (Value factor : {dot.getLhs(), dot.getRhs()}) {
    bool isCut = isCutAlongDepth(group, dot, factor);
    Operation *source =
        isCut ? factor.getDefiningOp() : findComputation(group, factor);
    if (!source || llvm::is_contained(converted, source))
      continue;
    if (!isCut &&
        (products < kLeast ||
         !hasSharedFactors(ctx.description, getElementTypeOrSelf(factor))))
      continue;
    Value result = source->getResult(0);
    int64_t elements = countOf(ctx.host.sizesOf(result));
    if (!isCut && (elements <= 0 || products / elements < kUses))
      continue;
    Group part(group.fusion, ctx, result, {});
    if (failed(part.plan.run(result)))
      continue;
    Buffer memory = allocateLikeSource(part);
    ctx.kernelName = name + "_factor" + std::to_string(converted.size());
    std::string reason;
    if (failed(emitElementwise(part, memory, reason)))
      continue;
    ctx.host.setBuffer(result, memory);
    converted.push_back(source);
  }
  return converted;
}
