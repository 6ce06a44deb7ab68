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

FailureOr<size_t> LinearCode::jumpFrom(Operation *op, size_t before,
                                       std::optional<int64_t> unless) {
  size_t place = unless ? writeJumpUnless(*unless) : writeJump();
  StringRef name = unless ? "writeJumpUnless" : "writeJump";
  if (words.size() <= before)
    return op->emitError() << "expected " << name << " to append words for '"
                           << op->getName() << "', found none";
  if (place < before || place >= words.size())
    return op->emitError() << "expected " << name
                           << " to give the place of a word that it appended, "
                           << before << " to " << words.size() - 1 << ", found "
                           << place;
  return place;
}

LogicalResult LinearCode::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    auto choice = dyn_cast<scf::IfOp>(op);
    if (failed(loop ? writeFor(loop) : choice ? writeIf(choice) : write(&op)))
      return failure();
  }
  return success();
}

LogicalResult LinearCode::writeFor(scf::ForOp loop) {
  moveAll(loop.getRegionIterArgs(), loop.getInitArgs());
  int64_t at = reg(loop.getInductionVar()), inside = newRegister();
  writeMove(0, at, reg(loop.getLowerBound()));
  size_t again = words.size();
  writeLess(inside, at, reg(loop.getUpperBound()));
  FailureOr<size_t> end = jumpFrom(loop, again, inside);
  if (failed(end) || failed(writeBlock(*loop.getBody())))
    return failure();
  moveAll(loop.getRegionIterArgs(), loop.getYieldedValues());
  size_t step = words.size();
  writeAdd(at, at, reg(loop.getStep()));
  FailureOr<size_t> back = jumpFrom(loop, step);
  if (failed(back))
    return failure();
  land(*back, again);
  land(*end);
  moveAll(loop.getResults(), loop.getRegionIterArgs());
  return success();
}

LogicalResult LinearCode::writeIf(scf::IfOp choice) {
  int64_t condition = reg(choice.getCondition());
  FailureOr<size_t> other = jumpFrom(choice, words.size(), condition);
  if (failed(other) || failed(writeBlock(*choice.thenBlock())))
    return failure();
  moveAll(choice.getResults(), choice.thenYield().getOperands());
  if (!choice.elseBlock()) {
    land(*other);
    return success();
  }
  FailureOr<size_t> end = jumpFrom(choice, words.size());
  if (failed(end))
    return failure();
  land(*other);
  if (failed(writeBlock(*choice.elseBlock())))
    return failure();
  moveAll(choice.getResults(), choice.elseYield().getOperands());
  land(*end);
  return success();
}
