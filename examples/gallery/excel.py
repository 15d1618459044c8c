"""An Excel workbook.

Measurements often live in Excel. backstay reads a sheet of a workbook as it is: the values, never
formulas or macros.

The data are real: 569 biopsies of the breast, with 30 measurements of the cell nuclei each. They
come with scikit-learn.
"""

# %%
# This makes the workbook, with the measurements in a sheet called "nuclei".
from subprocess import check_call

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer(as_frame=True)
table = data.data.assign(diagnosis=data.target_names[data.target])
table.to_excel("biopsies.xlsx", sheet_name="nuclei", index=False)

# %%
# Suppose that you can afford to measure five things in each new biopsy. `--max-features` keeps
# the answer below that number.
check_call(
    "backstay run biopsies.xlsx --sheet nuclei --target diagnosis --max-features 5 --quick",
    shell=True,
)

# %%
# ![The answer with at most five features, and each of them sample by sample](excel.png)
#
# Look at the names on the list. Radius, perimeter and area of a nucleus all say how large it is.
# A list can be very stable and still say one thing several times. The report names, for each
# feature, the features that could stand in for it. [The tutorial](../tutorial.md) goes through
# the same table at leisure.
