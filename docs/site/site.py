#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the site from the pages of the tree and the generated reference, with search and checked links.
Usage: site.py SOURCE BUILD OUT [--pages-only] [--version=NAME]   with the Python that has mkdocs-material (`make site`)
--pages-only gathers the pages and stops, which needs no further package.
--version=NAME builds into OUT/NAME, beside the versions that are there, with a menu of all of them.

Pages are gathered in OUT-pages. They keep their places below one folder: docs/*.md at its top, others where they are in the tree. A link to a file of the tree
that is no page becomes a copy of the file."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import links  # noqa: E402
import ops  # noqa: E402

TOP = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "test/README.md", "bench/README.md", "examples/README.md"]
LINK = re.compile(r"(\]\(|src=\"|srcset=\")([^)\s\"#]+)(#[^)\s\"]*)?(?=[)\"])")
FENCE = re.compile(r"(^ *```.*?^ *```\n)", re.MULTILINE | re.DOTALL)

FILE_NAME = re.compile(r"\[([\w-]+\.md)\]\(([^)\s#]+\.md)(?=[)#])")
NAMED = re.compile(r"\A( *```[\w+]+) ([\w./-]+)$", re.MULTILINE)


def place(path):
    """Where a file of the tree lies in the site: docs/ is its top."""
    return path[len("docs/"):] if path.startswith("docs/") else path


def titled(source, folder, text):
    """A link that is called by the file's name, as suits a tree of files, gets the title of the page."""
    def title(match):
        path = os.path.normpath(os.path.join(source, folder, match.group(2)))
        if not os.path.exists(path):
            return match.group()
        with open(path, encoding="utf-8") as file:
            heading = re.search(r"^# (.*)$", file.read(), re.MULTILINE)
        return f"[{heading.group(1) if heading else match.group(1)}]({match.group(2)}"
    return FILE_NAME.sub(title, text)


def gather(source, pages, page):
    """Copies a page with its links turned to where things lie, and the files that it links to."""
    folder = os.path.dirname(page)

    def turn(match):
        opening, link, anchor = match.group(1), match.group(2), match.group(3) or ""
        if re.match(r"[a-z]+:", link):
            return match.group()
        target = os.path.normpath(os.path.join(folder, link))
        if target.startswith("..") or not os.path.exists(os.path.join(source, target)):
            return match.group()
        if os.path.isdir(os.path.join(source, target)):
            return opening + os.path.relpath("api.md", os.path.dirname(place(page)) or ".")
        at = place(target)
        if not target.endswith(".md"):
            # A browser shows text of any kind under a name that says so.
            if not target.endswith((".svg", ".png", ".json")):
                at += ".txt"
            copy = os.path.join(pages, at)
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(os.path.join(source, target), copy)
            anchor = ""
        return opening + os.path.relpath(at, os.path.dirname(place(page)) or ".") + anchor

    with open(os.path.join(source, page), encoding="utf-8") as file:
        parts = FENCE.split(file.read())
    # A fence names the file of its text behind the language; this generator writes it as a title.
    text = "".join(NAMED.sub(r'\1 title="\2"', part) if part.lstrip().startswith("```") else LINK.sub(turn, titled(source, folder, part)) for part in parts)
    text = text.replace("`build/docs/reference`", os.path.relpath("reference/index.md", os.path.dirname(place(page)) or ".").join(["[reference](", ")"]))
    text = lists(text)
    if page == "docs/glossary.md":
        text = rank(4) + entries(text)
    out = os.path.join(pages, place(page))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)


def rank(boost):
    """How far in front a page stands among the results of the search: pages that explain before generated ones."""
    return f"---\nsearch:\n  boost: {boost}\n---\n\n"


def entries(text):
    """The rows of a glossary's tables, term, meaning and place, as sections: the search counts titles most, and links can name each."""
    def entry(match):
        term, meaning, place_of_it = (cell.strip() for cell in match.groups())
        return f"### {term}\n\n{meaning[0].upper()}{meaning[1:]}.\n\nIn Kiln: {place_of_it}.\n\n"
    text = text.replace("| term | meaning | in Kiln |\n|---|---|---|\n", "")
    return re.sub(r"^\| (.*?) \| (.*?) \| (.*?) \|\n", entry, text, flags=re.MULTILINE)


def lists(text):
    """GitHub takes a list directly behind a paragraph; this generator wants an empty line before it."""
    parts = FENCE.split(text)
    behind = re.compile(r"^(?![ \t]*(?:[-*|>#] |\d+\. )|```)(\S.*)\n(?=(?:[-*] |1\. ))", re.MULTILINE)
    return "".join(part if part.lstrip().startswith("```") else behind.sub(r"\1\n\n", part) for part in parts)


def reference_nav(folder):
    """The generated reference by headings of its index."""
    nav, group = [{"Generated reference": "reference/index.md"}], None
    with open(os.path.join(folder, "index.md"), encoding="utf-8") as file:
        for line in file:
            heading, entry = re.match(r"## (.*)", line), re.match(r"- \[(.*)\]\((.*)\)", line)
            if heading:
                group = []
                nav.append({heading.group(1): group})
            elif entry and group is not None:
                group.append({entry.group(1): "reference/" + entry.group(2)})
    return nav


def interfaces(source, build, out):
    """The C and C++ interfaces, by Doxygen."""
    with open(os.path.join(HERE, "Doxyfile"), encoding="utf-8") as file:
        text = file.read()
    include = os.path.join(source, "include")
    text += (f'\nINPUT_FILTER = "{sys.executable} {HERE}/header_filter.py"\nINPUT = "{include}/kiln-c" "{include}/kiln"\nSTRIP_FROM_PATH = "{include}"\n'
             f'OUTPUT_DIRECTORY = "{out}"\nINCLUDE_PATH = "{include}" "{build}/include"\n')
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True)


def order(version):
    """Versions by their numbers; others, such as a branch, before all."""
    return [(1, int(part)) if part.isdigit() else (0, part) for part in version.split(".")]


def list_versions(folder, newest=None):
    """Writes versions.json, which the menu of versions reads, and a page that leads to the newest release. Each folder with a
    page index.html is a version."""
    names = [name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "index.html"))]
    names.sort(key=order, reverse=True)
    newest = newest or names[0]
    rows = [{"version": name, "title": name, "aliases": ["latest"] if name == newest else []} for name in names]
    with open(os.path.join(folder, "versions.json"), "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html><meta charset="utf-8"><title>Kiln</title><meta http-equiv="refresh" content="0; url={newest}/index.html">'
                   f'<a href="{newest}/index.html">Kiln {newest}</a>\n')


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    source, build, out = map(os.path.abspath, arguments)
    version = next((argument.split("=", 1)[1] for argument in sys.argv[1:] if argument.startswith("--version=")), None)
    pages, versions = out + "-pages", out
    if version:
        out = os.path.join(out, version)
    shutil.rmtree(pages, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    for page in [*TOP, *(os.path.relpath(path, source) for path in glob.glob(f"{source}/docs/*.md"))]:
        gather(source, pages, page)
    shutil.copytree(os.path.join(build, "docs/reference"), os.path.join(pages, "reference"))
    for page in glob.glob(f"{pages}/reference/*.md"):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        # Installed pages name headers by their place in an installation; the site has them as Doxygen's pages.
        text = re.sub(r"\[([^\]]*)\]\((?:\.\./)+include/[^)]*\)", r"`\1`", text)
        title = os.path.splitext(os.path.basename(page))[0]
        with open(page, "w", encoding="utf-8") as file:
            file.write(rank(0.3) + lists(text if text.startswith("# ") else f"# {title}\n\n{text}"))
    for name in ("extra.css", "search.js"):
        shutil.copyfile(os.path.join(HERE, name), os.path.join(pages, name))
    op_nav = ops.write(source, os.path.join(pages, "reference"), os.path.join(pages, "ops"))
    with open(os.path.join(pages, "api.md"), "w", encoding="utf-8") as file:
        file.write("# C and C++ interfaces\n\nThe headers of `include/kiln-c` (C) and `include/kiln` (C++) as Doxygen's pages, "
                   "with a search of their own: "
                   "<a href=\"interfaces/files.html\">all headers</a>, "
                   "<a href=\"interfaces/annotated.html\">all classes</a>.\n")
    count = sum(len(names) for _, _, names in os.walk(pages))
    print(f"{count} pages and files in {pages}")
    if "--pages-only" in sys.argv:
        return 0

    import yaml
    config = os.path.join(HERE, "mkdocs.yml")
    with open(config, encoding="utf-8") as file:
        settings = yaml.load(file, Loader=yaml.UnsafeLoader)
    settings["docs_dir"], settings["site_dir"] = pages, out
    for entry in settings["nav"]:
        if "Reference" in entry:
            entry["Reference"] += [{"Operations": op_nav}, {"Passes, types and interfaces": reference_nav(os.path.join(pages, "reference"))},
                                   {"C and C++ interfaces": "api.md"}]
    if version:
        # The theme reads ../versions.json, as the program mike writes it.
        settings["extra"] = {"version": {"provider": "mike"}}
    whole = versions + "-mkdocs.yml"
    with open(whole, "w", encoding="utf-8") as file:
        yaml.dump(settings, file)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", whole], check=True,
                   env=dict(os.environ, NO_MKDOCS_2_WARNING="1"))
    # Behind mkdocs, which empties the folder.
    if shutil.which("doxygen"):
        interfaces(source, build, out)
    else:
        print("warning: doxygen is not installed: the site has no pages of the C and C++ interfaces", file=sys.stderr)
    if version:
        list_versions(versions)
    broken = list(links.broken(out))
    for problem in broken:
        print(problem)
    print(f"{len(broken)} broken links; open {out}/index.html")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
