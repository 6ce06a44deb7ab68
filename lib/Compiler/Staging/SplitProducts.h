//===- SplitProducts.h - What splitting products needs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_STAGING_SPLITPRODUCTS_H
#define KILN_LIB_STAGING_SPLITPRODUCTS_H

#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/ProductSplit.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Staging/SplitProduct.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include <tuple>

namespace kiln::staging {

/// Whether a value is there in front of an operation, or what computes it can
/// be cloned there.
bool isComputable(mlir::Value value, mlir::Operation *place);

/// Arithmetic on values of type index, folded where it can be.
class Indices {
public:
  /// Constants stand at the beginning of the kernel.
  Indices(mlir::OpBuilder &b, tile::Kernel kernel, mlir::Location loc)
      : b(b), kernel(kernel), loc(loc) {}

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value negated(mlir::Value x) { return sub(constant(0), x); }
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value floorDiv(mlir::Value x, int64_t y); ///< x is not negative
  mlir::Value ceilDiv(mlir::Value x, int64_t y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, int64_t y) { return min(x, constant(y)); }
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value atLeast(mlir::Value x, mlir::Value y);
  mlir::Value conjunction(mlir::Value x, mlir::Value y);
  /// x == y and `also`.
  mlir::Value isEqual(mlir::Value x, mlir::Value y, mlir::Value also);
  mlir::Value truth(); ///< true

  /// The element at which an access starts along an axis.
  mlir::Value offsetOf(const ViewAxis &axis);
  /// A value that may be defined behind this place: what computes it is cloned
  /// here. Null if it depends on what happens in between.
  mlir::Value computeHere(mlir::Value value);
  /// The size of a view.
  mlir::Value sizeOf(mlir::Value view, int64_t dim);

private:
  mlir::OpBuilder &b;
  tile::Kernel kernel;
  mlir::Location loc;
  llvm::DenseMap<int64_t, mlir::Value> constants;
};

/// How far rows, columns and steps of a product must go. Rows and columns
/// outside of every view that the sums are stored to are never read, so they
/// are left out. (Those outside of a factor's view are not: zero times infinity
/// is NaN.) Steps at which both factors are zero add nothing.
std::tuple<mlir::Value, mlir::Value, mlir::Value>
findExtents(MatrixProductOpInterface product, Indices &math);

/// Ends of rows and columns alone. At another place than the product's they are
/// the same if `sidesAreKnown` there.
std::pair<mlir::Value, mlir::Value> findSides(MatrixProductOpInterface product,
                                              Indices &math);

/// Whether `findSides` can compute in front of `place` what it looks at.
bool sidesAreKnown(MatrixProductOpInterface product, mlir::Operation *place);

/// Clones what computes a tile in its region.
void cloneCone(mlir::Value tile, mlir::OpBuilder &b, mlir::IRMapping &mapping);

/// Integers in storage have no sign.
mlir::Type withoutSign(mlir::Type type);

/// Splits the product of one region.
class ProductSplitter {
public:
  ProductSplitter(stage::BoxRegionOpInterface region,
                  MatrixProductOpInterface product, const ProductSplit &how,
                  mlir::Value acc, bool startsFresh)
      : region(region), product(product), how(how), acc(acc),
        startsFresh(startsFresh), b(region),
        math(b, region->getParentOfType<tile::Kernel>(), region.getLoc()),
        lhs(product.getLhsOperand().get()), rhs(product.getRhsOperand().get()),
        type(product.getProductType()) {
    int64_t rank = type.getRank();
    isBatched = rank == 3;
    m = type.getDimSize(rank - 2);
    n = type.getDimSize(rank - 1);
    k = mlir::cast<mlir::ShapedType>(lhs.getType()).getDimSize(rank - 1);
  }

  void run();

private:
  using Body = llvm::function_ref<void(mlir::Value)>;
  mlir::Value index(int64_t value) { return math.constant(value); }
  /// A loop, unless it is known to have one iteration.
  mlir::scf::ForOp loop(mlir::Value end, int64_t step, Body body);
  mlir::Value allocatePanels(int64_t count, int64_t width,
                             const PanelForm &form, bool panelDimFirst);
  mlir::Value allocateRow(mlir::Type element);
  void makeRegion(llvm::ArrayRef<int64_t> box, mlir::ValueRange from,
                  mlir::ValueRange to,
                  llvm::function_ref<void(mlir::OpBuilder &)> fill);
  /// Computes a box of an operand, in the type of the panel, into storage.
  void pack(mlir::Value operand, const PanelForm &form, bool isUnsigned,
            int64_t offset, mlir::ValueRange from, mlir::ValueRange to,
            mlir::Value storage, mlir::ValueRange origin);
  mlir::Value converted(mlir::OpBuilder &inside, mlir::Value tile,
                        const PanelForm &form, bool isUnsigned, int64_t offset);
  llvm::SmallVector<mlir::Value> coords(mlir::Value batch, mlir::Value row,
                                        mlir::Value column);
  void block(mlir::Value batch, mlir::Value from, mlir::Value steps);
  /// The products of the right panels that `source` holds from `origin` on,
  /// which are the columns from `at` on.
  void multiplyRows(mlir::Value batch, mlir::Value from, mlir::Value steps,
                    mlir::Value at, mlir::Value width, mlir::Value source,
                    mlir::ValueRange origin, bool isPacked);
  /// Packs several right panels along the rows of their factor, and multiplies.
  void columns(mlir::Value batch, mlir::Value from, mlir::Value steps,
               mlir::Value at, mlir::Value width);
  void column(mlir::Value batch, mlir::Value from, mlir::Value steps,
              mlir::Value at, mlir::Value width);
  void multiply(mlir::Value left, mlir::ValueRange leftAt, mlir::Value right,
                mlir::ValueRange rightAt, mlir::Value sum,
                mlir::ValueRange sumAt, mlir::Value rows, mlir::Value columns,
                mlir::Value steps, llvm::ArrayRef<int64_t> sizes,
                mlir::Value minus, mlir::Value isFresh);
  void sumOffset(mlir::Value right, mlir::ValueRange rightAt,
                 mlir::Value columns, mlir::Value steps);
  void prefetch(mlir::Value batch, mlir::Value from, mlir::Value steps,
                mlir::Value at, mlir::Value row);
  /// What fills the accumulator with zeros before, and the operation beside it
  /// that the product is in; null where that is not all that is before.
  std::pair<stage::BoxRegionOpInterface, mlir::Operation *> findFill();
  /// Whether these are the first steps, where the accumulator need not be
  /// filled before: what fills it is gone, or fills what no product writes.
  /// Else null.
  mlir::Value startFresh();
  /// Where the left operand is packed: before the loops that it does not depend
  /// on, if one pass over the steps packs it all.
  mlir::Operation *placeOfLeft();
  void packLeft(mlir::Value batch, mlir::Value from, mlir::Value steps,
                mlir::Value rows);
  /// The right operand without packing: storage or a view, else null.
  mlir::Value directSource();
  llvm::SmallVector<mlir::Value> directOrigin(mlir::Value batch,
                                              mlir::Value from, mlir::Value at);
  /// Whether a whole panel of the view lies inside of it; null: always.
  mlir::Value directCondition(mlir::Value batch, mlir::Value from,
                              mlir::Value steps, mlir::Value at);

  stage::BoxRegionOpInterface region;
  MatrixProductOpInterface product;
  const ProductSplit &how;
  mlir::Value acc;
  bool startsFresh;
  mlir::OpBuilder b;
  Indices math;
  mlir::Value lhs, rhs;
  mlir::RankedTensorType type;
  int64_t m, n, k;
  bool isBatched;
  mlir::Value endM, endN, endK;
  mlir::Value left, right;
  mlir::Value isFirst;        ///< whether sums begin, in the iteration at hand
  bool isLeftOutside = false; ///< packed before all of this
  mlir::Value offsets,
      offsetSums; ///< where something is added to the left operand
};

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_SPLITPRODUCTS_H
