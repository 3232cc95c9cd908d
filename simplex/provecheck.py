"""Check proofs of `sparsekm lp` and `sparsekm qp PROGRAM.mps --prove PROOF`: python3 provecheck.py PROGRAM.mps PROOF

More pairs of files may follow; it prints a line for each, and exits with 1 if it refuses one.
It reads the program from its MPS file, gzipped or not, and shares nothing with the prover. Numbers of the program are
the doubles next to their decimals, as every solver reads them. docs/reference/proof.md has the grammar of proofs.
"""
import gzip
import sys
import zlib
from fractions import Fraction
from math import floor, frexp, inf, isfinite, lcm, ldexp, sqrt
from operator import mul


class Refused(Exception):
    """What is wrong with a file, with its line."""


QUADRATIC = ("QUADOBJ", "QSECTION", "QMATRIX")
SECTIONS = ("NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA", *QUADRATIC)


def header(section, f):
    """Whether a line from the first column on begins a section: free files may have data there too."""
    word = f[0].upper()
    if word in ("OBJSENSE", *QUADRATIC) or word == "NAME" and section:
        return len(f) < 3
    return not section or len(f) == 1 and (section != "OBJSENSE" or word in SECTIONS)


class Program:
    """min x.Qx/2 + c.x + offset subject to rlo <= A x <= rup, lo <= x <= up. Names stand for numbers, which count from 0."""

    def __init__(self, path):
        self.rows, self.cols, self.objective, self.maximize = {}, {}, None, False
        self.kind, self.rhs, self.range = [], [], []
        self.c, self.lo, self.up, self.given, self.unit, self.by_col = [], [], [], [], [], []
        self.q, self.offset, self.sets, self.negative = {}, None, {}, set()
        self.integer, section, ended = False, "", False
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", errors="replace") as f:
            for number, text in enumerate(f, 1):
                text = text.removeprefix("\ufeff" if number == 1 else "").rstrip()
                if not text or text[0] == "*":
                    continue
                fields = self.uncommented(section, text.split())
                try:
                    if text[0] in " \t" or not header(section, fields):
                        self.data(section, fields)
                        continue
                    section, self.integer = fields[0].upper(), False
                    if section not in SECTIONS:
                        raise ValueError("section")
                    if section == "OBJSENSE" and len(fields) > 1:
                        self.sense(fields[1])
                    if section == "ENDATA":
                        ended = True
                        break
                except (KeyError, ValueError, IndexError) as e:
                    raise Refused(f"{path}: line {number}: {text.strip()!r} is not understood ({e})")
        if not ended:
            raise Refused(f"{path}: no ENDATA")
        self.offset = self.offset or 0.0
        for j in self.negative:
            if "lower" not in self.given[j]:
                self.lo[j] = -inf
        self.c = [v or 0.0 for v in self.c]
        if self.maximize:
            self.c, self.offset = [-v for v in self.c], -self.offset
            self.q = {k: -v for k, v in self.q.items()}
        self.curve = [{} for _ in self.cols]
        for (i, j), v in self.q.items():
            w = self.q.get((j, i), 0.0)
            if not abs(v - w) <= 1e-12 * max(abs(v), abs(w)):
                raise Refused(f"{path}: columns {i + 1} and {j + 1}: Q is not symmetric")
            if v / 2 + w / 2:
                self.curve[i][j] = v / 2 + w / 2
        ends = [[infinite(v) for v in self.ends(i)] for i in range(len(self.rows))]
        self.rlo, self.rup = [e[0] for e in ends], [e[1] for e in ends]
        self.by_row = [[] for _ in self.rows]
        for j, column in enumerate(self.by_col):
            for i, v in column.items():
                self.by_row[i].append((j, v))

    def sense(self, word):
        self.maximize = {"MAX": True, "MIN": False}[word.upper()[:3]]

    def uncommented(self, section, f):
        """The fields without a comment: one after the first that begins with $, and is no name."""
        for k, s in enumerate(f):
            named = k == 1 and section not in ("COLUMNS", "RHS", "RANGES") or s in self.rows or s == self.objective
            if k and s[0] == "$" and not named and not (s in self.cols and section in ("BOUNDS", *QUADRATIC)):
                return f[:k]
        return f

    def counts(self, section, name):
        """Whether a set counts: it has no name, or that of the first one of its section."""
        return not name or self.sets.setdefault(section, name) == name

    def data(self, section, f):
        if section == "OBJSENSE":
            self.sense(f[0])
        elif section == "ROWS":
            kind, name = f
            if kind.upper() not in "NLGE" or name in self.rows:
                raise ValueError("row")
            if kind.upper() == "N" and self.objective is None:
                self.objective = name
                return
            self.rows[name] = len(self.kind)
            self.kind.append(kind.upper())
            self.rhs.append(None)
            self.range.append(None)
        elif section == "COLUMNS":
            if f[1].strip("'").upper() == "MARKER":
                self.integer = {"INTORG": True, "INTEND": False}[f[2].strip("'").upper()]
            else:
                self.column(f)
        elif section in ("RHS", "RANGES"):
            if not 2 <= len(f) <= 5:
                raise ValueError("fields")
            if len(f) % 2 and not self.counts(section, f[0]):
                return
            f = f[len(f) % 2:]
            for name, text in zip(f[::2], f[1::2]):
                i, of = self.rows.get(name), self.rhs if section == "RHS" else self.range
                if name == self.objective:
                    if section == "RHS" and self.offset is None:
                        self.offset = -finite(text)
                elif of[self.rows[name]] is None:
                    of[i] = number(text)
        elif section == "BOUNDS":
            self.bound(f)
        elif section in QUADRATIC:
            pairs(f)
            i = self.late(f[0])
            for name, v in zip(f[1::2], map(finite, f[2::2])):
                for at in {(i, self.late(name))} | ({(self.late(name), i)} if section != "QMATRIX" else set()):
                    self.q[at] = self.q.get(at, 0.0) + v
        else:
            raise ValueError("section")

    def late(self, name):
        """The number of a column, a new one if there is none."""
        if name not in self.cols:
            self.cols[name] = len(self.c)
            for values, first in ((self.c, None), (self.lo, 0.0), (self.up, 1.0 if self.integer else inf),
                                  (self.given, set()), (self.unit, self.integer), (self.by_col, {})):
                values.append(first)
        return self.cols[name]

    def column(self, f):
        pairs(f)
        if f[0] in self.cols and self.cols[f[0]] != len(self.c) - 1:
            raise ValueError("column twice")
        j = self.late(f[0])
        for name, v in zip(f[1::2], map(finite, f[2::2])):
            if name == self.objective:
                self.c[j] = v if self.c[j] is None else self.c[j]
            else:
                self.by_col[j].setdefault(self.rows[name], v)

    def bound(self, f):
        kind = f[0].upper()
        lower, upper = kind in ("LO", "LI", "FX", "FR", "MI", "BV"), kind in ("UP", "UI", "FX", "FR", "PL", "BV")
        alone = kind in ("FR", "MI", "PL", "BV")
        if not (lower or upper) or not 2 <= len(f) <= 4:
            raise ValueError("bound")
        if alone and (len(f) == 4 or len(f) == 3 and f[2] not in self.cols and f[1] in self.cols):
            f = f[:-1]  # a value that says nothing
        if not alone:
            *f, v = f
            v = infinite(number(v))
            if lower and v == inf or upper and v == -inf:
                raise ValueError("infinite")
        if len(f) == 3 and not self.counts("BOUNDS", f[1]):
            return
        j = self.late(f[-1])
        if lower:
            self.lo[j] = -inf if kind in ("FR", "MI") else 0.0 if kind == "BV" else v
            self.given[j].add("lower")
        if upper:
            self.up[j] = inf if kind in ("FR", "PL") else 1.0 if kind == "BV" else v
        elif self.unit[j]:
            self.up[j] = inf
        self.unit[j] = self.unit[j] and not upper
        if kind in ("UP", "UI") and v < 0 and "lower" not in self.given[j]:
            self.negative.add(j)

    def ends(self, i):
        """The bounds of row i: sums and differences are doubles, as in every solver."""
        kind, rhs, width = self.kind[i], self.rhs[i] or 0.0, self.range[i]
        if kind == "N":
            return -inf, inf
        if width is None:
            return (-inf if kind == "L" else rhs), (inf if kind == "G" else rhs)
        if kind == "L" or (kind == "E" and width < 0):
            return rhs - abs(width), rhs
        return rhs, rhs + abs(width)


def number(text):
    v = float(text.lower().replace("d", "e", 1))
    if v != v or "_" in text:
        raise ValueError("not a number")
    return v


def infinite(v):
    """A bound: from 1e20 on it is infinite."""
    if v != v:
        raise Refused("the bounds of a row are not numbers")
    return v if abs(v) < 1e20 else inf if v > 0 else -inf


def pairs(f):
    if len(f) not in (3, 5):
        raise ValueError("fields")


def finite(text):
    v = number(text)
    if not isfinite(v):
        raise ValueError("not finite")
    return v


class Vector:
    """Numbers num * 2^exp / den by their places; those that are not there are 0."""

    def __init__(self):
        self.at = {}

    def dot(self, terms, plus=0.0):
        """Return plus + the sum of a * self[k] for the pairs (k, a), as num, den with the sign of num."""
        sums = {}
        for k, a in [*terms, (None, plus)]:
            v = (1, 0, 1) if k is None else self.at.get(k)
            if v is None or a == 0:
                continue
            n, d = a.as_integer_ratio()
            n, exp = n * v[0], v[1] - (d.bit_length() - 1)
            total, low = sums.get(v[2], (0, exp))
            if exp < low:
                total, low = total << (low - exp), exp
            sums[v[2]] = (total + (n << (exp - low)), low)
        if not sums:
            return 0, 1
        low = min(0, min(exp for _, exp in sums.values()))
        den = lcm(*sums)
        return sum((total << (exp - low)) * (den // d) for d, (total, exp) in sums.items()), den << -low

    def sign(self, k):
        return (self.at[k][0] > 0) - (self.at[k][0] < 0) if k in self.at else 0


class Proof:
    def __init__(self, path, p):
        with open(path, "r", encoding="utf-8", newline="") as f:
            text = f.read()
        body, mark, seal = text.rpartition("end ")
        if not mark or not body.endswith("\n") or seal != f"{zlib.crc32(body.encode()):08x}\n":
            raise Refused(f"{path}: the checksum of the last line is not that of the others")
        self.path, self.status, self.objective, den = path, None, None, None
        self.vectors = {"x": Vector(), "y": Vector(), "ray": Vector()}
        want = f"program {len(p.rows)} rows {len(p.cols)} columns"
        for line, s in enumerate(body.split("\n")[:-1], 1):
            f = s.split(" ")
            try:
                if line <= 3:
                    if line == 2:
                        self.status = f[1]
                    if s != ("sparsekm-proof 1", f"status {self.status}", want)[line - 1]:
                        raise ValueError("heading")
                elif f[0] == "denominator":
                    (den,) = (int(v, 16) for v in f[1:])
                    if den <= 0:
                        raise ValueError("denominator")
                elif f[0] == "objective":
                    num, exp = dyadic(f[1])
                    if self.objective is not None or den is None or len(f) != 2:
                        raise ValueError("objective")
                    self.objective = Fraction(num, den) * Fraction(2) ** exp
                else:
                    names = p.rows if f[0] == "y" else p.cols
                    k, at = names[" ".join(f[2:])], self.vectors[f[0]].at
                    if k in at or den is None:
                        raise ValueError("twice")
                    at[k] = (*dyadic(f[1]), den)
            except (KeyError, ValueError, IndexError, TypeError) as e:
                raise Refused(f"{path}: line {line}: {s[:60]!r} is not understood ({e})")


def dyadic(text):
    num, _, exp = text.partition("p")
    return int(num, 16), int(exp or "0")


def below(v, bound):
    """Whether num/den = v is below a bound, which may be infinite."""
    if not isfinite(bound):
        return bound > 0
    n, d = bound.as_integer_ratio()
    return v[0] * d < n * v[1]


def is_at(v, bound):
    return isfinite(bound) and v[0] * bound.as_integer_ratio()[1] == v[1] * bound.as_integer_ratio()[0]


def feasible(p, x):
    """Refuse x outside of the bounds; return its values and activities."""
    values = [x.dot([(j, 1.0)]) for j in range(len(p.cols))]
    activities = [x.dot(row) for row in p.by_row]
    for what, of, lo, up in (("column", values, p.lo, p.up), ("row", activities, p.rlo, p.rup)):
        for k, v in enumerate(of):
            if below(v, lo[k]) or not (below(v, up[k]) or is_at(v, up[k])):
                raise Refused(f"{what} {k + 1} is outside of its bounds")
    return values, activities


def check(p, proof):
    x, y, ray = (proof.vectors[k] for k in ("x", "y", "ray"))
    uses = {"optimal": (x, y), "infeasible": (y,), "unbounded": (x, ray)}.get(proof.status)
    if uses is None or any(v.at for v in (x, y, ray) if v not in uses):
        raise Refused(f"{proof.path}: line 2: status {proof.status!r} with lines that do not belong to it")
    if (proof.objective is None) == (proof.status == "optimal"):
        raise Refused(f"{proof.path}: an objective belongs to optima only")
    if proof.status == "infeasible":
        return infeasible(p, y)
    values, activities = feasible(p, x)
    if proof.status == "unbounded":
        return unbounded(p, ray)
    # Complementary slackness: a reduced cost above 0 keeps its column at the lower bound, one below 0 at the upper.
    duals, at = [], []
    for j, column in enumerate(p.by_col):
        d = plus(y.dot([(i, -v) for i, v in column.items()], p.c[j]), x.dot(p.curve[j].items()))
        if d[0] and not is_at(values[j], p.lo[j] if d[0] > 0 else p.up[j]):
            raise Refused(f"column {j + 1} is not on the bound that its reduced cost asks for")
        duals.append(d)
        at.append((p.lo[j] if d[0] > 0 else p.up[j]) if d[0] else 0.0)
    for i, v in enumerate(activities):
        s = y.sign(i)
        if s and not is_at(v, p.rlo[i] if s > 0 else p.rup[i]):
            raise Refused(f"row {i + 1} is not on the bound that its dual value asks for")
    if p.q:
        convex(p, duals, y)
    value = Fraction(*x.dot(enumerate(p.c), p.offset)) + curved(p, x, y, at) / 2
    if value != proof.objective:
        raise Refused(f"the objective is {float(value)}, the proof says {float(proof.objective)}")
    return f"optimal, objective {float(-value if p.maximize else value)!r}"


def plus(v, w):
    return v[0] * w[1] + w[0] * v[1], v[1] * w[1]


def curved(p, x, y, at):
    """x.Qx, by Qx = A'y + d - c with y and d that are 0 off the bounds: sum of d.at + y.bounds - c.x."""
    if not p.q:
        return Fraction(0)
    at = [(j, Fraction(b)) for j, b in enumerate(at) if b]
    by_x, by_y, constant = {j: -Fraction(c) for j, c in enumerate(p.c)}, {}, Fraction(0)
    for i in y.at:
        if y.sign(i):
            by_y[i] = Fraction(p.rlo[i] if y.sign(i) > 0 else p.rup[i])
    for j, b in at:
        constant += b * Fraction(p.c[j])
        for k, v in p.curve[j].items():
            by_x[k] += b * Fraction(v)
        for i, v in p.by_col[j].items():
            by_y[i] = by_y.get(i, 0) - b * Fraction(v)
    return Fraction(*x.dot(by_x.items())) + Fraction(*y.dot(by_y.items())) + constant


def convex(p, duals, y):
    """Refuse an optimum unless Q is positive semidefinite, or what the bounds make of it.

    From the optimum to another feasible point at p the objective grows by p.Qp/2 + sum |dual| t, where t is the
    distance from the bound that the dual asks for. If w is the width of all feasible values, t is at least t^2/w. So it
    is enough that Q + 2 sum |dual|/w aa' is semidefinite, with any multiple of aa' for an equality.
    """
    rows = [{k: Fraction(v) for k, v in row.items()} for row in p.curve]
    left = uncertain(rows)
    if not left:
        return
    wide = [dict(row) for row in rows]
    lo, up, rlo, rup = implied(p)
    lines = [([(j, 1.0)], p.lo[j] == p.up[j], up[j] - lo[j], duals[j]) for j in range(len(p.cols))]
    lines += [(row, p.rlo[i] == p.rup[i], rup[i] - rlo[i], y.dot([(i, 1.0)])) for i, row in enumerate(p.by_row)]
    for terms, equal, width, dual in lines:
        a = [(j, Fraction(v)) for j, v in terms]
        weight = Fraction(weigh(p, terms, 0 if equal else width, dual))
        for j, v in a if weight else ():
            for k, w in a:
                wide[j][k] = wide[j].get(k, 0) + weight * v * w
    other = uncertain(wide)
    if other and not eliminated(rows, left) and not eliminated(wide, other):
        raise Refused("Q is not positive semidefinite")


def implied(p):
    """Bounds that hold for every feasible x: those given and others that follow from single rows, with margins."""
    lo, up, rlo, rup = list(p.lo), list(p.up), list(p.rlo), list(p.rup)
    for _ in range(2):
        for i, row in enumerate(p.by_row):
            for sign in (1, -1):
                top = rup[i] if sign > 0 else -rlo[i]
                ends = [(j, sign * a, sign * a * (lo[j] if sign * a > 0 else up[j])) for j, a in row]
                free = sum(not isfinite(e) for _, _, e in ends)
                least = sum(e for _, _, e in ends if isfinite(e))
                size = sum(abs(e) for _, _, e in ends if isfinite(e))
                if not free and sign > 0:
                    rlo[i] = max(rlo[i], least - 1e-9 * size)
                elif not free:
                    rup[i] = min(rup[i], 1e-9 * size - least)
                for j, a, e in ends:
                    if free > (not isfinite(e)) or not isfinite(top):
                        continue
                    far, margin = (top - (least - e if isfinite(e) else least)) / a, 1e-9 * (size + abs(top)) / abs(a)
                    if a > 0:
                        up[j] = min(up[j], far + margin)
                    else:
                        lo[j] = max(lo[j], far - margin)
    return lo, up, rlo, rup


def weigh(p, terms, width, dual):
    """The weight of aa', with few digits and below what it may be; 0 for none."""
    if not terms or not isfinite(width):
        return 0
    try:
        if width > 0:
            w = 1.9 * abs(dual[0] / dual[1]) / width
        else:
            w = 16 * max(p.curve[j].get(j, 0.0) for j, _ in terms) / max(abs(v) for _, v in terms) ** 2
    except (OverflowError, ZeroDivisionError):
        return 0
    part, exp = frexp(w)
    return ldexp(floor(64 * part), exp - 6) if isfinite(w) else 0


def uncertain(rows):
    """The connected parts of a symmetric matrix that may not be positive semidefinite."""
    parts, left = [], set(range(len(rows)))
    while left:
        part, stack = set(), [left.pop()]
        while stack:
            j = stack.pop()
            if j not in part:
                part.add(j)
                stack += rows[j]
        left -= part
        if any(rows[j] for j in part) and not definite(rows, sorted(part)):
            parts.append(sorted(part))
    return parts


def definite(rows, part):
    """Whether Cholesky's method ends after the diagonal has lost the error bound of its doubles (Rump, 2006)."""
    if any(rows[j].get(j, 0) <= 0 for j in part):
        return False
    scale = {j: frexp(float(rows[j][j]))[1] // 2 for j in part}
    place = {j: k for k, j in enumerate(part)}
    trace = sum(ldexp(float(rows[j][j]), -2 * scale[j]) for j in part)
    factor = []
    for k, j in enumerate(part):
        row = [0.0] * (k + 1)
        for i, v in rows[j].items():
            if place[i] <= k:
                row[place[i]] = ldexp(float(v), -scale[j] - scale[i])
        first = next((t for t, v in enumerate(row) if v), k)
        for t in range(first, k):
            other = factor[t]
            row[t] = (row[t] - sum(map(mul, row[first:t], other[first:t]))) / other[t]
        rest = row[k] - 2.0**-50 * (len(part) + 4) * trace - sum(map(mul, row[first:k], row[first:k]))
        if not 1e-200 < rest < inf:
            return False
        row[k] = sqrt(rest)
        factor.append(row)
    return True


def eliminated(matrix, parts):
    """Eliminate in fractions, the rows with the least entries first: no pivot is below 0, and one of 0 stands alone."""
    for part in parts:
        rows = {j: dict(matrix[j]) for j in part}
        while rows:
            pivot = min(rows, key=lambda j: len(rows[j]))
            row = {k: v for k, v in rows.pop(pivot).items() if v}
            d = row.pop(pivot, 0)
            if d < 0 or (d == 0 and row):
                return False
            for j, v in row.items():
                del rows[j][pivot]
                for k, w in row.items():
                    rows[j][k] = rows[j].get(k, 0) - v * w / d
                    if not rows[j][k]:
                        del rows[j][k]
    return True


def infeasible(p, y):
    """y.A x < y.s for all x and s within the bounds: the largest y.A x is below the least y.s. Bounds that cross do."""
    if any(lo > up for lo, up in (*zip(p.lo, p.up), *zip(p.rlo, p.rup))):
        return "infeasible"
    total = Fraction(0)
    for j, column in enumerate(p.by_col):
        z = y.dot([(i, v) for i, v in column.items()])
        if z[0]:
            total += Fraction(*z) * end("column", j, p.up[j] if z[0] > 0 else p.lo[j])
    for i in y.at:
        if y.sign(i):
            total -= Fraction(*y.dot([(i, 1.0)])) * end("row", i, p.rlo[i] if y.sign(i) > 0 else p.rup[i])
    if total >= 0:
        raise Refused("the multipliers contradict nothing")
    return "infeasible"


def end(what, k, bound):
    if not isfinite(bound):
        raise Refused(f"{what} {k + 1} has no bound where the multipliers need one")
    return Fraction(bound)


def unbounded(p, ray):
    for what, of, lo, up in (("column", ([(j, 1.0)] for j in range(len(p.cols))), p.lo, p.up),
                             ("row", p.by_row, p.rlo, p.rup)):
        for k, terms in enumerate(of):
            v = ray.dot(terms)[0]
            if v > 0 and isfinite(up[k]) or v < 0 and isfinite(lo[k]):
                raise Refused(f"the ray leaves the bounds of {what} {k + 1}")
    for j, row in enumerate(p.curve):
        if ray.dot(row.items())[0]:
            raise Refused(f"the objective curves along the ray, at column {j + 1}")
    if ray.dot(enumerate(p.c))[0] >= 0:
        raise Refused("the cost does not fall along the ray")
    return "unbounded"


def main(files):
    if not files or len(files) % 2:
        sys.exit("usage: provecheck.py PROGRAM.mps PROOF [PROGRAM.mps PROOF]...")
    failed = False
    for path, proof in zip(files[::2], files[1::2]):
        try:
            program = Program(path)
            print("proved", check(program, Proof(proof, program)))
        except (Refused, OSError, UnicodeDecodeError) as e:
            print("refused:", e)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])
