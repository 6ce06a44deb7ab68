# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the page IN to OUT with the links of its installed copy: all pages lie in one folder,
# share/doc/kiln, the headers in include and the examples in share/kiln.
file(READ "${IN}" text)
string(REPLACE "](docs/" "](" text "${text}")
string(REPLACE "](../README.md" "](README.md" text "${text}")
string(REPLACE "](../include/" "](../../../include/" text "${text}")
string(REPLACE "](../examples/" "](../../kiln/examples/" text "${text}")
string(REPLACE "`build/docs/reference`" "[the folder `reference`](reference/index.md)" text "${text}")
file(WRITE "${OUT}" "${text}")
