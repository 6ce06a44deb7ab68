// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "HostFunctions.h"
#include "Parts.h"
#include "kiln/Runtime/Tensor.h"
#include <map>

using namespace kiln::runtime;

const HostFunction *kiln::runtime::findHostFunction(const std::string &name) {
  static const HostFunction all[] = {
      {"cholesky", {"mm:x"}, {"mm:x", ":i"}},
      {"lu", {"mn:x"}, {"mn:x", "k:i", "m:i", ":i"}},
      {"pivots_to_permutation", {"a:i"}, {"b:i"}},
      {"triangular_solve",
       {"mm:x", "ma:x"},
       {"ma:x"},
       {"lower", "transpose", "unit"}},
      // A capital letter is twice the size: complex elements are two columns.
      {"complex_cholesky", {"mM:x"}, {"mM:x", ":i"}},
      {"complex_lu", {"mN:x"}, {"mN:x", "k:i", "m:i", ":i"}},
      {"complex_triangular_solve",
       {"mM:x", "mA:x"},
       {"mA:x"},
       {"lower", "transpose", "unit"}},
      {"complex_householder_qr", {"mN:x"}, {"mN:x", "K:x"}},
      {"complex_householder_product", {"mN:x", "A:x"}, {"mN:x"}},
      {"complex_eigh", {"mM:x"}, {"m:x", "mM:x", ":i"}},
      {"complex_svd", {"mN:x"}, {"mA:x", "k:x", "bN:x", ":i"}, {"full"}},
      {"householder_qr", {"mn:x"}, {"mn:x", "k:x"}},
      {"householder_product", {"mn:x", "a:x"}, {"mn:x"}},
      {"eigh", {"mm:x"}, {"m:x", "mm:x", ":i"}},
      {"eig", {"mm:x"}, {"m:x", "m:x", "mm:x", "mm:x", ":i"}},
      {"svd", {"mn:x"}, {"ma:x", "k:x", "bn:x", ":i"}, {"full"}},
      {"callback", {}, {}, {}, /*isCallback=*/true}};
  for (const HostFunction &function : all)
    if (name == function.name)
      return &function;
  return nullptr;
}

namespace {

/// Matches tensors with what a function says of them.
class Matcher {
public:
  bool matches(const HostArray &array, const std::string &form) {
    size_t rank = form.find(':');
    bool isNumber = form.back() == 'i';
    if (array.shape.size() < rank ||
        (isNumber ? array.dtype != DType::i32
                  : array.dtype != DType::f32 && array.dtype != DType::f64))
      return false;
    if (!isNumber && !same(type, array.dtype))
      return false;
    std::vector<int64_t> outer(array.shape.begin(),
                               array.shape.end() - int64_t(rank));
    if (!same(batch, outer))
      return false;
    for (size_t d = 0; d < rank; ++d)
      if (!matches(form[d], array.last(rank - 1 - d)))
        return false;
    return true;
  }

private:
  bool matches(char name, int64_t size) {
    if (name >= 'A' && name <= 'Z')
      return size % 2 == 0 && matches(char(name - 'A' + 'a'), size / 2);
    if (name == 'k')
      return size == std::min(sizes.at('m'), sizes.at('n'));
    return sizes.emplace(name, size).first->second == size;
  }
  template <typename T> static bool same(std::optional<T> &known, const T &is) {
    if (!known)
      known = is;
    return *known == is;
  }

  std::map<char, int64_t> sizes;
  std::optional<DType> type;
  std::optional<std::vector<int64_t>> batch;
};

} // namespace

Error kiln::runtime::runHostFunction(const HostFunction &function,
                                     HostCall &call) {
  if (function.isCallback)
    return runCallback(call);
  Matcher matcher;
  auto check = [&](const std::vector<HostArray> &arrays,
                   const std::vector<std::string> &forms) {
    bool good = arrays.size() == forms.size();
    for (size_t i = 0; good && i < arrays.size(); ++i)
      good = matcher.matches(arrays[i], forms[i]);
    return good;
  };
  if (!check(call.sources, function.sources) ||
      !check(call.targets, function.targets)) {
    std::string types;
    for (const auto *list : {&call.sources, &call.targets})
      for (const HostArray &array : *list)
        types +=
            (types.empty() ? "" : ", ") + typeString(array.dtype, array.shape);
    return Error(std::string(function.name) +
                 " cannot be of tensors of these types: " + types);
  }
  Expected<const LinearAlgebraPart *> part = linearAlgebraPart();
  if (!part)
    return part.takeError();
  return (*part)->run(function.name, call);
}
