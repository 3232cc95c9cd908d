"""scikit-learn's own tests of sklearn.svm on the classes of sparsekm.svm: python test_sklearn.py.

It copies the installed tests to a temporary folder and replaces the imports of the classes, nothing else. A failure
that is not in KNOWN ends it with 1, and so does one of KNOWN that passes.
"""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile

import sklearn.svm

# Failures, with the reason in a sentence.
KNOWN = {
    "test_svm.py.test_libsvm_convergence_warnings": "This solver is at the optimum of the six samples after one step, so two are no limit.",
    "test_svm.py.test_precomputed": "Coefficients for K and for X differ by 2e-4, since both end within tol = 1e-3 and not by the same steps.",
    "test_svm.py.test_svc_clone_with_callable_kernel": "The same, for a function that returns K.",
}

CLASSES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR")


def replaced(text: str) -> str:
    """Return a test module in which the names of the classes are those of sparsekm.svm."""
    text = re.sub(r"^from sklearn import (.*), svm$", r"from sklearn import \1\nfrom sparsekm import svm", text, flags=re.M)
    text = text.replace("from sklearn.svm.tests import test_svm", "import test_svm")

    def names(match: re.Match[str]) -> str:
        asked = [name.strip() for name in match[1].strip("()").split(",") if name.strip()]
        ours = ", ".join(name for name in asked if name in CLASSES)
        theirs = ", ".join(name for name in asked if name not in CLASSES)
        return f"from sparsekm.svm import {ours}\n" + (f"from sklearn.svm import {theirs}" if theirs else "")

    return re.sub(r"^from sklearn\.svm import (\([^)]*\)|[\w, ]+)$", names, text, flags=re.M)


class Outcomes:
    """Collects the outcome of each test."""

    def __init__(self) -> None:
        self.passed: list[str] = []
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: object) -> None:
        name = getattr(report, "nodeid").replace("::", ".")
        if getattr(report, "failed"):
            self.failed.append(name)
        elif getattr(report, "when") == "call" and getattr(report, "passed"):
            self.passed.append(name)


def main(arguments: list[str]) -> int:
    import pytest

    outcomes = Outcomes()
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as after:
        os.chdir(folder)
        after.callback(os.chdir, home)
        for name in ("test_svm.py", "test_sparse.py"):
            text = replaced((pathlib.Path(sklearn.svm.__file__).parent / "tests" / name).read_text())
            assert "sparsekm" in text, name
            pathlib.Path(name).write_text(text)
        pathlib.Path("conftest.py").write_text("import pytest\n@pytest.fixture\ndef global_random_seed(): return 42\n")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[outcomes])
    new = sorted(set(outcomes.failed) - set(KNOWN))
    mended = sorted(set(KNOWN) & set(outcomes.passed))
    if new or mended or not outcomes.passed or "-v" in arguments:
        print(out.getvalue())
    print(f"scikit-learn {sklearn.__version__}: {len(outcomes.passed)} passed, {len(set(outcomes.failed))} failed, "
          f"new failures {new}, known ones that pass {mended}")
    return int(bool(new or mended or not outcomes.passed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
