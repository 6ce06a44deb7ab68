//===- LinearCode.cpp - Kernels as code of registers and jumps ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/LinearCode.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln::target;

LinearCode::~LinearCode() = default;

int64_t LinearCode::newRegister(unsigned file) {
  if (file >= files.size())
    files.resize(file + 1);
  return files[file]++;
}

int64_t LinearCode::reg(Value value) {
  auto known = registers.find(value);
  if (known != registers.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  if (op && !unwritten && written.contains(op))
    unwritten = value;
  return registers[value] = newRegister(fileOf(value.getType()));
}

size_t LinearCode::append(StringRef name, ArrayRef<int64_t> head,
                          ArrayRef<int64_t> operands) {
  size_t begin = words.size();
  words.insert(words.end(), head.begin(), head.end());
  words.insert(words.end(), operands.begin(), operands.end());
  lines.push_back({name.str(), begin, begin + head.size(), words.size()});
  return words.size() - 1;
}

void LinearCode::land(size_t jump, size_t to) {
  words[jump] = static_cast<int64_t>(to);
  jumps.insert(jump);
}

void LinearCode::print(llvm::raw_ostream &os) const {
  llvm::DenseMap<int64_t, size_t> numbers; // of instructions, by their places
  for (auto [number, line] : llvm::enumerate(lines))
    numbers[int64_t(line.begin)] = number;
  numbers[int64_t(words.size())] = lines.size();
  for (auto [number, line] : llvm::enumerate(lines)) {
    os << llvm::format_decimal(number, 5) << "  " << line.name;
    for (size_t at = line.operands; at < line.end; ++at)
      if (jumps.contains(at))
        os << " @" << numbers.lookup(words[at]);
      else
        os << " " << words[at];
    os << "\n";
  }
}

void LinearCode::moveAll(ValueRange to, ValueRange from) {
  if (to.size() == 1) {
    writeMove(fileOf(to[0].getType()), reg(to[0]), reg(from[0]));
    return;
  }
  SmallVector<int64_t> through;
  for (Value value : from) {
    unsigned file = fileOf(value.getType());
    through.push_back(newRegister(file));
    writeMove(file, through.back(), reg(value));
  }
  for (auto [value, number] : llvm::zip(to, through))
    writeMove(fileOf(value.getType()), reg(value), number);
}

LogicalResult LinearCode::checkWritten(Operation *op, StringRef name,
                                       size_t before,
                                       std::optional<size_t> place) {
  if (words.size() <= before)
    return op->emitError() << "expected " << name << " to append words for '"
                           << op->getName() << "', found none";
  if (place && (*place < before || *place >= words.size()))
    return op->emitError() << "expected " << name
                           << " to give the place of a word that it appended, "
                           << before << " to " << words.size() - 1 << ", found "
                           << *place;
  return success();
}

FailureOr<size_t> LinearCode::jumpFrom(Operation *op,
                                       std::optional<int64_t> unless) {
  size_t before = words.size();
  size_t place = unless ? writeJumpUnless(*unless) : writeJump();
  if (failed(checkWritten(op, unless ? "writeJumpUnless" : "writeJump", before,
                          place)))
    return failure();
  return place;
}

LogicalResult LinearCode::writeOne(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  auto choice = dyn_cast<scf::IfOp>(op);
  if (failed(loop ? writeFor(loop) : choice ? writeIf(choice) : write(op)))
    return failure();
  written.insert(op);
  if (!unwritten)
    return success();
  Operation *lost = unwritten.getDefiningOp();
  return lost->emitError() << "expected 'write' to give result "
                           << cast<OpResult>(unwritten).getResultNumber()
                           << " of '" << lost->getName()
                           << "' a register, which '" << op->getName()
                           << "' reads";
}

LogicalResult LinearCode::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(writeOne(&op)))
      return failure();
  return success();
}

LogicalResult LinearCode::writeFor(scf::ForOp loop) {
  moveAll(loop.getRegionIterArgs(), loop.getInitArgs());
  int64_t at = reg(loop.getInductionVar()), inside = newRegister();
  writeMove(0, at, reg(loop.getLowerBound()));
  size_t again = words.size();
  writeLess(inside, at, reg(loop.getUpperBound()));
  if (failed(checkWritten(loop, "writeLess", again)))
    return failure();
  FailureOr<size_t> end = jumpFrom(loop, inside);
  if (failed(end) || failed(writeBlock(*loop.getBody())))
    return failure();
  moveAll(loop.getRegionIterArgs(), loop.getYieldedValues());
  size_t step = words.size();
  writeAdd(at, at, reg(loop.getStep()));
  if (failed(checkWritten(loop, "writeAdd", step)))
    return failure();
  FailureOr<size_t> back = jumpFrom(loop);
  if (failed(back))
    return failure();
  land(*back, again);
  land(*end);
  moveAll(loop.getResults(), loop.getRegionIterArgs());
  return success();
}

LogicalResult LinearCode::writeIf(scf::IfOp choice) {
  FailureOr<size_t> other = jumpFrom(choice, reg(choice.getCondition()));
  if (failed(other) || failed(writeBlock(*choice.thenBlock())))
    return failure();
  moveAll(choice.getResults(), choice.thenYield().getOperands());
  if (!choice.elseBlock()) {
    land(*other);
    return success();
  }
  FailureOr<size_t> end = jumpFrom(choice);
  if (failed(end))
    return failure();
  land(*other);
  if (failed(writeBlock(*choice.elseBlock())))
    return failure();
  moveAll(choice.getResults(), choice.elseYield().getOperands());
  land(*end);
  return success();
}
