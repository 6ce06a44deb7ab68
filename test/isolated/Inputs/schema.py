# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks every message of a trace against the schema of the protocol. Usage: schema.py SCHEMA TRACE"""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}


def problems(value, rule, where):
    """What of a value does not fit a rule, in the part of JSON Schema that the file uses."""
    if "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].rsplit("/", 1)[1]]
    if "enum" in rule and value not in rule["enum"]:
        yield f"{where}: {value!r} is none of {rule['enum']}"
    wanted = rule.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(isinstance(value, TYPES[name]) and (name != "integer" or value is not True) for name in wanted):
        yield f"{where}: expected {' or '.join(wanted)}, found {value!r}"
        return
    if isinstance(value, dict):
        yield from (f"{where}: lacks {key}" for key in rule.get("required", []) if key not in value)
        refused = rule.get("not", {})
        for one in refused.get("anyOf", [refused] if refused else []):
            if all(key in value for key in one["required"]):
                yield f"{where}: has {', '.join(one['required'])}"
        for key, inner in value.items():
            known = rule.get("properties", {}).get(key, rule.get("additionalProperties"))
            if known is None and "properties" in rule and "methods" not in rule:
                yield f"{where}: the schema does not know {key}"
            elif known:
                yield from problems(inner, known, f"{where}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from problems(inner, rule.get("items", {}), f"{where}[{number}]")


found, count, asked = [], 0, {}
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        direction, text = re.fullmatch(r"\S+ (<-|->) (.*) \+\d+\n", line).groups()
        head, count = json.loads(text), count + 1
        kind = "failure" if "error" in head else "answer" if "result" in head else "request" if "id" in head else "notification"
        found += problems(head, schema["$defs"][kind], f"{count} {kind}")
        method = head.get("method") or asked.get(head.get("id"))
        asked[head.get("id")] = method
        inner = schema["$defs"][kind].get("methods", {}).get(method)
        if inner:
            found += problems(head["params" if kind == "request" else "result"], inner, f"{count} {method}")
print("\n".join(found))
print(f"{count} messages, {len(found)} problems")
sys.exit(1 if found or not count else 0)
