//===- TilePointers.cpp - Pointers, tiles of pointers, masks --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registry.h"
#include "Text.h"

using namespace kiln::conform;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// The text that kernels over pointers share: the offsets of one instance's
/// block of lanes, and the mask of those below a limit.
struct Lanes {
  KernelText &kernel;
  int64_t block;
  std::string start, lanes, mask; ///< first lane; i32 offsets; lanes below n

  Lanes(KernelText &kernel, const std::string &limit, int64_t block,
        int64_t step = 1)
      : kernel(kernel), block(block) {
    std::string ids = kernel.programId()[0];
    std::string narrow =
        kernel.op("arith.index_cast " + Twine(ids) + " : index to i32");
    std::string size = kernel.op("arith.constant " + Twine(block) + " : i32");
    start = kernel.op("arith.muli " + Twine(narrow) + ", " + size + " : i32");
    std::string I = tensorText({block}, "i32");
    std::string iota = kernel.op("tile.iota 0 : " + Twine(I));
    std::string base = kernel.op("tile.splat " + Twine(start) + " : " + I);
    std::string count =
        kernel.op("arith.addi " + Twine(iota) + ", " + base + " : " + I);
    std::string most = kernel.op("tile.splat " + Twine(limit) + " : " + I);
    mask =
        kernel.op("arith.cmpi slt, " + Twine(count) + ", " + most + " : " + I);
    lanes = count;
    if (step != 1) {
      std::string times =
          kernel.op("arith.constant dense<" + Twine(step) + "> : " + I);
      lanes =
          kernel.op("arith.muli " + Twine(count) + ", " + times + " : " + I);
    }
  }

  std::string pointers(StringRef type) const {
    return "tensor<" + std::to_string(block) + "x!tile.ptr<" + type.str() +
           ">>";
  }
  std::string at(const std::string &pointer, StringRef type,
                 const std::string &offsets) const {
    std::string all =
        kernel.op("tile.splat " + Twine(pointer) + " : " + pointers(type));
    return kernel.op("tile.ptr_add " + Twine(all) + ", " + offsets + " : " +
                     pointers(type) + ", " + tensorText({block}, "i32"));
  }
};

/// out[i] = in[f(i)], the usual kernel over pointers.
void addCopy(Plan &plan, StringRef op, StringRef type, int64_t block,
             int64_t step, StringRef other) {
  Entry &entry = plan.add(op, type,
                          "block" + Twine(block) + ".step" + Twine(step) +
                              (other.empty() ? "" : "." + other.str()));
  entry.isBitwise = true;
  entry.profile("pointer");
  if (type.starts_with("f8"))
    entry.profile("float8");
  KernelText kernel(entry);
  std::string in = kernel.pointer(type), out = kernel.pointer(type, true),
              n = kernel.scalar("i32");
  Lanes lanes(kernel, n, block, op == "tile.store_ptr" ? 1 : step);
  std::string from = lanes.at(in, type, lanes.lanes);
  std::string T = tensorText({block}, type);
  std::string mask = " mask " + lanes.mask, otherwise;
  if (other == "other") {
    std::string zero = kernel.op("arith.constant dense<" +
                                 Twine(isFloatText(type) ? "1.5"
                                       : type == "i1"    ? "true"
                                                         : "7") +
                                 "> : " + T);
    otherwise = " other " + zero;
  }
  std::string x = kernel.op("tile.load_ptr " + Twine(from) + mask + otherwise +
                            " : " + lanes.pointers(type) + " -> " + T);
  // With values for disabled lanes everything is stored.
  std::string targets = lanes.lanes;
  if (op == "tile.store_ptr" && step != 1) {
    std::string times = kernel.op("arith.constant dense<" + Twine(step) +
                                  "> : " + tensorText({block}, "i32"));
    targets = kernel.op("arith.muli " + Twine(lanes.lanes) + ", " + times +
                        " : " + tensorText({block}, "i32"));
  }
  std::string to = lanes.at(out, type, targets);
  kernel.line("tile.store_ptr " + Twine(to) + ", " + x +
              (other == "other" ? "" : mask) + " : " + lanes.pointers(type) +
              ", " + T);
  kernel.finish();
  for (int64_t count : {0, 1, 37, 64, 200})
    for (const char *fill : {"plain", "bits"}) {
      if (StringRef(fill) == "bits" && count != 200)
        continue;
      int64_t blocks = std::max<int64_t>(1, ceilDiv(count, block));
      addCall(entry, "n" + std::to_string(count) + "-" + fill,
              {of({std::max<int64_t>(1, blocks * block * step)}, fill),
               of({blocks * block * step}), of({}, Fill::value(double(count)))},
              {blocks, 1, 1});
    }
}

void addScalars(Plan &plan) {
  for (StringRef type : movableTypes()) {
    Entry &entry = plan.add("tile.load_ptr", type, "scalar");
    entry.isBitwise = true;
    entry.profile("pointer");
    KernelText kernel(entry);
    std::string in = kernel.pointer(type), out = kernel.pointer(type, true),
                n = kernel.scalar("i64");
    std::string p = kernel.op("tile.ptr_add " + Twine(in) + ", " + n +
                              " : !tile.ptr<" + type + ">, i64");
    std::string x = kernel.op("tile.load_ptr " + Twine(p) + " : !tile.ptr<" +
                              type + "> -> " + type);
    kernel.line("tile.store_ptr " + Twine(out) + ", " + x + " : !tile.ptr<" +
                type + ">, " + type);
    kernel.finish();
    for (int64_t at : {0, 1, 39})
      addCall(entry, "at" + std::to_string(at),
              {of({40}, "bits"), of({3}), of({}, Fill::value(double(at)))});
  }
}

/// Pointers taken apart and put together again.
void addCasts() {
  addRecipe("tile.ptr_cast", [](Plan &plan) {
    for (auto [from, to] : {std::pair("f32", "i32"),
                            {"i32", "f32"},
                            {"i1", "i8"},
                            {"f16", "bf16"},
                            {"i64", "f64"},
                            {"i32", "i8"}}) {
      Entry &entry =
          plan.add("tile.ptr_cast", std::string(from) + "->" + to, "lanes");
      entry.isBitwise = true;
      entry.profile("pointer");
      KernelText kernel(entry);
      std::string in = kernel.pointer(from), out = kernel.pointer(to, true),
                  n = kernel.scalar("i32");
      std::string moved =
          kernel.op("tile.ptr_cast " + Twine(in) + " : !tile.ptr<" + from +
                    "> -> !tile.ptr<" + to + ">");
      Lanes lanes(kernel, n, 32);
      std::string T = tensorText({32}, to);
      std::string x = kernel.op(
          "tile.load_ptr " + Twine(lanes.at(moved, to, lanes.lanes)) +
          " mask " + lanes.mask + " : " + lanes.pointers(to) + " -> " + T);
      kernel.line("tile.store_ptr " + Twine(lanes.at(out, to, lanes.lanes)) +
                  ", " + x + " mask " + lanes.mask + " : " +
                  lanes.pointers(to) + ", " + T);
      kernel.finish();
      for (int64_t count : {5, 32, 50})
        addCall(
            entry, "n" + std::to_string(count),
            {of({64}, "bits"), of({64}), of({}, Fill::value(double(count)))},
            {2, 1, 1});
    }
  });
  for (const char *op : {"tile.ptr_to_int", "tile.int_to_ptr"})
    addRecipe(op, [op = std::string(op)](Plan &plan) {
      for (StringRef type : {"f32", "i8", "i64"}) {
        Entry &entry = plan.add(op, type, "roundtrip");
        entry.isBitwise = true;
        entry.profile("pointer");
        KernelText kernel(entry);
        std::string in = kernel.pointer(type), out = kernel.pointer(type, true),
                    n = kernel.scalar("i64");
        std::string P = "!tile.ptr<" + type.str() + ">";
        std::string address =
            kernel.op("tile.ptr_to_int " + Twine(in) + " : " + P + " -> i64");
        std::string moved =
            kernel.op("arith.addi " + Twine(address) + ", " + n + " : i64");
        std::string p =
            kernel.op("tile.int_to_ptr " + Twine(moved) + " : i64 -> " + P);
        std::string x =
            kernel.op("tile.load_ptr " + Twine(p) + " : " + P + " -> " + type);
        kernel.line("tile.store_ptr " + Twine(out) + ", " + x + " : " + P +
                    ", " + type);
        kernel.finish();
        for (int64_t at : {0, 8, 40})
          addCall(entry, "byte" + std::to_string(at),
                  {of({64}, "bits"), of({1}), of({}, Fill::value(double(at)))});
      }
    });
  addRecipe("tile.ptr_add", [](Plan &plan) {
    for (StringRef type : movableTypes())
      for (StringRef offset : {"i32", "i64", "i8", "i16"}) {
        Entry &entry =
            plan.add("tile.ptr_add", type.str() + "," + offset.str(), "lanes");
        entry.isBitwise = true;
        entry.profile("pointer");
        KernelText kernel(entry);
        std::string in = kernel.pointer(type), list = kernel.view({16}, offset),
                    out = kernel.view({16}, type, true);
        std::string zero = kernel.index(0);
        std::string i = kernel.load(list, {zero}, {16}, offset);
        std::string P = "tensor<16x!tile.ptr<" + type.str() + ">>";
        std::string all = kernel.op("tile.splat " + Twine(in) + " : " + P);
        // From the middle, so that offsets are signed.
        std::string half =
            kernel.op("arith.constant dense<20> : tensor<16xi32>");
        std::string mid = kernel.op("tile.ptr_add " + Twine(all) + ", " + half +
                                    " : " + P + ", tensor<16xi32>");
        std::string p = kernel.op("tile.ptr_add " + Twine(mid) + ", " + i +
                                  " : " + P + ", " + tensorText({16}, offset));
        std::string x = kernel.op("tile.load_ptr " + Twine(p) + " : " + P +
                                  " -> " + tensorText({16}, type));
        kernel.store(x, out, {zero}, {16}, type);
        kernel.finish();
        addCall(entry, "both-sides",
                {of({41}, "bits"), of({16}, Fill(-20, 20)), of({16})});
      }
  });
}

} // namespace

void kiln::conform::addTilePointers() {
  addRecipe("tile.load_ptr", [](Plan &plan) {
    for (StringRef type : movableTypes())
      for (auto [block, step] :
           {std::pair<int64_t, int64_t>(64, 1), {48, 1}, {32, 3}})
        for (StringRef other : {"", "other"})
          addCopy(plan, "tile.load_ptr", type, block, step, other);
    addScalars(plan);
  });
  addRecipe("tile.store_ptr", [](Plan &plan) {
    for (StringRef type : movableTypes())
      for (auto [block, step] :
           {std::pair<int64_t, int64_t>(64, 1), {33, 1}, {16, 2}})
        addCopy(plan, "tile.store_ptr", type, block, step, "");
  });
  addCasts();
}
