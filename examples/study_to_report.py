"""From a table to report.html in Python: what `backstay run` does, with every choice yours.

Stop it and start it again: what is in study.db is not computed twice.
"""

from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from backstay import (
    SVMRFE,
    InstanceWeighted,
    MarginWeighting,
    ReliefF,
    Study,
    TTest,
)
from backstay.study import Subsampling

data = load_wine(as_frame=True)
X, y = data.data, data.target_names[data.target]

study = Study(
    methods={
        "t test": TTest(moderation="shrunken"),
        "ReliefF": ReliefF(),
        "weighted SVM-RFE": InstanceWeighted(SVMRFE(), MarginWeighting(scale="sum")),
    },
    models={
        "svm": make_pipeline(StandardScaler(), SVC(kernel="linear")),
        "3nn": make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
    },
    resampling=Subsampling(10, train_size=0.5),
    sizes=[2, 4, 6, 8],
    store="study.db",
    random_state=0,
)
results = study.run(X, y)

chosen = results.recommend()
print(chosen, "\n")
print("What the weighting gains over its control (equal weights of the same sum):")
gains = results.weights.gains().frame().query("quantity == 'stability' and over == 'control'")
print(gains[["method", "size", "gain", "low", "high"]].round(3).to_string(index=False), "\n")
print(results.signature(chosen.method, chosen.size).frame().to_string(index=False), "\n")
print("Report:", results.report("report.html"))
