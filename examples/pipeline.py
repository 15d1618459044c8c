"""A ranker is a scikit-learn selector: pipelines, grid search, frames in and out."""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from backstay import InstanceWeighted, LogisticWeighting, ReliefF

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

pipe = Pipeline(
    [
        ("scale", StandardScaler()),
        ("select", InstanceWeighted(ReliefF(), LogisticWeighting())),
        ("predict", KNeighborsClassifier()),
    ]
).set_output(transform="pandas")
grid = {"select__estimator__n_features_to_select": [5, 10, 20], "predict__n_neighbors": [3, 7]}
search = GridSearchCV(pipe, grid, cv=3).fit(X_train, y_train)

print("best:", search.best_params_)
print(f"accuracy on {len(X_test)} rows that nothing above has seen: ", end="")
print(f"{search.score(X_test, y_test):.3f}")
best = search.best_estimator_[:-1]
print(best.transform(X_test).iloc[:3, :4].round(2))
select = search.best_estimator_["select"]
order = select.ranking_.argsort()
print("best five:", ", ".join(X.columns[order[:5]]))
