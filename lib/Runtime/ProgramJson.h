// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON form of host programs, inside the runtime.
#ifndef KILN_LIB_RUNTIME_PROGRAMJSON_H
#define KILN_LIB_RUNTIME_PROGRAMJSON_H

#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Program.h"
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace kiln::runtime {

using Json = nlohmann::ordered_json;

/// The version of packages that brought the launch contract.
constexpr uint32_t kFirstContractVersion = 3;

/// Reads fields of JSON objects; keeps the first problem and gives harmless
/// values after it.
class JsonReader {
public:
  std::string error;
  uint32_t version = kPackageVersion; ///< of what is read

  bool failed() const { return !error.empty(); }
  void fail(const std::string &where, const std::string &what) {
    if (error.empty())
      error = where + ": " + what;
  }
  /// The member `key`, or null when it is absent or `object` is none.
  static const Json *member(const Json &object, const char *key);
  /// Fails unless `object` is an object that has no other members than `keys`,
  /// and, in packages of version 3, `newer`.
  void keys(const Json &object, const std::string &where,
            std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> newer = {});
  /// The member as an array; null and, when `required`, an error otherwise.
  const Json *array(const Json &object, const char *key,
                    const std::string &where, bool required = true);
  std::string text(const Json &object, const char *key,
                   const std::string &where, const char *fallback = nullptr);
  /// An array of strings; empty when it is absent.
  std::vector<std::string> texts(const Json &object, const char *key,
                                 const std::string &where);
  int64_t integer(const Json &object, const char *key, const std::string &where,
                  int64_t fallback);
  /// An integer that has to be there.
  int64_t required(const Json &object, const char *key,
                   const std::string &where);
  /// A number of 32 bits, at least 0; 0 when it is absent.
  int32_t number(const Json &object, const char *key, const std::string &where);
  /// One element of the array `key`, as an integer.
  int64_t element(const Json &value, const char *key, const std::string &where);
  int32_t index(const Json &object, const char *key, const std::string &where);
  bool flag(const Json &object, const char *key, const std::string &where);
  DType dtype(const Json &object, const char *key, const std::string &where,
              bool required = true);
  std::vector<int64_t> integers(const Json &object, const char *key,
                                const std::string &where, bool required = true);
  std::vector<int32_t> indices(const Json &object, const char *key,
                               const std::string &where, bool required = true);
};

/// Parses a text; an error when it is no JSON, or an object in it has two
/// members of one name, of which readers would see one or the other.
Expected<Json> parseJson(std::string_view text, const std::string &what);
Json programToJson(const HostProgram &program);
HostProgram programFromJson(JsonReader &reader, const Json &json,
                            const std::string &where);
/// Text of a JSON value; an error when a string in it is not UTF-8.
Expected<std::string> dumpJson(const Json &json);

/// The names of IntOp, in order.
const char *intOpName(IntOp op);
constexpr int kNumIntOps = static_cast<int>(IntOp::mov) + 1;

} // namespace kiln::runtime

#endif
