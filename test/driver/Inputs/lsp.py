# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what an editor sends that opens the file and leaves."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()


def send(message):
    body = json.dumps(dict(message, jsonrpc="2.0"))
    sys.stdout.write(f"Content-Length: {len(body)}\r\n\r\n{body}")


send({"id": 0, "method": "initialize", "params": {"processId": 1, "rootUri": None, "capabilities": {}}})
send({"method": "textDocument/didOpen", "params": {"textDocument": {
    "uri": "file:///two.mlir", "languageId": "mlir", "version": 1, "text": text}}})
send({"id": 1, "method": "shutdown"})
send({"method": "exit"})
