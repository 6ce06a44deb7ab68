# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks a program about one kernel with several SPECs in one conversation, and prints what it answers.
Usage: specs.py KERNEL CHIP... -- PROGRAM..."""
import json
import struct
import subprocess
import sys


def frame(head, body=b""):
    text = json.dumps(head).encode()
    return struct.pack("<4sIQ", b"KTP1", len(text), len(body)) + text + body


end = sys.argv.index("--")
with open(sys.argv[1], "rb") as file:
    kernel = file.read()
requests = b"".join(frame({"id": number, "method": "emit", "params": {"chip": chip, "options": {}}}, kernel)
                    for number, chip in enumerate(sys.argv[2:end]))
answers = subprocess.run(sys.argv[end + 1:], input=requests, stdout=subprocess.PIPE, check=True).stdout
while answers:
    _, head, body = struct.unpack("<4sIQ", answers[:16])
    answer = json.loads(answers[16:16 + head])
    print(answer["id"], answer.get("result", answer.get("error")))
    answers = answers[16 + head + body:]
