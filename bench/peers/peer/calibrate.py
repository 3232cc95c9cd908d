"""Mean log loss on held-out points of scikit-learn's CalibratedClassifierCV with an SVC on z-scores.

calibrate.py FILE SPLITS C GAMMA; a line of SPLITS has the rows of a training part.
"""
import json
import sys

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

path, splits, c, gamma = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
x, y = load_svmlight_file(path)
x = x.toarray()
losses = {"ensemble": [], "single": []}
for line in open(splits):
    train = np.array(line.split(), dtype=int)
    test = np.setdiff1d(np.arange(len(y)), train)
    for name in losses:
        m = CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC(C=c, gamma=gamma)), method="sigmoid", cv=5,
                                   ensemble=name == "ensemble").fit(x[train], y[train])
        losses[name].append(log_loss(y[test], m.predict_proba(x[test]), labels=m.classes_))
print(json.dumps({name: np.mean(v) for name, v in losses.items()}))
