# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command with a pseudo-terminal as its standard error, and prints what came there, escapes spelt out.
on_terminal.py COMMAND..."""
import os
import subprocess
import sys

reader, writer = os.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=writer, env={**os.environ, "TERM": "xterm"})
os.close(writer)
said = b""
while True:
    try:
        part = os.read(reader, 65536)
    except OSError:
        break
    if not part:
        break
    said += part
print(said.decode().replace("\x1b", "<ESC>").replace("\r", "<CR>").replace("<CR>\n", "\n"))
sys.exit(child.wait())
