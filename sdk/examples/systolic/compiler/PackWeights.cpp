// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step 3: constant factors of products are packed once, while the program is
// compiled, into the blocks that kernels read: block (k, j) of [bk, bn]
// elements becomes element (k, j) of a tensor of blocks, with zeros at the
// edges. A transfer is then one run of bytes instead of one for every row.
#include "Extensions.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace kiln;

namespace {

/// One parameter of a kernel, and the launches that pass it.
class Packer {
public:
  Packer(tile::KernelOp kernel, unsigned number,
         ArrayRef<program::LaunchOp> launches)
      : kernel(kernel), number(number), launches(launches) {}

  /// Packs what all launches pass, if the kernel reads it block by block.
  bool run() {
    if (!findBlock())
      return false;
    for (program::LaunchOp launch : launches)
      if (!isPackable(launch))
        return false;
    rewriteKernel();
    for (program::LaunchOp launch : launches)
      pack(launch);
    return true;
  }

private:
  Value parameter() { return kernel.getBody().getArgument(number); }

  bool findBlock() {
    bool isFactor = false;
    for (Operation *user : parameter().getUsers()) {
      auto load = dyn_cast<tile::LoadOp>(user);
      if (!load || load.getElementOffsets() || load.getStep() ||
          load.getPadding() != tile::Padding::zero ||
          load.getTileType().getRank() != 2 || load.getCoords().size() != 2 ||
          (!loads.empty() &&
           load.getTileType().getShape() != ArrayRef<int64_t>(block)))
        return false;
      block.assign(load.getTileType().getShape().begin(),
                   load.getTileType().getShape().end());
      loads.push_back(load);
      for (Operation *reader : load->getUsers())
        isFactor |= isa<MatrixProductOpInterface>(reader);
    }
    return isFactor;
  }

  bool isPackable(program::LaunchOp launch) {
    auto constant =
        launch.getArgs()[number].getDefiningOp<program::ConstantOp>();
    if (!constant || launch.getKernels().size() != 1)
      return false;
    auto type = dyn_cast<RankedTensorType>(constant.getValue().getType());
    if (!type || type.getRank() != 2 ||
        !(type.getElementType().isF32() || type.getElementType().isBF16()) ||
        (shape && shape.getShape() != type.getShape()))
      return false;
    shape = type;
    return !bytesOf(constant).empty();
  }

  static ArrayRef<char> bytesOf(program::ConstantOp constant) {
    auto type = cast<RankedTensorType>(constant.getValue().getType());
    size_t wanted = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    ArrayRef<char> bytes;
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      bytes = dense.isSplat() ? ArrayRef<char>() : dense.getRawData();
    else if (auto resource =
                 dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        bytes = blob->getData();
    return bytes.size() == wanted ? bytes : ArrayRef<char>();
  }

  SmallVector<int64_t> packedShape() {
    return {int64_t(llvm::divideCeil(shape.getDimSize(0), block[0])),
            int64_t(llvm::divideCeil(shape.getDimSize(1), block[1])), block[0],
            block[1]};
  }

  void rewriteKernel() {
    Type element = shape.getElementType();
    for (tile::LoadOp load : loads) {
      OpBuilder b(load);
      Value zero = arith::ConstantIndexOp::create(b, load.getLoc(), 0);
      load.getCoordsMutable().append({zero, zero});
    }
    parameter().setType(
        tile::ViewType::get(kernel.getContext(), packedShape(), element, {}));
    kernel.setFunctionType(FunctionType::get(
        kernel.getContext(), kernel.getBody().getArgumentTypes(), TypeRange()));
    // Facts about sizes were those of another shape.
    for (StringRef fact : {tile::kSizeDivFact, tile::kStrideDivFact})
      tile::eraseFact(kernel, number, fact);
  }

  void pack(program::LaunchOp launch) {
    auto constant =
        launch.getArgs()[number].getDefiningOp<program::ConstantOp>();
    ArrayRef<char> from = bytesOf(constant);
    SmallVector<int64_t> to = packedShape();
    int64_t rows = shape.getDimSize(0), columns = shape.getDimSize(1);
    int64_t size = shape.getElementTypeBitWidth() / 8;
    std::vector<char> packed(to[0] * to[1] * to[2] * to[3] * size);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; column += block[1]) {
        int64_t count = std::min(block[1], columns - column);
        int64_t at = ((row / block[0] * to[1] + column / block[1]) * block[0] +
                      row % block[0]) *
                     block[1];
        std::memcpy(packed.data() + at * size,
                    from.data() + (row * columns + column) * size,
                    count * size);
      }
    OpBuilder b(constant);
    auto type = RankedTensorType::get(to, shape.getElementType());
    auto value = DenseResourceElementsAttr::get(
        type, "systolic_blocks",
        HeapAsmResourceBlob::allocateAndCopyWithAlign(packed, /*align=*/64));
    auto made = program::ConstantOp::create(
        b, constant.getLoc(), MemRefType::get(to, shape.getElementType()),
        cast<ElementsAttr>(value));
    target::ReportRow row =
        target::Report::of(b.getContext()).describe(constant);
    row.stage = "pack";
    row.kernel = kernel.getSymName().str();
    row.target = "systolic";
    row.chosen = "systolic.blocks";
    target::Report::of(b.getContext()).add(row);
    launch.getArgsMutable()[number].set(made);
    if (constant->use_empty())
      constant.erase();
  }

  tile::KernelOp kernel;
  unsigned number;
  ArrayRef<program::LaunchOp> launches;
  SmallVector<tile::LoadOp> loads;
  SmallVector<int64_t> block;
  RankedTensorType shape;
};

} // namespace

void systolic::packWeights(ModuleOp module) {
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    SmallVector<program::LaunchOp> launches;
    module.walk([&](program::LaunchOp launch) {
      for (Attribute name : launch.getKernels())
        if (cast<FlatSymbolRefAttr>(name).getAttr() == kernel.getSymNameAttr())
          launches.push_back(launch);
    });
    if (launches.empty())
      continue;
    for (unsigned i = 0; i < kernel.getBody().getNumArguments(); ++i)
      Packer(kernel, i, launches).run();
  }
}
