//===- Output.cpp - What kernels tell the host ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are printed and assertions that fail become records
// (kiln/Gpu/OutputRecord.h): one thread asks for space and writes what is known
// when the kernel is compiled, all write their elements.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "ScratchNeeds.h"
#include "ThreadWriter.h"
#include "kiln-c/Kernel.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Gpu/OutputRecord.h"
#include "kiln/System/DType.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// One record: where its parts are.
struct Record {
  OutputKind kind;
  uint64_t dtype = 0, flags = 0;
  ArrayRef<int64_t> shape;
  std::string text;
  int64_t elementBytes = 0;

  int64_t textStart() const {
    return int64_t(kRecordHeaderWords + shape.size()) * 8;
  }
  int64_t elementStart() const {
    return textStart() + int64_t(llvm::alignTo(text.size() + 1, 8));
  }
  int64_t bytes() const {
    return int64_t(llvm::alignTo(elementStart() + elementBytes, 8));
  }
};
} // namespace

static Value byteAt(ThreadWriter &w, Value place, int64_t offset) {
  return LLVM::GEPOp::create(w.b, w.loc, place.getType(), w.b.getI8Type(),
                             place, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

/// Everything but the elements.
static void writeHeader(ThreadWriter &w, Value place, const Record &record,
                        ArrayRef<Value> program) {
  auto set = [&](int64_t offset, Value value) {
    LLVM::StoreOp::create(w.b, w.loc, value, byteAt(w, place, offset), 8);
  };
  auto word = [&](OutputWord field, uint64_t value) {
    set(int64_t(field) * 8, w.c64(int64_t(value)));
  };
  word(kRecordBytes, uint64_t(record.bytes()));
  word(kRecordKind, record.kind);
  for (auto [d, id] : llvm::enumerate(program))
    set((kRecordProgram + int64_t(d)) * 8, id);
  word(kRecordDType, record.dtype);
  word(kRecordFlags, record.flags);
  word(kRecordRank, record.shape.size());
  word(kRecordTextBytes, record.text.size() + 1);
  for (auto [d, size] : llvm::enumerate(record.shape))
    set((kRecordHeaderWords + int64_t(d)) * 8, w.c64(size));
  std::string text = record.text;
  text.resize(llvm::alignTo(text.size() + 1, 8));
  for (size_t at = 0; at < text.size(); at += 8)
    set(record.textStart() + int64_t(at),
        w.c64(int64_t(llvm::support::endian::read64le(text.data() + at))));
}

static Value isThere(ThreadWriter &w, Value place) {
  Value null = LLVM::ZeroOp::create(w.b, w.loc, place.getType());
  return LLVM::ICmpOp::create(w.b, w.loc, LLVM::ICmpPredicate::ne, place, null);
}

static Value newRecord(ThreadWriter &w, const Record &record) {
  auto type = LLVM::LLVMPointerType::get(w.b.getContext());
  return simt::OutputOp::create(w.b, w.loc, type, record.bytes());
}

/// What stands for an element in a record.
static Value elementOf(ThreadWriter &w, Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(w.b, w.loc, w.b.getI64Type(), value);
  return w.toStored(value);
}

/// The address of a record, or whether an assertion fails.
constexpr int64_t kWord = 16;

template <typename OpT>
static ScratchNeeds outputNeeds(OpT op, const BlockShape &) {
  ScratchNeeds needs;
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type))
      needs.push_back({kWord});
  return needs;
}

static LogicalResult lowerPrint(tile::PrintOp op, ThreadWriter &w) {
  Value first = w.compare(arith::CmpIPredicate::eq, w.threadId(), w.c32(0));
  Record record;
  record.kind = kPrintedValue;
  record.text = op.getPrefix().str();
  /// A record of one thread.
  auto alone = [&](Value element) {
    w.guarded(first, [&] {
      Value place = newRecord(w, record);
      w.guarded(isThere(w, place), [&] {
        writeHeader(w, place, record, printedIds(w, op, w.programIds));
        if (element)
          LLVM::StoreOp::create(w.b, w.loc, element,
                                byteAt(w, place, record.elementStart()), 8);
      });
    });
  };
  if (op.getOperands().empty()) {
    record.flags = KILN_PRINT_SCALAR;
    alone({});
    return success();
  }
  SmallVector<Type> types = tile::getPrintedTypes(op);
  for (auto [k, operand, type] : llvm::enumerate(op.getOperands(), types)) {
    bool isPointer = isa<tile::PtrType>(type);
    std::string name;
    llvm::raw_string_ostream(name) << type;
    runtime::DType dtype =
        isPointer ? runtime::DType::i64 : runtime::parseDType(name);
    if (dtype == runtime::DType::none)
      return w.decline(op, "printing values of type " + name);
    bool isUnsigned = op.getIsUnsigned() && k < op.getIsUnsigned()->size() &&
                      (*op.getIsUnsigned())[k];
    record.dtype = uint64_t(dtype);
    record.flags = (op.getHex() || isPointer ? KILN_PRINT_HEX : 0) |
                   (isUnsigned ? KILN_PRINT_UNSIGNED : 0);
    record.shape = {};
    int64_t each = runtime::dtypeBytes(dtype);
    auto tile = dyn_cast<RankedTensorType>(operand.getType());
    if (!tile) {
      record.flags |= KILN_PRINT_SCALAR;
      record.elementBytes = each;
      Value element = elementOf(w, w.scalar(operand));
      alone(element);
      continue;
    }
    record.shape = tile.getShape();
    record.elementBytes = each * tile.getNumElements();
    // One thread asks, all write.
    int64_t start = w.scratch(kWord);
    auto pointer = LLVM::LLVMPointerType::get(w.b.getContext());
    w.guarded(first, [&] {
      Value place = newRecord(w, record);
      LLVM::StoreOp::create(w.b, w.loc, place, w.shared(start));
      w.guarded(isThere(w, place), [&] {
        writeHeader(w, place, record, printedIds(w, op, w.programIds));
      });
    });
    w.barrier();
    Value place = LLVM::LoadOp::create(w.b, w.loc, pointer, w.shared(start));
    LayoutAttr layout = getLayout(operand);
    Value mine = w.isFirstCopy(layout);
    for (auto [reg, value] : llvm::enumerate(w.registers(operand))) {
      Value at = w.c32(0);
      for (auto [d, size] : llvm::enumerate(tile.getShape()))
        at = w.add(w.mul(at, w.c32(size)),
                   w.coordinate(layout, int64_t(reg), d));
      Value writes = w.both(
          isThere(w, place),
          w.both(mine, w.isElement(layout, int64_t(reg), tile.getShape())));
      Value element = elementOf(w, value);
      w.guarded(writes, [&] {
        LLVM::StoreOp::create(
            w.b, w.loc, element,
            w.elementPointer(byteAt(w, place, record.elementStart()), at,
                             element.getType()));
      });
    }
  }
  return success();
}

/// A message with the place in the source that it comes from.
static std::string locatedText(Location loc, StringRef message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  os << message;
  for (char &c : text)
    if (!llvm::isPrint(c))
      c = '?';
  return text;
}

static LogicalResult lowerAssert(tile::AssertOp op, ThreadWriter &w) {
  Value condition = op.getCondition();
  Value fails;
  auto isFalse = [&](Value holds) {
    return w.xor_(holds, w.constant(w.b.getI1Type(), 1));
  };
  if (LayoutAttr layout = getLayout(condition)) {
    auto shape = cast<RankedTensorType>(condition.getType()).getShape();
    Value any;
    for (auto [reg, holds] : llvm::enumerate(w.registers(condition))) {
      Value one =
          w.both(isFalse(holds), w.isElement(layout, int64_t(reg), shape));
      any = any ? w.or_(any, one) : one;
    }
    // All threads of the block have to know.
    int64_t start = w.scratch(kWord);
    Value first = w.compare(arith::CmpIPredicate::eq, w.threadId(), w.c32(0));
    w.guarded(first, [&] {
      LLVM::StoreOp::create(w.b, w.loc, w.c32(0), w.shared(start));
    });
    w.barrier();
    w.guarded(any, [&] {
      LLVM::StoreOp::create(w.b, w.loc, w.c32(1), w.shared(start));
    });
    w.barrier();
    Value found =
        LLVM::LoadOp::create(w.b, w.loc, w.b.getI32Type(), w.shared(start));
    fails = w.compare(arith::CmpIPredicate::ne, found, w.c32(0));
  } else {
    fails = isFalse(w.scalar(condition));
  }
  Record record;
  record.kind = kFault;
  record.flags = KILN_PRINT_SCALAR;
  record.text = locatedText(op.getLoc(), op.getMessage());
  w.guarded(fails, [&] {
    Value first = w.compare(arith::CmpIPredicate::eq, w.threadId(), w.c32(0));
    // Where there is no space the write to nowhere fails the launch.
    w.guarded(first, [&] {
      writeHeader(w, newRecord(w, record), record,
                  printedIds(w, op, w.programIds));
    });
    StopOp::create(w.b, w.loc);
  });
  return success();
}

void simt::addOutputLowerings(LoweringTable &table) {
  table.add<tile::PrintOp>(lowerPrint, outputNeeds<tile::PrintOp>);
  table.add<tile::AssertOp>(lowerAssert, outputNeeds<tile::AssertOp>);
}
