//===- Output.cpp - What kernels tell the host ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are printed and assertions that fail become records
// (kiln/Gpu/OutputRecord.h): one thread asks for space and writes what is known
// when the kernel is compiled, all write their elements.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "KernelWalk.h"
#include "ScratchNeeds.h"
#include "kiln-c/Kernel.h"
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

static Value byteAt(KernelWalk &w, Value place, int64_t offset) {
  return LLVM::GEPOp::create(w.b, w.loc, place.getType(), w.b.getI8Type(),
                             place, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

/// Everything but the elements.
static void writeHeader(KernelWalk &w, Value place, const Record &record,
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

static Value isThere(KernelWalk &w, Value place) {
  Value null = LLVM::ZeroOp::create(w.b, w.loc, place.getType());
  return LLVM::ICmpOp::create(w.b, w.loc, LLVM::ICmpPredicate::ne, place, null);
}

static Value newRecord(KernelWalk &w, const Record &record) {
  auto type = LLVM::LLVMPointerType::get(w.b.getContext());
  return simt::OutputOp::create(w.b, w.loc, type, record.bytes());
}

/// What stands for an element in a record.
static Value elementOf(KernelWalk &w, Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(w.b, w.loc, w.b.getI64Type(), value);
  return w.toStored(value);
}

/// The address of a record, or whether an assertion fails.
constexpr int64_t kWord = 16;

ScratchNeeds simt::outputNeeds(Operation *op) {
  ScratchNeeds needs;
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type))
      needs.push_back({kWord});
  return needs;
}

LogicalResult KernelWalk::emitPrint(tile::PrintOp op) {
  Value first = compare(arith::CmpIPredicate::eq, threadId(), c32(0));
  Record record;
  record.kind = kPrintedValue;
  record.text = op.getPrefix().str();
  /// A record of one thread.
  auto alone = [&](Value element) {
    guarded(first, [&] {
      Value place = newRecord(*this, record);
      guarded(isThere(*this, place), [&] {
        writeHeader(*this, place, record, printedIds(*this, op, programIds));
        if (element)
          LLVM::StoreOp::create(b, loc, element,
                                byteAt(*this, place, record.elementStart()), 8);
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
      return decline(op, "printing values of type " + name);
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
      Value element = elementOf(*this, scalar(operand));
      alone(element);
      continue;
    }
    record.shape = tile.getShape();
    record.elementBytes = each * tile.getNumElements();
    // One thread asks, all write.
    int64_t start = scratch(kWord);
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    guarded(first, [&] {
      Value place = newRecord(*this, record);
      LLVM::StoreOp::create(b, loc, place, shared(start));
      guarded(isThere(*this, place), [&] {
        writeHeader(*this, place, record, printedIds(*this, op, programIds));
      });
    });
    barrier();
    Value place = LLVM::LoadOp::create(b, loc, pointer, shared(start));
    LayoutAttr layout = getLayout(operand);
    Value mine = isFirstCopy(layout);
    for (auto [reg, value] : llvm::enumerate(registers(operand))) {
      Value at = c32(0);
      for (auto [d, size] : llvm::enumerate(tile.getShape()))
        at = add(mul(at, c32(size)), coordinate(layout, int64_t(reg), d));
      Value writes =
          both(isThere(*this, place),
               both(mine, isElement(layout, int64_t(reg), tile.getShape())));
      Value element = elementOf(*this, value);
      guarded(writes, [&] {
        LLVM::StoreOp::create(
            b, loc, element,
            elementPointer(byteAt(*this, place, record.elementStart()), at,
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

LogicalResult KernelWalk::emitAssert(tile::AssertOp op) {
  Value condition = op.getCondition();
  Value fails;
  auto isFalse = [&](Value holds) {
    return xor_(holds, constant(b.getI1Type(), 1));
  };
  if (LayoutAttr layout = getLayout(condition)) {
    auto shape = cast<RankedTensorType>(condition.getType()).getShape();
    Value any;
    for (auto [reg, holds] : llvm::enumerate(registers(condition))) {
      Value one = both(isFalse(holds), isElement(layout, int64_t(reg), shape));
      any = any ? or_(any, one) : one;
    }
    // All threads of the block have to know.
    int64_t start = scratch(kWord);
    Value first = compare(arith::CmpIPredicate::eq, threadId(), c32(0));
    guarded(first,
            [&] { LLVM::StoreOp::create(b, loc, c32(0), shared(start)); });
    barrier();
    guarded(any, [&] { LLVM::StoreOp::create(b, loc, c32(1), shared(start)); });
    barrier();
    Value found = LLVM::LoadOp::create(b, loc, b.getI32Type(), shared(start));
    fails = compare(arith::CmpIPredicate::ne, found, c32(0));
  } else {
    fails = isFalse(scalar(condition));
  }
  Record record;
  record.kind = kFault;
  record.flags = KILN_PRINT_SCALAR;
  record.text = locatedText(op.getLoc(), op.getMessage());
  guarded(fails, [&] {
    Value first = compare(arith::CmpIPredicate::eq, threadId(), c32(0));
    // Where there is no space the write to nowhere fails the launch.
    guarded(first, [&] {
      writeHeader(*this, newRecord(*this, record), record,
                  printedIds(*this, op, programIds));
    });
    StopOp::create(b, loc);
  });
  return success();
}
