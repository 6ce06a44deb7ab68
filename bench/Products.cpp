// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of f32, bf16 and bytes.
#include "Harness.h"
#include <cblas.h>
#include <cstring>
#include <dnnl.hpp>
#include <optional>

using namespace bench;

namespace {
struct Size {
  int64_t m, n, k;
};

std::string sourceOf(const char *type, Size s) {
  std::string sum = std::string(type) == "i8" ? "i32" : "f32";
  auto tensor = [&](int64_t rows, int64_t columns, std::string element) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + element + ">";
  };
  std::string a = tensor(s.m, s.k, type), b = tensor(s.k, s.n, type),
              c = tensor(s.m, s.n, sum);
  return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
         " {\n  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] "
         ": " +
         a + ", " + b + " -> " + c + "\n  return %0 : " + c + "\n}\n";
}

/// A product of bytes, of which the left ones are unsigned, as a program that
/// launches a kernel: no function has such a product.
std::string programOfBytes(Size s) {
  constexpr int64_t rows = 128, columns = 512, depth = 1024;
  auto sized = [](int64_t x, int64_t y, const char *type) {
    return std::to_string(x) + "x" + std::to_string(y) + "x" + type + ">";
  };
  std::string a = sized(s.m, s.k, "i8"), b = sized(s.k, s.n, "i8"),
              c = sized(s.m, s.n, "i32"), x = sized(rows, depth, "i8"),
              y = sized(depth, columns, "i8"), d = sized(rows, columns, "i32");
  auto view = [](const std::string &text) { return "!tile.view<" + text; };
  auto tensor = [](const std::string &text) { return "tensor<" + text; };
  auto memref = [](const std::string &text) { return "memref<" + text; };
  std::string types = memref(a) + ", " + memref(b);
  return "tile.kernel @product(%a: " + view(a) +
         " {tile.facts = {readonly}}, %b: " + view(b) +
         " {tile.facts = {readonly}}, %c: " + view(c) +
         " {tile.facts = {noalias}}) {\n"
         "  %i, %j = tile.program_id : index, index\n"
         "  %c0 = arith.constant 0 : index\n"
         "  %c1 = arith.constant 1 : index\n"
         "  %zero = arith.constant dense<0> : " +
         tensor(d) + "\n  %n = tile.num_blocks %a[1] by " +
         std::to_string(depth) + " : " + view(a) +
         "\n  %acc = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> "
         "(" +
         tensor(d) + ") {\n    %x = tile.load %a[%i, %k] : " + view(a) +
         " -> " + tensor(x) + "\n    %y = tile.load %b[%k, %j] : " + view(b) +
         " -> " + tensor(y) +
         "\n    %d = tile.dot %x, %y, %s lhs_unsigned : " + tensor(x) + ", " +
         tensor(y) + ", " + tensor(d) + "\n    scf.yield %d : " + tensor(d) +
         "\n  }\n  tile.store %acc, %c[%i, %j] : " + tensor(d) + ", " +
         view(c) + "\n}\nprogram.func @main(%a: " + memref(a) +
         ", %b: " + memref(b) + ") -> " + memref(c) +
         " {\n  %x = arith.constant " +
         std::to_string((s.m + rows - 1) / rows) +
         " : index\n  %y = arith.constant " +
         std::to_string((s.n + columns - 1) / columns) +
         " : index\n  %z = arith.constant 1 : index\n"
         "  %c = program.alloc : " +
         memref(c) +
         "\n  program.launch [@product] grid(%x, %y, %z) args(%a, %b, %c) "
         "writes [2] : " +
         types + ", " + memref(c) + "\n  program.return %c : " + memref(c) +
         "\n}\n";
}

/// oneDNN's product on plain row-major matrices.
class Dnnl {
public:
  using Type = dnnl::memory::data_type;
  Dnnl(Size s, Type left, Type right, Type sum, void *a, void *b, void *c)
      : engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    using Tag = dnnl::memory::format_tag;
    dnnl::memory::desc da({s.m, s.k}, left, Tag::ab),
        db({s.k, s.n}, right, Tag::ab), dc({s.m, s.n}, sum, Tag::ab);
    product = dnnl::matmul(
        dnnl::matmul::primitive_desc(dnnl::matmul::desc(da, db, dc), engine));
    arguments = {{DNNL_ARG_SRC, dnnl::memory(da, engine, a)},
                 {DNNL_ARG_WEIGHTS, dnnl::memory(db, engine, b)},
                 {DNNL_ARG_DST, dnnl::memory(dc, engine, c)}};
  }
  void run() {
    product.execute(stream, arguments);
    stream.wait();
  }

private:
  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::matmul product;
  std::unordered_map<int, dnnl::memory> arguments;
};

Array<uint16_t> toBf16(const Array<float> &values) {
  Array<uint16_t> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t bits;
    std::memcpy(&bits, &values[i], 4);
    result[i] = uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
  return result;
}

void runFloats(Size s, bool narrow, const std::string &title, int threads) {
  using Type = dnnl::memory::data_type;
  Array<float> a = randomFloats(s.m * s.k, 1), b = randomFloats(s.k * s.n, 2),
               expected(s.m * s.n);
  Array<uint16_t> a16 = toBf16(a), b16 = toBf16(b);
  if (narrow)
    for (auto [values, bits] : {std::pair(&a, &a16), std::pair(&b, &b16)})
      for (size_t i = 0; i < values->size(); ++i) {
        uint32_t wide = uint32_t((*bits)[i]) << 16;
        std::memcpy(&(*values)[i], &wide, 4);
      }
  KilnDType dtype = narrow ? KILN_DTYPE_BF16 : KILN_DTYPE_F32;
  void *left = narrow ? (void *)a16.data() : a.data(),
       *right = narrow ? (void *)b16.data() : b.data();
  Compiled compiled(sourceOf(narrow ? "bf16" : "f32", s), threads);
  compiled.bind(dtype, {s.m, s.k}, left);
  compiled.bind(dtype, {s.k, s.n}, right);
  std::vector<Contender> contenders = {
      {"kiln", [&] { compiled.call(); }, 0},
  };
  std::optional<Dnnl> peer;
  // Without instructions for it oneDNN takes minutes.
  bool hasPeer =
      !narrow || dnnl::get_effective_cpu_isa() >= dnnl::cpu_isa::avx512_core;
  if (hasPeer) {
    Type type = narrow ? Type::bf16 : Type::f32;
    peer.emplace(s, type, type, Type::f32, left, right, expected.data());
    contenders.push_back({"oneDNN", [&] { peer->run(); }, 0});
  }
  // In f32 where narrow.
  contenders.push_back({"OpenBLAS",
                        [&] {
                          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans,
                                      s.m, s.n, s.k, 1.0f, a.data(), s.k,
                                      b.data(), s.n, 0.0f, expected.data(),
                                      s.n);
                        },
                        0});
  race(contenders, threads);
  verify(title, static_cast<const float *>(compiled.result()), expected.data(),
         expected.size(), 1e-4);
  report(title, contenders, 2.0 * s.m * s.n * s.k, "GFLOP/s");
}

/// Bytes, of which the left ones are signed or not. oneDNN's sums of pairs
/// saturate at 16 bits on processors without instructions for quads; they do
/// not reach that.
void runBytes(Size s, bool isUnsigned, const std::string &title, int threads) {
  using Type = dnnl::memory::data_type;
  Array<uint8_t> a = isUnsigned ? randomBytes(s.m * s.k, 1, 0, 255)
                                : randomBytes(s.m * s.k, 1, -128, 127),
                 b = randomBytes(s.k * s.n, 2, -63, 63);
  Array<int32_t> expected(s.m * s.n);
  Compiled compiled(isUnsigned ? programOfBytes(s) : sourceOf("i8", s),
                    threads);
  compiled.bind(KILN_DTYPE_I8, {s.m, s.k}, a.data());
  compiled.bind(KILN_DTYPE_I8, {s.k, s.n}, b.data());
  Dnnl peer(s, isUnsigned ? Type::u8 : Type::s8, Type::s8, Type::s32, a.data(),
            b.data(), expected.data());
  std::vector<Contender> contenders = {
      {"kiln", [&] { compiled.call(); }, 0},
      {"oneDNN", [&] { peer.run(); }, 0},
  };
  race(contenders, threads);
  verify(title, static_cast<const int32_t *>(compiled.result()),
         expected.data(), expected.size());
  report(title, contenders, 2.0 * s.m * s.n * s.k, "GOP/s");
}
} // namespace

void bench::runProducts(const std::string &filter, int threads) {
  const Size sizes[] = {{256, 256, 256},    {512, 512, 512},
                        {1024, 1024, 1024}, {2048, 2048, 2048},
                        {512, 4096, 4096},  {1000, 1000, 1000},
                        {1, 4096, 4096},    {16, 14336, 4096}};
  for (const char *type : {"f32", "bf16", "u8s8", "s8s8"})
    for (Size s : sizes) {
      std::string name = type,
                  title = "gemm " + name + " " + std::to_string(s.m) + "x" +
                          std::to_string(s.n) + "x" + std::to_string(s.k);
      if (title.find(filter) == std::string::npos)
        continue;
      if (name == "f32" || name == "bf16")
        runFloats(s, name == "bf16", title, threads);
      else
        runBytes(s, name == "u8s8", title, threads);
    }
}
