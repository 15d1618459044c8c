"""Covariates: does the list add to what we know?

Age, sex and weight often tell much about a patient. Then the question is not which measurements
go with the outcome, but which add to what everybody knows anyway.

The data are real: 442 patients with diabetes, from scikit-learn. The outcome is a number, how far
the disease went in a year.
"""

# %%
# One table. Age, sex and body mass index are the covariates. Blood pressure and six measurements
# of the blood serum are the features.
from subprocess import check_call

from sklearn.datasets import load_diabetes

data = load_diabetes(as_frame=True, scaled=False)
names = {"s1": "tc", "s2": "ldl", "s3": "hdl", "s4": "tch", "s5": "ltg", "s6": "glu"}
table = data.data.rename(columns=names).assign(progression=data.target)
table["sex"] = table["sex"].map({1: "a", 2: "b"})  # which is which is not documented
table.to_csv("diabetes.csv", index=False)

# %%
# `--adjust` names the covariates. They are no features. Every ranking looks at what they leave
# over, every model contains them, and the report says what the features add to them.
# `--kind numbers` says that the outcome is a number.
check_call(
    "backstay run diabetes.csv --target progression --kind numbers --adjust age,sex,bmi --quick",
    shell=True,
)

# %%
# ![The answer, and below it the scores of covariates alone and with the features](covariates.png)
#
# Below *What these numbers are* stands the comparison: R² of age, sex and body mass index alone, of
# the features alone, and of both. The difference has an interval.
#
# If the features add nothing that these data can show, the headline says so, and nothing is
# recommended. Adjust for what was there before the illness. If the illness itself changes a
# covariate, adjusting for it takes away part of what you look for. [Designs](../designs.md) has
# more: batches, repeated measurements, pairs.
