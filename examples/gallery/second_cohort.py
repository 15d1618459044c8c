"""The same signature in a second cohort.

A list that works in one hospital may fail in the next. So a study writes `signature.json`: the
features, the model and what score to expect. Take that file to other samples and test it there.
Nothing is fitted again.

The data are real: biopsies of the breast, from scikit-learn. We call one part of them "here" and
the other part "there". In the second cohort we pretend that the microscope makes everything 20 %
larger.
"""

# %%
# Two cohorts, of 200 and of 150 biopsies.
from subprocess import check_call

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer(as_frame=True)
table = data.data.assign(diagnosis=data.target_names[data.target])
table = table.sample(frac=1, random_state=0)
table[:200].to_csv("here.csv", index=False)
there = table[200:350].copy()
there[data.feature_names] *= 1.2
there.to_csv("there.csv", index=False)

# %%
# The study, on the first cohort only. It writes `here-backstay-quick/signature.json`.
check_call("backstay run here.csv --target diagnosis --max-features 5 --quick", shell=True)

# %%
# The test, on the second cohort. `-o` names the folder of the result.
check_call(
    "backstay validate here-backstay-quick/signature.json there.csv --target diagnosis -o plain",
    shell=True,
)

# %%
# And once more, with every feature brought to the mean and spread that it had in the first
# cohort. That looks at no diagnosis.
check_call(
    "backstay validate here-backstay-quick/signature.json there.csv --target diagnosis"
    " --rescale zscore -o rescaled",
    shell=True,
)

# %%
# ![The first lines of the validation: found and expected score, and the verdict](second_cohort.png)
#
# The page compares what was found with what was expected, and warns if features lie elsewhere
# than in the first cohort. The verdict can be "worse", "as good", or "cannot be told apart": to
# find no difference is not to show that there is none. Decide about `--rescale` before you look
# at the score. [Validation](../validation.md) has the details.
