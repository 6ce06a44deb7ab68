// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// unit PACKAGE LIBDIR: checks of the runtime's C++ and C interfaces.
#include "kiln-c/Runtime.h"
#include "kiln/Runtime/Npy.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Session.h"
#include "kiln/Runtime/Spec.h"
#include "kiln/Runtime/Store.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

using namespace kiln::runtime;

namespace {

int failures = 0;

void check(bool holds, const char *what, int line) {
  if (holds)
    return;
  ++failures;
  std::printf("line %d: %s\n", line, what);
}
#define CHECK(X) check(bool(X), #X, __LINE__)

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

void testTypes() {
  for (uint32_t i = 1; i < KILN_DTYPE_COUNT; ++i) {
    auto dtype = static_cast<DType>(i);
    CHECK(parseDType(dtypeName(dtype)) == dtype);
    CHECK(dtypeBytes(dtype) > 0);
    if (!isFloat(dtype) || dtypeBytes(dtype) > 2)
      continue;
    // Every code survives a trip through double.
    uint32_t count = 1u << dtypeBits(dtype);
    for (uint32_t code = 0; code < count; ++code) {
      uint16_t in = uint16_t(code), out = 0;
      double value = loadAsDouble(dtype, &in, 0);
      storeDouble(dtype, &out, 0, value);
      if (std::isnan(value))
        CHECK(std::isnan(loadAsDouble(dtype, &out, 0)));
      else
        CHECK(in == out);
    }
  }
  CHECK(parseDType("ui8") == DType::u8);
  CHECK(parseDType("f7") == DType::none);
  uint16_t half = 0;
  storeDouble(DType::f16, &half, 0, 65520.0);
  CHECK(half == 0x7c00); // rounds to infinity
  storeDouble(DType::f16, &half, 0, 1.0 + 1.0 / 2048);
  CHECK(half == 0x3c00); // tie to even
  storeDouble(DType::bf16, &half, 0, 1.00390625 + 1e-9);
  CHECK(half == 0x3f81);
  storeDouble(DType::f16, &half, 0, -1.7e308);
  CHECK(half == 0xfc00);
  storeDouble(DType::f16, &half, 0, 5e-324);
  CHECK(half == 0);
  storeDouble(DType::f16, &half, 0, 0x1.8p-24);
  CHECK(half == 2); // half way between subnormals: to even
  storeDouble(DType::bf16, &half, 0, -0x1p-134);
  CHECK(half == 0x8000);
  storeDouble(DType::bf16, &half, 0, 0x1.01p-134);
  CHECK(half == 1);
  uint8_t byte = 0;
  storeDouble(DType::f8E4M3FN, &byte, 0, 448.0);
  CHECK(byte == 0x7e);
  storeDouble(DType::f8E4M3FN, &byte, 0, 1e6);
  CHECK((byte & 0x7f) == 0x7f);
  storeDouble(DType::f4E2M1FN, &byte, 0, -100.0);
  CHECK(byte == 0xf);
  storeDouble(DType::f8E3M4, &byte, 0, 15.75);
  CHECK(byte == 0x70); // half way beyond the largest: to even, infinity
  storeDouble(DType::f8E4M3B11FNUZ, &byte, 0, -31.0);
  CHECK(byte == 0x80);
  storeDouble(DType::f8E8M0FNU, &byte, 0, -1.5);
  CHECK(byte == 0x80);
  storeDouble(DType::i8, &byte, 0, std::nan(""));
  CHECK(byte == 0);
}

std::string npy(const char *dict, size_t dataBytes) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(std::strlen(dict));
  text += '\0';
  return text + dict + std::string(dataBytes, '\1');
}

std::string npyError(const std::string &file) {
  Expected<Tensor> tensor = readNpy(file.data(), file.size());
  return tensor ? "" : tensor.message();
}

void testNpy() {
  auto good =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 24);
  CHECK(npyError(good).empty());
  CHECK(contains(npyError(good.substr(0, good.size() - 1)), "23"));
  CHECK(contains(npyError(good + "x"), "25"));
  for (size_t n = 0; n < good.size(); ++n)
    CHECK(!npyError(good.substr(0, n)).empty());
  CHECK(contains(
      npyError(
          npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8)),
      "pickled"));
  CHECK(contains(
      npyError(npy("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", 4)),
      "big-endian"));
  CHECK(contains(
      npyError(npy("{'descr': '<c8', 'fortran_order': False, 'shape': ()}", 8)),
      "type '<c8'"));
  CHECK(
      contains(npyError(npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                            "(4000000000, 4000000000, 4000000000)}",
                            4)),
               "too large"));
  CHECK(contains(npyError(npy("{'descr': '<f4', 'shape': ()}", 4)), "lacks"));
  // As ml_dtypes writes floats of 8 bits, and bf16.
  auto raw =
      npy("{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }", 3);
  Expected<Tensor> small = readNpy(raw.data(), raw.size());
  CHECK(small && small->dtype == DType::u8);
  raw = npy("{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }", 6);
  Expected<Tensor> half = readNpy(raw.data(), raw.size());
  CHECK(half && half->dtype == DType::u16);
  auto fortran =
      npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", 6);
  for (int i = 0; i < 6; ++i)
    fortran[fortran.size() - 6 + i] = char(i);
  Expected<Tensor> turned = readNpy(fortran.data(), fortran.size());
  CHECK(turned && turned->isContiguous());
  if (turned)
    CHECK(!std::memcmp(turned->data(), "\0\2\4\1\3\5", 6));

  Expected<Tensor> bits = Tensor::create(DType::u16, {4});
  CHECK(npyAs(*bits, DType::bf16) && npyAs(*bits, DType::i16));
  CHECK(!npyAs(*bits, DType::f16) && !npyAs(*bits, DType::f32));
  Expected<Tensor> bytes = Tensor::create(DType::u8, {4});
  CHECK(npyAs(*bytes, DType::i1) && npyAs(*bytes, DType::f8E5M2));
  storeInt(DType::u8, bytes->data(), 2, 2);
  CHECK(!npyAs(*bytes, DType::i1));
}

void testSpec() {
  Expected<Spec> spec = Spec::parse("cpu:znver4,threads=2");
  CHECK(spec && spec->name == "cpu" && spec->chip == "znver4");
  CHECK(spec && spec->str() == "cpu:znver4,threads=2");
  CHECK(!Spec::parse("") && !Spec::parse("cpu,threads"));
  CHECK(contains(Spec::parse("cpu+reference").message(), "unsupported"));
}

void testNotes(const std::string &libraries) {
  Expected<PluginNote> note =
      readPluginNote(libraries + "/kiln/targets/libkiln-device-cpu.so");
  CHECK(note && note->apiMajor == 1 && note->llvmMajor == 0);
  CHECK(contains(readPluginNote(libraries + "/libkiln-runtime.so").message(),
                 "not a Kiln plug-in"));
  CHECK(contains(readPluginNote("/etc/passwd").message(), "not a shared"));
  CHECK(contains(readPluginNote("/nowhere").message(), "cannot open"));
  // Any part of the library is refused or read, never a crash.
  Expected<Blob> file =
      mapFile(libraries + "/kiln/targets/libkiln-device-cpu.so");
  std::string path = "note-test.so";
  for (size_t size : {size_t(1), size_t(63), size_t(64), size_t(200),
                      size_t(1000), file->size / 2}) {
    CHECK(!writeFile(path, file->data, size));
    CHECK(!readPluginNote(path));
  }
  std::remove(path.c_str());
}

Tensor floats(std::vector<int64_t> shape, float start) {
  Tensor t = *Tensor::create(DType::f32, std::move(shape));
  for (int64_t i = 0; i < t.numElements(); ++i)
    storeDouble(DType::f32, t.data(), i, start + double(i));
  return t;
}

double at(const Tensor &t, int64_t i) {
  return loadAsDouble(t.dtype, t.data(), i);
}

void testCalls(const std::string &path) {
  Expected<Package> read = readPackageFile(path);
  CHECK(read);
  if (!read)
    return;
  auto package = std::make_shared<const Package>(std::move(*read));
  for (const char *spec : {"", "cpu", "cpu,threads=1", "cpu,threads=5"}) {
    Expected<Session> session = Session::create(package, spec);
    CHECK(session);
    if (!session)
      return;
    for (int64_t n : {0, 1, 4, 7, 100003}) {
      const Function &add = *session->lookup("add");
      auto out = session->call(add, {floats({n}, 0), floats({n}, 10)});
      CHECK(out && (*out)[0].shape == std::vector<int64_t>{n});
      for (int64_t i = 0; out && i < n; ++i)
        if (at((*out)[0], i) != 10 + 2 * double(i)) {
          CHECK(!"wrong sum");
          break;
        }
    }
    auto differ = session->call(*session->lookup("add"),
                                {floats({3}, 0), floats({4}, 0)});
    CHECK(!differ && contains(differ.message(), "differ in length"));
    auto rank = session->call(*session->lookup("add"),
                              {floats({3, 1}, 0), floats({3}, 0)});
    CHECK(!rank && contains(rank.message(), "expected ?xf32, found 3x1xf32"));

    const Function &chain = *session->lookup("chain");
    Tensor times = *Tensor::create(DType::i32, {1});
    storeInt(DType::i32, times.data(), 0, 3);
    CallReport report;
    CallOptions options;
    options.time = true;
    auto out = session->call(chain, {floats({8}, 1), times}, options, &report);
    CHECK(out);
    for (int64_t i = 0; out && i < 8; ++i)
      CHECK(at((*out)[0], i) == 6 * (1 + 2 * double(i)));
    for (int64_t i = 0; out && i < 4; ++i)
      CHECK(at((*out)[1], i) == 6 * (1 + 4 * double(i)));
    CHECK(report.arenaBytes == 96 && report.arenaTensorBytes == 64);
    CHECK(report.launches.size() == 5 && report.accumulation[0] == 16);

    // A loop keeps nothing of its launches where no caller asks for them.
    storeInt(DType::i32, times.data(), 0, 300000);
    rusage before = {}, after = {};
    getrusage(RUSAGE_SELF, &before);
    CHECK(session->call(chain, {floats({8}, 1), times}));
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_maxrss - before.ru_maxrss < 8192);

    // A kernel over strided views of one storage.
    Tensor grid = floats({12}, 0);
    Tensor even = grid, odd = grid;
    even.shape = odd.shape = {6};
    even.strides = odd.strides = {2};
    odd.offset = 1;
    options.grid = {2, 1, 1};
    CHECK(session->call(*session->lookup("add_kernel"), {even, even, odd},
                        options));
    for (int64_t i = 0; i < 6; ++i)
      CHECK(at(grid, 2 * i + 1) == 4 * double(i));
    Tensor counter = *Tensor::create(DType::i32, {1000});
    options.grid = {10, 20, 5};
    CHECK(session->call(*session->lookup("count_kernel"), {counter}, options));
    for (int64_t i = 0; i < 1000; ++i)
      CHECK(loadAsInt(DType::i32, counter.data(), i) == 1);
    auto fault =
        session->call(*session->lookup("faulty_kernel"), {grid}, options);
    CHECK(!fault && contains(fault.message(), "something is wrong"));
  }
  auto wrong = Session::create(package, "cpu,threads=0");
  CHECK(!wrong && contains(wrong.message(), "threads=0"));
  auto other = Session::create(package, "reference");
  CHECK(!other && contains(other.message(), "it has 'cpu'"));

  auto &target = package->targets[0];
  auto sizes =
      measure(*package, target, *target.program.lookup("add"), {{100}, {100}});
  CHECK(sizes && sizes->ownBytes == 400 && sizes->launches[0].grid[0] == 25);
}

void testHostile(const std::string &path) {
  Expected<Blob> file = mapFile(path);
  std::vector<uint8_t> bytes(file->data, file->data + file->size);
  for (size_t n = 0; n < bytes.size(); n += 1 + n / 16)
    CHECK(!readPackage(Blob::copy(bytes.data(), n)));
  for (size_t n = 0; n < bytes.size(); n += 1 + n / 16) {
    bytes[n] ^= 0x40;
    CHECK(!readPackage(Blob::copy(bytes.data(), bytes.size())));
    bytes[n] ^= 0x40;
  }
  CHECK(!programFromJson("{\"devices\": 1}"));
  CHECK(!programFromJson(std::string(100000, '[')));
  std::string deep;
  for (int i = 0; i < 1000; ++i)
    deep += "{\"op\":\"if\",\"cond\":0,\"else\":[],\"then\":[";
  for (int i = 0; i < 1000; ++i)
    deep += "]}";
  auto nested = programFromJson(
      "{\"devices\":[],\"kernels\":[],\"functions\":[{\"name\":\"f\","
      "\"args\":[],\"results\":[],\"code\":[" +
      deep + "]}]}");
  CHECK(!nested && contains(nested.message(), "nest too deeply"));
}

void testVerifier() {
  auto verdict = [](Function f) {
    HostProgram program;
    program.devices.push_back({"cpu", ""});
    program.functions.push_back(std::move(f));
    Error error = verify(program, 0);
    return error ? error.message() : "";
  };
  Function f;
  f.name = "f";
  CHECK(contains(verdict(f), "does not end with a return"));
  f.code = {ReturnInst{}};
  CHECK(verdict(f).empty());
  f.code = {ConstInst{0, 1}, ReturnInst{}};
  CHECK(contains(verdict(f), "'dst' is out of range"));
  f.code = {ReturnInst{}, ReturnInst{}};
  CHECK(contains(verdict(f), "before the end"));
  f.code = {LaunchInst{}, ReturnInst{}};
  CHECK(contains(verdict(f), "has no kernel"));
  f.code = {ReturnInst{{0}}};
  CHECK(contains(verdict(f), "returns 1 of 0"));
}

/// Guards, branches and views, without a device.
void testDryRuns() {
  Package package;
  TargetProgram target;
  HostProgram &program = target.program;
  program.devices.push_back({"cpu", ""});
  for (const char *name : {"fast", "slow"})
    program.kernels.push_back(
        {name,
         name,
         0,
         0,
         0,
         {{KernelParam::Kind::view, "x", DType::f32, 1, false, 1}},
         {}});
  Function f;
  f.name = "f";
  f.numRegs = 10;
  f.numBufs = 3;
  f.args.push_back({"x", false, DType::f32, {kDynamic}, 0});
  LaunchInst launch;
  launch.variants = {{4, 0, {0, kNone, kNone}}, {kNone, 1, {5, 0, kNone}}};
  launch.args = {LaunchArg::ofBuffer(1)};
  IfInst branch;
  branch.cond = 4;
  branch.thenCode = {ConstInst{5, 7}};
  branch.elseCode = {ConstInst{5, -3}, IntInst{IntOp::max, 5, 5, 4}};
  f.code = {DimInst{0, 0, 0},
            ConstInst{1, 4},
            IntInst{IntOp::mod, 2, 0, 1},
            ConstInst{3, 0},
            IntInst{IntOp::eq, 4, 2, 3},
            std::move(branch),
            IntInst{IntOp::floordiv, 6, 0, 1},
            SelectInst{7, 4, 1, 6},
            ViewInst{1, 0, DType::none, 3, {7}, {1}},
            StrideInst{8, 1, 0},
            AlignedInst{9, 1, 64},
            ViewInst{2, 0, DType::f64, 3, {3}, {}},
            launch,
            CheckInst{8, "no stride"},
            CheckInst{9, "not aligned"},
            ReturnInst{}};
  program.functions.push_back(f);
  CHECK(!verify(program, 1));
  // Both forms of a program say the same.
  Expected<HostProgram> again = programFromJson(toJson(program));
  CHECK(again && toText(*again) == toText(program));
  CHECK(again && toJson(*again) == toJson(program));
  auto run = [&](int64_t n) {
    return measure(package, target, program.functions[0], {{n}});
  };
  auto fast = run(16), slow = run(19), out = run(12);
  CHECK(fast && fast->launches[0].name == "fast");
  CHECK(fast && fast->launches[0].grid[0] == 16);
  CHECK(slow && slow->launches[0].name == "slow");
  CHECK(slow && slow->launches[0].grid == (std::array<int64_t, 3>{0, 19, 1}));
  CHECK(!out && contains(out.message(), "reaches outside of its buffer"));
  std::get<ConstInst>(program.functions[0].code[1].body).value = 0;
  auto zero = run(16);
  CHECK(!zero && contains(zero.message(), "by zero"));
}

void testC(const char *path) {
  KilnPackage *package = nullptr;
  KilnSession *session = nullptr;
  CHECK(kilnPackageLoadFile("/nowhere", &package) != 0);
  CHECK(contains(kilnLastError(), "cannot open"));
  CHECK(kilnPackageLoadFile(path, &package) == 0);
  CHECK(kilnSessionCreate(package, nullptr, &session) == 0);
  kilnPackageDestroy(package);
  CHECK(kilnSessionNumEntries(session) == 5);
  CHECK(kilnEntryNumArguments(session, "add") == 2);
  CHECK(kilnEntryNumArguments(session, "nothing") == -1);
  float a[3] = {1, 2, 3}, b[3] = {10, 20, 30};
  int64_t shape[1] = {3};
  KilnTensor *args[2], *result = nullptr;
  CHECK(kilnTensorWrap(KILN_DTYPE_F32, 1, shape, nullptr, a, &args[0]) == 0);
  CHECK(kilnTensorWrap(KILN_DTYPE_F32, 1, shape, nullptr, b, &args[1]) == 0);
  CHECK(kilnSessionRun(session, "add", 2, args, 1, &result) == 0);
  CHECK(static_cast<float *>(kilnTensorData(result))[2] == 33);
  CHECK(kilnSessionRun(session, "add", 1, args, 1, &result) != 0);
  CHECK(contains(kilnLastError(), "takes 2 arguments, 1 given"));
  int64_t grid[3] = {1, 1, 1};
  CHECK(kilnSessionLaunch(session, "add", grid, 2, args) != 0);
  kilnTensorDestroy(result);
  kilnTensorDestroy(args[0]);
  kilnTensorDestroy(args[1]);
  kilnSessionDestroy(session);
}

/// A rank asks for a key again while it waits for others; rank 0 may have left.
void testStores() {
  std::shared_ptr<Store> first, second;
  for (int tries = 0; tries < 20 && !first; ++tries) {
    int port = 20000 + (getpid() + 997 * tries) % 12000;
    auto made = openTcpStore("127.0.0.1", std::to_string(port), true, 10);
    if (!made)
      continue;
    first = *made;
    auto other = openTcpStore("127.0.0.1", std::to_string(port), false, 10);
    CHECK(other);
    if (other)
      second = *other;
  }
  CHECK(second);
  if (!second)
    return;
  CHECK(!first->set("token", "abc"));
  CHECK(!first->set("unread", "x"));
  auto value = second->get("token", 10);
  CHECK(value && *value == "abc");
  first.reset();
  auto again = second->get("token", 10);
  CHECK(again && *again == "abc");
  auto unread = second->get("unread", 10);
  CHECK(!unread && contains(unread.message(), "has ended"));
  second->end("rank 1 has failed");
  auto ended = second->get("token", 10);
  CHECK(!ended && contains(ended.message(), "rank 1 has failed"));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  testTypes();
  testNpy();
  testSpec();
  testNotes(argv[2]);
  testCalls(argv[1]);
  testHostile(argv[1]);
  testVerifier();
  testDryRuns();
  testC(argv[1]);
  testStores();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
