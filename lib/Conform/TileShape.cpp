//===- TileShape.cpp - Operations that move elements of tiles -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// A program that loads whole tiles, rearranges them and stores the result.
struct Movement {
  std::vector<Shape> from;
  Shape to;
  /// The operation; $x, $y are the tiles, $X, $Y, $R the types.
  std::string pattern;
  std::string form;
};

void addMovement(Plan &plan, StringRef op, StringRef type,
                 const Movement &movement) {
  Entry &entry = plan.add(op, type, movement.form);
  entry.isBitwise = true;
  entry.profile("movement").profile("structured");
  if (type.starts_with("f8"))
    entry.profile("float8");
  KernelText kernel(entry);
  Words words = {{"R", tensorText(movement.to, type)}, {"T", type.str()}};
  std::vector<std::string> views;
  for (const Shape &shape : movement.from)
    views.push_back(kernel.view(shape, type));
  std::string out = kernel.view(movement.to, type, /*isWritten=*/true);
  std::string zero = kernel.index(0), one = kernel.index(1);
  words.push_back({"c0", zero});
  words.push_back({"c1", one});
  auto zeros = [&](size_t rank) {
    return std::vector<std::string>(rank, zero);
  };
  const char *names[] = {"x", "y", "z"}, *types[] = {"X", "Y", "Z"};
  for (size_t i = 0; i < views.size(); ++i) {
    const Shape &shape = movement.from[i];
    words.push_back(
        {names[i], kernel.load(views[i], zeros(shape.size()), shape, type)});
    words.push_back({types[i], tensorText(shape, type)});
  }
  std::string result = kernel.op(fillIn(movement.pattern, words));
  kernel.store(result, out, zeros(movement.to.size()), movement.to, type);
  kernel.finish();
  for (const char *name : {"plain", "hurt", "bits"}) {
    std::vector<CallArgument> args;
    for (const Shape &shape : movement.from)
      args.push_back(of(shape, name));
    args.push_back(of(movement.to));
    addCall(entry, name, std::move(args));
  }
}

void addMovements(StringRef op, std::vector<Movement> movements) {
  addRecipe(op, [op = op.str(), movements](Plan &plan) {
    for (StringRef type : movableTypes())
      for (const Movement &movement : movements)
        addMovement(plan, op, type, movement);
  });
}

/// Operations that make tiles: the results are converted to be stored.
void addGenerated() {
  addRecipe("tile.splat", [](Plan &plan) {
    for (StringRef type : movableTypes())
      for (const Shape &shape :
           std::vector<Shape>{{1}, {37}, {8, 16}, {2, 3, 5}}) {
        Entry &entry = plan.add("tile.splat", type, nameText(shape));
        entry.isBitwise = true;
        entry.profile("movement").profile("structured");
        KernelText kernel(entry);
        std::string s = kernel.scalar(type);
        std::string out = kernel.view(shape, type, true);
        std::string zero = kernel.index(0);
        kernel.store(kernel.op("tile.splat " + Twine(s) + " : " +
                               tensorText(shape, type)),
                     out, std::vector<std::string>(shape.size(), zero), shape,
                     type);
        kernel.finish();
        for (const char *fill : {"plain", "bits"})
          addCall(entry, fill, {of({}, fill), of(shape)});
      }
  });
  addRecipe("tile.iota", [](Plan &plan) {
    for (StringRef type : {"i32", "i64", "i8", "i16", "i1"})
      for (const Shape &shape :
           std::vector<Shape>{{64}, {37}, {300}, {8, 17}, {3, 5, 7}})
        for (size_t dim = 0; dim < shape.size(); ++dim) {
          Entry &entry = plan.add("tile.iota", type,
                                  nameText(shape) + ".dim" + Twine(dim));
          entry.profile("movement").profile("structured");
          KernelText kernel(entry);
          std::string out = kernel.view(shape, type, true);
          std::string zero = kernel.index(0);
          kernel.store(kernel.op("tile.iota " + Twine(dim) + " : " +
                                 tensorText(shape, type)),
                       out, std::vector<std::string>(shape.size(), zero), shape,
                       type);
          kernel.finish();
          addCall(entry, "only", {of(shape)});
        }
  });
}

} // namespace

void kiln::conform::addTileShape() {
  addGenerated();
  addMovements(
      "tile.broadcast",
      {{{{1, 16}}, {8, 16}, "tile.broadcast $x : $X -> $R", "rows"},
       {{{37, 1}}, {37, 5}, "tile.broadcast $x : $X -> $R", "columns"},
       {{{1}}, {64}, "tile.broadcast $x : $X -> $R", "one"},
       {{{1, 3, 1, 5}}, {2, 3, 4, 5}, "tile.broadcast $x : $X -> $R", "high"}});
  addMovements(
      "tile.expand_dims",
      {{{{16}}, {16, 1}, "tile.expand_dims $x axis 1 : $X -> $R", "last"},
       {{{37}}, {1, 37}, "tile.expand_dims $x axis 0 : $X -> $R", "first"},
       {{{4, 5}},
        {4, 1, 5},
        "tile.expand_dims $x axis 1 : $X -> $R",
        "middle"}});
  addMovements("tile.reshape",
               {{{{8, 6}}, {48}, "tile.reshape $x : $X -> $R", "flat"},
                {{{60}}, {3, 4, 5}, "tile.reshape $x : $X -> $R", "split"},
                {{{6, 10}}, {4, 15}, "tile.reshape $x : $X -> $R", "regroup"},
                {{{1, 37}}, {37, 1}, "tile.reshape $x : $X -> $R", "ones"}});
  addMovements(
      "tile.transpose",
      {{{{16, 32}}, {32, 16}, "tile.transpose $x [1, 0] : $X -> $R", "square"},
       {{{5, 37}}, {37, 5}, "tile.transpose $x [1, 0] : $X -> $R", "odd"},
       {{{2, 3, 4}},
        {4, 2, 3},
        "tile.transpose $x [2, 0, 1] : $X -> $R",
        "cycle"},
       {{{2, 3, 4, 5}},
        {3, 5, 2, 4},
        "tile.transpose $x [1, 3, 0, 2] : $X -> $R",
        "high"}});
  addMovements(
      "tile.exchange",
      {{{{64}}, {64}, "tile.exchange $x axis 0 mask 16 : $R", "pairs"},
       {{{256}}, {256}, "tile.exchange $x axis 0 mask 255 : $R", "flip"},
       {{{12, 5}}, {12, 5}, "tile.exchange $x axis 0 mask 2 : $R", "rows"},
       {{{3, 40}}, {3, 40}, "tile.exchange $x axis 1 mask 5 : $R", "columns"},
       {{{2, 8, 4}},
        {2, 8, 4},
        "tile.exchange $x axis 1 mask 4 : $R",
        "high"}});
  addMovements(
      "tile.cat",
      {{{{8}, {5}}, {13}, "tile.cat $x, $y axis 0 : $X, $Y -> $R", "flat"},
       {{{4, 6}, {4, 3}},
        {4, 9},
        "tile.cat $x, $y axis 1 : $X, $Y -> $R",
        "columns"},
       {{{2, 16}, {3, 16}, {1, 16}},
        {6, 16},
        "tile.cat $x, $y, $z axis 0 : $X, $Y, $Z -> $R",
        "three"}});
  addMovements(
      "tile.extract",
      {{{{64}}, {16}, "tile.extract $x[$c1] : $X -> $R", "flat"},
       {{{12, 20}}, {4, 10}, "tile.extract $x[$c1, $c1] : $X -> $R", "block"},
       {{{6, 7}}, {3, 7}, "tile.extract $x[$c1, $c0] : $X -> $R", "rows"}});
  addMovements(
      "tile.join",
      {{{{32}, {32}}, {32, 2}, "tile.join $x, $y : $X -> $R", "flat"},
       {{{5, 7}, {5, 7}}, {5, 7, 2}, "tile.join $x, $y : $X -> $R", "odd"}});
  addRecipe("tile.split", [](Plan &plan) {
    for (StringRef type : movableTypes())
      for (const Shape &shape : std::vector<Shape>{{32}, {5, 7}}) {
        Entry &entry = plan.add("tile.split", type, nameText(shape));
        entry.isBitwise = true;
        entry.profile("movement").profile("structured");
        KernelText kernel(entry);
        Shape wide = shape;
        wide.push_back(2);
        std::string in = kernel.view(wide, type);
        std::string a = kernel.view(shape, type, true);
        std::string b = kernel.view(shape, type, true);
        std::string zero = kernel.index(0);
        std::vector<std::string> at(shape.size(), zero),
            wideAt(wide.size(), zero);
        std::string x = kernel.load(in, wideAt, wide, type);
        kernel.line("%first, %second = tile.split " + Twine(x) + " : " +
                    tensorText(wide, type) + " -> " + tensorText(shape, type));
        kernel.store("%first", a, at, shape, type);
        kernel.store("%second", b, at, shape, type);
        kernel.finish();
        for (const char *fill : {"plain", "bits"})
          addCall(entry, fill, {of(wide, fill), of(shape), of(shape)});
      }
  });
}
