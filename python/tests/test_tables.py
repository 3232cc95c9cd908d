"""Tables: frames are read as the command reads files, and models of both predict the rows of both."""

from __future__ import annotations

import contextlib
import datetime
import io
import json
import pathlib
import pickle
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import sparsekm
from sparsekm import SSVC, SSVR, OneClass, ReducedSVC, _table

ROOT = pathlib.Path(__file__).resolve().parents[2]
N = 1000


def pick(r: Any, words: Any, n: int) -> Any:
    return r.choice(np.array(words, dtype=object), n)


def signed(r: Any, n: int) -> Any:
    return r.normal(size=n)


def titanic(r: Any, n: int) -> Any:
    sex, fare = pick(r, ["male", "female"], n), r.gamma(1, 32, n).round(4)
    return pd.DataFrame({
        "PassengerId": np.arange(1, n + 1), "Pclass": r.integers(1, 4, n),
        "Name": [f'Doe, Mr. "J{i}" O\'Hara' for i in range(n)], "Sex": sex,
        "Age": np.where(r.random(n) < 0.2, np.nan, r.normal(30, 14, n).round(1)), "SibSp": r.integers(0, 5, n),
        "Ticket": [f"A/5 {v}" for v in r.integers(1000, 90000, n)], "Fare": fare,
        "Cabin": [f"C{v}" if v < 40 else None for v in r.integers(0, 160, n)], "Embarked": pick(r, ["S", "C", "Q", "S", "S"], n),
    }), np.where((sex == "female") ^ (fare > 60), "yes", "no")


def adult(r: Any, n: int) -> Any:
    hours, work = r.integers(5, 90, n), pick(r, ["Private", "State-gov", "Self-emp", "?"], n)
    return pd.DataFrame({
        "age": r.integers(17, 91, n), "workclass": work, "fnlwgt": r.integers(10000, 900000, n),
        "education": pick(r, ["HS-grad", "Bachelors", "Masters", "11th", "Doctorate"], n),
        "occupation": pick(r, [f"job {k}" for k in range(12)], n), "capital.gain": np.where(r.random(n) < 0.9, 0, r.integers(0, 9999, n)),
        "hours.per.week": hours, "native-country": pick(r, ["United-States"] * 9 + ["Mexico", "India"], n),
    }), np.where((hours > 45) ^ (work == "State-gov"), ">50K", "<=50K")


def money(r: Any, n: int) -> Any:
    price, part, size = r.gamma(2, 900, n), r.random(n), r.gamma(2, 2e6, n)
    return pd.DataFrame({
        " Income ": [f"${v:,.2f} " for v in price], "rate": [f"{100 * v:.1f}%" for v in part],
        "loss": [f"({v:.2f})" if v > 0 else f"{-v:.2f}" for v in signed(r, n)], "weight": [f"{v:.1f} kg" for v in price / 100],
        "installs": [f"{v / 1e6:.1f}M" if v > 1e6 else f"{v / 1e3:.0f}k" for v in size],
        "eur": [f"{v:.2f} EUR" for v in price[::-1]],
    }), np.where((price > 1500) ^ (part > 0.6), "costly", "cheap")


def european(r: Any, n: int) -> Any:
    price, part = r.gamma(2, 900, n), r.gamma(2, 3, n)

    def text(v: float) -> str:
        return f"{v:,.2f}".translate(str.maketrans(",.", ".,"))

    return pd.DataFrame({
        "Preis": [text(v) + " €" for v in price], "Anteil": [text(v) for v in part], "Ort": pick(r, ["Köln", "Łódź", "Zürich"], n),
        "n": r.integers(0, 9, n),
    }), np.where((price > 1500) ^ (part > 5), "ja", "nein")


def dates(r: Any, n: int) -> Any:
    day = pd.to_datetime("2019-03-01") + pd.to_timedelta(r.integers(0, 900, n), "D")
    clock = day + pd.to_timedelta(r.integers(0, 86400, n), "s")
    return pd.DataFrame({
        "day": day, "clock": clock, "here": pd.Series(clock).dt.tz_localize("America/New_York", ambiguous="NaT", nonexistent="NaT"),
        "german": day.strftime("%d.%m.%Y"), "us": day.strftime("%m/%d/%Y"), "month": day.strftime("%Y-%m"),
        "words": day.strftime("%b %d, %Y"), "quarter": [f"{t.year}Q{t.quarter}" for t in day], "date": list(day.date),
        "x": signed(r, n),
    }), np.where((day.month < 6) ^ (clock.hour < 8), "a", "b")


def ids(r: Any, n: int) -> Any:
    zone = pick(r, ["N", "S", "W"], n)
    return pd.DataFrame({
        "": np.arange(n), "userId": r.permutation(n) + 5000, "key": [f"{v:032x}" for v in range(n)], "one": 1, "same": "x", "none": np.nan,
        "zip": [f"{v:05}" for v in r.integers(0, 60, n)], "zone": zone, "u": signed(r, n), "v": signed(r, n),
    }), np.where((zone == "N") ^ (r.random(n) < 0.05), "p", "q")


def truths(r: Any, n: int) -> Any:
    a, b = r.random(n) < 0.4, r.random(n) < 0.7
    return pd.DataFrame({
        "bool": a, "maybe": pd.array(np.where(r.random(n) < 0.1, None, b), dtype="boolean"), "yes": np.where(b, "yes", "no"),
        "upper": np.where(a, "TRUE", "FALSE"), "bit": b.astype(int), "mixed": [bool(v) if v else None for v in a], "x": signed(r, n),
    }), np.where(a ^ b, "t", "f")


def plain(r: Any, n: int) -> Any:
    u, v = signed(r, n), signed(r, n)
    return pd.DataFrame({
        "u": u, "v": v, "count": pd.array(np.where(r.random(n) < 0.1, None, r.integers(0, 9, n)), dtype="Int64"),
        "id": np.arange(n), "holes": np.where(r.random(n) < 0.3, np.nan, u * 7), "flag": u > 0,
    }), np.where(u * v > 0, 1, 0)


def clocks(r: Any, n: int) -> Any:
    seconds, minutes = r.integers(0, 50000, n), r.integers(0, 600, n)
    return pd.DataFrame({
        "length": [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds], "delta": pd.to_timedelta(minutes, "min"),
        "time": [(pd.Timestamp(0) + pd.Timedelta(int(s), "s")).time() for s in seconds], "hm": [f"{m // 60}h {m % 60}m" for m in minutes],
        "x": signed(r, n), "lane": pick(r, ["left", "right", "mid"], n),
    }), np.where((seconds > 25000) ^ (minutes < 200), "late", "early")


def rare(r: Any, n: int) -> Any:
    shop, level = r.integers(0, 300, n), r.integers(0, 4, n)
    return pd.DataFrame({
        "shop": [f"shop {v if v > 250 else v % 40}" for v in shop], "kids": np.where(level == 3, "3+", level.astype(str)),
        "class": pd.Categorical(r.integers(1, 4, n)), "grade": pd.Categorical(pick(r, ["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
        "odd": [v if v < 3 else f"about {v}" for v in r.integers(0, 5, n).tolist()], "x": signed(r, n),
        "text": [f"some words, {v}\nand a line" for v in level],
    }), np.where((shop % 40 < 15) ^ (level == 2), "in", "out")


KINDS = [titanic, adult, money, european, dates, ids, truths, plain, clocks, rare]


def made(kind: Any, seed: int, n: int) -> Any:
    """Return a table and its targets."""
    return kind(np.random.default_rng(seed), n)


def spoilt(X: Any, seed: int, words: bool = True) -> Any:
    """Return a table with holes everywhere, and new words in columns of words."""
    r, X = np.random.default_rng(seed), X.copy()
    for name in X.columns:
        if name not in ("PassengerId", "id", ""):
            X[name] = X[name].mask(r.random(len(X)) < 0.08)
        if words and name in ("Sex", "Embarked", "workclass", "education", "occupation", "Ort", "zone", "yes", "lane", "shop", "kids"):
            X[name] = X[name].mask(r.random(len(X)) < 0.03, "a new word")
    return X


def cell(value: Any) -> Any:
    """Return a cell as JSON has it."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if isinstance(value, (pd.Timestamp, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, pd.Timedelta):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value


def posted(url: str, body: str) -> Any:
    kind = "application/json" if body[0] == "{" else "text/csv"
    request = urllib.request.Request(url, body.encode(), {"Content-Type": kind, "Accept": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise AssertionError(error.read()) from None


@unittest.skipUnless(shutil.which("go"), "the command needs go")
class Doors(unittest.TestCase):
    command: pathlib.Path
    folder: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.command = pathlib.Path(cls.folder.name, "sparsekm")
        for name in ("sparsekm", "sparsekm-serve"):
            subprocess.run(["go", "build", "-o", str(cls.command.with_name(name)), f"./cmd/{name}"], cwd=ROOT, check=True)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def ask(self, *arguments: Any) -> Any:
        done = subprocess.run([str(self.command), *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def path(self, name: str) -> pathlib.Path:
        return pathlib.Path(self.folder.name, name)

    def written(self, X: Any, name: str = "new.csv") -> pathlib.Path:
        X.to_csv(self.path(name), index=False)
        return self.path(name)

    def test_python_to_command(self) -> None:
        """Models of frames predict files with the same bits."""
        for k, kind in enumerate(KINDS):
            with self.subTest(kind.__name__):
                X, y = made(kind, k, 500)
                model = SSVC("svc", C=5, columns="auto").fit(X, pd.Series(y, name="target"))
                self.assertGreater(model.score(X, y), 0.75)
                model.save(self.path("model.skm"))
                new = spoilt(made(kind, k + 100, N)[0], k)
                told = self.ask("predict", self.path("model.skm"), self.written(new), "--json")
                self.assertEqual(list(map(str, model.predict(new))), told["labels"])
                np.testing.assert_array_equal(model.decision_function(new), [f[0] for f in told["decisions"]])
                again = sparsekm.load(self.path("model.skm"))
                np.testing.assert_array_equal(model.decision_function(new), again.decision_function(new))
                np.testing.assert_array_equal(model.decision_function(new), pickle.loads(pickle.dumps(model)).decision_function(new))

    def test_server(self) -> None:
        """The server answers files, objects and arrays as Python does."""
        models = []
        for k, kind in enumerate(KINDS):
            X, y = made(kind, k, 500)
            models.append(SSVC("svc", C=5, columns="auto").fit(X, y))
            models[-1].save(self.path(f"{kind.__name__}.skm"))
        files = [str(self.path(f"{kind.__name__}.skm")) for kind in KINDS]
        serve = [str(self.command.with_name("sparsekm-serve")), "--addr", "127.0.0.1:0", *files]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                assert server.stdout is not None
                url = next(line.split()[2] for line in server.stdout if "listening" in line)
                for k, (kind, model) in enumerate(zip(KINDS, models)):
                    new = spoilt(made(kind, k + 100, N)[0], k)
                    names = [name.strip() for name in new.columns]
                    rows = [[cell(v) for v in row] for row in new.astype(object).itertuples(index=False)]
                    for body in (new.to_csv(index=False), json.dumps({"rows": rows}),
                                 json.dumps({"rows": [dict(zip(names, row)) for row in rows]})):
                        if "" in names and body[0] == "{":
                            body = body.replace('{"": ', '{"column 0": ')
                        with self.subTest(kind.__name__, body=body[:20]):
                            told = posted(f"{url}/predict/{kind.__name__}", body)
                            self.assertEqual(list(map(str, model.predict(new))), told["labels"])
                            np.testing.assert_array_equal(model.decision_function(new), [f[0] for f in told["decisions"]])
            finally:
                server.send_signal(signal.SIGINT)

    def test_command_to_python(self) -> None:
        """The command finds the same columns in the file, and its models predict frames."""
        for k, kind in enumerate(KINDS):
            with self.subTest(kind.__name__):
                X, y = made(kind, k, 500)
                train = self.written(X.assign(target=y), "train.csv")
                about = self.ask("train", train, "--method", "svc", "--c", "5", "--out", self.path("own.skm"), "--force", "--json")
                model = sparsekm.load(self.path("own.skm"))
                new = spoilt(made(kind, k + 100, N)[0], k)
                told = self.ask("predict", self.path("own.skm"), self.written(new), "--json")
                self.assertEqual(list(map(str, model.predict(new))), told["labels"])
                np.testing.assert_array_equal(model.decision_function(new), [f[0] for f in told["decisions"]])
                if kind is rare:  # the file does not say that numbers are categories
                    X = X.assign(**{"class": X["class"].astype(int)})
                own = SSVC("svc", C=5, columns="auto").fit(X, y)
                self.assertEqual(own._notes, about["columns"])
                np.testing.assert_array_equal(own.decision_function(new), model.decision_function(new))


    def test_others(self) -> None:
        """So do models of values, of one class, with values of categories, probabilities and sets, and reduced ones."""
        X, y = made(titanic, 1, 400)
        new = spoilt(made(titanic, 101, N)[0], 1)
        target = X["Fare"] / 10 + (X["Sex"] == "male")
        for estimator, of in ((SSVR("svr", target_scale=True), target), (OneClass(nu=0.2), None), (ReducedSVC(SVC()), y),
                              (ReducedSVC(SSVC("svc")), y), (ReducedSVC(FrozenEstimator(SSVC("svc").fit(X, y)), max_sv=9), y),
                              (SSVC("direct", categorical_features=["Sex", "Embarked"], params={"max_sv": 9}), y),
                              (SSVC("svc", probability=True), y), (SSVC("svc", coverage=0.9), y)):
            with self.subTest(estimator):
                model = estimator.fit(X, of)
                model.save(self.path("other.skm"))
                told = self.ask("predict", self.path("other.skm"), self.written(new), "--json")
                values = model.predict(new) if "values" in told else model.decision_function(new)
                np.testing.assert_array_equal(values, told.get("values") or [f[0] for f in told["decisions"]])
                again = sparsekm.load(self.path("other.skm"))
                np.testing.assert_array_equal(model.predict(new), again.predict(new))
        coded = SSVC("direct", categorical_features=["Sex", "Embarked"], params={"max_sv": 9}).fit(X, y)
        self.assertEqual(coded.categories_[9].tolist(), ["C", "Q", "S"])
        self.assertEqual(coded.category_values_[9].shape, (3, 1))


    def test_student(self) -> None:
        """A teacher of frames with words, dates and holes has a student that reads them too."""
        X, y = made(titanic, 1, 400)
        X = X.assign(day=made(dates, 1, 400)[0]["clock"], vip=X["Fare"] > 90, price=[f"${v:,.2f}" for v in X["Fare"]])
        seen: list[Any] = []

        def teacher(rows: Any) -> Any:
            self.assertEqual(list(rows.dtypes), list(X.dtypes))
            self.assertTrue((rows["price"].str[0] == "$").all() and rows["Sex"].isin(["male", "female"]).all())
            seen.append(rows)
            is_it = ((rows["Sex"] == "female") ^ (rows["Fare"] > 60)).to_numpy(dtype=float)
            return np.column_stack([1 - 0.9 * is_it, 0.9 * is_it])

        student = sparsekm.distill(teacher, X, y, max_sv=12)
        self.assertGreater(student.score(X, y), 0.9)
        self.assertGreater(len(seen), 2)  # it was asked about new rows
        student.save(self.path("student.skm"))
        new = spoilt(X.assign(Sex=X["Sex"][::-1].to_numpy()), 4)
        told = self.ask("predict", self.path("student.skm"), self.written(new), "--json")
        self.assertEqual(list(map(str, student.predict(new))), told["labels"])
        np.testing.assert_array_equal(sparsekm.load(self.path("student.skm")).predict(new), student.predict(new))


class Frames(unittest.TestCase):
    def test_kinds(self) -> None:
        """polars and Arrow are read as pandas is."""
        import polars
        import pyarrow

        class Other:  # a frame that nobody knows
            def __init__(self, frame: Any) -> None:
                self.__dataframe__, self.to_pandas, self.shape = frame.__dataframe__, frame.copy, frame.shape

            def __len__(self) -> int:
                return int(self.shape[0])

        for k, kind in enumerate(KINDS):
            with self.subTest(kind.__name__):
                X, y = made(kind, k, 300)
                X = X.drop(columns=["mixed", "odd", "class", "here", ""], errors="ignore")
                new = spoilt(made(kind, k + 100, 300)[0][X.columns], k)
                model = SSVC("svc", columns="auto").fit(X, y)
                arrow, later = (pyarrow.Table.from_pandas(f, preserve_index=False) for f in (X, new))
                for first, then in ((arrow, later), (polars.from_arrow(arrow), polars.from_arrow(later)),
                                    (arrow.to_batches()[0], later.to_batches()[0]), (Other(X), Other(new))):
                    own = SSVC("svc", columns="auto").fit(first, y)
                    self.assertEqual(own.columns_, model.columns_)
                    np.testing.assert_array_equal(own.decision_function(then), model.decision_function(new))

    def test_tools(self) -> None:
        """scikit-learn's tools take frames, and what columns are is said once."""
        X, y = made(adult, 3, 300)
        _table._told.clear()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            pipe = make_pipeline(SSVC("svc"))
            self.assertGreater(cross_val_score(pipe, X, y, error_score="raise").mean(), 0.75)
            search = GridSearchCV(pipe, {"ssvc__C": [0.1, 10]}, error_score="raise").fit(X, y)
            clone(search.best_estimator_).fit(X, y)
        self.assertEqual(said.getvalue().count("columns: "), 1, said.getvalue())
        model = search.best_estimator_[-1]
        self.assertEqual((list(model.feature_names_in_), model.n_features_in_), (list(X.columns), 8))
        self.assertEqual(model.columns_["workclass"]["categories"], ["Private", "Self-emp", "State-gov"])
        self.assertEqual(SSVC().fit(X.to_numpy()[:, [0, 2]].astype(float), y).columns_, {})
        self.assertEqual(SSVC("svc").fit(made(ids, 1, 300)[0], made(ids, 1, 300)[1]).columns_["key"],
                         {"role": "unused", "why": "all different"})

    def test_later(self) -> None:
        """A later frame may have its columns in any order, and need not have those that are left out."""
        X, y = made(titanic, 5, 300)
        model = SSVC("svc").fit(X, y)
        f = model.decision_function(X)
        np.testing.assert_array_equal(f, model.decision_function(X[X.columns[::-1]]))
        np.testing.assert_array_equal(f, model.decision_function(X.drop(columns=["Name", "PassengerId"])))
        np.testing.assert_array_equal(f, model.decision_function(X.to_numpy(dtype=object)))
        np.testing.assert_array_equal(f[:1], model.decision_function([X.iloc[0].tolist()]))
        strange = X.astype({"Fare": object})
        strange.loc[7, "Fare"] = "much"
        for frame, words in ((X.assign(colour="red"), "unknown column \"colour\""), (X.drop(columns="Sex"), "no column \"Sex\""),
                             (strange, r'row 7 \(from 0\): found "much" in column "Fare"'), (X.to_numpy()[:, 1:], "9 features")):
            with self.assertRaisesRegex(ValueError, words):
                model.predict(frame)
        with self.assertRaisesRegex(TypeError, "a string, a number or a date"):
            SSVC().fit(X.assign(list=[[1]] * len(X)), y)
        with self.assertRaisesRegex(ValueError, 'in column "Name", want a finite number'):
            SSVC(columns="numbers").fit(X, y)
        with self.assertRaisesRegex(ValueError, "columns: found 'all'"):
            SSVC(columns="all").fit(X, y)

    def test_numbers(self) -> None:
        """A frame of numbers is the matrix of them; medians fill its holes, also later ones."""
        X, y = made(plain, 7, 400)
        whole = X.drop(columns=["count", "holes"])
        model = SSVC("svc", scale="zscore").fit(whole, y)
        same = SSVC("svc", scale="zscore").fit(whole.to_numpy(dtype=float), y)
        np.testing.assert_array_equal(model.decision_function(whole), same.decision_function(whole.to_numpy(dtype=float)))
        holes = whole.mask(np.random.default_rng(0).random(whole.shape) < 0.1)
        np.testing.assert_array_equal(model.decision_function(holes),
                                      same.decision_function(holes.astype(float).fillna(whole.astype(float).median()).to_numpy()))
        with self.assertRaisesRegex(ValueError, "NaN"):
            model.predict(holes.to_numpy(dtype=float))
        holed = SSVC("svc", scale="zscore").fit(X.assign(none=np.nan), y)
        self.assertGreater(holed.score(X.assign(none=1.0), y), 0.8)
        self.assertEqual(holed.columns_["none"], {"role": "unused"})
        self.assertEqual(holed.columns_["id"]["role"], "number")
        gone = np.where(y == 1, np.nan, 1.0)  # one feature less and, for missing cells, one more
        odd = SSVC("svc").fit(pd.DataFrame({"none": np.nan, "gone": gone, "u": X["u"]}), y)
        self.assertEqual(odd._model.info.features, odd.n_features_in_)
        self.assertGreater(odd.score(pd.DataFrame({"none": 1.0, "gone": gone, "u": X["u"]}), y), 0.95)
        self.assertGreater((odd.predict(pd.DataFrame({"none": 1.0, "gone": 1.0, "u": X["u"]})) == 0).mean(), 0.95)
        for answer in (pickle.loads(pickle.dumps(holed)), clone(holed).fit(X.assign(none=np.nan), y)):
            np.testing.assert_array_equal(answer.decision_function(X.assign(none=2.0)), holed.decision_function(X.assign(none=1.0)))

    def test_hostile(self) -> None:
        """Odd frames are an error or a model, and never the end of the process."""
        y = np.arange(40) % 2
        words = np.array([f"w{i % 3}" for i in range(40)], dtype=object)
        odd = {"a": words, "b": [None] * 40}
        for frame in (pd.DataFrame(odd), pd.DataFrame({0: words, 1: y}), pd.DataFrame({"": words, " a ": y, "\u00e9\x00": words}),
                      pd.DataFrame({"a": ["\ud800", "x"] * 20, "b": ["\x00", "\n"] * 20}, dtype=object), pd.DataFrame({"a": [b"x", "y", 3, 2.5] * 10}),
                      pd.DataFrame({"big": [10**400, "x"] * 20}, dtype=object), pd.DataFrame({"t": [datetime.date(1, 1, 1), datetime.date.max] * 20}),
                      pd.DataFrame({"t": pd.to_timedelta([-1, 10**9] * 20, "s")}), pd.DataFrame({"i": [np.inf, 1.0, "x", -np.inf] * 10})):
            model = SSVC("svc").fit(frame, y)
            self.assertEqual(model.predict(frame).shape, (40,))
            with self.assertRaisesRegex(ValueError, "no samples"):
                model.predict(frame[:0])
        for wrong, message in ((pd.DataFrame({"a": words})[:0], "0 sample|no samples"), (pd.DataFrame(index=range(40)), "0 feature"),
                               (pd.DataFrame(np.array([words, words]).T, columns=["a", "a"]), "second column|unique"),
                               (pd.DataFrame({"a": ["x"] * 40}), "no column for a feature"),
                               (pd.DataFrame({"a": words})[:39], "inconsistent numbers")):
            with self.assertRaisesRegex(ValueError, message):
                SSVC("svc").fit(wrong, y[:len(wrong)] if len(wrong) == 0 else y)


if __name__ == "__main__":
    unittest.main()
