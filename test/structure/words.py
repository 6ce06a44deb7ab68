#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the wording of pages, definitions (.td) and public headers:

- actors have names: no `nobody`, `whoever`, `somebody`, `anybody` and the like;
- a sentence has at most 40 words;
- one term per concept: no word of GLOSSARY's left side, outside of code and quotes;
- no sentence of a page begins with a noun phrase in "what": the thing has a name;
- a page states its purpose before its first section, and shows an example or a table in its first screen;
- a public class, struct, enumeration or function of a header has a comment.

words.txt lists files with the number of problems that they may still have; a number may only fall.
Usage: words.py SOURCE [--list] [FILE...]    --list prints the numbers as words.txt has them"""
import glob
import os
import re
import sys

LONGEST, SCREEN = 40, 40
CLAUSES = "[.:;!?]"  # comments and definitions may join clauses

ACTORS = re.compile(r"\b(nobody|whoever|whomever|somebody|anybody|everybody|someone|anyone"
                    r"|(?<!one )(?<!those )who(?:m| (?:is|has|declined|declines|chooses|shares|says|claimed|observes|includes|knows|generates)))\b",
                    re.IGNORECASE)
# What was found, and the term of the field. Patterns are searched in prose.
GLOSSARY = [
    (r"memory of the block\b", "shared memory"),
    (r"memory products?\b", "MMA with shared-memory operands"),
    (r"go(?:es)? on by (?:itself|themselves)\b", "asynchronous"),
    (r"\bunder way\b", "in flight, running"),
    (r"\bis not waited for\b", "in flight"),
    (r"\bnumber of slots|rings? of depth\b", "number of stages"),
    (r"\bshar(?:e|es|ing) out the depth\b", "split-K"),
    (r"\bfew rows\b", "skinny matmul, GEMV"),
    (r"\b(?:made|computed) again\b", "rematerialised"),
    (r"\baccesses that meet\b|\border of accesses\b", "memory dependence, alias"),
    (r"\b(?:fresh|direct) sums\b", "beta = 0; accumulator stored directly"),
    (r"\btouch(?:es)? next\b", "prefetch"),
    (r"\bpass(?:es)? by the (?:last )?caches?\b|\bpasses by it\b", "non-temporal (streaming) store"),
    (r"\bwhole boxes\b", "full tiles"),
    (r"\bends the process\b", "exits"),
    (r"\bfirst copies\b", "prologue"),
    (r"\brungs?\b", "integration level"),
    (r"\bfactors?\b(?! of (?:\d|two|ten|safety))", "operand (lhs, rhs)"),
    (r"\btwo at a time\b", "packed"),
    (r"\bso many\b", "this number of"),
]
GLOSSARY = [(re.compile(pattern, re.IGNORECASE), term) for pattern, term in GLOSSARY]
FENCE = re.compile(r"^ *```.*?^ *```\s*$", re.MULTILINE | re.DOTALL)
DECLARATION = re.compile(r"^(?:template\s*<[^;{]*>\s*)?(?:(?:class|struct|enum(?: class)?)\s+(?:KILN_\w+\s+)?(?P<type>\w+)[^;()]*\{"
                         r"|(?:[\w:<>,&*\s\[\]]+?[\s&*])(?P<function>[a-zA-Z]\w*)\s*\([^;{]*\)\s*(?:const)?\s*;)")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def plain(text):
    """Prose without code, quotes and links' addresses, lines kept."""
    text = FENCE.sub(blank, text)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", lambda match: "X" + blank(match)[1:], text)
    text = re.sub(r"\]\([^)]*\)", lambda match: "]" + blank(match)[1:], text)
    return re.sub(r'"[^"\n]{0,80}"', lambda match: "X" + blank(match)[1:], text)


def prose_of_page(text):
    return plain(text)


def prose_of_definition(text):
    """Descriptions and summaries of a .td file."""
    keep = [match.span(1) for match in re.finditer(r"\b(?:description|summary|cppExtra)\s*=\s*(?:\[\{(?=)|(?=\"))(.*?)(?:\}\]|(?<=\")\s*;)", text, re.DOTALL)]
    keep += [match.span(1) for match in re.finditer(r"\bInterfaceMethod<\[\{(.*?)\}\]", text, re.DOTALL)]
    keep += [match.span() for match in re.finditer(r"^\s*//.*$", text, re.MULTILINE)]
    return keep_only(text, keep)


def prose_of_header(text):
    """Comments; one behind a declaration stands by itself, and what is set off by four spaces is no prose."""
    text = re.sub(r"^(.*\S.*///<[^\n]*\w)$", r"\1.", text, flags=re.MULTILINE)
    keep = [match.span() for match in re.finditer(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL)]
    prose = keep_only(text, keep)
    code = re.compile(r"^(?: \*|///?|   )? {4,}\S")
    lines = zip(text.split("\n"), prose.split("\n"))
    return "\n".join("" if code.match(line) and "//" not in line[4:] else words for line, words in lines)


def keep_only(text, spans):
    out, at = [], 0
    for begin, end in sorted(spans):
        if begin < at:
            continue
        out.append(re.sub(r"[^\n]", " ", text[at:begin]))
        out.append(re.sub(r"^(\s*)(?:///?<?|/?\*+/?)", lambda match: blank(match), text[begin:end].strip("\""), flags=re.MULTILINE))
        at = end
    out.append(re.sub(r"[^\n]", " ", text[at:]))
    return plain("".join(out))


def sentences(prose, ends="[.!?]"):
    """Sentences with their lines; headings, list items and cells of tables end them."""
    block, line = [], 1
    for number, text in enumerate(prose.split("\n") + [""], 1):
        stripped = text.strip()
        begins = re.match(r"(?:[-*>] |\d+\. |#+ |\||@)", stripped)
        if (not stripped or begins) and block:
            yield from split(" ".join(block), line, ends)
            block = []
        if stripped.startswith("|"):
            for cell in stripped.split("|"):
                yield from split(cell, number, ends)
            continue
        if stripped:
            if not block:
                line = number
            block.append(re.sub(r"^(?:[-*>] |\d+\. |#+ )", "", stripped))


def split(text, line, ends):
    for sentence in re.split(rf"(?<={ends})[\s)]+(?=\S)", text):
        yield line, sentence


def check_prose(prose, ends="[.!?]"):
    for number, text in enumerate(prose.split("\n"), 1):
        for match in ACTORS.finditer(text):
            yield number, f"expected a named actor, found '{match.group()}'"
    joined = prose.replace("\n", " ")
    for pattern, term in GLOSSARY:
        for match in pattern.finditer(joined):
            yield prose.count("\n", 0, match.start()) + 1, f"expected '{term}', found '{match.group()}'"
    for line, sentence in sentences(prose, ends):
        words = len(re.findall(r"[A-Za-z][\w'-]*", sentence))
        if words > LONGEST:
            yield line, f"expected at most {LONGEST} words in a sentence, found {words}: {' '.join(sentence.split())[:60]}..."


def check_page(text):
    """Purpose and example of a page, and sentences that name no thing."""
    for line, sentence in sentences(plain(text)):
        sentence = sentence.strip()
        if re.match(r"What\b(?!.*\?$)", sentence) and not lines_begin_with_heading(text, line):
            yield line, f"expected the name of the thing, found '{' '.join(sentence.split())[:40]}...'"
    lines = text.split("\n")
    body = re.sub(r"^# .*\n", "", text, count=1).lstrip("\n")
    if not re.match(r"[^\W#|<\-`]|`|\*\*|\[", body):
        yield 1, "expected a sentence that states the purpose of the page before its first section"
    screen = "\n".join(lines[:SCREEN])
    if "```" not in screen and not re.search(r"^\|---|^\| ?[-:]", screen, re.MULTILINE):
        yield 1, "expected an example or a table in the first screen"


def lines_begin_with_heading(text, line):
    return text.split("\n")[line - 1].startswith("#")


def check_header(text):
    """Public declarations at the level of a namespace without a comment above, or a brief behind."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith((" ", "#", "/", "*", "}", "namespace", "using", "extern", "friend", "private:", "public:", "protected:")) or not line:
            continue
        match = DECLARATION.match("\n".join(lines[number:number + 6]))
        if not match or line.startswith("return"):
            continue
        above = number - 1
        while above >= 0 and lines[above].startswith(("template", "[[", "KILN_", "LLVM_")):
            above -= 1
        has = above >= 0 and (lines[above].lstrip().startswith(("//", "*")) or lines[above].rstrip().endswith("*/"))
        if not has and "///<" not in line and "/**<" not in line:
            # A run of declarations without empty lines shares the comment above it.
            while above >= 0 and lines[above].strip() and not has:
                has = lines[above].lstrip().startswith(("//", "*")) or lines[above].rstrip().endswith("*/")
                above -= 1
        if not has and "///<" not in line:
            yield number + 1, f"expected a comment above '{match.group('type') or match.group('function')}'"


def files(source):
    pages = sorted(glob.glob("docs/*.md", root_dir=source)) + ["README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md", "test/README.md", "examples/README.md"]
    definitions = sorted(glob.glob("include/kiln/**/*.td", root_dir=source, recursive=True))
    headers = sorted(glob.glob("include/kiln*/**/*.h", root_dir=source, recursive=True))
    return [name for name in pages + definitions + headers if os.path.exists(os.path.join(source, name))]


def problems_of(source, name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        text = file.read()
    if name.endswith(".md"):
        return [*check_prose(prose_of_page(text)), *(check_page(text) if name.startswith("docs/") else [])]
    if name.endswith(".td"):
        return [*check_prose(prose_of_definition(text), CLAUSES)]
    return [*check_prose(prose_of_header(text), CLAUSES), *check_header(text)]


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    source, names = arguments[0], arguments[1:]
    allowed = {}
    path = os.path.join(source, "test/structure/words.txt")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    count, name = line.split()
                    allowed[name] = int(count)
    failures = total = 0
    for name in names or files(source):
        found = sorted(problems_of(source, name))
        total += len(found)
        if "--list" in sys.argv:
            if found:
                print(len(found), name)
            continue
        limit = 0 if names else allowed.get(name, 0)
        if len(found) > limit:
            failures += 1
            for line, problem in found:
                print(f"{name}:{line}: {problem}")
            if limit:
                print(f"{name}: expected at most {limit} problems, found {len(found)}")
        elif len(found) < limit:
            failures += 1
            print(f"test/structure/words.txt: expected {len(found)} for {name}, found {limit}: lower it")
    if "--list" not in sys.argv:
        print(f"{total} problems, {failures} files with more than are allowed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
