// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations by formulas of their own.
#include "Independent.h"
#include "Formulas.h"
#include "Values.h"
#include <cmath>
#include <cstring>

using namespace kiln::conform;
using namespace kiln::runtime;

namespace {

/// The operands and the result of one lane.
Lane laneOf(const Program &program, const std::vector<Tensor> &inputs,
            const std::vector<int64_t> &indices) {
  Lane lane;
  for (size_t k = 0; k < inputs.size(); ++k) {
    DType dtype = program.params[k].dtype;
    lane.types.push_back(dtype);
    lane.bits.push_back(loadBits(dtype, inputs[k].data(), indices[k]));
    if (isFloat(dtype)) {
      lane.floats.push_back(loadAsDouble(dtype, inputs[k].data(), indices[k]));
      lane.ints.push_back(0);
    } else {
      lane.floats.push_back(0);
      lane.ints.push_back(loadAsInt(dtype, inputs[k].data(), indices[k]));
    }
  }
  return lane;
}

/// The element of a strided tensor that stands at row-major place `index`,
/// counted from its first.
int64_t placeOf(const Tensor &tensor, int64_t index) {
  int64_t at = 0;
  for (size_t d = tensor.shape.size(); d-- > 0;) {
    at += index % tensor.shape[d] * tensor.strides[d];
    index /= tensor.shape[d];
  }
  return at;
}

/// Writes one result; what it may lie between where a formula is no more than
/// near.
void put(DType dtype, const Answer &answer, Wanted &wanted, int64_t index) {
  if (answer.bits)
    return storeBits(dtype, wanted.exact.data(), index, *answer.bits);
  if (!isFloat(dtype)) {
    storeInt(dtype, wanted.exact.data(), index,
             dtype == DType::i1 ? answer.integer & 1 : answer.integer);
    return;
  }
  storeFloat(dtype, wanted.exact.data(), index, answer.number);
}

} // namespace

std::optional<std::vector<Wanted>>
kiln::conform::independentResults(const Program &program, const Call &call,
                                  uint64_t seed) {
  if (program.variant == "-")
    return std::nullopt;
  std::vector<DType> results;
  Expected<Inputs> inputs = makeInputs(program, call, seed);
  if (!inputs)
    return std::nullopt;
  std::vector<Tensor> operands;
  for (size_t k = 0; k < program.params.size(); ++k) {
    if (program.params[k].isWritten) {

      results.push_back(program.params[k].dtype);
    } else {
      operands.push_back(inputs->tensors[k]);
    }
  }
  // A function of prim has one result, whose type the formula knows.
  if (!program.isKernel)
    results.push_back(resultTypeOf(program));
  if (results.size() != 1 || results[0] == DType::none || operands.empty())
    return std::nullopt;
  std::optional<Formula> formula = formulaOf(program, results[0]);
  if (!formula)
    return std::nullopt;
  Wanted wanted;
  wanted.dtype = results[0];
  std::vector<int64_t> shape = operands[0].shape;
  int64_t first = 0;
  std::optional<Tensor> target;
  if (program.isKernel) {
    // All of the memory: what the kernel does not reach stays.
    const Tensor &whole = inputs->whole.back();
    target = inputs->tensors.back();
    wanted.shape = whole.shape;
    const char *data = static_cast<const char *>(whole.data());
    wanted.exact.assign(data,
                        data + whole.numElements() * dtypeBytes(wanted.dtype));
    shape = target->shape;
    first = target->offset;
  } else {
    wanted.shape = shape;
    std::optional<int64_t> count = checkedCount(shape);
    wanted.exact.resize(size_t(*count * dtypeBytes(wanted.dtype)));
  }
  int64_t count = *checkedCount(shape);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> at;
    for (const Tensor &operand : operands)
      at.push_back(placeOf(operand, operand.shape.empty() ? 0 : i));
    Answer answer = (*formula)(laneOf(program, operands, at));
    int64_t to = target ? first + placeOf(*target, i) : i;
    put(wanted.dtype, answer, wanted, to);
  }
  if (wanted.dtype == DType::f64 && isNearOnly(program)) {
    // The reference rounds functions of f64 within one unit.
    wanted.low = wanted.high = wanted.exact;
    for (int64_t i = 0, n = wanted.count(); i < n; ++i) {
      double value = loadAsDouble(DType::f64, wanted.exact.data(), i);
      if (!std::isfinite(value))
        continue;
      storeDouble(DType::f64, wanted.low.data(), i,
                  std::nextafter(value, -HUGE_VAL));
      storeDouble(DType::f64, wanted.high.data(), i,
                  std::nextafter(value, HUGE_VAL));
    }
  }
  return std::vector<Wanted>{std::move(wanted)};
}
