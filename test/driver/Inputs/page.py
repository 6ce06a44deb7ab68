# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what the data of explanation pages holds. Usage: page.py PAGE..."""
import json
import re
import sys

for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        page = file.read()
    if page.count("</script>") != 2 or re.search(r"(src|href)\s*=", page):
        sys.exit(f"{name}: is not one page by itself")
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1))
    held = [op for op in data["ops"] if op["kernels"]]
    print(f"{name}: {len(data['ops'])} operations, {len(held)} in kernels")
    for op in data["ops"]:
        if not op["place"].startswith(data["file"] + ":"):
            sys.exit(f"{op['name']} is at {op['place']}, not in {data['file']}")
        if not op["kernels"]:
            print(f"{op['name']} {'is for the host program' if op['host'] else 'is gone'}")
    for kernel in data["kernels"]:
        steps = kernel["steps"]
        for before, after in zip(steps, steps[1:]):
            if before["text"] == after["text"]:
                sys.exit(f"{after['pass']} changed nothing of {kernel['name']}")
        print(f"kernel {kernel['name']}: {' > '.join(step['pass'] for step in steps)}")
        if kernel.get("bytes"):
            print("it computes and moves something")
        for row in data["rows"]:
            if row["kernel"] == kernel["name"] and row["stage"] == "placement":
                print(f"placement {row['chosen']}")
            if row["kernel"] == kernel["name"] and row["stage"] == "merge":
                print(f"merged into {row['chosen']}")
            if row["kernel"] == kernel["name"] and row["stage"] == "launch":
                print(f"launch {row['count']} on {row['chosen']}: {row['detail']}")
    events = data.get("profile", {}).get("traceEvents", [])
    for unit, value in data.get("profile", {}).get("otherData", {}).get("ceiling", {}).items():
        print(f"ceiling {unit}: {'measured' if value > 0 else 'nothing'}")
    devices = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    for event in events:
        if event["ph"] == "X":
            if event["dur"] <= 0 or event["ts"] < 0:
                sys.exit(f"{event['name']} has no time")
            print(f"{name}: 1 event of {event['args']['kernel']} on '{devices[event['pid']]}'")
