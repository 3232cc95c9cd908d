"""What surrounds the estimators, as an installed package: python test_package.py.

Pickles, files and skops, progress, notebooks, plots, frames, messages, and the examples of all docstrings.
"""

from __future__ import annotations

import builtins
import copy
import doctest
import functools
import importlib
import inspect
import io
import pathlib
import pickle
import re
import runpy
import shutil
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import matplotlib
import numpy as np
import pandas
import skops.io
import sklearn
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern, WhiteKernel
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

import sparsekm
from sparsekm import SSVC, SSVR, DistilledClassifier, DistilledRegressor, OneClass, ReducedSVC, plot, svm
from sparsekm._errors import spoken

matplotlib.use("Agg")
HERE = pathlib.Path(__file__).resolve().parent


def rings(n: int = 120, seed: int = 1) -> Any:
    """Two classes that no line separates, and a target."""
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int), X[:, 0] + X[:, 1] ** 2


def every() -> Any:
    """A fitted estimator of each class."""
    X, y, t = rings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from (e.fit(X, y) for e in (SSVC("svc", probability=True), SSVC("rvm"), ReducedSVC(max_sv=5), svm.SVC(),
                                          svm.NuSVC(nu=0.2), svm.LinearSVC()))
        yield SSVC("direct", params={"max_sv": 4}, categorical_features=[2]).fit(np.round(X), y)
        yield from (e.fit(X, t) for e in (SSVR("svr", coverage=0.8), SSVR("rvm"), svm.SVR(), svm.NuSVR(), svm.LinearSVR()))
        yield from (e.fit(X) for e in (OneClass(nu=0.1), svm.OneClassSVM(nu=0.1)))
        yield DistilledClassifier(SSVC("svc"), max_sv=4, rounds=0).fit(X, y)
        yield DistilledRegressor(SSVR("svr"), max_sv=4, rounds=0).fit(X, t)


class Files(unittest.TestCase):
    def test_skops(self) -> None:
        X = rings(seed=2)[0]
        kinds = set()
        for model in every():
            with self.subTest(model=model):
                data = skops.io.dumps(model)
                self.assertLessEqual(set(skops.io.get_untrusted_types(data=data)), set(sparsekm.trusted_types))
                again = skops.io.loads(data, trusted=sparsekm.trusted_types)
                np.testing.assert_array_equal(again.predict(X), model.predict(X))
                self.assertEqual(type(again), type(model))
                kinds.add(type(model).__name__)
        public = {name for module in (sparsekm, svm) for name in module.__all__ if inspect.isclass(getattr(module, name))}
        self.assertEqual(kinds, public)

    def test_skops_does_not_share_handles(self) -> None:
        model = next(every())
        again = skops.io.loads(skops.io.dumps(model), trusted=sparsekm.trusted_types)
        self.assertNotEqual(again._model._number, model._model._number)
        X = rings()[0]
        want = model.predict(X)
        del again
        np.testing.assert_array_equal(model.predict(X), want)

    def test_tables(self) -> None:
        """Models of tables are kept with their columns."""
        X, y, _ = rings()
        frame = pandas.DataFrame(X, columns=["u", "v", "w"]).assign(side=np.where(X[:, 0] > 0, "left", "right"))
        for model in (SSVC("svc").fit(frame, y), DistilledClassifier(SSVC("svc"), max_sv=4, rounds=0).fit(frame, y)):
            for again in (skops.io.loads(skops.io.dumps(model), trusted=sparsekm.trusted_types), pickle.loads(pickle.dumps(model))):
                np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))
                self.assertEqual(again.columns_, model.columns_)

    def test_exports(self) -> None:
        """Every estimator writes programs; that in C has its answers."""
        X = rings()[0]
        for model in every():
            if isinstance(model, (svm.LinearSVC, svm.LinearSVR)):
                continue
            with self.subTest(model=model), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "model.json")
                sparsekm.save(model, path)
                self.assertEqual(model.to_json(), path.read_text())
                self.assertIn("\npackage tiny\n", model.to_go("tiny"))
                self.assertGreater(len(model.to_onnx()), 300)
                pathlib.Path(folder, "tiny.h").write_text(model.to_c("tiny", float=False))
                if not isinstance(model, svm.SVC) or not shutil.which("gcc"):
                    continue
                rows = ",".join("{%s}" % ",".join(map(repr, row)) for row in X.tolist())
                pathlib.Path(folder, "tiny.c").write_text(
                    '#include <stdio.h>\n#include "tiny.h"\nint main(void) { static const double x[][3] = {' + rows + "}; "
                    "for (int i = 0; i < %d; i++) puts(tiny_labels[tiny_predict(x[i])]); return 0; }" % len(X))
                subprocess.run(["gcc", "-o", f"{folder}/tiny", f"{folder}/tiny.c", "-lm"], check=True)
                said = subprocess.run([f"{folder}/tiny"], capture_output=True, text=True, check=True).stdout.split()
                self.assertEqual(said, list(map(str, model.predict(X))))

    def test_gaussian_processes(self) -> None:
        """Models that docs/gp writes predict as scikit-learn's: classifiers with probabilities, but those of pairs."""
        X, y = load_iris(return_X_y=True)
        kernel, train = 1.5 * RBF(1.0) * Matern(2.0, nu=1.5) + WhiteKernel(0.1), slice(None, None, 5)
        with tempfile.TemporaryDirectory() as folder:
            file, ours = pathlib.Path(folder, "gp.npz"), pathlib.Path(folder, "gp.skm")
            save_gp = runpy.run_path(str(HERE.parents[1] / "docs" / "gp" / "save_sklearn.py"))["save_gp"]
            for classes in (y, np.where(y == 1, "one", "other")):
                for several in ("one_vs_rest", "one_vs_one"):
                    theirs = GaussianProcessClassifier(kernel, optimizer=None, multi_class=several).fit(X[train], classes[train])
                    save_gp(theirs, file)
                    sparsekm.save(sparsekm.load(file), ours)
                    again = sparsekm.load(ours)
                    for model in (sparsekm.load(file), again, pickle.loads(pickle.dumps(again))):
                        np.testing.assert_array_equal(model.classes_, theirs.classes_)
                        np.testing.assert_array_equal(model.predict(X), theirs.predict(X))
                        f = model.decision_function(X)
                        of = (f > 0).astype(int) if f.ndim == 1 else f.argmax(axis=1)
                        np.testing.assert_array_equal(model.classes_[of], theirs.predict(X))
                        self.assertEqual(hasattr(model, "predict_proba"), len(theirs.classes_) == 2 or several == "one_vs_rest")
                        if hasattr(model, "predict_proba"):
                            np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), 0, 1e-8)
            regressor = GaussianProcessRegressor(kernel, optimizer=None, normalize_y=True).fit(X[train, :3], X[train, 3])
            save_gp(regressor, file)
            value, std = sparsekm.load(file).predict(X[:, :3], return_std=True)
            want, deviation = regressor.predict(X[:, :3], return_std=True)
            np.testing.assert_allclose(value, want, 0, 1e-8)
            np.testing.assert_allclose(std, deviation, 0, 1e-8)
            arrays = dict(np.load(file), classes=["a", "b", "c"], weights=[np.nan])
            np.savez(file, **arrays)
            with self.assertRaisesRegex(ValueError, "kernel: found one for all processes.*weights: found one for all"):
                sparsekm.load(file)

    def test_earlier_pickles(self) -> None:
        """Pickles of version 0.1.0.dev0, from before there was progress, predict the same and have all parameters."""
        recorded = pickle.loads((HERE / "data" / "estimators-0.1.0.dev0.pickle").read_bytes())
        for entry in recorded["estimators"]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of scikit-learn, about its own version
                model = pickle.loads(entry["model"])
            np.testing.assert_allclose(model.predict(np.array(recorded["X"])), entry["predict"], rtol=1e-9)
            self.assertEqual(set(clone(model).get_params(deep=False)), set(type(model)().get_params(deep=False)))

    def test_later_pickles(self) -> None:
        X, y, _ = rings()
        with unittest.mock.patch("sparsekm.__version__", "99.0"):
            data = pickle.dumps(SSVC("svc").fit(X, y))
        with self.assertWarnsRegex(UserWarning, "pickled by sparsekm 99.0"):
            pickle.loads(data)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pickle.loads(pickle.dumps(SSVC("svc").fit(X, y)))
        file = bytearray(SSVC("svc").fit(X, y)._model.to_bytes())
        file[8] = 99  # the version, after "sparsekm"
        with self.assertRaisesRegex(ValueError, "of file version 99, this sparsekm reads versions 1 to"):
            sparsekm._model.Model.from_bytes(bytes(file))

    def test_version(self) -> None:
        project = HERE.parent / "pyproject.toml"
        found = re.search(r'^version = "(.*)"$', project.read_text(), re.M)
        self.assertEqual(sparsekm.__version__, found[1] if found else None)


class Progress(unittest.TestCase):
    def test_function(self) -> None:
        X, y, _ = rings()
        told: list[Any] = []
        SSVC(progress=lambda *event: told.append((*event, threading.current_thread()))).fit(X, y)
        self.assertGreater(len(told), 1)
        for done, message, thread in told:
            self.assertTrue(done is None or 0 <= done <= 1)
            self.assertRegex(message, r"^(round \d+: (\d+ programs?, )?objective |program \d+)")
            self.assertIs(thread, threading.current_thread())
        with ThreadPoolExecutor(1) as pool:  # and in the thread that fits
            told.clear()
            pool.submit(SSVC(progress=lambda *event: told.append(threading.current_thread())).fit, X, y).result()
            self.assertEqual({thread.name for thread in told}, {pool.submit(threading.current_thread).result().name})

    def test_stop(self) -> None:
        """A fit that is stopped has the model of the rounds before, as one that ends there by its limit."""
        X, y, _ = rings()
        for answer in (True, np.True_):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                stopped = SSVC(progress=lambda done, message: answer).fit(X, y)
            self.assertEqual(stopped.status_, "cancelled")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                one = SSVC(params={"max_iter": 1}).fit(X, y)
            np.testing.assert_array_equal(stopped.decision_function(X), one.decision_function(X))
        self.assertEqual(SSVC(progress=lambda done, message: 1).fit(X, y).status_, "fixed point")  # only True stops

    def test_exception(self) -> None:
        """It reaches the caller of fit, and the model so far is there."""
        X, y, _ = rings()
        for raised in (KeyError("mine"), KeyboardInterrupt()):
            def failing(done: float | None, message: str) -> None:
                raise raised

            model = SSVC(progress=failing)
            with self.assertRaises(type(raised)) as caught, warnings.catch_warnings():
                warnings.simplefilter("error")
                model.fit(X, y)
            self.assertIs(caught.exception, raised)
            self.assertEqual((model.status_, model.predict(X).shape), ("cancelled", (120,)))
        with self.assertRaisesRegex(ZeroDivisionError, "division"):  # before there is a model
            SSVR("lssvm-chol", progress=lambda done, message: 1 / 0).fit(np.tile(X, (9, 1)), np.arange(9 * len(X)) % 7.0)

    def test_bars(self) -> None:
        X, y, _ = rings()
        out = io.StringIO()

        class Bar(tqdm):  # type: ignore[misc]
            made: list[Any] = []

            def __init__(self, *arguments: Any, **how: Any) -> None:
                super().__init__(*arguments, file=out, mininterval=0, **how)
                self.made.append(self)

            def close(self) -> None:
                self.disable_before = self.disable
                super().close()

        for estimator in (SSVC("svc", probability=True), SSVC("direct", params={"max_sv": 4}), ReducedSVC(), OneClass(nu=0.2),
                          DistilledClassifier(SSVC("svc"), max_sv=3, rounds=0)):
            Bar.made.clear()
            estimator.set_params(progress=Bar).fit(X, y)
            self.assertEqual([(round(bar.n, 6), bar.total) for bar in Bar.made], [(100, 100)])
            self.assertFalse(Bar.made[0].disable_before)  # closed here
            self.assertTrue(Bar.made[0].disable)
        SSVC(progress=functools.partial(Bar, desc="mine")).fit(X, y)
        self.assertRegex(out.getvalue(), "mine:   0%[^\n]*round 1: [^\n]*objective[^\n]*mine: 100%[^\n]*objective")
        own = Bar(total=7)
        SSVC(progress=own).fit(X, y)
        self.assertEqual((round(own.n, 6), own.disable), (7, False))  # whose is it closes it
        own.close()

    def test_copies(self) -> None:
        X, y, _ = rings()
        with tqdm(file=io.StringIO()) as bar:
            model = SSVC(progress=bar).fit(X, y)
            self.assertIs(clone(model).progress, bar)
            for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
                self.assertIsNone(again.progress)
                np.testing.assert_array_equal(again.predict(X), model.predict(X))
            GridSearchCV(model, {"C": [1.0, 2.0]}, cv=2).fit(X, y)
        told = SSVC(progress=lambda done, message: None).fit(X, y)  # which no pickle could have
        self.assertIsNone(pickle.loads(pickle.dumps(told)).progress)
        self.assertIs(clone(told).progress, told.progress)
        with self.assertRaisesRegex(TypeError, "progress: found 3"):
            SSVC(progress=3).fit(X, y)


class Notebooks(unittest.TestCase):
    def test_reports(self) -> None:
        for model in every():
            if not hasattr(model, "report_"):
                continue
            report = model.report_
            page = report._repr_html_()
            self.assertEqual(page.count("<table"), page.count("</table>"))
            self.assertIn("<details>", page)
            self.assertEqual(report, dict(report))
            with sklearn.config_context(display="diagram"):
                theirs = sklearn.base.BaseEstimator._repr_html_inner(model)
                ours = model._repr_html_()
                self.assertEqual(model._repr_mimebundle_()["text/plain"], repr(model))
                self.assertIn(page, model._repr_mimebundle_()["text/html"])
            self.assertIn(page, ours)
            self.assertIn("sk-estimator", theirs)
            self.assertIn("sk-estimator", ours)  # scikit-learn's diagram is there too
            self.assertNotIn("sparsekm-report", clone(model)._repr_html_())
            with sklearn.config_context(display="text"):
                self.assertFalse(hasattr(model, "_repr_html_"))
                self.assertEqual(set(model._repr_mimebundle_()), {"text/plain"})

    def test_escaped(self) -> None:
        X, y, _ = rings()
        words = np.array(["<b>no", "<b>yes"])[y]
        page = SSVC("svc").fit(X, words).report_._repr_html_()
        self.assertNotIn("<b>", page)
        self.assertIn("&lt;b&gt;yes", page)


class Plots(unittest.TestCase):
    def test_boundary(self) -> None:
        X, y = load_iris(return_X_y=True, as_frame=True)
        for estimator, of in ((SSVC("svc"), y), (SSVC("svc"), y == 1), (make_pipeline(StandardScaler(), SSVC()), y == 1),
                              (OneClass(nu=0.2), None), (svm.SVC(), y)):
            model = estimator.fit(X, of)
            given = Figure().subplots()
            ax = plot.boundary(model, X, of, features=(2, 3), resolution=20, ax=given)
            self.assertIs(ax, given)
            self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), tuple(X.columns[2:]))
            dots = [c for c in ax.collections if str(c.get_label()) in list(map(str, np.unique(of)))] if of is not None else [
                c for c in ax.collections if c.get_label() == "samples"]
            np.testing.assert_array_equal(np.sort(np.vstack([c.get_offsets() for c in dots]), axis=0),
                                          np.sort(X.to_numpy()[:, 2:], axis=0))
            marked = [c for c in ax.collections if c.get_label() == "support vectors"]
            if hasattr(model, "steps"):
                self.assertEqual(marked, [])
            else:
                np.testing.assert_array_equal(marked[0].get_offsets(), model.support_vectors_[:, 2:])

    def test_line_is_the_boundary(self) -> None:
        X, y, _ = rings()
        model = SSVC("svc", kernel="linear").fit(X, X[:, 0] + 2 * X[:, 2] > 0)
        ax: Any = plot.boundary(model, X, features=(0, 2), resolution=30)
        line: Any = [c for c in ax.collections if isinstance(c, ContourSet) and not c.filled][0].get_paths()[0].vertices
        self.assertGreater(len(line), 20)
        rest = np.tile(np.median(X, axis=0), (len(line), 1))
        rest[:, [0, 2]] = line
        self.assertLess(np.abs(model.decision_function(rest)).max(), 1e-6 * np.abs(model.decision_function(X)).max())

    def test_path(self) -> None:
        X, y, _ = rings()
        values = [0.1, 1.0, 10.0]
        ax: Any = plot.path(make_pipeline(StandardScaler(), SSVC()), X, y, values=iter(values), param="ssvc__C", cv=3)
        search = GridSearchCV(make_pipeline(StandardScaler(), SSVC()), {"ssvc__C": values}, cv=3).fit(X, y)
        np.testing.assert_array_equal(ax.lines[0].get_xdata(), values)
        right = ax.figure.axes[-1]
        np.testing.assert_allclose(right.lines[0].get_ydata(), 1 - search.cv_results_["mean_test_score"])
        folds = [train for train, _ in StratifiedKFold(3).split(X, y)]
        sizes = [len(clone(search.estimator).set_params(ssvc__C=10.0).fit(X[f], y[f])[-1].support_vectors_) for f in folds]
        self.assertAlmostEqual(np.asarray(ax.lines[0].get_ydata())[2], np.mean(sizes))
        self.assertEqual((ax.get_xscale(), ax.get_xlabel()), ("log", "ssvc__C"))
        self.assertEqual(plot.path(SSVC(), X, y, values=[0, 1], param="coef0", cv=2).get_xscale(), "linear")

    def test_calibration(self) -> None:
        class Says:
            classes_ = np.array(["a", "b"])

            def predict_proba(self, X: Any) -> Any:
                return np.column_stack((1 - X, X))

        p = np.repeat([0.1, 0.4, 0.8], 100)
        of = np.tile(np.arange(100) < 30, 3)
        ax: Any = plot.calibration(Says(), p, np.where(of, "b", "a"), bins=3)
        np.testing.assert_allclose(ax.lines[1].get_xydata(), [[0.1, 0.3], [0.4, 0.3], [0.8, 0.3]])
        X, y = load_iris(return_X_y=True)
        model = SSVC("svc", probability=True).fit(X, y)
        line = np.asarray(plot.calibration(model, X, y, bins=5).lines[1].get_xydata())
        top = model.predict_proba(X).max(axis=1)
        self.assertAlmostEqual(line[0, 0], np.sort(top)[:30].mean())
        self.assertEqual(len(line), 5)

    def test_pareto(self) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        models = {name: make_pipeline(StandardScaler(), e).fit(X[::2], y[::2]) for name, e in (
            ("svc", SSVC("svc")), ("few", SSVC()), ("one", SSVC("direct", params={"max_sv": 1})))}
        models["search"] = GridSearchCV(models["few"], {"ssvc__C": [1, 10]}, cv=2).fit(X[::2], y[::2])
        ax = plot.pareto(models, X[1::2], y[1::2])
        dots = np.asarray(ax.collections[0].get_offsets())
        want = [[len(m[-1].support_vectors_), 1 - m.score(X[1::2], y[1::2])] for m in list(models.values())[:3]]
        np.testing.assert_allclose(dots[:3], want)
        self.assertEqual([text.get_text() for text in ax.texts], list(models))
        front = np.asarray(ax.lines[0].get_xydata())
        self.assertTrue((np.diff(front[:, 0]) > 0).all() and (np.diff(front[:, 1]) < 0).all())
        for n, loss in dots:  # nobody is better than the front in both
            self.assertTrue(((front[:, 0] <= n) & (front[:, 1] <= loss)).any())
        self.assertEqual(len(plot.pareto(list(models.values()), X, y).texts), 0)
        with self.assertRaisesRegex(TypeError, "StandardScaler"):
            plot.pareto([StandardScaler()], X, y)

    def test_without_matplotlib(self) -> None:
        real = builtins.__import__

        def without(name: str, *rest: Any) -> Any:
            if name.startswith("matplotlib"):
                raise ImportError(name)
            return real(name, *rest)

        X, y, _ = rings()
        model = SSVC("svc", probability=True).fit(X, y)
        with unittest.mock.patch("builtins.__import__", without):
            importlib.reload(plot)  # which needs none
            draws: list[Any] = [lambda: plot.boundary(model, X, y), lambda: plot.path(SSVC(), X, y, values=[1]),
                                lambda: plot.calibration(model, X, y), lambda: plot.pareto([model], X, y)]
            for draw in draws:
                with self.assertRaisesRegex(ImportError, "pip install matplotlib"):
                    draw()

    def tearDown(self) -> None:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
        pyplot.close("all")


class Frames(unittest.TestCase):
    def test_columns(self) -> None:
        """Columns go by their names, as everywhere in scikit-learn, and messages have them."""
        X, y, t = rings()
        frame = pandas.DataFrame(X, columns=["width", "height", "depth"])
        for estimator, of in ((SSVC("svc"), y), (SSVR(), t), (OneClass(), None), (ReducedSVC(max_sv=5), y), (svm.SVC(), y),
                              (DistilledClassifier(SSVC("svc"), max_sv=3, rounds=0), y)):
            model = estimator.fit(frame, of)
            self.assertEqual(list(model.feature_names_in_), ["width", "height", "depth"])
            with self.assertRaisesRegex(ValueError, "same order"):
                model.predict(frame[["depth", "width", "height"]])
            with self.assertRaisesRegex(ValueError, r"missing:\n- height"):
                model.predict(frame.drop(columns="height"))
            with self.assertRaisesRegex(ValueError, r"unseen at fit time:\n- colour"):
                model.predict(frame.rename(columns={"depth": "colour"}))
            np.testing.assert_array_equal(model.predict(frame[list(model.feature_names_in_)]), model.predict(frame))

    def test_categories(self) -> None:
        X, y, _ = rings()
        frame = pandas.DataFrame(X, columns=["width", "height", "depth"])
        frame["colour"] = pandas.Categorical.from_codes(np.arange(120) % 3, ["red", "green", "blue"])
        frame["code"] = frame["colour"].cat.codes.astype("int8")
        model = SSVC("direct", params={"max_sv": 4}, categorical_features=["code"]).fit(frame.drop(columns="colour"), y)
        self.assertEqual(model.categories_[3].tolist(), [0, 1, 2])
        words = SSVC("direct", params={"max_sv": 4}, categorical_features=["colour"]).fit(frame.drop(columns="code"), y)
        self.assertEqual(words.categories_[3].tolist(), ["blue", "green", "red"])


# Parameters that are refused, and how the message begins.
X3 = np.zeros((2, 3))
REFUSED: list[tuple[Any, str]] = [
    (SSVC("magic"), 'method: found "magic", want one of direct, '), (SSVC("svr"), "method: svr does not learn classes"),
    (SSVC(C=-1), "ssvc-b: C is -1, want a finite number > 0"), (SSVC("skm", C=0), "skm: C is 0"),
    (SSVC("rvm", C=1), "rvm: no parameter C, only no_bias, max_iter"), (SSVC("svc", C=1e200), "svc: C = 1e.200 times"),
    (SSVC("lssvm", C=1), "lssvm: no parameter C, only gamma_reg"), (SSVC("svc", params={"c": -1}), "svc: C is -1"),
    (SSVC("svc", params={"C": 1}), "params: found C"), (SSVC("svc", params={"colour": 1}), "svc: no parameter colour, only C, "),
    (SSVC("svc", params={"tolerance": -1}), "svc: tolerance is -1"), (SSVC("svc", kernel="tanh"), 'kernel: found "tanh", want rbf'),
    (SSVC("direct", kernel="linear"), "kernel: direct: found the kernel linear"),
    (SSVC("svc", gamma=-1.0), 'gamma: found "-1"'), (SSVC("svc", gamma="wide"), 'gamma: found "wide"'),
    (SSVC("svc", kernel="poly", degree=0), "degree: found 0"), (SSVC("svc", scale="big"), 'scale: found "big"'),
    (SSVC("svc", multiclass="all"), 'multiclass: found "all", want ovr, ovo or pairwise-fuzzy'),
    (SSVC("svc", class_weight={0: -1, 1: 1}), "class_weight: found {0: -1"), (SSVC("svc", coverage=2.0), "coverage: found 2.0"),
    (SSVC("svc", coverage=0.999), "coverage: 120 samples"), (SSVC("svc", by_class=True), "by_class and coverage_folds: "),
    (SSVC("svc", coverage=0.9, coverage_folds=1), "coverage_folds: found 1"),
    (SSVC("svc", coverage=0.9, coverage_folds=99), "coverage_folds: .* of class"),
    (SSVC("svc", coverage=0.5, probability=True), "probability and coverage: "),
    (SSVC("svc", refit=True), "refit: svc: it has no refit"), (SSVC(refit=True, kernel="linear"), "refit: ssvc-b: found the kernel"),
    (SSVC("svc", widths="yes"), 'widths: found "yes"'), (SSVC("svc", kernel="linear", widths="learned"), "widths: found learned, want none: found the kernel linear"),
    (SSVC("svc", time_limit=-1), "time_limit: found -1"), (SSVC("svc", time_limit=1e-9), "time_limit: svc: stopped before"),
    (SSVC("svc", memory_limit=-1), "memory_limit: found -1"), (SSVC("lssvm", memory_limit=999), "lssvm: .*memory_limit is 999 bytes"),
    (SSVC("svc", n_jobs=0), "n_jobs == 0"), (SSVC("svc", candidates=3), "svc: no parameter candidates, only C"),
    (SSVC("svc", candidates=X3), "candidates: svc does not take candidates"), (SSVC(candidates=-3), "ssvc-b: candidates is -3"),
    (SSVC(candidates=X3[:, :1]), "candidates: 1 features"), (SSVC("l1svm", candidates=X3), "candidates_y: the candidates have no"),
    (SSVC(categorical_features=[9]), "categorical_features: found 9"), (SSVC(categorical_features=[0], category_values=3), "category_v"),
    (SSVC("nu-svc", params={"nu": 2}), "nu-svc: nu is 2"), (SSVC("svc", kernel="poly", gamma=1e200), ".* lower gamma, degree or coef0"),
    (SSVR(epsilon=-1), "svr: epsilon is -1"), (SSVR(C=0), "svr: C is 0"), (SSVR("rvm", epsilon=1), "rvm: no parameter epsilon"),
    (SSVR("svc"), "method: svc does not learn regression targets"), (SSVR(coverage=0), "coverage: found 0, want a share"),
    (OneClass(nu=2), "sparse-one-class: nu is 2"), (OneClass(coverage=1), "coverage: found 1, want a share"),
    (ReducedSVC(max_loss=-1), "max_loss: want a finite number >= 0"), (ReducedSVC(max_loss=101), "max_loss: found 101, want at most"),
    (ReducedSVC(max_sv=0), "max_sv: found 0"), (ReducedSVC(svm.SVC(kernel="linear"), move=True), "move: vectors do not move: found"),
    (ReducedSVC(max_loss=None, move=True), "move: True stops at max_sv or max_loss"), (ReducedSVC(time_limit=-1), "time_limit: "),
    (ReducedSVC(svm.SVC(kernel=rbf_kernel)), "estimator: found the kernel"), (ReducedSVC(StandardScaler()), "estimator: found"),
    (DistilledClassifier(max_sv=-1), "max_sv: found -1"), (DistilledClassifier(max_bytes=5), "max_bytes, max_ns: a student of"),
    (DistilledClassifier(label_weight=2), "label_weight: found 2"), (DistilledClassifier(rounds=-1), "rounds: found -1"),
    (DistilledClassifier(seed=-1), "seed: found -1, want a whole number >= 0"), (DistilledRegressor(time_limit=-2), "time_limit: "),
]
# The same for values of other types.
TYPES = [(SSVC, "C", "a", "ssvc-b: C is a, want a number"), (SSVC, "memory_limit", 1.5, "memory_limit: found 1.5, want a whole"),
         (SSVC, "n_jobs", 1.5, "n_jobs: found 1.5, want a whole number"), (SSVC, "time_limit", "a", "time_limit: found a text, want a"),
         (SSVC, "params", [1], r"params: found \[1\], want a dict"), (ReducedSVC, "max_sv", 1.5, "max_sv: found 1.5, want a whole"),
         (ReducedSVC, "move", "x", "move: found a text, want True or False"), (OneClass, "nu", "a", "sparse-one-class: nu is a, want a n")]


class Messages(unittest.TestCase):
    """A message begins with the parameter of Python, or with the method and then the parameter."""

    def test_refused(self) -> None:
        X, y, t = rings()
        many = [(kind().set_params(**{name: value}), words) for kind, name, value, words in TYPES]
        for estimator, words in REFUSED + many:
            with self.subTest(estimator=estimator):
                with self.assertRaises((ValueError, TypeError, MemoryError, TimeoutError)) as caught:
                    estimator.fit(X, t if isinstance(estimator, (SSVR, DistilledRegressor)) else y)
                self.assertRegex(str(caught.exception), "^" + words)
                self.assertNotRegex(str(caught.exception), "options:|json|Go |sparsekm:|float64|tau")

    def test_answers(self) -> None:
        X, y, t = rings()
        model = SSVC("svc").fit(X, y)
        for ask, words in ((lambda: model.predict_set(X), "coverage: no prediction sets"), (lambda: model.save("x", "pdf"), "format: f"),
                           (lambda: SSVR().fit(X, t).predict_interval(X), "coverage: no"),
                           (lambda: SSVC().fit(X, y, -np.ones(120)), "the samples are of one class"),
                           (lambda: SSVC().fit(X, y, np.arange(120) - 5.0), "sample_weight: weight of sample 0 is -5"),
                           (lambda: SSVC().fit(1e170 * X, y), "gamma: found NaN by its rule")):
            with self.assertRaisesRegex(ValueError, "^" + words):
                ask()

    def test_unknown_messages_stay(self) -> None:
        for message in ("svc: something new of c", "a text\nof two lines", ""):
            self.assertEqual(spoken(message), message)
        self.assertEqual(spoken("sparsekm: options: max_sv 3, max_bytes -1, max_ns -2: want none below 0"),
                         "max_bytes: found -1, want none below 0; max_ns: found -2, want none below 0")


class Documentation(unittest.TestCase):
    MODULES = ("_base", "_distilled", "_estimators", "_files", "_native", "_outliers", "_reduced", "_report", "plot", "svm")

    def test_examples(self) -> None:
        """Every public class and function has an example, and each gives what it says."""
        tried = 0
        for name in self.MODULES:
            result = doctest.testmod(importlib.import_module(f"sparsekm.{name}"))
            self.assertEqual(result.failed, 0, name)
            tried += result.attempted
        self.assertGreater(tried, 80)
        for module in (sparsekm, svm, plot):
            for name in module.__all__:
                if callable(getattr(module, name)):
                    self.assertIn(">>> ", inspect.getdoc(getattr(module, name)) or "", name)

    def test_parameters(self) -> None:
        """Every parameter of every public class, function and method is documented, and no other, and so is what returns."""
        for module in (sparsekm, svm, plot):
            for name in module.__all__:
                for one, where in ((o, f"{name}.{o.__name__}") for o in self.documented(getattr(module, name))):
                    with self.subTest(where):
                        self.check(one)

    def documented(self, one: Any) -> Any:
        """The class or function, and the methods of a class that are this package's."""
        if not callable(one):
            return
        yield one
        if inspect.isclass(one):
            for name, method in inspect.getmembers(one, inspect.isfunction):
                if not name.startswith("_") and method.__module__.startswith("sparsekm"):
                    yield method

    def check(self, one: Any) -> None:
        text = inspect.getdoc(one) or ""
        self.assertRegex(text, r"^[A-Z].*\.(\n|$)")
        section = re.search(r"\nParameters\n-+\n(.*?)(\n\n\w[^\n]*\n-+\n|\Z)", text, re.S)
        named: list[str] = []
        for line in section[1].splitlines() if section else []:
            if line and not line.startswith(" "):
                self.assertIn(" : ", line)
                named += [part.lstrip("*") for part in line.split(" : ")[0].split(", ")]
        self.assertEqual(named, [p for p in inspect.signature(one).parameters if p != "self"])
        if inspect.isfunction(one) and one.__annotations__.get("return") not in (None, "None"):
            self.assertIn("\nReturns\n-------\n", text)


if __name__ == "__main__":
    unittest.main()
