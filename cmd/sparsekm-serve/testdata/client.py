"""Asks a server of the models iris and t all that tritonclient asks for."""

import sys

import numpy as np
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

client = triton.InferenceServerClient(sys.argv[1])
assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("iris")
assert client.get_server_metadata()["name"] == "sparsekm"
metadata = client.get_model_metadata("iris")
version = metadata["versions"][0]
assert client.is_model_ready("iris", version)
assert client.get_model_metadata("iris", version) == metadata
assert client.get_model_config("iris")["input"] == [{"name": "rows", "data_type": "TYPE_FP64", "dims": [-1, 4]}]
assert [m["name"] for m in client.get_model_repository_index()] == ["iris", "t"]

rows = np.array([[5.1, 3.5, 1.4, 0.2], [6.3, 3.3, 6.0, 2.5]])
names = [o["name"] for o in metadata["outputs"]]


def ask(dtype, binary=True, outputs=None, **options):
    x = triton.InferInput("rows", list(rows.shape), dtype)
    x.set_data_from_numpy(rows.astype({"FP64": "f8", "FP32": "f4", "INT64": "i8"}[dtype]), binary)
    result = client.infer("iris", [x], outputs=outputs, request_id="7", **options)
    assert result.get_response()["id"] == "7"
    return {name: result.as_numpy(name) for name in names}


want = ask("FP64")
assert want["labels"].tolist() == [b"1", b"3"] and want["probabilities"].shape == (2, 3)
text = [triton.InferRequestedOutput(name, binary_data=False) for name in names]
plain = ask("FP64", binary=False, outputs=text)
assert plain["labels"].tolist() == ["1", "3"] or plain["labels"].tolist() == [b"1", b"3"]
for other in (plain, ask("FP64", model_version=version), ask("FP64", request_compression_algorithm="gzip"),
              ask("FP64", request_compression_algorithm="deflate"), ask("FP64", response_compression_algorithm="gzip"),
              ask("FP64", response_compression_algorithm="deflate")):
    for name in ("decisions", "probabilities"):
        assert np.array_equal(want[name], other[name]), name
assert ask("FP32")["labels"].tolist() == [b"1", b"3"] and ask("INT64")["labels"].tolist() == [b"1", b"3"]

# Many rows, so that the answer is worth compressing.
many = np.tile(rows, (500, 1))
x = triton.InferInput("rows", list(many.shape), "FP64")
x.set_data_from_numpy(many)
for algorithm in (None, "gzip", "deflate"):
    got = client.infer("iris", [x], request_compression_algorithm=algorithm, response_compression_algorithm=algorithm)
    assert np.array_equal(got.as_numpy("decisions"), np.tile(want["decisions"], (500, 1))), algorithm

# A table, a column an input.
inputs = []
for name, data, dtype in (("town", np.array(["Ulm", "new"], dtype=object), "BYTES"),
                          ("member", np.array([True, False]), "BOOL"), ("age", np.array([33, np.nan]), "FP64")):
    inputs.append(triton.InferInput(name, [2], dtype).set_data_from_numpy(data))
assert len(client.infer("t", inputs).as_numpy("labels")) == 2

try:
    client.infer("iris", inputs)
except InferenceServerException as e:
    assert "3 inputs" in e.message(), e
else:
    raise AssertionError("three inputs are no error")
