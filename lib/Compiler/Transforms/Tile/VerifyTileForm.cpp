//===- VerifyTileForm.cpp - What a module may hold at the tile level ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/Claim.h"
#include "kiln/Interfaces/Composite.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/Layout.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "kiln/Interfaces/Reduction.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Interfaces/WholeTiles.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::tile {
#define GEN_PASS_DEF_VERIFYTILEFORM
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace kiln;
using namespace kiln::tile;

namespace {

/// Tiles are meant for registers and scratchpads; more elements than this are a
/// mistake that no target should have to meet.
constexpr int64_t kMaxElements = int64_t(1) << 31;

bool isTooLarge(RankedTensorType tile) {
  int64_t elements = 1;
  for (int64_t size : tile.getShape())
    if (llvm::MulOverflow(elements, size, elements) || elements > kMaxElements)
      return true;
  return false;
}

/// True for scalars, and for tiles of positive static sizes.
bool isTileOrScalar(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return isElementType(type);
  return (isElementType(tile.getElementType()) ||
          isa<PtrType>(tile.getElementType())) &&
         !isTooLarge(tile) &&
         llvm::all_of(tile.getShape(), [](int64_t size) { return size > 0; });
}

bool isAllowedType(Type type) {
  return isa<ViewType, PtrType>(type) || isTileOrScalar(type);
}

/// True for operations of any dialect that say by the interfaces how they
/// access memory or combine elements.
bool isDescribed(Operation *op) {
  return isa<ViewAccessOpInterface, PointerAccessOpInterface,
             IndexMapOpInterface, MatrixProductOpInterface,
             ReductionOpInterface, FoldOpInterface, CompositeOpInterface>(op) ||
         op->hasTrait<TakesWholeTiles>() ||
         OpTrait::hasElementwiseMappableTraits(op);
}

bool isAllowedOp(Operation *op) {
  if (isa<TileDialect>(op->getDialect()))
    return !isa<KernelOp>(op);
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return true;
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
          tensor::ExtractOp>(op) ||
      isClaim(op))
    return true;
  // Operations of others, as far as analyses know what they need to know.
  return isDescribed(op) &&
         (isa<MemoryEffectOpInterface>(op) ||
          op->hasTrait<OpTrait::HasRecursiveMemoryEffects>());
}

/// The layout of a tile fits its shape.
LogicalResult verifyEncoding(Operation *op, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  auto layout = tile ? dyn_cast_or_null<LayoutAttrInterface>(tile.getEncoding())
                     : LayoutAttrInterface();
  if (!layout)
    return success();
  return layout.verifyLayoutFor(tile.getShape(),
                                [&] { return op->emitOpError(); });
}

/// The parameter of the kernel that a store reaches, if it is one.
BlockArgument getParameter(Value view) {
  auto argument = dyn_cast<BlockArgument>(view);
  if (argument && isa<KernelOp>(argument.getOwner()->getParentOp()))
    return argument;
  return {};
}

/// The operation around `op` whose region combines scalars, or null.
Operation *getScalarRegion(Operation *op) {
  for (Operation *p = op->getParentOp(); !isa<KernelOp>(p);
       p = p->getParentOp())
    if (!isa_and_nonnull<scf::SCFDialect>(p->getDialect()))
      return p;
  return nullptr;
}

/// The axes of an access of a plug-in are those of its view and its tile.
LogicalResult verifyAxes(ViewAccessOpInterface access) {
  auto wrong = [&] { return access->emitOpError(); };
  Value view = access.getAccessedView();
  auto type = view ? dyn_cast<ViewType>(view.getType()) : ViewType();
  if (!type)
    return wrong() << "expected a view that is accessed, found "
                   << (view ? "another value" : "null");
  ArrayRef<int64_t> shape = access.getAccessedType().getShape();
  SmallVector<ViewAxis, 4> axes = access.getAxes();
  if (int64_t(axes.size()) != type.getRank())
    return wrong() << "expected an axis for each of the " << type.getRank()
                   << " dimensions of the view, found " << axes.size();
  SmallVector<bool> isUsed(shape.size());
  for (auto [d, axis] : llvm::enumerate(axes)) {
    if (!axis.isIndirect() && !axis.offset)
      return wrong() << "expected axis " << d
                     << " to have an offset or indices, found neither";
    if (axis.step < 1)
      return wrong() << "expected axis " << d
                     << " to have a step of at least 1, found " << axis.step;
    auto indices = axis.isIndirect()
                       ? cast<RankedTensorType>(axis.indices.getType())
                       : RankedTensorType();
    int64_t first = axis.tileDim, count = indices ? indices.getRank() : 1;
    if (first < 0)
      continue;
    if (first + count > int64_t(shape.size()))
      return wrong() << "expected axis " << d
                     << " to have dimensions of a tile of rank " << shape.size()
                     << ", found " << first + count - 1;
    if (!indices && axis.block != shape[first])
      return wrong() << "expected axis " << d << " to have the " << shape[first]
                     << " elements of the tile along dimension " << first
                     << ", found " << axis.block;
    for (int64_t dim = first; dim < first + count; ++dim)
      if (std::exchange(isUsed[dim], true))
        return wrong() << "expected each dimension of the tile along one axis, "
                          "found "
                       << dim << " along two";
  }
  for (auto [dim, isAlong] : llvm::enumerate(isUsed))
    if (!isAlong)
      return wrong() << "expected each dimension of the tile along one axis, "
                        "found "
                     << dim << " along none";
  if (access.isRead() && access.getOutside() == Outside::Value &&
      !access.getOutsideValue())
    return wrong() << "expected a scalar for elements outside of the view, "
                      "found null";
  return success();
}

/// An access that declares no effect would be moved, merged or erased.
LogicalResult verifyAccessEffect(ViewAccessOpInterface access) {
  bool isDeclared =
      access.isRead() ? hasEffect<MemoryEffects::Read>(access.getOperation())
                      : hasEffect<MemoryEffects::Write>(access.getOperation());
  if (isDeclared)
    return success();
  return access->emitOpError()
         << "expected its access to be declared as an effect, "
         << (access.isRead() ? "MemRead" : "MemWrite")
         << " on its view, found none";
}

/// Coordinates that maps without symbols give lie within the operand.
LogicalResult verifyMaps(IndexMapOpInterface mapped) {
  auto result = mapped->getNumResults()
                    ? dyn_cast<RankedTensorType>(mapped->getResult(0).getType())
                    : RankedTensorType();
  if (!result)
    return success();
  auto isLinear = [](AffineExpr expr) {
    return !expr.walk([](AffineExpr part) {
                  AffineExprKind kind = part.getKind();
                  return kind == AffineExprKind::Add ||
                                 kind == AffineExprKind::Mul ||
                                 kind == AffineExprKind::Constant ||
                                 kind == AffineExprKind::DimId
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  };
  SmallVector<std::optional<int64_t>> least(result.getRank(), 0), most;
  for (int64_t size : result.getShape())
    most.push_back(size - 1);
  least.resize(result.getRank() + mapped.getNumSummedDims());
  most.resize(least.size());
  for (OpOperand &operand : mapped->getOpOperands()) {
    auto tile = dyn_cast<RankedTensorType>(operand.get().getType());
    OperandRead read = tile ? mapped.getIndexMap(operand, 0) : OperandRead();
    if (!read || read.domain || read.map.getNumDims() != least.size() ||
        read.map.getNumResults() != tile.getRank())
      continue;
    for (auto [d, expr] : llvm::enumerate(read.map.getResults())) {
      if (!isLinear(expr))
        continue;
      for (bool isUpper : {false, true}) {
        std::optional<int64_t> bound = getBoundForAffineExpr(
            expr, least.size(), /*numSymbols=*/0, least, most, isUpper);
        if (bound && (*bound < 0 || *bound >= tile.getDimSize(d)))
          return mapped->emitOpError()
                 << "expected its index map to stay within the "
                 << tile.getDimSize(d) << " elements of operand "
                 << operand.getOperandNumber() << " along dimension " << d
                 << ", found " << *bound;
      }
    }
  }
  return success();
}

/// The sizes of operands that are in another order than m x k and k x n.
LogicalResult verifyMappedFactors(MatrixProductOpInterface product,
                                  IndexMapOpInterface mapped) {
  SmallVector<int64_t> extents(product.getProductType().getShape());
  extents.append(mapped.getNumSummedDims(), ShapedType::kDynamic);
  for (OpOperand *operand :
       {&product.getLhsOperand(), &product.getRhsOperand()}) {
    auto tile = dyn_cast<RankedTensorType>(operand->get().getType());
    OperandRead read = getOperandRead(*operand);
    unsigned number = operand->getOperandNumber();
    if (!tile || !read || read.map.getNumDims() != extents.size() ||
        read.map.getNumResults() != tile.getRank())
      return product->emitOpError()
             << "expected operand " << number
             << " to be a tile with an index map from " << extents.size()
             << " coordinates to one for each of its dimensions";
    for (auto [d, expr] : llvm::enumerate(read.map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      int64_t &extent = extents[dim.getPosition()], size = tile.getDimSize(d);
      if (ShapedType::isDynamic(extent))
        extent = size;
      if (extent != size)
        return product->emitOpError()
               << "expected operand " << number << " to have " << extent
               << " elements along dimension " << d
               << ", as its index map says, found " << size;
    }
  }
  return success();
}

/// The operands of a product of a plug-in have the sizes of its result, by the
/// maps that say where an element of the result reads them.
LogicalResult verifyFactors(MatrixProductOpInterface product) {
  if (product.hasEncodedFactors())
    return success();
  auto shapeOf = [](Value value) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return tile ? tile.getShape() : ArrayRef<int64_t>();
  };
  ArrayRef<int64_t> lhs = shapeOf(product.getLhsOperand().get()),
                    rhs = shapeOf(product.getRhsOperand().get()),
                    sums = shapeOf(product->getResult(0));
  size_t rank = sums.size();
  if (!sums.data())
    return product->emitOpError() << "expected a tile of sums, found a result "
                                     "of type "
                                  << product->getResult(0).getType();
  auto mapped = dyn_cast<IndexMapOpInterface>(product.getOperation());
  std::optional<ProductShape> order = getProductShape(product);
  // Rows of the result behind its columns: more likely the operands are swapped
  // than that this is meant.
  bool isSwapped = order && order->resultRow > order->resultColumn;
  if (mapped && !isSwapped && !(order && order->isRowMajor()))
    return verifyMappedFactors(product, mapped);
  if (rank < 2 || lhs.size() != rank || rhs.size() != rank)
    return product->emitOpError()
           << "expected factors and sums of one rank of at least 2, found "
           << lhs.size() << ", " << rhs.size() << " and " << rank;
  if (lhs[rank - 1] != rhs[rank - 2] || lhs[rank - 2] != sums[rank - 2] ||
      rhs[rank - 1] != sums[rank - 1])
    return product->emitOpError()
           << "expected factors of " << sums[rank - 2] << "xK and Kx"
           << sums[rank - 1] << " elements, as its sums have, found "
           << lhs[rank - 2] << "x" << lhs[rank - 1] << " and " << rhs[rank - 2]
           << "x" << rhs[rank - 1];
  return success();
}

/// What operations of plug-ins say by their interfaces, which the verifiers of
/// tile check for its own.
LogicalResult verifyDescribed(Operation *op) {
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    if (failed(verifyAxes(access)) || failed(verifyAccessEffect(access)))
      return failure();
  if (auto product = dyn_cast<MatrixProductOpInterface>(op))
    return verifyFactors(product);
  if (auto mapped = dyn_cast<IndexMapOpInterface>(op))
    return verifyMaps(mapped);
  return success();
}

LogicalResult verifyOp(KernelOp kernel, Operation *op) {
  if (!op->getDialect() || !isAllowedOp(op))
    return op->emitOpError()
           << "expected an operation of the tile level, found one that is not "
              "allowed in a kernel: there are those of tile, arith and math, "
              "scf.for, scf.if, scf.while, tensor.extract, and of others those "
              "that implement an interface for accesses, index maps, matrix "
              "products, reductions, folds or composites, or have the traits "
              "of elementwise operations or TakesWholeTiles, together with "
              "an interface for effects";
  for (Value operand : op->getOperands())
    if (!isAllowedType(operand.getType()))
      return op->emitOpError() << "expected tiles of static shape, scalars and "
                                  "views, found an operand of type "
                               << operand.getType();
  for (Value result : op->getResults())
    if (!isAllowedType(result.getType()))
      return op->emitOpError() << "expected tiles of static shape, scalars and "
                                  "views, found a result of type "
                               << result.getType();
  for (Type type : op->getResultTypes())
    if (failed(verifyEncoding(op, type)))
      return failure();
  if (Operation *scalars = getScalarRegion(op)) {
    for (Type type : op->getResultTypes())
      if (!isElementType(type))
        return op->emitOpError() << "expected scalars in the region of '"
                                 << scalars->getName() << "', found " << type;
    if (!isMemoryEffectFree(op))
      return op->emitOpError() << "expected operations without effects in the "
                                  "region of '"
                               << scalars->getName() << "'";
  }
  if (!isa<TileDialect>(op->getDialect()) && failed(verifyDescribed(op)))
    return failure();
  auto access = dyn_cast<ViewAccessOpInterface>(op);
  if (access && access.isWrite())
    if (BlockArgument parameter = getParameter(access.getAccessedView()))
      if (getFact(kernel, parameter.getArgNumber(), kReadonlyFact))
        return op->emitOpError()
               << "expected a store to a writable view, "
                  "found parameter "
               << parameter.getArgNumber() << ", which is 'readonly'";
  return success();
}

/// Checks the form of every kernel.
struct VerifyTileFormPass
    : kiln::tile::impl::VerifyTileFormBase<VerifyTileFormPass> {
  void runOnOperation() override {
    auto check = [&](KernelOp kernel) {
      bool failed_ = false;
      kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (failed(verifyOp(kernel, op)))
          failed_ = true;
        // What a target computes whole is on the level that it was claimed at.
        return isClaim(op) ? WalkResult::skip() : WalkResult::advance();
      });
      if (failed_)
        signalPassFailure();
      return WalkResult::skip();
    };
    getOperation()->walk<WalkOrder::PreOrder>(check);
  }
};

} // namespace
