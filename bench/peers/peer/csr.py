"""Times the fit of scikit-learn-intelex's SVC on sparse points, once, in processor seconds of one thread.

csr.py FILE C GAMMA
"""
import sys
import time

from daal4py import daalinit
from sklearn.datasets import load_svmlight_file
from sklearnex.svm import SVC

daalinit(1)
path, c, gamma = sys.argv[1], *map(float, sys.argv[2:4])
x, y = load_svmlight_file(path)
start = time.process_time()
m = SVC(C=c, gamma=gamma, cache_size=1000).fit(x, y)
print("seconds", time.process_time() - start)
print("sv", len(m.support_))
