// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons (VOPC): a bit of a mask for each lane.
#include "Values.h"

using namespace kiln::amd::sim;

namespace {
/// Where the mask goes and the sources begin. `v_cmpx` writes EXEC, on gfx9 the
/// mask that it names too; since gfx10 it names none.
template <typename T, auto F> void runCompare(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  bool isToExec = inst.aux & 1;
  bool namesMask = !isToExec || inst.numOps > 2;
  unsigned first = namesMask ? 1 : 0;
  Lanes<T> x, y;
  load(wave, inst, first, x.v, true);
  load(wave, inst, first + 1, y.v, false);
  uint64_t mask = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l)
    mask |= uint64_t(F(x.v[l], y.v[l])) << l;
  mask &= wave.exec();
  if (namesMask)
    wave.writeMask(inst.ops[0].reg, mask);
  if (isToExec)
    wave.setExec(mask);
}

/// Classes of floats, as bits (manuals, V_CMP_CLASS).
enum : uint32_t {
  kSignalling = 1 << 0,
  kQuiet = 1 << 1,
  kNegativeInfinity = 1 << 2,
  kNegativeNormal = 1 << 3,
  kNegativeSubnormal = 1 << 4,
  kNegativeZero = 1 << 5,
};
/// Positive ones mirror those of negative numbers.
template <typename Bits, int mantissa, int exponent>
bool isOfClass(Bits x, uint32_t classes) {
  constexpr Bits fraction = (Bits(1) << mantissa) - 1;
  constexpr Bits most = (Bits(1) << exponent) - 1;
  Bits part = x & fraction, field = (x >> mantissa) & most;
  bool isNegative = (x >> (mantissa + exponent)) & 1;
  if (field == most && part)
    return classes & ((part >> (mantissa - 1)) & 1 ? kQuiet : kSignalling);
  uint32_t found = field == most ? kNegativeInfinity
                   : field       ? kNegativeNormal
                   : part        ? kNegativeSubnormal
                                 : kNegativeZero;
  if (!isNegative)
    found = found == kNegativeInfinity    ? 1u << 9
            : found == kNegativeNormal    ? 1u << 8
            : found == kNegativeSubnormal ? 1u << 7
                                          : 1u << 6;
  return classes & found;
}
template <typename T, typename Bits, int mantissa, int exponent>
void runClass(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  bool isToExec = inst.aux & 1;
  unsigned first = !isToExec || inst.numOps > 2 ? 1 : 0;
  Lanes<T> x;
  // Of halves the classes may be the upper half of a register, too.
  Lanes<std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>> classes;
  load(wave, inst, first, x.v, true);
  load(wave, inst, first + 1, classes.v, false);
  uint64_t mask = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l)
    mask |= uint64_t(isOfClass<Bits, mantissa, exponent>(
                std::bit_cast<Bits>(x.v[l]), classes.v[l]))
            << l;
  mask &= wave.exec();
  if (first)
    wave.writeMask(inst.ops[0].reg, mask);
  if (isToExec)
    wave.setExec(mask);
}

void addBoth(Table &t, const std::string &stem, Entry entry) {
  t.add("v_cmp_" + stem, entry);
  entry.aux = 1;
  t.add("v_cmpx_" + stem, entry);
}

template <typename T, auto F>
void addOne(Table &t, const char *relation, const std::string &type) {
  Entry entry;
  entry.run = runCompare<T, F>;
  entry.types.fill(typeOf<T>());
  addBoth(t, std::string(relation) + "_" + type, entry);
}

template <typename T> void addIntegers(Table &t, const char *type) {
  addOne<T, [](T x, T y) { return x < y; }>(t, "lt", type);
  addOne<T, [](T x, T y) { return x == y; }>(t, "eq", type);
  addOne<T, [](T x, T y) { return x <= y; }>(t, "le", type);
  addOne<T, [](T x, T y) { return (x > y); }>(t, "gt", type);
  addOne<T, [](T x, T y) { return x != y; }>(t, "ne", type);
  addOne<T, [](T x, T y) { return x != y; }>(t, "lg", type);
  addOne<T, [](T x, T y) { return x >= y; }>(t, "ge", type);
  addOne<T, [](T, T) { return true; }>(t, "t", type);
  addOne<T, [](T, T) { return false; }>(t, "f", type);
}

/// Relations of floats; those that begin with n are true for NaN.
template <typename T> void addFloats(Table &t, const char *type) {
  addOne<T, [](T x, T y) { return x < y; }>(t, "lt", type);
  addOne<T, [](T x, T y) { return x == y; }>(t, "eq", type);
  addOne<T, [](T x, T y) { return x <= y; }>(t, "le", type);
  addOne<T, [](T x, T y) { return (x > y); }>(t, "gt", type);
  addOne<T, [](T x, T y) { return (x < y || x > y); }>(t, "lg", type);
  addOne<T, [](T x, T y) { return x >= y; }>(t, "ge", type);
  addOne<T, [](T x, T y) { return x == x && y == y; }>(t, "o", type);
  addOne<T, [](T x, T y) { return x != x || y != y; }>(t, "u", type);
  addOne<T, [](T x, T y) { return !(x >= y); }>(t, "nge", type);
  addOne<T, [](T x, T y) { return !(x < y || x > y); }>(t, "nlg", type);
  addOne<T, [](T x, T y) { return !(x > y); }>(t, "ngt", type);
  addOne<T, [](T x, T y) { return !(x <= y); }>(t, "nle", type);
  addOne<T, [](T x, T y) { return !(x == y); }>(t, "neq", type);
  addOne<T, [](T x, T y) { return !(x < y); }>(t, "nlt", type);
  addOne<T, [](T, T) { return true; }>(t, "tru", type);
  addOne<T, [](T, T) { return true; }>(t, "t", type);
  addOne<T, [](T, T) { return false; }>(t, "f", type);
}

template <typename T, typename Bits, int mantissa, int exponent>
void addClass(Table &t, const char *type) {
  Entry entry;
  entry.run = runClass<T, Bits, mantissa, exponent>;
  entry.types.fill(Type::B32);
  entry.types[0] = entry.types[1] = typeOf<T>();
  addBoth(t, std::string("class_") + type, entry);
}
} // namespace

void kiln::amd::sim::addVectorCompares(Table &table) {
  addIntegers<int32_t>(table, "i32");
  addIntegers<uint32_t>(table, "u32");
  addIntegers<int64_t>(table, "i64");
  addIntegers<uint64_t>(table, "u64");
  addIntegers<int16_t>(table, "i16");
  addIntegers<uint16_t>(table, "u16");
  addFloats<Half>(table, "f16");
  addFloats<float>(table, "f32");
  addFloats<double>(table, "f64");
  addClass<float, uint32_t, 23, 8>(table, "f32");
  addClass<double, uint64_t, 52, 11>(table, "f64");
  addClass<Half, uint16_t, 10, 5>(table, "f16");
}
