//===- LowerBulkCopies.cpp - cp.async.bulk.tensor and mbarrier ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Data Movement and Conversion Instructions:
// cp.async.bulk.tensor" and "Parallel Synchronization and Communication
// Instructions: mbarrier", from sm_90 on: copies by the Tensor Memory
// Accelerator (TMA). A kernel gets tensor maps as its last parameters; the
// driver makes them by a recipe (device/TensorMap.h).
//
//===----------------------------------------------------------------------===//

#include "LowerBulkCopies.h"
#include "LaunchWords.h"
#include "device/TensorMap.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

bool BulkCopies::isOne(Operation *op) {
  return isa<simt::CreateBarriersOp, simt::ExpectBytesOp, simt::CopyBulkOp,
             simt::CopyInClusterOp, simt::ArriveInClusterOp, simt::ArriveAtOp,
             simt::AwaitParityOp, simt::NamedBarrierOp, simt::SetRegistersOp>(
      op);
}

namespace {
/// One piece of assembly while it is put together.
struct Assembly {
  OpBuilder &b;
  Location loc;
  SmallVector<Value> operands = {};
  std::string constraints = "", text = "";

  /// The name of an operand.
  std::string add(Value value, StringRef letter) {
    constraints += (letter + ",").str();
    operands.push_back(value);
    return ("$" + Twine(operands.size() - 1)).str();
  }
  /// The name of an address in shared memory.
  std::string shared(Value pointer) {
    return add(LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), pointer), "r");
  }
  void emit() {
    LLVM::InlineAsmOp::create(
        b, loc, TypeRange(), operands, text, constraints + "~{memory}",
        /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
  }
};
} // namespace

/// The first thread makes the objects.
static void create(simt::CreateBarriersOp op, OpBuilder &b) {
  Assembly code{b, op.getLoc()};
  auto type = LLVM::LLVMPointerType::get(b.getContext(), simt::kShared);
  Value base =
      LLVM::AddressOfOp::create(b, code.loc, type, simt::kSharedSymbol);
  std::string address = code.shared(base);
  code.text = "{ .reg .pred first; .reg .b32 thread; mov.u32 thread, %tid.x; "
              "setp.eq.u32 first, thread, 0;";
  for (int64_t i = 0; i < int64_t(op.getCount()); ++i)
    code.text += llvm::formatv(
        " @first mbarrier.init.shared::cta.b64 [{0} + {1}], {2};", address,
        op.getPlace() + i * simt::kSplitBarrierBytes, op.getArrivals());
  // Other blocks of a cluster know of them behind its barrier.
  // A ring that is not filled again has copies without such arrivals.
  bool isInCluster =
      op->getParentOp()
          ->walk([](Operation *used) {
            return isa<simt::ArriveInClusterOp, simt::CopyInClusterOp>(used)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (isInCluster)
    code.text += " fence.mbarrier_init.release.cluster;";
  code.text += " }";
  code.emit();
}

/// An arrival at the barrier of each block of the cluster.
static void arriveInCluster(simt::ArriveInClusterOp op, OpBuilder &b) {
  Assembly code{b, op.getLoc()};
  std::string address = code.shared(op.getBarrier()),
              mask = code.add(op.getMask(), "b");
  code.text = "{ .reg .b32 there;";
  for (int64_t block = 0; block < int64_t(op.getBlocks()); ++block)
    code.text +=
        llvm::formatv(" mapa.shared::cluster.u32 there, {0}, {1}; @{2} "
                      "mbarrier.arrive.shared::cluster.b64 _, [there];",
                      address, block, mask);
  code.text += " }";
  code.emit();
}

/// One instruction of a copy of a box.
static void copyPart(Assembly &code, int64_t rank, StringRef mask,
                     StringRef target, StringRef from, StringRef barrier) {
  code.text = llvm::formatv(
      "@{0} cp.async.bulk.tensor.{1}d.shared::cluster.global.mbarrier::"
      "complete_tx::bytes {2}, {3}, [{4}];",
      mask, rank, target, from, barrier);
  code.emit();
}

/// The same by block `owner` of a cluster, to all of its `blocks`.
static void copyToAll(Assembly &code, int64_t rank, StringRef mask,
                      StringRef target, StringRef from, StringRef barrier,
                      int64_t owner, int64_t blocks) {
  code.text = llvm::formatv(
      "{{ .reg .pred own; .reg .b32 rank; .reg .b16 all; mov.u32 rank, "
      "%cluster_ctarank; setp.eq.and.u32 own, rank, {0}, {1}; mov.b16 all, "
      "{2}; "
      "@own cp.async.bulk.tensor.{3}d.shared::cluster.global.mbarrier::"
      "complete_tx::bytes.multicast::cluster {4}, {5}, [{6}], all; }",
      owner, mask, (int64_t(1) << blocks) - 1, rank, target, from, barrier);
  code.emit();
}

/// `mbarrier.try_wait` may give up before the phase is over.
static void await(simt::AwaitParityOp op, OpBuilder &b) {
  Assembly code{b, op.getLoc()};
  std::string address = code.shared(op.getBarrier()),
              parity = code.add(op.getParity(), "r");
  code.text = "{ .reg .pred over; ";
  if (op.getMask())
    code.text += llvm::formatv("@!{0} bra DONE; ", code.add(op.getMask(), "b"));
  code.text += llvm::formatv(
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 over, [{0}], {1}; @!over "
      "bra WAIT; {2}}",
      address, parity, op.getMask() ? "DONE: " : "");
  code.emit();
}

Value BulkCopies::tensorMap(LLVM::LLVMFuncOp function, OpBuilder &b,
                            Attribute recipe) {
  auto &recipes = maps[function];
  unsigned first = function.getNumArguments() - recipes.size();
  auto *known = llvm::find(recipes, recipe);
  if (known != recipes.end())
    return function.getArgument(first + (known - recipes.begin()));
  recipes.push_back(recipe);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kTensorMapBytes);
  NamedAttribute attributes[] = {
      b.getNamedAttr(LLVM::LLVMDialect::getByValAttrName(),
                     TypeAttr::get(bytes)),
      b.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                     b.getI64IntegerAttr(kTensorMapAlign)),
      b.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                     b.getUnitAttr())};
  unsigned number = function.getNumArguments();
  SmallVector<Type> types(function.getArgumentTypes());
  types.push_back(pointer);
  function.setFunctionType(LLVM::LLVMFunctionType::get(
      function.getFunctionType().getReturnType(), types));
  function.getBody().addArgument(pointer, function.getLoc());
  SmallVector<Attribute> all;
  if (ArrayAttr known = function.getArgAttrsAttr())
    llvm::append_range(all, known);
  all.resize(number, b.getDictionaryAttr({}));
  all.push_back(b.getDictionaryAttr(attributes));
  function.setArgAttrsAttr(b.getArrayAttr(all));
  return function.getArgument(number);
}

/// The recipe of a view that a kernel makes of a pointer: behind each dimension
/// of the box stand the size and the stride of the view along it.
static Attribute withExtents(ValueRange sizes, ValueRange strides,
                             ArrayRef<int64_t> recipe,
                             LLVM::LLVMFuncOp function, OpBuilder &b) {
  SmallVector<Attribute> words;
  auto add = [&](int64_t number) {
    words.push_back(b.getStringAttr(Twine(number)));
  };
  for (int64_t number : recipe.take_front(3))
    add(number);
  for (size_t k = 3; k < recipe.size(); k += 2) {
    add(recipe[k]);
    add(recipe[k + 1]);
    for (Value extent : {sizes[recipe[k]], strides[recipe[k]]}) {
      std::optional<std::string> word = launchWord(extent, function);
      if (!word)
        return {};
      words.push_back(b.getStringAttr(*word));
    }
  }
  return b.getArrayAttr(words);
}

template <typename CopyOp>
LogicalResult BulkCopies::copy(CopyOp op, OpBuilder &b, int64_t blocks) {
  Location loc = op.getLoc();
  Operation *copying = op;
  auto function = copying->getParentOfType<LLVM::LLVMFuncOp>();
  auto base = dyn_cast<BlockArgument>(op.getBase());
  std::optional<int64_t> parameter =
      base ? parameterOf(base, function) : std::nullopt;
  if (!parameter)
    return op.emitError("unsupported: a bulk copy of a view that is no "
                        "parameter of the kernel");
  int64_t rank = op.getBox().size(), along = op.getAlong(),
          each = op.getElementBytes(), piece = op.getPieceBytes(),
          rows = op.getRows();
  // Of more rows than a box may have, along one dimension, boxes of some.
  int64_t inBox = std::min(rows, kTensorMapExtent),
          count = op.getRowBytes() / piece * llvm::divideCeil(rows, inBox);
  // Each block of a cluster has as many.
  bool isHalved = count % blocks;
  if (isHalved)
    inBox = rows / blocks;
  count = op.getRowBytes() / piece * llvm::divideCeil(rows, inBox);
  SmallVector<int64_t> order = {along};
  for (int64_t d = rank; d-- > 0;)
    if (d != along)
      order.push_back(d);
  SmallVector<int64_t> recipe = {*parameter, each,
                                 op.getSwizzleAttr() ? piece : 0};
  int64_t split = -1;
  for (int64_t d : order) {
    int64_t extent = d == along ? piece / each : op.getBox()[d];
    if (extent > kTensorMapExtent ||
        (isHalved && d != along && extent == rows)) {
      split = d;
      extent = inBox;
    }
    recipe.append({d, extent});
  }
  if (rank > kTensorMapRank || (inBox < rows && split < 0) || rows % inBox ||
      count % blocks)
    return op.emitError("unsupported: a bulk copy of a box of ")
           << rows << " rows";
  Attribute words = b.getDenseI64ArrayAttr(recipe);
  if (isPointer(*parameter, function))
    words = withExtents(op.getSizes(), op.getStrides(), recipe, function, b);
  if (!words)
    return op.emitError("unsupported: a bulk copy of a view whose sizes or "
                        "strides no launch knows");
  Value map = tensorMap(function, b, words);
  int64_t number = 0;
  for (int64_t first = 0; first < op.getRowBytes(); first += piece)
    for (int64_t row = 0; row < rows; row += inBox) {
      Assembly code{b, loc};
      std::string target = code.shared(op.getTarget()),
                  from = code.add(map, "l"),
                  barrier = code.shared(op.getBarrier()),
                  mask = code.add(op.getMask(), "b"), at;
      for (int64_t d : order) {
        Value coordinate =
            arith::TruncIOp::create(b, loc, b.getI32Type(), op.getAt()[d]);
        int64_t more = d == along ? first / each : d == split ? row : 0;
        if (more)
          coordinate = arith::AddIOp::create(
              b, loc, coordinate,
              arith::ConstantIntOp::create(b, loc, b.getI32Type(), more));
        at += (at.empty() ? "" : ", ") + code.add(coordinate, "r");
      }
      std::string to = llvm::formatv("[{0} + {1}]", target,
                                     first * rows + row * piece),
                  box = llvm::formatv("[{0}, {{{1}}]", from, at);
      if (blocks == 1)
        copyPart(code, rank, mask, to, box, barrier);
      else
        copyToAll(code, rank, mask, to, box, barrier,
                  number++ / (count / blocks), blocks);
    }
  return success();
}

LogicalResult BulkCopies::lower(Operation *op, OpBuilder &b) {
  if (auto bulk = dyn_cast<simt::CopyBulkOp>(op))
    return copy(bulk, b, /*blocks=*/1);
  if (auto shared = dyn_cast<simt::CopyInClusterOp>(op))
    return copy(shared, b, shared.getBlocks());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](simt::CreateBarriersOp made) { create(made, b); })
      .Case([&](simt::ArriveInClusterOp op) { arriveInCluster(op, b); })
      .Case([&](simt::AwaitParityOp wait) { await(wait, b); })
      .Case([&](simt::SetRegistersOp set) {
        Assembly code{b, op->getLoc()};
        code.text =
            llvm::formatv("setmaxnreg.{0}.sync.aligned.u32 {1};",
                          set.getMore() ? "inc" : "dec", set.getCount());
        code.emit();
        // The assembler heeds it where it knows the registers at the start.
        auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
        function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          b.getI32IntegerAttr(1));
      })
      .Case([&](simt::NamedBarrierOp barrier) {
        Assembly code{b, op->getLoc()};
        code.text = llvm::formatv("bar.sync {0}, {1};", barrier.getNumber(),
                                  barrier.getThreads());
        code.emit();
      })
      .Case([&](simt::ExpectBytesOp expect) {
        Assembly code{b, op->getLoc()};
        std::string address = code.shared(expect.getBarrier()),
                    mask = code.add(expect.getMask(), "b");
        code.text = llvm::formatv(
            "@{0} mbarrier.arrive.expect_tx.shared::cta.b64 _, [{1}], {2};",
            mask, address, expect.getBytes());
        code.emit();
      })
      .Case([&](simt::ArriveAtOp arrive) {
        Assembly code{b, op->getLoc()};
        std::string address = code.shared(arrive.getBarrier()),
                    mask = code.add(arrive.getMask(), "b");
        code.text = llvm::formatv(
            "@{0} mbarrier.arrive.shared::cta.b64 _, [{1}];", mask, address);
        code.emit();
      });
  return success();
}

void BulkCopies::finish(OpBuilder &b) {
  for (auto &[function, recipes] : maps) {
    simt::setDecided(function, simt::kRecipesEntry, b.getArrayAttr(recipes));
  }
}
