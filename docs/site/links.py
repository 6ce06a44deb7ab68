# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds links within a built site that lead to no file, or to no place in a page."""
import os
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page and the places in it that links can name."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name == "srcset" and value:
                self.links.update(part.split()[0] for part in value.split(",") if part.strip())
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)


def broken(out, without=("interfaces",)):
    """Yields a line for each broken link. Links to other sites are not followed. Pages in the folders `without` are generated
    by Doxygen, which checks its own; links to these pages are checked."""
    pages = {}

    def page(path):
        if path not in pages:
            with open(path, encoding="utf-8") as file:
                pages[path] = Page(file.read())
        return pages[path]

    for root, folders, names in os.walk(out):
        folders[:] = sorted(name for name in folders if name not in without)
        for name in sorted(names):
            # The server may show 404.html under any address, so that its links are absolute.
            if not name.endswith(".html") or name == "404.html":
                continue
            path = os.path.join(root, name)
            for link in sorted(page(path).links):
                parts = urlsplit(link)
                if parts.scheme or parts.netloc:
                    continue
                target = os.path.normpath(os.path.join(root, unquote(parts.path))) if parts.path else path
                if os.path.isdir(target):
                    target = os.path.join(target, "index.html")
                where = os.path.relpath(path, out)
                if not os.path.exists(target):
                    yield f"{where}: {link} leads nowhere"
                elif parts.fragment and target.endswith(".html") and unquote(parts.fragment) not in page(target).places:
                    yield f"{where}: {link} leads to no place in the page"
