"""Times tritonclient's default request for one sample, and compares every answer with that of sparsekm predict.

triton.py ADDRESS SAMPLES EXPECTED CLIENTS EACH: samples as CSV; expected as `sparsekm predict --write jsonl` wrote it;
each client is a process, asks EACH times, one request after the other, and draws its samples in turn.
"""
import json
import multiprocessing
import sys
import time

import numpy as np
import tritonclient.http as triton


def client(address, samples, expected, each, start):
    connection = triton.InferenceServerClient(address)
    seconds = np.empty(each)
    for i in range(each):
        at = (start + i) % len(samples)
        began = time.perf_counter()
        rows = triton.InferInput("rows", [1, samples.shape[1]], "FP64")
        rows.set_data_from_numpy(samples[at : at + 1])
        answer = connection.infer("m", [rows])
        label, decisions = answer.as_numpy("labels")[0], answer.as_numpy("decisions")[0]
        seconds[i] = time.perf_counter() - began
        want = expected[at]
        if label.decode() != want["label"] or decisions.tolist() != want["decisions"]:
            raise SystemExit(f"sample {at}: {label} {decisions}, but predict says {want}")
    return seconds


def main():
    address, samples, expected, clients, each = sys.argv[1:]
    samples = np.loadtxt(samples, delimiter=",", ndmin=2)
    expected = [json.loads(line) for line in open(expected)]
    with multiprocessing.Pool(int(clients)) as pool:
        began = time.perf_counter()
        asked = [(address, samples, expected, int(each), c * 61) for c in range(int(clients))]
        seconds = np.concatenate(pool.starmap(client, asked, chunksize=1))
        print("rate", len(seconds) / (time.perf_counter() - began))
    for share in (50, 99, 99.9, 100):
        print(share, np.percentile(seconds, share) * 1e6)


if __name__ == "__main__":
    main()
