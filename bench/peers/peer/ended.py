"""What a limit leaves: every sparse method with time limits, and with an interrupt.

python ended.py [-b SPARSEKM] [-m METHODS] [-n SIZES] [-l LIMITS] [-k KINDS]

A limit of 0 is an interrupt after 2 s. A method whose memory refuses all samples is trained as the refusal says.
It prints a row for each training that leaves no model or ends with another status than docs/reference/exit.md says,
then counts and the latest end.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import tempfile
import time

KINDS = {"two": "pelegmeir", "three": "waveform", "values": "friedman1"}
DENSE = {"svc", "svr", "nu-svc", "nu-svr", "lssvm", "lssvm-primal"}  # models of many vectors, by their nature
DONE = {"optimal", "local optimum", "fixed point", "size reached", "gap open"}
LONG = 1.5  # seconds: what has ended by then is the same with every other limit
OFFERS = re.compile(r"--(candidates \d+|method [a-z-]+)")


class Training:
    """One training and how it ended."""

    def __init__(self, args, limit, out):
        args = args + ["-q", "--json", "--threads", "1", "-o", out] + (["--time-limit", f"{limit}s"] if limit else [])
        if os.path.exists(out):
            os.remove(out)
        began = time.monotonic()
        process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            said, self.says = process.communicate(timeout=None if limit else 2)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            said, self.says = process.communicate()
        self.seconds = time.monotonic() - began
        self.late = self.seconds - (limit or 2)
        self.code, self.status = process.returncode, json.loads(said)["status"] if said else ""
        self.some = "the limit left no model" in said
        self.right = os.path.exists(out) and self.code == (0 if self.status in DONE else 3)


def takes(method, kind):
    """Whether a method learns from the samples of a kind."""
    if kind == "values":
        return "regress" in method["tasks"]
    return method["tasks"] != ["regress"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-b", default="./sparsekm")
    p.add_argument("-m", default="")
    p.add_argument("-n", default="1000,8000,30000,100000")
    p.add_argument("-l", default="2,5,10,0")
    p.add_argument("-k", default=",".join(KINDS))
    a = p.parse_args()
    methods = json.loads(subprocess.check_output([a.b, "methods", "--json"]))["methods"]
    methods = [m for m in methods if m["name"] not in DENSE and (not a.m or m["name"] in a.m.split(","))]
    cells = wrong = some = refused = 0
    latest = (0, "")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "model.skm")
        for n, kind in ((n, kind) for n in a.n.split(",") for kind in a.k.split(",")):
            data = os.path.join(folder, kind)
            subprocess.check_call([a.b, "gen", KINDS[kind], "-n", n, "-o", data])
            for m, limit in ((m, float(l)) for m in methods if takes(m, kind) for l in a.l.split(",")):
                if m.get("quick") == (n, kind):
                    continue
                args = [a.b, "train", data]
                if kind == "values":
                    args += ["--task", "regress"]
                t = Training(args + ["-m", m["name"]], limit, out)
                cells += 1
                if not limit and "memory budget" in t.says:
                    refused += 1
                    offers = [o.split() for o in OFFERS.findall(t.says)]
                    tried = [Training(args + ["-m", m["name"], "--" + o[0], o[1]], limit, out) for o in offers]
                    t.right = "--time-limit" in t.says and all(o.right for o in tried)
                    t = next((o for o in tried if not o.right), t)
                some += t.some
                latest = max(latest, (t.late, f"{m['name']} {n} {kind} {limit:g}"))
                if not t.right:
                    wrong += 1
                    print(n, kind, m["name"], limit or "interrupt", t.code, t.status, f"{t.seconds:.1f} s", t.says[:300],
                          flush=True, sep="\t")
                if t.code == 0 and t.seconds < LONG:
                    m["quick"] = n, kind
    print(f"{cells} trainings: {wrong} not as promised, {some} left a model of some samples, {refused} refused with flags "
          f"that work; the latest ended {latest[0]:.1f} s after its limit: {latest[1]}")


if __name__ == "__main__":
    main()
