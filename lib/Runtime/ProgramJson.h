// The JSON form of host programs, inside the runtime.
#ifndef KILN_LIB_RUNTIME_PROGRAMJSON_H
#define KILN_LIB_RUNTIME_PROGRAMJSON_H

#include "kiln/Runtime/Program.h"
#include <nlohmann/json.hpp>

namespace kiln::runtime {

using Json = nlohmann::ordered_json;

/// Reads fields of JSON objects; keeps the first problem and gives harmless
/// values after it.
class JsonReader {
public:
  std::string error;

  bool failed() const { return !error.empty(); }
  void fail(const std::string &where, const std::string &what) {
    if (error.empty())
      error = where + ": " + what;
  }
  /// The member `key`, or null when it is absent or `object` is none.
  static const Json *member(const Json &object, const char *key);
  /// The member as an array; null and, when `required`, an error otherwise.
  const Json *array(const Json &object, const char *key,
                    const std::string &where, bool required = true);
  std::string text(const Json &object, const char *key,
                   const std::string &where, const char *fallback = nullptr);
  int64_t integer(const Json &object, const char *key, const std::string &where,
                  int64_t fallback);
  int32_t index(const Json &object, const char *key, const std::string &where);
  bool flag(const Json &object, const char *key, const std::string &where);
  DType dtype(const Json &object, const char *key, const std::string &where,
              bool required = true);
  std::vector<int64_t> integers(const Json &object, const char *key,
                                const std::string &where, bool required = true);
  std::vector<int32_t> indices(const Json &object, const char *key,
                               const std::string &where, bool required = true);
};

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
