//===- TileMemory.cpp - Reading and writing through views -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

Entry &addEntry(Plan &plan, StringRef op, StringRef type, const Twine &form) {
  Entry &entry = plan.add(op, type, form);
  entry.isBitwise = true;
  entry.profile("structured").profile("memory");
  if (type.starts_with("f8"))
    entry.profile("float8");
  return entry;
}

const std::array<std::pair<int64_t, int64_t>, 6> kOffsets = {
    {{0, 0}, {3, 5}, {-3, -7}, {9, 20}, {100, 0}, {-8, -100}}};

/// A block of a view at offsets that the caller gives, over all edges.
void addLoadAt(Plan &plan, StringRef type, StringRef form, StringRef clauses,
               bool hasPad) {
  Entry &entry = addEntry(plan, "tile.load", type, form);
  KernelText kernel(entry);
  Shape any = {-1, -1}, tile = {8, 16};
  std::string in = kernel.view(any, type, false, any);
  std::string row = kernel.scalar("index"), column = kernel.scalar("index");
  std::string pad = hasPad ? kernel.scalar(type) : "";
  std::string out = kernel.view(tile, type, true);
  std::string zero = kernel.index(0);
  std::string words = fillIn(clauses, {{"p", pad}, {"T", type.str()}});
  std::string x = kernel.load(in, {row, column}, tile, type, "at " + words);
  kernel.store(x, out, {zero, zero}, tile, type);
  kernel.finish();
  for (auto [r, c] : kOffsets)
    for (const char *fill : {"plain", "bits"}) {
      if (StringRef(fill) == "bits" && r != 3)
        continue;
      std::vector<CallArgument> args = {of({12, 29}, fill, {31, 1}),
                                        of({}, Fill::value(double(r))),
                                        of({}, Fill::value(double(c)))};
      if (hasPad)
        args.push_back(of({}, "plain"));
      args.push_back(of(tile));
      addCall(entry,
              "at" + std::to_string(r) + "." + std::to_string(c) + "-" + fill,
              args);
    }
  std::vector<CallArgument> args = {of({12, 29}, "plain", {1, 13}),
                                    of({}, Fill::value(2)),
                                    of({}, Fill::value(-2))};
  if (hasPad)
    args.push_back(of({}, "plain"));
  args.push_back(of(tile));
  addCall(entry, "columns-plain", args);
}

/// Views whose sizes and strides are known: dense, with gaps, transposed.
void addLoadStatic(Plan &plan, StringRef type) {
  struct Form {
    const char *name;
    Shape shape, strides, tile;
  };
  for (const Form &form :
       {Form{"dense", {16, 24}, {}, {8, 12}},
        Form{"gaps", {16, 24}, {32, 1}, {8, 12}},
        Form{"transposed", {16, 24}, {1, 16}, {8, 12}},
        Form{"odd", {13, 7}, {}, {13, 7}}, Form{"vector", {3, 40}, {}, {40}},
        Form{"repeated", {16, 24}, {0, 1}, {8, 12}},
        Form{"cube", {2, 3, 5}, {}, {2, 3, 5}}}) {
    Entry &entry =
        addEntry(plan, "tile.load", type, Twine("static-") + form.name);
    KernelText kernel(entry);
    std::string in = kernel.view(form.shape, type, false, form.strides);
    std::string out = kernel.view(form.tile, type, true);
    std::string zero = kernel.index(0), one = kernel.index(1);
    std::vector<std::string> at(form.shape.size(), zero);
    if (StringRef(form.name) != "odd" && StringRef(form.name) != "cube")
      at[0] = one;
    std::string x = kernel.load(in, at, form.tile, type);
    kernel.store(x, out, std::vector<std::string>(form.tile.size(), zero),
                 form.tile, type);
    kernel.finish();
    for (const char *fill : {"plain", "bits"})
      addCall(entry, fill, {of(form.shape, fill, form.strides), of(form.tile)});
  }
}

/// A store over the edges of its view; what is around stays as it is.
void addStoreAt(Plan &plan, StringRef type, StringRef form, StringRef clauses) {
  Entry &entry = addEntry(plan, "tile.store", type, form);
  KernelText kernel(entry);
  Shape any = {-1, -1}, tile = {8, 16};
  std::string in = kernel.view(tile, type);
  std::string row = kernel.scalar("index"), column = kernel.scalar("index");
  std::string out = kernel.view(any, type, true, any);
  std::string zero = kernel.index(0);
  std::string x = kernel.load(in, {zero, zero}, tile, type);
  kernel.store(x, out, {row, column}, tile, type, "at " + clauses.str());
  kernel.finish();
  for (auto [r, c] : kOffsets)
    addCall(entry,
            "at" + std::to_string(r) + "." + std::to_string(c) + "-plain",
            {of(tile), of({}, Fill::value(double(r))),
             of({}, Fill::value(double(c))), of({12, 29}, "plain", {31, 1})});
  addCall(entry, "columns-bits",
          {of(tile, "bits"), of({}, Fill::value(2)), of({}, Fill::value(-2)),
           of({12, 29}, "plain", {1, 13})});
}

constexpr StringRef kCombines[] = {"add", "mul", "max", "min", "umax", "umin",
                                   "and", "or",  "xor", "inc", "dec"};

/// Whether several combinations with one element may have several results: the
/// order of roundings is open, and so is that of different limits.
bool isOrdered(StringRef kind, StringRef type) {
  bool isRounded = isFloatText(type) && (kind == "add" || kind == "mul");
  return isRounded || kind == "inc" || kind == "dec";
}

/// Stores that combine with what is there, of one instance and of several.
void addCombines(Plan &plan, StringRef type) {
  for (StringRef kind : kCombines) {
    for (bool isShared : {false, true}) {
      if (isShared && isOrdered(kind, type))
        continue;
      Entry &entry =
          addEntry(plan, "tile.store", type,
                   Twine("combine-") + kind + (isShared ? "-shared" : ""));
      entry.isProposal = true;
      entry.isBitwise = false;
      entry.hasFreeZeros = isFloatText(type);
      entry.profile("combine");
      if (isShared)
        entry.profile("atomic");
      KernelText kernel(entry);
      constexpr int64_t block = 32;
      std::string in = kernel.view({-1}, type);
      std::string out = kernel.view({-1}, type, true);
      auto ids = kernel.programId();
      std::string zero = kernel.index(0);
      std::string x = kernel.load(in, ids, {block}, type);
      kernel.store(x, out, {isShared ? zero : ids[0]}, {block}, type,
                   (" combine " + Twine(kind)).str());
      kernel.finish();
      for (const char *fill : {"plain", "finite", "hurt"})
        addCall(entry, fill, {of({150}, fill), of({isShared ? 30 : 150}, fill)},
                {5, 1, 1});
    }
  }
}

void addGather(Plan &plan, StringRef type, StringRef clauses, StringRef form) {
  Entry &entry = addEntry(plan, "tile.load_gather", type, form);
  entry.profile("gather");
  KernelText kernel(entry);
  Shape any = {-1, -1};
  std::string table = kernel.view(any, type);
  std::string list = kernel.view({-1}, "i32");
  std::string column = kernel.scalar("index");
  std::string pad = clauses.contains("$p") ? kernel.scalar(type) : "";
  std::string out = kernel.view({16, 24}, type, true);
  std::string zero = kernel.index(0);
  std::string ids = kernel.load(list, {zero}, {16}, "i32");
  std::string words = fillIn(clauses, {{"p", pad}, {"T", type.str()}});
  std::string rows = kernel.op(
      "tile.load_gather " + Twine(table) + "[" + column + "] dim 0 by " + ids +
      words + " : " + kernel.typeOf(table) + ", " + tensorText({16}, "i32") +
      " -> " + tensorText({16, 24}, type));
  kernel.store(rows, out, {zero, zero}, {16, 24}, type);
  kernel.finish();
  struct Place {
    const char *name;
    double column, low, high;
  };
  for (const Place &place :
       {Place{"inside", 0, 0, 19}, Place{"edges", 3, -4, 23},
        Place{"left", -5, -2, 25}}) {
    std::vector<CallArgument> args = {of({20, 26}, "bits"),
                                      of({16}, Fill(place.low, place.high)),
                                      of({}, Fill::value(place.column))};
    if (!pad.empty())
      args.push_back(of({}, "plain"));
    args.push_back(of({16, 24}));
    addCall(entry, place.name, args);
  }
}

/// Stores by index that combine. Elements have the same place where each order
/// has the same result.
void addCombiningScatter(Plan &plan, StringRef type) {
  for (StringRef kind : kCombines) {
    Entry &entry =
        addEntry(plan, "tile.store_scatter", type, "combine-" + Twine(kind));
    entry.isProposal = true;
    entry.isBitwise = false;
    entry.hasFreeZeros = isFloatText(type);
    entry.profile("gather").profile("combine").profile("atomic");
    KernelText kernel(entry);
    constexpr int64_t block = 32, instances = 5, places = block * instances;
    std::string in = kernel.view({-1}, type), list = kernel.view({-1}, "i32");
    std::string out = kernel.view({-1}, type, true);
    auto ids = kernel.programId();
    std::string x = kernel.load(in, ids, {block}, type);
    std::string at = kernel.load(list, ids, {block}, "i32");
    kernel.line("tile.store_scatter " + Twine(x) + ", " + out + "[] dim 0 by " +
                at + " combine " + kind + " : " + tensorText({block}, type) +
                ", " + kernel.typeOf(out) + ", " + tensorText({block}, "i32"));
    kernel.finish();
    bool isOnce = isOrdered(kind, type);
    for (const char *fill : {"plain", "finite", "hurt"})
      addCall(entry, fill,
              {of({places}, fill),
               of({places}, isOnce ? Fill("order") : Fill(-4, 23)),
               of({isOnce ? 150 : 20}, fill)},
              {instances, 1, 1});
  }
}

void addScatter(Plan &plan, StringRef type) {
  for (int64_t dim : {0, 1}) {
    Entry &entry =
        addEntry(plan, "tile.store_scatter", type, "dim" + Twine(dim));
    entry.profile("gather");
    KernelText kernel(entry);
    Shape any = {-1, -1}, tile = {16, 24};
    std::string in = kernel.view(tile, type);
    std::string list = kernel.view({-1}, "i32");
    std::string offset = kernel.scalar("index");
    std::string out = kernel.view(any, type, true, any);
    std::string zero = kernel.index(0);
    int64_t n = tile[dim];
    std::string ids = kernel.load(list, {zero}, {n}, "i32");
    std::string x = kernel.load(in, {zero, zero}, tile, type);
    kernel.line("tile.store_scatter " + Twine(x) + ", " + out + "[" + offset +
                "] dim " + Twine(dim) + " by " + ids + " : " +
                tensorText(tile, type) + ", " + kernel.typeOf(out) + ", " +
                tensorText({n}, "i32"));
    kernel.finish();
    for (auto [name, at, size] :
         {std::tuple("inside", 0., 30), {"edges", 4., 20}, {"left", -3., 12}})
      addCall(entry, name,
              {of(tile, "bits"), of({n}, "order"), of({}, Fill::value(at)),
               of({size, size}, "plain", {size + 3, 1})});
  }
}

/// Kernels that store a number of type index.
void addIndexKernel(
    Plan &plan, StringRef op, StringRef form,
    const std::function<std::vector<std::string>(KernelText &)> &make,
    const std::function<void(Entry &)> &calls) {
  Entry &entry = plan.add(op, "index", form);
  entry.profile("structured").profile("memory");
  KernelText kernel(entry);
  std::vector<std::string> numbers = make(kernel);
  std::string out = kernel.view({-1, -1}, "i64", true);
  auto ids = std::vector<std::string>();
  std::string x = kernel.op("tile.program_id : index");
  std::string zero = kernel.index(0);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    std::string wide =
        kernel.op("arith.index_cast " + Twine(number) + " : index to i64");
    std::string tile =
        kernel.op("tile.splat " + Twine(wide) + " : tensor<1x1xi64>");
    std::string column = kernel.index(int64_t(i));
    kernel.store(tile, out, {x, column}, {1, 1}, "i64");
  }
  kernel.finish();
  calls(entry);
}

void addIndexKernels() {
  addRecipe("tile.dim", [](Plan &plan) {
    addIndexKernel(
        plan, "tile.dim", "2d",
        [](KernelText &kernel) {
          std::string view = kernel.view({-1, -1}, "f32");
          auto dim = [&](int d) {
            return kernel.op("tile.dim " + Twine(view) + "[" + Twine(d) +
                             "] : " + kernel.typeOf(view));
          };
          return std::vector<std::string>{dim(0), dim(1)};
        },
        [](Entry &entry) {
          for (auto [m, n] : {std::pair(3, 5), {0, 7}, {1, 1000}})
            addCall(entry, std::to_string(m) + "x" + std::to_string(n),
                    {of({m, n}), of({1, 2})});
        });
  });
  addRecipe("tile.num_blocks", [](Plan &plan) {
    for (int64_t block : {1, 16, 37})
      addIndexKernel(
          plan, "tile.num_blocks", "by" + std::to_string(block),
          [block](KernelText &kernel) {
            std::string view = kernel.view({-1}, "f32");
            return std::vector<std::string>{
                kernel.op("tile.num_blocks " + Twine(view) + "[0] by " +
                          Twine(block) + " : " + kernel.typeOf(view))};
          },
          [](Entry &entry) {
            for (int64_t n : {0, 1, 16, 37, 38, 1000})
              addCall(entry, "n" + std::to_string(n), {of({n}), of({1, 1})});
          });
  });
  for (const char *op : {"tile.program_id", "tile.num_programs"})
    addRecipe(op, [op = std::string(op)](Plan &plan) {
      Entry &entry = plan.add(op, "index", "3d");
      entry.profile("structured");
      KernelText kernel(entry);
      std::string out = kernel.view({-1, -1, -1, 3}, "i64", true);
      kernel.line("%x, %y, %z = tile.program_id : index, index, index");
      if (op == "tile.num_programs")
        kernel.line("%a, %b, %c = tile.num_programs : index, index, index");
      for (int i = 0; i < 3; ++i) {
        const char *names[] = {"%x", "%y", "%z"},
                   *counts[] = {"%a", "%b", "%c"};
        std::string wide =
            kernel.op(Twine("arith.index_cast ") +
                      (op == "tile.program_id" ? names[i] : counts[i]) +
                      " : index to i64");
        std::string tile =
            kernel.op("tile.splat " + Twine(wide) + " : tensor<1x1x1x1xi64>");
        kernel.store(tile, out, {"%x", "%y", "%z", kernel.index(i)},
                     {1, 1, 1, 1}, "i64");
      }
      kernel.finish();
      for (auto grid :
           {std::array<int64_t, 3>{1, 1, 1}, {5, 3, 2}, {1, 7, 1}, {2, 1, 9}})
        addCall(entry, nameText({grid[0], grid[1], grid[2]}),
                {of({grid[0], grid[1], grid[2], 3})}, grid);
    });
}

/// Views that the kernel makes of pointers.
void addMakeView() {
  addRecipe("tile.make_view", [](Plan &plan) {
    for (StringRef type : movableTypes()) {
      Entry &entry = addEntry(plan, "tile.make_view", type, "rows");
      entry.profile("pointer");
      KernelText kernel(entry);
      std::string p = kernel.pointer(type), m = kernel.scalar("index"),
                  n = kernel.scalar("index"), ld = kernel.scalar("index");
      std::string out = kernel.view({-1, -1}, type, true);
      auto ids = kernel.programId(2);
      std::string shaped = viewText({-1, -1}, type, {-1, 1});
      std::string view = kernel.op("tile.make_view " + Twine(p) + " sizes [" +
                                   m + ", " + n + "] strides [" + ld +
                                   "] : !tile.ptr<" + type + "> -> " + shaped);
      std::string x =
          kernel.op("tile.load " + Twine(view) + "[" + ids[0] + ", " + ids[1] +
                    "] : " + shaped + " -> " + tensorText({8, 16}, type));
      kernel.store(x, out, ids, {8, 16}, type);
      kernel.finish();
      for (auto [rows, columns, stride] :
           {std::tuple(8, 16, 16), {20, 33, 40}, {3, 5, 5}})
        addCall(entry, nameText({rows, columns, stride}),
                {of({rows * stride}, "bits"), of({}, Fill::value(rows)),
                 of({}, Fill::value(columns)), of({}, Fill::value(stride)),
                 of({24, 48})},
                {3, 3, 1});
    }
  });
}

} // namespace

void kiln::conform::addTileMemory() {
  addRecipe("tile.load", [](Plan &plan) {
    for (StringRef type : movableTypes()) {
      addLoadAt(plan, type, "zero", "", false);
      addLoadAt(plan, type, "value", " pad $p : $T", true);
      if (isFloatText(type))
        addLoadAt(plan, type, "nan", " padding nan", false);
      addLoadAt(plan, type, "step", " step [1, 2]", false);
      addLoadStatic(plan, type);
    }
  });
  addRecipe("tile.store", [](Plan &plan) {
    for (StringRef type : movableTypes()) {
      addStoreAt(plan, type, "assign", "");
      addStoreAt(plan, type, "step", " step [2, 1]");
      addCombines(plan, type);
    }
  });
  addRecipe("tile.load_gather", [](Plan &plan) {
    for (StringRef type : movableTypes()) {
      addGather(plan, type, "", "rows");
      addGather(plan, type, " pad $p : $T", "rows-value");
    }
  });
  addRecipe("tile.store_scatter", [](Plan &plan) {
    for (StringRef type : movableTypes()) {
      addScatter(plan, type);
      addCombiningScatter(plan, type);
    }
  });
  addIndexKernels();
  addMakeView();
}
