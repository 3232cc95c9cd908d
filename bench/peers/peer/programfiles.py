"""What HiGHS, GLPK, CLP and CBC read in small program files of every kind, as the tests of qp compare:

    python bench/peers/peer/programfiles.py > qp/testdata/programfiles.json

It needs highspy, glpsol, clp and cbc. An answer is the optimum of the relaxation, "none" or "refused".
"""
import json
import os
import random
import re
import subprocess
import tempfile

import highspy

rng = random.Random(50)


def shown(command, path):
    text = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    return text, open(path).read() if path and os.path.exists(path) else ""


def highs(path):
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("solve_relaxation", True)
    if h.readModel(path) == highspy.HighsStatus.kError:
        return "refused"
    h.run()
    return h.getObjectiveValue() if h.modelStatusToString(h.getModelStatus()) == "Optimal" else "none"


def glpk(path):
    for flag in ["--lp"] if path.endswith(".lp") else ["--mps", "--freemps"]:
        solution = path + ".sol"
        _, text = shown(["glpsol", flag, path, "--nomip", "-w", solution], solution)
        found = re.search(r"^s bas \d+ \d+ (\S) (\S) (\S+)", text, re.M)
        if found:
            os.unlink(solution)
            return float(found[3]) if found[1] + found[2] == "ff" else "none"
    return "refused"


def coin(path, program):
    text, _ = shown([program, path] + (["-solve"] if program == "clp" else ["-initialSolve"]) + ["-quit"], None)
    found = re.search(r"Optimal objective\s+(\S+)", text)
    if re.search(r"errors on input|not valid|Unable", text):
        return "refused"
    if found:
        return float(found[1])
    return "none" if re.search("infeasible|unbounded", text, re.I) else "refused"


def fixed(text):
    """The lines of a free MPS file in the columns of the fixed format."""
    lines = []
    for line in text.split("\n"):
        f = line.split()
        if not line.startswith(" "):
            lines.append("NAME          t" if f[:1] == ["NAME"] else line)
        elif f[0] in ("LO", "UP", "FX", "FR", "MI", "PL", "BV", "LI", "UI", "N", "L", "G", "E"):
            lines.append(" %-2s %-8s  %-8s  %12s" % tuple((f + ["", "", ""])[:4]))
        else:
            f = ([""] if len(f) % 2 == 0 else []) + f
            lines.append(("    %-8s  %-8s  %12s   %-8s  %12s" % tuple((f + ["", "", "", ""])[:5])))
    return "\n".join(line.rstrip() for line in lines)


def mps(kind, sense="", cost=None, rhs=" R c 9\n R d 8\n", ranges="", bounds="", rows=" N obj\n L c\n G d\n", more="", q=""):
    cost = cost or (rng.choice([-2, -1, 1, 3]), rng.choice([-3, -1, 2, 4]))
    columns = " x obj %d\n x c 1\n x d 2\n y obj %d\n y c 1\n y d 1\n" % cost
    if kind.startswith("integer"):
        columns = " M 'MARKER' 'INTORG'\n" + columns + " M 'MARKER' 'INTEND'\n"
    text = "NAME t\n" + sense + "ROWS\n" + rows + "COLUMNS\n" + columns + more
    for name, part in (("RHS", rhs), ("RANGES", ranges), ("BOUNDS", bounds), ("QUADOBJ", q)):
        text += name + "\n" + part if part else ""
    return kind, text + "ENDATA\n"


def files():
    box = " UP B x 5\n UP B y 6\n"
    for cost in ((-1, -2), (2, 3), (-3, 1)):
        at = {"cost": cost}
        yield mps("plain", bounds=box, **at)
        yield mps("maximise", sense="OBJSENSE\n    MAX\n", bounds=box, **at)
        for v in ("1e19", "1e20", "1e25", "1e30", "1e75"):
            yield mps("infinite", bounds=" UP B x %s\n UP B y 6\n" % v, **at)
            yield mps("infinite", bounds=" LO B x -%s\n UP B x 4\n UP B y 6\n" % v, **at)
            yield mps("infinite", rhs=" R c %s\n R d 8\n" % v, bounds=" UP B y 6\n UP B x 5\n", **at)
            yield mps("infinite", ranges=" S c %s\n" % v, bounds=box, **at)
        for section in ("rhs", "ranges", "bounds"):
            one = {"rhs": " R c 9\n R d 8\n", "ranges": " R c 3\n", "bounds": box}[section]
            two = {"rhs": " S c 4\n S d 1\n", "ranges": " S c 7\n S d 2\n", "bounds": " UP C x 2\n LO C y 3\n"}[section]
            yield mps("sets", **{"bounds": box, section: one + two}, **at)
            yield mps("twice", **{"bounds": box, section: one + one.replace("9", "7").replace("3", "2").replace("5", "2")},
                      **at)
        for b in ("LO B x 2", "LO B x 0", "UP B x 4", "UP B x 1", "FR B x", "MI B x", "PL B x", "BV B x", "FX B x 1", "LI B x 1",
                  "UI B x 3", "LO B x -3"):
            yield mps("integer bounds", bounds=" %s\n UP B y 6\n" % b, **at)
            yield mps("bounds", bounds=" %s\n UP B y 6\n" % b, **at)
        yield mps("integer", bounds=" UP B y 6\n", **at)
        yield mps("crossing", bounds=" LO B x 4\n UP B x 3\n UP B y 6\n", **at)
        yield mps("negative", bounds=" UP B x -3\n UP B y 16\n", **at)
        yield mps("negative", bounds=" LO B x -9\n UP B x -3\n UP B y 16\n", **at)
        yield mps("constant", rhs=" R c 9\n R d 8\n R obj 7\n", bounds=box, **at)
        for r in ("c 2", "d 2", "c -2", "d -2", "obj 4"):
            yield mps("ranges", ranges=" S %s\n" % r, bounds=box, **at)
        for r in ("2", "-2", "0"):
            yield mps("ranges of equations", rows=" N obj\n E c\n G d\n", ranges=" S c %s\n" % r, bounds=box, **at)
        yield mps("no objective", rows=" L c\n G d\n N obj\n", bounds=box, **at)
        yield mps("late column", bounds=box + " UP B z 3\n", **at)
        yield mps("entries twice", more=" y c 3\n", bounds=box, **at)
        yield mps("cost twice", more=" y obj 3\n", bounds=box, **at)
        yield mps("comment", more=" z obj 0 $ empty\n", bounds=box, **at)
        yield mps("value of FR", bounds=" FR B x 0\n UP B x 5\n UP B y 6\n", **at)
        yield mps("no set", rhs=" c 9\n d 8\n", bounds=box, **at)
        for q in (" x x 2\n y y 4\n", " x x 2\n x y 1\n y y 4\n", " x x 2\n x y 1\n y x 1\n y y 4\n", " x x 2\n x x 2\n z z 4\n"):
            yield mps("quadratic", bounds=box, q=q, **at)
    for low, up in ((None, None), ("x >= 1", None), ("x <= 3", None), ("x free", "x <= 4"), ("x >= -1e30", "x <= 1e30"),
                    ("4 <= x <= 3", None), ("x <= -2", None), ("x = 2", None), ("-3 <= x <= 2", None)):
        for kind in ("", "General\n x\n", "Binary\n x\n", "Integers\n x y\n"):
            bounds = "".join(" %s\n" % b for b in (low, up, "y <= 6") if b)
            yield ("LP", "Minimize\n obj: %d x + 2 y\nSubject To\n c: x + y <= 9\n d: x + y >= 2\nBounds\n%s%sEnd\n" %
                   (rng.choice([-1, 1]), bounds, kind))


def main():
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in files():
            forms = [text] if kind == "LP" or "QUADOBJ" in text or rng.random() < 0.5 else [fixed(text)]
            for form in forms:
                path = os.path.join(folder, "p.lp" if kind == "LP" else "p.mps")
                with open(path, "w") as f:
                    f.write(form)
                out.append({"kind": kind, "text": form, "highs": highs(path), "glpk": glpk(path), "clp": coin(path, "clp"),
                            "cbc": coin(path, "cbc")})
    print("[" + ",\n".join(json.dumps(o) for o in out) + "]")


if __name__ == "__main__":
    main()
