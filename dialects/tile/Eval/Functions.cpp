// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the functions of C.
#include "Families.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Eval/Perturb.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

using Real = double;
using Wide = long double;

/// How a function is computed, by its name: with one or two operands as
/// doubles (i32 among them), and wider where that decides the rounding.
struct Implementation {
  StringLiteral name;
  Real (*unary)(Real);
  Wide (*unaryWide)(Wide);
  Real (*binary)(Real, Real) = nullptr;
  Wide (*binaryWide)(Wide, Wide) = nullptr;
};

/// Without the global variable that lgamma writes.
Real logGamma(Real x) {
  int sign;
  return lgamma_r(x, &sign);
}
Wide logGammaWide(Wide x) {
  int sign;
  return lgammal_r(x, &sign);
}

const Implementation implementations[] = {
    {"lgamma", logGamma, logGammaWide},
    {"tgamma", std::tgamma, tgammal},
    {"logb", std::logb, logbl},
    {"j0", ::j0, j0l},
    {"j1", ::j1, j1l},
    {"y0", ::y0, y0l},
    {"y1", ::y1, y1l},
    {"ilogb", [](Real x) -> Real { return std::ilogb(x); }, nullptr},
    {"hypot", nullptr, nullptr, std::hypot, hypotl},
    {"remainder", nullptr, nullptr, std::remainder, remainderl},
    {"nextafter", nullptr, nullptr, std::nextafter, nullptr},
    {"scalbn", nullptr, nullptr,
     [](Real x, Real n) { return std::scalbn(x, static_cast<int>(n)); },
     [](Wide x, Wide n) { return scalbnl(x, static_cast<int>(n)); }},
    {"jn", nullptr, nullptr,
     [](Real n, Real x) { return ::jn(static_cast<int>(n), x); },
     [](Wide n, Wide x) { return jnl(static_cast<int>(n), x); }},
    {"yn", nullptr, nullptr,
     [](Real n, Real x) { return ::yn(static_cast<int>(n), x); },
     [](Wide n, Wide x) { return ynl(static_cast<int>(n), x); }},
};

/// Integers as doubles; floats as they are.
Value asFloats(const Value &a) {
  if (a.dtype() != DType::i32)
    return a;
  Value out = a.isScalar() ? Value::scalar(DType::f64)
                           : Value::tensor(DType::f64, a.shape());
  int64_t x[kChunk];
  for (int64_t i = 0; i < a.size(); i += kChunk) {
    int64_t n = std::min(kChunk, a.size() - i);
    loadInts(a.dtype(), a.data(), i, n, x, Extend::sign);
    for (int64_t k = 0; k < n; ++k)
      out.as<double>()[i + k] = static_cast<double>(x[k]);
  }
  return out;
}

/// How many units in the last place a function may be off by.
double unitsOf(StringRef name) {
  return llvm::StringSwitch<double>(name)
      .Case("hypot", 2)
      .Cases({"lgamma", "tgamma", "j0", "j1", "jn", "y0", "y1", "yn"}, 16)
      .Default(0);
}

LogicalResult call(tile::CallExternOp op, Frame &frame) {
  const tile::CFunction *function = op.getCFunction();
  if (!function)
    return op.emitError("unsupported: external function '")
           << op.getSymbol() << "'";
  const Implementation *code =
      llvm::find_if(implementations, [&](const Implementation &candidate) {
        return candidate.name == function->name;
      });
  DType dtype = dtypeOf(op->getResult(0).getType());
  const Value &first = frame.get(op.getOperand(0));
  auto shaped = [&](DType type) {
    return first.isScalar() ? Value::scalar(type)
                            : Value::tensor(type, first.shape());
  };
  Value out = shaped(dtype);
  if (function->name == "nextafter" && dtype == DType::f32) {
    // The only one whose result depends on the type's neighbours.
    const Value &second = frame.get(op.getOperand(1));
    for (int64_t i = 0; i < out.size(); ++i)
      out.as<float>()[i] =
          std::nextafter(first.as<float>()[i], second.as<float>()[i]);
  } else if (function->name == "nextafter") {
    mapFloats(first, frame.get(op.getOperand(1)), out, code->binary);
  } else if (function->result == 'i') {
    Value exact = shaped(DType::f64);
    mapFloats(first, exact, code->unary);
    int64_t x[kChunk];
    for (int64_t i = 0; i < out.size(); i += kChunk) {
      int64_t n = std::min(kChunk, out.size() - i);
      for (int64_t k = 0; k < n; ++k)
        x[k] = static_cast<int64_t>(exact.as<double>()[i + k]);
      storeInts(out.dtype(), out.mutableData(), i, n, x);
    }
  } else {
    auto map = [&](Value &into) {
      if (code->unary)
        mapFunction(first, into, {code->unary, code->unaryWide});
      else
        mapFunction(asFloats(first), asFloats(frame.get(op.getOperand(1))),
                    into, code->binary, code->binaryWide);
    };
    double ulps = unitsOf(function->name);
    bool isBessel = ulps && StringRef("jy").contains(function->name[0]);
    bool hasZeros = isBessel || function->name == "lgamma";
    if (hasZeros && perturbation().isOn()) {
      Value exact = shaped(DType::f64);
      map(exact);
      std::vector<double> least(exact.size());
      const Value &x = frame.get(op->getOperands().back());
      if (isBessel && x.dtype() == DType::f64)
        for (int64_t i = 0; i < exact.size(); ++i)
          least[i] = besselError(x.as<double>()[i]);
      storeUlpsOfOneWithin(exact, ulps, out, least);
    } else if (ulps) {
      evaluateWithin(ulps, out, map);
    } else {
      map(out);
    }
  }
  for (mlir::Value operand : op.getOperands())
    if (const uint8_t *from = frame.get(operand).poison()) {
      uint8_t *to = out.makePoison();
      for (int64_t i = 0; i < out.size(); ++i)
        to[i] |= from[i];
    }
  return frame.set(op->getResult(0), std::move(out));
}

} // namespace

void addTileFunctions(EvaluationInterface &table) {
  table.add<tile::CallExternOp>(call);
}

} // namespace kiln::eval
