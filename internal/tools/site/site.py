"""What mkdocs does not do itself: pages from outside docs, links to the repository, and pages that programs write.

Every page has a place in the repository. A relative link goes to the page of the file that it names, if the site has
one, else to the file in the repository; one that names no file ends the build.
"""

from __future__ import annotations

import ast
import html
import pathlib
import posixpath
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MADE = ROOT / "bin" / "site.pages"  # by goref, and by this file
REPOSITORY = "https://github.com/sparsekm/sparsekm"

# Pages outside docs, and where the site has them.
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "python/README.md": "guide/python.md",
    "testdata/SOURCES.md": "sources.md",
}

# Pages of the Python reference: what each shows.
PYTHON = {
    "estimators": ("Estimators", ["sparsekm.SSVC", "sparsekm.SSVR", "sparsekm.OneClass", "sparsekm.ReducedSVC"]),
    "distill": ("Distillation", ["sparsekm.distill", "sparsekm.DistilledClassifier", "sparsekm.DistilledRegressor"]),
    "functions": ("Functions", ["sparsekm.methods", "sparsekm.load", "sparsekm.save", "sparsekm.patch_sklearn",
                                "sparsekm.unpatch_sklearn", "sparsekm.trusted_types"]),
    "svm": ("sparsekm.svm", ["sparsekm.svm"]),
    "plot": ("sparsekm.plot", ["sparsekm.plot"]),
    "dask": ("sparsekm.dask", ["sparsekm.dask"]),
}


def on_config(config):
    """Make the pages, and name them in the navigation."""
    command_pages()
    python_pages()
    put("reference/c.md", header_page((ROOT / "capi" / "sparsekm.h").read_text()))
    config.nav = [expanded(item) for item in config.nav]
    if (ROOT / "bin" / "demo" / "index.html").exists():
        config.nav[0]["Start"].append({"Demonstration": "demo/index.html"})
    return config


def expanded(item):
    """Return an entry of the navigation with the pages that folders with a star stand for."""
    if isinstance(item, str):
        return item
    (title, value), = item.items()
    if isinstance(value, list):
        return {title: [expanded(v) for v in value]}
    if value.endswith("/*"):
        pages = sorted(p.relative_to(MADE).as_posix() for p in (MADE / value[:-2]).rglob("*.md"))
        return {title: sorted(pages, key=lambda p: p.rsplit("/", 1)[-1] != "index.md")}
    return item


def on_files(files, config):
    """Add what is not in docs."""
    for source, place in OUTSIDE.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    for folder in (MADE, HERE / "static"):
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            files.append(File.generated(config, path.relative_to(folder).as_posix(), abs_src_path=str(path)))
    demo = ROOT / "bin" / "demo"
    for path in sorted(demo.glob("*")):
        files.append(File.generated(config, f"demo/{path.name}", abs_src_path=str(path)))
    return files


# Code, whose brackets are no links, and links.
CODE = re.compile(r"(?ms)^```.*?^```$|`[^`\n]*`|^    .*?$")
LINK = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?\)|\b(src|srcset)=\"([^\"]+)\"")
PICTURE = re.compile(r'(?s)<picture>\s*<source[^>]*srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*</picture>')


def on_page_markdown(markdown, page, config, files):
    """Resolve links, and write what GitHub's Markdown has and Python's has not."""
    source = {place: name for name, place in OUTSIDE.items()}.get(page.file.src_uri)
    if source is None:
        if page.file.abs_src_path and pathlib.Path(page.file.abs_src_path).is_relative_to(MADE):
            return markdown
        source = "docs/" + page.file.src_uri
    markdown = PICTURE.sub(r'<img src="\2#only-light"\3><img src="\1#only-dark"\3>', markdown)

    def links(text):
        return LINK.sub(lambda link: resolved(link, source, page, files), text)

    return outside_code(list_items(cells(markdown)), links)


def outside_code(text, change):
    """Apply a change to all of a text but its code."""
    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [change(text[end:code.start()]), code.group()]
        end = code.end()
    return "".join(parts + [change(text[end:])])


def resolved(match, source, page, files):
    """Return a link with the address that it has on the site."""
    target, anchor = match[2] if match[1] else match[5], match[3] or ""
    if match[5] and "#" in target:
        target, _, only = target.partition("#")
        anchor = "#" + only
    if not target or ":" in target:
        return match.group()
    name = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if not (ROOT / name).exists():
        raise PluginError(f"{source}: a link to {target}, which is no file")
    place = OUTSIDE.get(name, name.removeprefix("docs/") if name.startswith("docs/") else None)
    file = files.get_file_from_path(place) if place else None
    if file and not file.inclusion.is_excluded():
        there = posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".")
    else:
        kind = "tree" if (ROOT / name).is_dir() else "blob"
        there = f"{REPOSITORY}/{kind}/main/{name}"
    return f"{match[1]}{there}{anchor})" if match[1] else f'{match[4]}="{there}{anchor}"'


def cells(markdown):
    r"""Write code with \| in tables as HTML, since Python's Markdown keeps the backslash."""
    def code(match):
        text = html.escape(match[1].replace(r"\|", "|"))
        for mark in "|*_":
            text = text.replace(mark, f"&#{ord(mark)};")
        return f"<code>{text}</code>"

    return re.sub(r"(?m)^\|.*\|$", lambda row: re.sub(r"`([^`\n]*\\\|[^`\n]*)`", code, row[0]), markdown)


ITEM = re.compile(r"([-*]|\d+\.) ")


def list_items(markdown):
    """Put an empty line before a list or a table that follows a paragraph."""
    lines, inside = [], False
    for line in markdown.split("\n"):
        before = lines[-1] if lines else ""
        inside ^= line.startswith("```")
        new_list = ITEM.match(line) and not ITEM.match(before) and not before.startswith("  ")
        new_table = line.startswith("|") and not before.startswith("|")
        if not inside and before.strip() and (new_list or new_table):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


# The roles of Sphinx, as they look when Markdown has seen them.
ROLE = re.compile(r":(?:class|func|meth|mod|attr|obj):<code>~?([^<]*)</code>")


def on_page_content(content, page, config, files):
    """Link the names in docstrings, and tell cells of tables with text."""
    def linked(role):
        name = role[1]
        if name.startswith(("sklearn.", "scipy.", "numpy.", "dask.")):
            return f"<code>{name}</code>"
        full = name if name.startswith("sparsekm") else "sparsekm." + name
        return f'<autoref identifier="{full}" optional><code>{name}</code></autoref>'

    def cell(td):
        # A sentence needs room, on a phone too: the table scrolls.
        return '<td class="text">' if len(re.sub(r"<[^>]*>", "", td[1])) > 40 else td[0]

    content = re.sub(r"<td>(?=(.*?)</td>)", cell, content)
    return ROLE.sub(linked, content)


def on_post_page(output, page, config):
    """Give the theme's search a name, for those who hear the page."""
    search = 'data-md-component="search" role="dialog"'
    return output.replace(search, search + ' aria-label="Search"')


# What a page has that others name, and what it names.
ID = re.compile(r'\b(?:id|name)="([^"]+)"')
NAMED = re.compile(r'<(\w+)[^>]*?\s(?:href|src|srcset)="([^"]*)"')
# What would be no text in Markdown that was understood.
LEFT = re.compile(r"<p>(?:\||[-*] )|\]\((?:[a-z.]+/|#|http)|:(?:class|func|meth):")


def on_post_build(config):
    """Check every link, and that no page asks another host for anything."""
    site = pathlib.Path(config.site_dir)
    for name in ("sitemap.xml", "sitemap.xml.gz"):  # addresses are known only where the site is served
        (site / name).unlink(missing_ok=True)
    pages = {p.relative_to(site).as_posix(): p.read_text() for p in sorted(site.rglob("*.html"))}
    ids = {name: set(ID.findall(text)) for name, text in pages.items()}
    faults, links = [], 0
    for name, text in pages.items():
        if name.startswith("demo/"):
            continue
        for tag, target in NAMED.findall(text):
            links += 1
            why = dead(site, ids, name, tag, html.unescape(target))
            if why:
                faults.append(f"{name}: {target}: {why}")
        shown = re.sub(r"(?s)<(pre|code|script|style)\b.*?</\1>", "", text)
        for m in LEFT.finditer(shown):
            faults.append(f"{name}: Markdown that was not understood: {shown[m.start():m.start() + 60]!r}")
    for style in site.rglob("*.css"):
        for host in re.findall(r"(?:url\(|@import )[\"']?(https?:[^)\"']+)", style.read_text()):
            faults.append(f"{style.name}: asks {host}")
    if faults:
        raise PluginError("\n".join(faults))
    print(f"site: {len(pages)} pages, {links} links, none dead")


def dead(site, ids, page, tag, target):
    """Return why a link leads nowhere, or None."""
    address, _, anchor = target.partition("#")
    if re.match(r"https?:|//", address):
        if tag not in ("a", "base"):
            return "asks another host"
        path = re.match(REPOSITORY + r"/(?:blob|tree)/main/(.*)", address)
        return "no file of the repository" if path and not (ROOT / path[1]).exists() else None
    if ":" in address:
        return None if address.startswith(("data:", "mailto:")) else "an unknown scheme"
    if address.startswith("/"):
        name = address[1:] or "index.html"
    else:
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page), address)) if address else page
    if (site / name).is_dir():
        name = posixpath.normpath(posixpath.join(name, "index.html"))
    if not (site / name).is_file():
        return "no file"
    if anchor and not anchor.startswith(("only-", "__")) and name in ids and anchor not in ids[name]:
        return "no such anchor"
    return None


def put(name, text):
    """Write a page."""
    path = MADE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def command_pages():
    """Write a page for the help of each command, which a test of the command records: nothing is compiled here."""
    recorded = (ROOT / "cmd" / "sparsekm" / "cli" / "testdata" / "help.txt").read_text()
    said = dict(part.split("\n", 1) for part in re.split(r"(?m)^\$ sparsekm ", recorded)[1:])
    top = said["--help"]
    commands = re.findall(r"(?m)^  ([a-z-]+) {2,}(?=\S)", top.split("Commands:")[1])
    listed, about = [], {}
    for command in commands:
        text = said[f"help {command}"].rstrip()
        usage, about[command], *rest = text.split("\n\n", 2)
        more = ""
        if command == "methods":
            more = f"\n## What it prints\n\n```text\n{said['methods'].rstrip()}\n```\n"
        put(f"reference/command/{command}.md", f"# sparsekm {command}\n\n{' '.join(about[command].split())}\n\n"
            f"```text\n{usage}\n```\n\n```text\n{(rest or [''])[0]}\n```\n{more}")
        listed.append(f"| [{command}]({command}.md) | {' '.join(about[command].split())} |\n")
    flags = top.split("\n\n", 2)[2].split("Commands:")[0].rstrip()
    put("reference/command/index.md", "# The command\n\n`sparsekm COMMAND --help` shows the text of each page.\n\n"
        f"| command | |\n| --- | --- |\n{''.join(listed)}\n```text\n{flags}\n```\n")


def python_pages():
    """Write the pages that mkdocstrings fills. Every public name of the package must be on one."""
    package = (ROOT / "python" / "sparsekm" / "__init__.py").read_text()
    public = {"sparsekm." + name for name in ast.literal_eval(re.search(r"(?s)__all__ = (\[.*?\])", package)[1])}
    missing = public - {name for _, shown in PYTHON.values() for name in shown}
    if missing:
        raise PluginError(f"no page of the Python reference shows {', '.join(sorted(missing))}")
    rows = []
    for name, (title, shown) in PYTHON.items():
        put(f"reference/python/{name}.md", f"# {title}\n\n" + "".join(f"::: {s}\n" + (
            "    options: {show_root_heading: false}\n" if len(shown) == 1 else "") + "\n" for s in shown))
        rows.append(f"| [{title}]({name}.md) | {', '.join(f'`{s}`' for s in shown)} |\n")
    put("reference/python/index.md", "# Python package\n\n| page | |\n| --- | --- |\n" + "".join(rows))


def header_page(text):
    """Write the C header: its comments as text, its declarations as code."""
    intro, body = re.match(r"(?s)/\*(.*?)\*/\n(.*)", text).groups()
    body = re.sub(r"(?ms)^#(ifndef|define|include|ifdef|endif).*?$|^extern \"C\" \{$|^\}$(?=\n#endif)", "", body)
    out = ["# C header\n", prose(intro)]
    for chunk in re.split(r"\n\s*\n(?=\S)", body):
        comment, code = re.match(r"(?s)\s*(?:/\*(.*?)\*/\n)?(.*)", chunk).groups()
        code = code.strip()
        if not code:
            continue
        names = re.findall(r"\b(skm_[a-z_]+)\(|\(\*(skm_[a-z_]+)\)|^\} (skm_[a-z]+);|^typedef struct (skm_[a-z]+)|"
                           r"^typedef \w+ (skm_\w+);|\b(SKM_[A-Z]+)(?= = 0)", code, re.M)
        names = list(dict.fromkeys(next(n for n in name if n) for name in names))
        out.append(f"## {', '.join(f'`{n}`' for n in names)} {{#{names[0]}}}\n")
        out.append("".join(f'<span id="{n}"></span>' for n in names[1:]) + "\n")
        if comment:
            out.append(prose(comment))
        out.append(f"```c\n{code}\n```\n")
    return "\n".join(out)


def prose(comment):
    """Return a comment as Markdown: paragraphs, and blocks where the comment has columns."""
    lines = [re.sub(r"^ \* ?| {3}(?=\S)", "", line, count=1) for line in comment.split("\n")]
    out = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n ")):
        if re.match(r" {2,}\S", paragraph):
            out.append("```text\n" + paragraph + "\n```\n")
        else:
            out.append(re.sub(r"([*_<\[])", r"\\\1", " ".join(paragraph.split())) + "\n")
    return "\n".join(out)
