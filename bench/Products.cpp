// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products, f32 and bf16.
#include "Harness.h"
#include <cblas.h>
#include <cstring>
#include <dnnl.hpp>

using namespace bench;

namespace {
struct Size {
  int64_t m, n, k;
};

std::string sourceOf(const char *type, Size s) {
  auto tensor = [&](int64_t rows, int64_t columns, const char *element) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + element + ">";
  };
  std::string a = tensor(s.m, s.k, type), b = tensor(s.k, s.n, type),
              c = tensor(s.m, s.n, "f32");
  return "func.func @main(%a: " + a + ", %b: " + b + ") -> " + c +
         " {\n  %0 = prim.dot_general %a, %b batch [] x [] contract [1] x [0] "
         ": " +
         a + ", " + b + " -> " + c + "\n  return %0 : " + c + "\n}\n";
}

/// oneDNN's product on plain row-major matrices.
class Dnnl {
public:
  Dnnl(Size s, dnnl::memory::data_type type, void *a, void *b, float *c)
      : engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    using Tag = dnnl::memory::format_tag;
    dnnl::memory::desc da({s.m, s.k}, type, Tag::ab),
        db({s.k, s.n}, type, Tag::ab),
        dc({s.m, s.n}, dnnl::memory::data_type::f32, Tag::ab);
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

void runOne(Size s, bool narrow, const std::string &title, int threads) {
  Array<float> a = randomFloats(s.m * s.k, 1), b = randomFloats(s.k * s.n, 2),
               expected(s.m * s.n);
  Array<uint16_t> a16 = toBf16(a), b16 = toBf16(b);
  KilnDType dtype = narrow ? KILN_DTYPE_BF16 : KILN_DTYPE_F32;
  Compiled compiled(sourceOf(narrow ? "bf16" : "f32", s), threads);
  compiled.bind(dtype, {s.m, s.k}, narrow ? (void *)a16.data() : a.data());
  compiled.bind(dtype, {s.k, s.n}, narrow ? (void *)b16.data() : b.data());
  Dnnl peer(
      s, narrow ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32,
      narrow ? (void *)a16.data() : a.data(),
      narrow ? (void *)b16.data() : b.data(), expected.data());
  std::vector<Contender> contenders = {
      {"kiln", [&] { compiled.call(); }, 0},
      {"oneDNN", [&] { peer.run(); }, 0},
  };
  if (!narrow)
    contenders.push_back({"OpenBLAS",
                          [&] {
                            cblas_sgemm(CblasRowMajor, CblasNoTrans,
                                        CblasNoTrans, s.m, s.n, s.k, 1.0f,
                                        a.data(), s.k, b.data(), s.n, 0.0f,
                                        expected.data(), s.n);
                          },
                          0});
  double work = 2.0 * s.m * s.n * s.k;
  race(contenders);
  verify(title, static_cast<const float *>(compiled.result()), expected.data(),
         expected.size(), 1e-4);
  report(title, contenders, work, "GFLOP/s");
}
} // namespace

void bench::runProducts(const std::string &filter, int threads) {
  const Size sizes[] = {{256, 256, 256},    {512, 512, 512},
                        {1024, 1024, 1024}, {2048, 2048, 2048},
                        {512, 4096, 4096},  {1000, 1000, 1000},
                        {1, 4096, 4096},    {16, 14336, 4096}};
  for (bool narrow : {false, true})
    for (Size s : sizes) {
      std::string title = std::string(narrow ? "gemm bf16 " : "gemm f32 ") +
                          std::to_string(s.m) + "x" + std::to_string(s.n) +
                          "x" + std::to_string(s.k);
      if (title.find(filter) != std::string::npos)
        runOne(s, narrow, title, threads);
    }
}
