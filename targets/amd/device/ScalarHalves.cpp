// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar arithmetic of f16, and functions that hardware approximates on scalars
// ("RDNA4" manual, SOP2 and V_S_EXP_F32). The upper half of a result is 0.
#include "Approximate.h"
#include "FloatExtremes.h"
#include "NearestEven.h"
#include "ScalarValues.h"

using namespace kiln::amd::sim;

namespace {
template <typename T> T scalarFloat(Wave &wave, const Inst &inst, unsigned i) {
  const Operand &op = inst.ops[i];
  auto bits = uint32_t(scalarValue(wave, op, 1));
  constexpr uint32_t sign = sizeof(T) == 2 ? 0x8000u : 0x80000000u;
  if (op.absolute)
    bits &= ~sign;
  if (op.negate)
    bits ^= sign;
  if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(uint16_t(bits));
  else
    return std::bit_cast<T>(bits);
}
template <typename T> void giveFloat(Wave &wave, const Inst &inst, T value) {
  if constexpr (sizeof(T) == 2)
    wave.writeScalar(inst.ops[0].reg, std::bit_cast<uint16_t>(value));
  else
    wave.writeScalar(inst.ops[0].reg, std::bit_cast<uint32_t>(value));
}

template <auto F, typename R, typename... A, size_t... N>
void runEach(Wave &wave, const Inst &inst, R (*)(A...),
             std::index_sequence<N...>) {
  R result = F(scalarFloat<A>(wave, inst, unsigned(N + 1))...);
  if constexpr (std::is_same_v<R, float> || std::is_same_v<R, Half>) {
    alignas(64) R values[kMaxLanes] = {result};
    modify(inst, values);
    result = values[0];
  }
  giveFloat<R>(wave, inst, result);
}
template <typename R, typename... A> constexpr auto indicesOf(R (*)(A...)) {
  return std::index_sequence_for<A...>();
}
template <auto F> void runFloats(Wave &wave, const Inst &inst) {
  runEach<F>(wave, inst, +F, indicesOf(+F));
}
template <auto F> Entry floats(Class kind = Class::Scalar) {
  Entry entry = entryOf(runFloats<F>, +F);
  entry.kind = kind;
  return entry;
}

template <auto F> void addRelation(Table &t, const char *name) {
  Entry entry;
  entry.kind = Class::Scalar;
  entry.types.fill(Type::F16);
  entry.run = [](Wave &wave, const Inst &inst) {
    wave.scc =
        F(scalarFloat<Half>(wave, inst, 0), scalarFloat<Half>(wave, inst, 1));
  };
  t.add(std::string("s_cmp_") + name + "_f16", entry);
}

void addRelations(Table &t) {
  using H = Half;
  addRelation<[](H x, H y) { return x < y; }>(t, "lt");
  addRelation<[](H x, H y) { return x == y; }>(t, "eq");
  addRelation<[](H x, H y) { return x <= y; }>(t, "le");
  addRelation<[](H x, H y) { return (x > y); }>(t, "gt");
  addRelation<[](H x, H y) { return (x < y || x > y); }>(t, "lg");
  addRelation<[](H x, H y) { return x >= y; }>(t, "ge");
  addRelation<[](H x, H y) { return x == x && y == y; }>(t, "o");
  addRelation<[](H x, H y) { return x != x || y != y; }>(t, "u");
  addRelation<[](H x, H y) { return !(x >= y); }>(t, "nge");
  addRelation<[](H x, H y) { return !(x < y || x > y); }>(t, "nlg");
  addRelation<[](H x, H y) { return !(x > y); }>(t, "ngt");
  addRelation<[](H x, H y) { return !(x <= y); }>(t, "nle");
  addRelation<[](H x, H y) { return !(x == y); }>(t, "neq");
  addRelation<[](H x, H y) { return !(x < y); }>(t, "nlt");
}

template <typename T> void addExtremes(Table &t, const char *type) {
  auto name = [&](const char *stem) { return std::string(stem) + type; };
  t.add(name("s_maximum_"),
        floats<[](T x, T y) -> T { return maximum(x, y); }>());
  t.add(name("s_minimum_"),
        floats<[](T x, T y) -> T { return minimum(x, y); }>());
}

void addHalves(Table &t) {
  using H = Half;
  t.add("s_add_f16", floats<[](H x, H y) -> H { return x + y; }>());
  t.add("s_sub_f16", floats<[](H x, H y) -> H { return x - y; }>());
  t.add("s_mul_f16", floats<[](H x, H y) -> H { return x * y; }>());
  t.add({"s_max_f16", "s_max_num_f16"},
        floats<[](H x, H y) -> H { return maxNumber(x, y); }>());
  t.add({"s_min_f16", "s_min_num_f16"},
        floats<[](H x, H y) -> H { return minNumber(x, y); }>());
  t.add("s_ceil_f16",
        floats<[](H x) -> H { return H(std::ceil(float(x))); }>());
  t.add("s_floor_f16",
        floats<[](H x) -> H { return H(std::floor(float(x))); }>());
  t.add("s_trunc_f16",
        floats<[](H x) -> H { return H(std::trunc(float(x))); }>());
  t.add("s_rndne_f16",
        floats<[](H x) -> H { return H(nearestEven(float(x))); }>());
  t.add("s_cvt_f16_f32", floats<[](float x) -> H { return H(x); }>());
  t.add("s_cvt_f32_f16", floats<[](H x) -> float { return float(x); }>());
  t.add("s_cvt_hi_f32_f16", floats<[](float x) -> float {
          return float(
              std::bit_cast<H>(uint16_t(std::bit_cast<uint32_t>(x) >> 16)));
        }>());
  t.add("s_cvt_pk_rtz_f16_f32", floats<[](float x, float y) -> uint32_t {
          return std::bit_cast<uint16_t>(roundedDown(x)) |
                 uint32_t(std::bit_cast<uint16_t>(roundedDown(y))) << 16;
        }>());
  Entry entry;
  entry.kind = Class::Scalar;
  entry.types.fill(Type::F16);
  entry.run = [](Wave &wave, const Inst &inst) {
    giveFloat(wave, inst,
              H(double(scalarFloat<H>(wave, inst, 1)) *
                    double(scalarFloat<H>(wave, inst, 2)) +
                double(scalarFloat<H>(wave, inst, 0))));
  };
  t.add("s_fmac_f16", entry);
}

void addApproximate(Table &t) {
  using H = Half;
  constexpr Class kVector = Class::Vector;
  t.add("v_s_exp_f32",
        floats<[](float x) -> float { return approximate<std::exp2>(x); }>(
            kVector));
  t.add("v_s_log_f32",
        floats<[](float x) -> float { return approximate<std::log2>(x); }>(
            kVector));
  t.add("v_s_rcp_f32",
        floats<[](float x) -> float { return approximate<reciprocal>(x); }>(
            kVector));
  t.add("v_s_rsq_f32",
        floats<[](float x) -> float { return approximate<reciprocalRoot>(x); }>(
            kVector));
  t.add("v_s_sqrt_f32",
        floats<[](float x) -> float { return approximate<std::sqrt>(x); }>(
            kVector));
  t.add("v_s_exp_f16",
        floats<[](H x) -> H { return H(std::exp2(double(x))); }>(kVector));
  t.add("v_s_log_f16",
        floats<[](H x) -> H { return H(std::log2(double(x))); }>(kVector));
  t.add("v_s_rcp_f16",
        floats<[](H x) -> H { return H(reciprocal(double(x))); }>(kVector));
  t.add("v_s_rsq_f16",
        floats<[](H x) -> H { return H(reciprocalRoot(double(x))); }>(kVector));
  t.add("v_s_sqrt_f16",
        floats<[](H x) -> H { return H(std::sqrt(double(x))); }>(kVector));
}
} // namespace

void kiln::amd::sim::addScalarHalves(Table &t) {
  addHalves(t);
  addRelations(t);
  addExtremes<Half>(t, "f16");
  addExtremes<float>(t, "f32");
  addApproximate(t);
}
