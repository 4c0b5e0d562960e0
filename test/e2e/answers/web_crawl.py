# SPDX-License-Identifier: LGPL-2.1-or-later
"""crawl [--kinds] ADDRESS [TARGET]...: opens the pages of jobtrail-web that can be reached, each thing once, or one thing of each
kind alone, and prints how many there are of each kind. Each cell that names a thing has to lead to its page. For web.bats."""

import collections
import html
import html.parser
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

OF_A_THING = ("name", "program", "id", "cluster", "owner", "restart")
# heads of columns that name a thing, which has a page
THINGS = ("coverage Program", "Executable", "Library", "Module", "Package", "With", "User", "Run by", "Account", "Job", "In A", "In B", "Run")
BUILDER = "Built by"  # may have no run, and then has no page
NO_THING = ("", "(unknown)", "(not known)", "Total")


class Cells(html.parser.HTMLParser):
    """`found`: [(section, head of the column, text, whether all of it is linked)] of a page's tables"""

    def __init__(self, page):
        super().__init__()
        self.section, self.heads, self.row, self.cell, self.found = None, [], 0, None, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "section":
            self.section = dict(attributes).get("id")
        elif tag == "thead":
            self.heads = []
        elif tag == "tr":
            self.row = 0
        elif tag in ("td", "th"):
            self.cell, self.linked = "", ""
            self.is_head = dict(attributes).get("scope") == "col"
        self.is_link = tag == "a"

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
            self.linked += data if self.is_link else ""

    def handle_endtag(self, tag):
        self.is_link = False
        if tag not in ("td", "th"):
            return
        if self.is_head:
            self.heads.append(self.cell)
        else:
            is_linked = self.linked == "".join(self.cell.split(", "))
            self.found.append((self.section, self.heads[self.row], self.cell, is_linked))
            self.row += 1
        self.cell = None


def crawl(address, *more, of_kinds=False):
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    base = address.partition("?")[0]

    def status_and_page(target):
        try:
            answer = opener.open(urllib.parse.urljoin(base, target))
        except urllib.error.HTTPError as error:
            answer = error
        text = answer.read().decode()
        return answer.status, text if answer.headers["Content-Type"].startswith("text/html") else ""

    def check_cells(target, page):
        for section, head, text, is_linked in Cells(page).found:
            if text in NO_THING or is_linked:
                continue
            assert head not in THINGS and "%s %s" % (section, head) not in THINGS, (target, section, head, text)
            if head == BUILDER:
                assert status_and_page("user?name=" + urllib.parse.quote(text))[0] == 404, (target, section, text)

    waiting, seen, found = [*more, address], set(), collections.Counter()
    while waiting:
        target = waiting.pop()
        status, page = status_and_page(target)
        assert status in (200, 300), (target, status)  # 300: between jobs that have one number
        check_cells(target, page)
        for link in re.findall(r'href="([^"]*)"', page):
            link = html.unescape(link)
            if link.startswith(("#", "data:")):
                continue
            assert "//" not in link.partition("?")[0] and not link.startswith("/"), link
            route, _, query = link.partition("?")
            names = [part for part in query.split("&") if part.partition("=")[0] in OF_A_THING]
            key = (route, *names) if not of_kinds else (route,)
            if key not in seen:
                seen.add(key)
                found[route] += 1
                waiting.append(link)
    for route, count in sorted(found.items()):
        print(route, count)


crawl(*[word for word in sys.argv[1:] if word != "--kinds"], of_kinds="--kinds" in sys.argv)
