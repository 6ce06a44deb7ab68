//===- TileReductions.cpp - Operations that relate elements of tiles ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct Combiner {
  const char *op;
  bool isFloat, rounds;
};

constexpr Combiner kCombiners[] = {
    {"addf", true, true},      {"mulf", true, true},
    {"maximumf", true, false}, {"minimumf", true, false},
    {"maxnumf", true, false},  {"minnumf", true, false},
    {"addi", false, false},    {"muli", false, false},
    {"maxsi", false, false},   {"minsi", false, false},
    {"maxui", false, false},   {"minui", false, false},
    {"andi", false, false},    {"ori", false, false},
    {"xori", false, false}};

bool fits(const Combiner &combiner, StringRef type) {
  return combiner.isFloat == isFloatText(type);
}

Shape without(const Shape &shape, size_t axis) {
  Shape rest = shape;
  rest.erase(rest.begin() + long(axis));
  return rest;
}

std::vector<std::string> zerosFor(const std::string &zero, const Shape &shape) {
  return std::vector<std::string>(shape.size(), zero);
}

/// A region that combines two elements by one operation of arith.
std::string regionOf(const Combiner &combiner, StringRef type) {
  return fillIn(
      "{\n  ^bb0(%left: $T, %right: $T):\n    %both = arith.$op %left,"
      " %right : $T\n    tile.yield %both : $T\n  }",
      {{"T", type.str()}, {"op", combiner.op}});
}

/// One whole tile in, one out.
Entry &addWhole(Plan &plan, StringRef op, StringRef type, const Twine &form,
                const Shape &from, const Shape &to, StringRef pattern) {
  Entry &entry = plan.add(op, type, form);
  KernelText kernel(entry);
  std::string in = kernel.view(from, type), out = kernel.view(to, type, true);
  std::string zero = kernel.index(0);
  std::string x = kernel.load(in, zerosFor(zero, from), from, type);
  std::string r = kernel.op(fillIn(
      pattern,
      {{"x", x}, {"X", tensorText(from, type)}, {"R", tensorText(to, type)}}));
  kernel.store(r, out, zerosFor(zero, to), to, type);
  kernel.finish();
  entry.profile("structured");
  return entry;
}

void callsFor(Entry &entry, const Shape &from, const Shape &to,
              llvm::ArrayRef<const char *> fills) {
  for (const char *fill : fills)
    addCall(entry, fill, {of(from, fill), of(to)});
}

void addReduce(Plan &plan, StringRef type, const Combiner &combiner,
               const Shape &shape, size_t axis, bool isOrdered) {
  Shape to = without(shape, axis);
  Entry &entry = addWhole(plan, "tile.reduce", type,
                          Twine(combiner.op) + "-" + nameText(shape) + ".axis" +
                              Twine(axis) + (isOrdered ? ".ordered" : ""),
                          shape, to,
                          "tile.reduce $x axis " + std::to_string(axis) +
                              (isOrdered ? " ordered" : "") + " : $X -> $R " +
                              regionOf(combiner, type));
  entry.isProposal = type.starts_with("f8");
  StringRef op = combiner.op;
  entry.hasFreeZeros = combiner.rounds || op == "maxnumf" || op == "minnumf";
  entry.profile("reduction");
  if (type.starts_with("f8"))
    entry.profile("float8");
  if (op == "mulf") // products stay in range
    for (const char *name : {"near-one", "again"})
      addCall(entry, name, {of(shape, Fill(0.5, 1.5)), of(to)});
  else if (combiner.rounds)
    callsFor(entry, shape, to, {"plain", "cancel"});
  else
    callsFor(entry, shape, to, {"plain", "bits"});
  // Of eight bits so many values hurt that a tile may have a zero and no NaN:
  // whether a partial product overflows before it meets the zero, and becomes
  // NaN, is then a matter of the order, which is open.
  bool isOpen = op == "mulf" && type.starts_with("f8");
  if ((!isOrdered && !isOpen) || !combiner.rounds)
    callsFor(entry, shape, to, {"hurt"});
}

/// Value and index together: the place of the largest, the first of equals.
void addArgmax(Plan &plan, StringRef type) {
  for (auto [shape, axis] : {std::pair(Shape{8, 37}, size_t(1)),
                             {Shape{16, 9}, size_t(0)},
                             {Shape{64}, size_t(0)}}) {
    Entry &entry =
        plan.add("tile.reduce", type,
                 "argmax-" + nameText(shape) + ".axis" + Twine(axis));
    entry.profile("structured").profile("reduction");
    KernelText kernel(entry);
    Shape to = without(shape, axis);
    std::string in = kernel.view(shape, type),
                out = kernel.view(to, type, true),
                place = kernel.view(to, "i32", true);
    std::string zero = kernel.index(0);
    std::string x = kernel.load(in, zerosFor(zero, shape), shape, type);
    std::string i = kernel.op("tile.iota " + Twine(axis) + " : " +
                              tensorText(shape, "i32"));
    bool isFloat = isFloatText(type);
    kernel.line(
        fillIn(R"(%most:2 = tile.reduce $x, $i axis $n : $X, $I -> $R, $P {
  ^bb0(%v: $T, %j: i32, %w: $T, %k: i32):
    %more = arith.$gt, %v, %w : $T
    %same = arith.$eq, %v, %w : $T
    %first = arith.cmpi slt, %j, %k : i32
    %tie = arith.andi %same, %first : i1
    %left = arith.ori %more, %tie : i1
    %u = arith.select %left, %v, %w : $T
    %l = arith.select %left, %j, %k : i32
    tile.yield %u, %l : $T, i32
  })",
               {{"x", x},
                {"i", i},
                {"n", std::to_string(axis)},
                {"T", type.str()},
                {"X", tensorText(shape, type)},
                {"I", tensorText(shape, "i32")},
                {"R", tensorText(to, type)},
                {"P", tensorText(to, "i32")},
                {"gt", isFloat ? "cmpf ogt" : "cmpi sgt"},
                {"eq", isFloat ? "cmpf oeq" : "cmpi eq"}}));
    kernel.store("%most#0", out, zerosFor(zero, to), to, type);
    kernel.store("%most#1", place, zerosFor(zero, to), to, "i32");
    kernel.finish();
    for (const char *fill : {"plain", "finite"})
      addCall(entry, fill, {of(shape, fill), of(to), of(to)});
    addCall(entry, "equals", {of(shape, Fill(1, 3)), of(to), of(to)});
  }
}

void addScan(Plan &plan, StringRef type, const Combiner &combiner,
             const Shape &shape, size_t axis, bool isReverse) {
  Entry &entry = addWhole(plan, "tile.scan", type,
                          Twine(combiner.op) + "-" + nameText(shape) + ".axis" +
                              Twine(axis) + (isReverse ? ".reverse" : ""),
                          shape, shape,
                          "tile.scan $x axis " + std::to_string(axis) +
                              (isReverse ? " reverse" : "") + " : $X -> $R " +
                              regionOf(combiner, type));
  StringRef op = combiner.op;
  entry.hasFreeZeros = combiner.rounds || op == "maxnumf" || op == "minnumf";
  entry.profile("scan");
  if (op == "mulf")
    addCall(entry, "near-one", {of(shape, Fill(0.5, 1.5)), of(shape)});
  else if (combiner.rounds)
    callsFor(entry, shape, shape, {"plain", "cancel"});
  else
    callsFor(entry, shape, shape, {"plain", "bits", "hurt"});
}

void addSegmentedScan(Plan &plan, StringRef type, const Combiner &combiner,
                      const Shape &shape, size_t axis, bool isReverse) {
  Entry &entry = plan.add("tile.segmented_scan", type,
                          Twine(combiner.op) + "-" + nameText(shape) + ".axis" +
                              Twine(axis) + (isReverse ? ".reverse" : ""));
  StringRef op = combiner.op;
  entry.hasFreeZeros = combiner.rounds || op == "maxnumf" || op == "minnumf";
  entry.profile("structured").profile("scan");
  KernelText kernel(entry);
  std::string in = kernel.view(shape, type), list = kernel.view(shape, "i1"),
              out = kernel.view(shape, type, true), zero = kernel.index(0);
  std::string x = kernel.load(in, zerosFor(zero, shape), shape, type);
  std::string f = kernel.load(list, zerosFor(zero, shape), shape, "i1");
  std::string tile = tensorText(shape, type);
  std::string r =
      kernel.op("tile.segmented_scan " + Twine(x) + " starts " + f + " : " +
                tensorText(shape, "i1") + " axis " + Twine(axis) +
                (isReverse ? " reverse" : "") + " : " + tile + " -> " + tile +
                " " + regionOf(combiner, type));
  kernel.store(r, out, zerosFor(zero, shape), shape, type);
  kernel.finish();
  if (op == "mulf") {
    addCall(entry, "near-one",
            {of(shape, Fill(0.5, 1.5)), of(shape, "bits"), of(shape)});
    return;
  }
  for (const char *fill : {"plain", combiner.rounds ? "cancel" : "bits"})
    addCall(entry, fill, {of(shape, fill), of(shape, "bits"), of(shape)});
}

void addHistograms(Plan &plan) {
  for (StringRef type : {"i32", "i64", "i8", "i16"})
    for (auto [n, bins] :
         {std::pair<int64_t, int64_t>(256, 16), {37, 5}, {64, 100}})
      for (bool isMasked : {false, true}) {
        Entry &entry = plan.add("tile.histogram", type,
                                Twine(n) + "-" + Twine(bins) +
                                    (isMasked ? "-masked" : ""));
        entry.profile("structured").profile("scan");
        KernelText kernel(entry);
        std::string in = kernel.view({n}, type),
                    mask = isMasked ? kernel.view({n}, "i1") : "";
        std::string out = kernel.view({bins}, "i32", true),
                    zero = kernel.index(0);
        std::string x = kernel.load(in, {zero}, {n}, type);
        std::string clause;
        if (isMasked)
          clause = " mask " + kernel.load(mask, {zero}, {n}, "i1") + " : " +
                   tensorText({n}, "i1");
        std::string r = kernel.op("tile.histogram " + Twine(x) + clause +
                                  " : " + tensorText({n}, type) + " -> " +
                                  tensorText({bins}, "i32"));
        kernel.store(r, out, {zero}, {bins}, "i32");
        kernel.finish();
        for (auto [name, fill] :
             {std::pair("inside", Fill(0, double(bins - 1))),
              {"around", Fill(-3, double(std::min<int64_t>(bins + 5, 120)))},
              {"bits", Fill("bits")}}) {
          std::vector<CallArgument> args = {of({n}, fill)};
          if (isMasked)
            args.push_back(of({n}, "bits"));
          args.push_back(of({bins}));
          addCall(entry, name, args);
        }
      }
}

/// A transform of a tile, one of its results.
void addFourier(Plan &plan, StringRef type, const Shape &whole, size_t axis,
                bool isRealSource, bool isRealResult, bool isInverse,
                size_t number) {
  Shape half = whole;
  half[axis] = half[axis] / 2 + 1;
  Shape from = isRealResult ? half : whole, to = isRealSource ? half : whole;
  Entry &entry =
      plan.add("tile.fourier", type,
               Twine(nameText(whole)) + ".axis" + Twine(axis) +
                   (isRealSource   ? ".from-real"
                    : isRealResult ? ".to-real"
                                   : "") +
                   (isInverse ? ".inverse" : "") + (number ? ".im" : ".re"));
  entry.hasFreeZeros = true;
  entry.profile("structured").profile("scan");
  KernelText kernel(entry);
  size_t sources = isRealSource ? 1 : 2, results = isRealResult ? 1 : 2;
  std::vector<std::string> views;
  for (size_t i = 0; i < sources; ++i)
    views.push_back(kernel.view(from, type));
  std::string out = kernel.view(to, type, true), zero = kernel.index(0);
  std::string list, types, made = tensorText(to, type);
  for (size_t i = 0; i < sources; ++i) {
    list += (i ? ", " : "") +
            kernel.load(views[i], zerosFor(zero, from), from, type);
    types += (i ? ", " : "") + tensorText(from, type);
  }
  kernel.line((results > 1 ? "%made:2" : "%made") + Twine(" = tile.fourier ") +
              list + " axis " + Twine(axis) + (isInverse ? " inverse" : "") +
              " : " + types + " -> " + made + (results > 1 ? ", " + made : ""));
  std::string r =
      results > 1 ? "%made#" + std::to_string(number) : std::string("%made");
  kernel.store(r, out, zerosFor(zero, to), to, type);
  kernel.finish();
  std::vector<CallArgument> args(sources, of(from));
  args.push_back(of(to));
  addCall(entry, "plain", args);
}

void addFouriers(Plan &plan) {
  for (StringRef type : {"f32", "f64"})
    for (auto [shape, axis] : {std::pair(Shape{1}, size_t(0)),
                               {Shape{3, 16}, size_t(1)},
                               {Shape{2, 90}, size_t(1)},
                               {Shape{2, 97}, size_t(1)},
                               {Shape{2, 134}, size_t(1)},
                               {Shape{1000}, size_t(0)},
                               {Shape{2, 24, 20}, size_t(1)},
                               {Shape{34, 3}, size_t(0)},
                               {Shape{35, 17}, size_t(0)}})
      for (bool isInverse : {false, true})
        for (size_t number : {0, 1}) {
          addFourier(plan, type, shape, axis, false, false, isInverse, number);
          addFourier(plan, type, shape, axis, true, false, isInverse, number);
          if (!number)
            addFourier(plan, type, shape, axis, false, true, isInverse, number);
        }
}

void addGathers(Plan &plan) {
  for (StringRef type : movableTypes())
    for (auto [shape, ids, axis] : {std::tuple(Shape{64}, Shape{32}, size_t(0)),
                                    {Shape{8, 21}, Shape{8, 5}, size_t(1)},
                                    {Shape{9, 16}, Shape{12, 16}, size_t(0)}}) {
      Entry &entry = plan.add("tile.gather", type,
                              nameText(shape) + ".axis" + Twine(axis));
      entry.isBitwise = true;
      entry.profile("structured").profile("gather");
      KernelText kernel(entry);
      std::string in = kernel.view(shape, type), list = kernel.view(ids, "i32"),
                  out = kernel.view(ids, type, true);
      std::string zero = kernel.index(0);
      std::string x = kernel.load(in, zerosFor(zero, shape), shape, type);
      std::string i = kernel.load(list, zerosFor(zero, ids), ids, "i32");
      std::string r =
          kernel.op("tile.gather " + Twine(x) + " by " + i + " axis " +
                    Twine(axis) + " : " + tensorText(shape, type) + ", " +
                    tensorText(ids, "i32") + " -> " + tensorText(ids, type));
      kernel.store(r, out, zerosFor(zero, ids), ids, type);
      kernel.finish();
      for (const char *fill : {"plain", "bits"})
        addCall(entry, fill,
                {of(shape, fill), of(ids, Fill(0, double(shape[axis] - 1))),
                 of(ids)});
    }
}

void addSorts(Plan &plan) {
  for (StringRef type : movableTypes())
    for (bool isDown : {false, true})
      for (auto [shape, axis] : {std::pair(Shape{64}, size_t(0)),
                                 {Shape{37}, size_t(0)},
                                 {Shape{5, 32}, size_t(1)},
                                 {Shape{19, 6}, size_t(0)},
                                 {Shape{1}, size_t(0)}}) {
        Entry &entry = addWhole(plan, "tile.sort", type,
                                nameText(shape) + ".axis" + Twine(axis) +
                                    (isDown ? ".descending" : ""),
                                shape, shape,
                                "tile.sort $x axis " + std::to_string(axis) +
                                    (isDown ? " descending" : "") + " : $X");
        entry.isProposal = true;
        entry.profile("sort");
        callsFor(entry, shape, shape, {"plain", "hurt", "bits"});
      }
}

void addTopK(Plan &plan, StringRef type, const Shape &shape, size_t axis,
             int64_t count, bool isSmallest) {
  Shape to = shape;
  to[axis] = count;
  Entry &entry = plan.add("tile.top_k", type,
                          nameText(shape) + ".axis" + Twine(axis) + ".k" +
                              Twine(count) + (isSmallest ? ".smallest" : ""));
  entry.isProposal = true;
  entry.profile("sort");
  KernelText kernel(entry);
  std::string in = kernel.view(shape, type), out = kernel.view(to, type, true),
              place = kernel.view(to, "i32", true);
  std::string zero = kernel.index(0);
  std::string x = kernel.load(in, zerosFor(zero, shape), shape, type);
  kernel.line(
      fillIn("%most:2 = tile.top_k $x axis $n : $X -> $R, $P",
             {{"x", x},
              {"n", std::to_string(axis) + (isSmallest ? " smallest" : "")},
              {"X", tensorText(shape, type)},
              {"R", tensorText(to, type)},
              {"P", tensorText(to, "i32")}}));
  kernel.store("%most#0", out, zerosFor(zero, to), to, type);
  kernel.store("%most#1", place, zerosFor(zero, to), to, "i32");
  kernel.finish();
  for (const char *fill : {"plain", "hurt", "bits"})
    addCall(entry, fill, {of(shape, fill), of(to), of(to)});
  addCall(entry, "equals", {of(shape, Fill(1, 3)), of(to), of(to)});
}

} // namespace

void kiln::conform::addTileReductions() {
  addRecipe("tile.reduce", [](Plan &plan) {
    for (StringRef type : {"f32", "f64", "f16", "bf16", "i32", "i64", "i8",
                           "i16", "f8E4M3FN", "f8E5M2"})
      for (const Combiner &combiner : kCombiners) {
        if (!fits(combiner, type))
          continue;
        for (auto [shape, axis] : {std::pair(Shape{8, 64}, size_t(1)),
                                   {Shape{5, 37}, size_t(1)},
                                   {Shape{33, 6}, size_t(0)},
                                   {Shape{100}, size_t(0)},
                                   {Shape{3, 4, 5}, size_t(1)},
                                   {Shape{4, 1}, size_t(1)}})
          addReduce(plan, type, combiner, shape, axis, false);
        addReduce(plan, type, combiner, {6, 19}, 1, true);
      }
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
      addArgmax(plan, type);
  });
  addRecipe("tile.scan", [](Plan &plan) {
    for (StringRef type :
         {"f32", "f64", "f16", "bf16", "i32", "i64", "i8", "i16"})
      for (const Combiner &combiner : kCombiners)
        if (fits(combiner, type))
          for (auto [shape, axis] : {std::pair(Shape{64}, size_t(0)),
                                     {Shape{5, 37}, size_t(1)},
                                     {Shape{17, 4}, size_t(0)}})
            for (bool isReverse : {false, true})
              addScan(plan, type, combiner, shape, axis, isReverse);
  });
  addRecipe("tile.segmented_scan", [](Plan &plan) {
    for (StringRef type : {"f32", "f64", "f16", "bf16", "i32", "i64", "i8"})
      for (const Combiner &combiner : kCombiners)
        for (auto [shape, axis, isReverse] :
             {std::tuple(Shape{64}, size_t(0), false),
              {Shape{5, 37}, size_t(1), true},
              {Shape{17, 4}, size_t(0), false}})
          if (fits(combiner, type))
            addSegmentedScan(plan, type, combiner, shape, axis, isReverse);
  });
  addRecipe("tile.fourier", addFouriers);
  addRecipe("tile.histogram", addHistograms);
  addRecipe("tile.gather", addGathers);
  addRecipe("tile.sort", addSorts);
  addRecipe("tile.top_k", [](Plan &plan) {
    for (StringRef type : movableTypes())
      for (bool isSmallest : {false, true})
        for (auto [shape, axis, count] :
             {std::tuple(Shape{64}, size_t(0), int64_t(5)),
              {Shape{37}, size_t(0), int64_t(37)},
              {Shape{5, 32}, size_t(1), int64_t(8)},
              {Shape{19, 6}, size_t(0), int64_t(1)}})
          addTopK(plan, type, shape, axis, count, isSmallest);
  });
}
