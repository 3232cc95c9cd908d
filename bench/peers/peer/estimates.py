"""How good the estimates of a training's end are, from its second round on, in processor time.

python estimates.py SPARSEKM ARGUMENTS... < TRAININGS

Each line of the input has the arguments of a training. It prints the least and the largest ratio of the estimated time
of the whole training to the time that it took, and by which round. Events have the share done in --log json.
"""
import json
import os
import shlex
import subprocess
import sys

TICKS = os.sysconf("SC_CLK_TCK")


def spent(pid):
    """The processor time of a process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def judge(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seen, rounds = [], 0
    for line in process.stderr:
        event = json.loads(line)
        rounds += event.get("phase") in ("round", "delta")
        if "phase" in event:
            whole = spent(process.pid)
            seen.append((whole, event.get("done", 0), rounds))
    process.wait()
    ratios = [(now / done / whole, k) for now, done, k in seen if k >= 2 and done > 0]
    return whole, rounds, min(ratios, default=(1, 0)), max(ratios, default=(1, 0))


def main():
    print("| training | s | rounds | least ratio | largest ratio |\n| --- | --- | --- | --- | --- |")
    for line in sys.stdin:
        if line.strip():
            command = [sys.argv[1], "train", "--log", "json", *sys.argv[2:], *shlex.split(line)]
            whole, rounds, least, most = judge(command)
            print(f"| {line.strip()} | {whole:.1f} | {rounds} | {least[0]:.2f} (round {least[1]}) | {most[0]:.2f} "
                  f"(round {most[1]}) |", flush=True)


if __name__ == "__main__":
    main()
