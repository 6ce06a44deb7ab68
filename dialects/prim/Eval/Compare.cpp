// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison and selection.
#include "Families.h"

using namespace mlir;

namespace kiln::eval {

template <typename OpTy, typename Fn>
static void addCompare(PrimTable &table, Fn fn) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getLhs()), &b = frame.get(op.getRhs());
    if (failed(sameShape(op, {a, b})))
      return failure();
    Value out = Value::tensor(DType::i1, a.shape());
    if (runtime::isFloat(a.dtype()))
      compareFloats(a, b, out, fn);
    else if (op->hasAttr("is_unsigned"))
      mapInts(a, b, out, Extend::zero, [fn](int64_t x, int64_t y) -> int64_t {
        return fn(static_cast<uint64_t>(x), static_cast<uint64_t>(y));
      });
    else
      mapInts(a, b, out, Extend::truth,
              [fn](int64_t x, int64_t y) -> int64_t { return fn(x, y); });
    return finish(op, frame, std::move(out));
  });
}

static LogicalResult where(prim::WhereOp op, Frame &frame) {
  const Value &condition = frame.get(op.getCondition());
  const Value &yes = frame.get(op.getOnTrue());
  const Value &no = frame.get(op.getOnFalse());
  if (failed(sameShape(op, {condition, yes, no})))
    return failure();
  Value out = Value::tensor(yes.dtype(), yes.shape());
  auto choose = [&](auto zero) {
    using T = decltype(zero);
    const uint8_t *c = condition.as<uint8_t>();
    const T *a = yes.as<T>(), *b = no.as<T>();
    T *r = out.as<T>();
    for (int64_t i = 0, n = out.size(); i < n; ++i)
      r[i] = c[i] ? a[i] : b[i];
  };
  switch (runtime::dtypeBytes(out.dtype())) {
  case 1:
    choose(uint8_t());
    break;
  case 2:
    choose(uint16_t());
    break;
  case 4:
    choose(uint32_t());
    break;
  default:
    choose(uint64_t());
  }
  return finish(op, frame, std::move(out));
}

void addPrimCompare(PrimTable &table) {
  using namespace prim;
  addCompare<EqOp>(table, [](auto x, auto y) { return x == y; });
  addCompare<NeOp>(table, [](auto x, auto y) { return x != y; });
  addCompare<LtOp>(table, [](auto x, auto y) { return x < y; });
  addCompare<LeOp>(table, [](auto x, auto y) { return x <= y; });
  addCompare<GtOp>(table, [](auto x, auto y) { return x > y; });
  addCompare<GeOp>(table, [](auto x, auto y) { return x >= y; });
  table.add<WhereOp>(where);
}

} // namespace kiln::eval
