"""A series matrix from GEO.

GEO offers most array studies as one file, `GSE…_series_matrix.txt.gz`. It holds the values, and
what is known of each sample. backstay reads it as it was downloaded.

So that nothing needs the internet, this script writes a small file of that form. Its numbers are
made up: 6 of 120 probes are higher in relapse.
"""

# %%
# The head of the file says what each sample is. The table of intensities follows.
import gzip
from subprocess import check_call

import numpy as np

rng = np.random.default_rng(1)
relapse = np.arange(60) % 3 == 0
values = 2 ** rng.normal(9, 1, (120, 60))
values[:6] *= np.where(relapse, 3, 1)
probes = [f"up_{j}_at" if j <= 6 else f"{1000 + j}_at" for j in range(1, 121)]
answers = np.where(relapse, "yes", "no")
samples = [f"GSM{9000 + i}" for i in range(60)]
lines = [
    '!Series_title\t"A small study"',
    "\t".join(["!Sample_geo_accession", *samples]),
    "\t".join(["!Sample_characteristics_ch1", *(f"relapse: {r}" for r in answers)]),
    "!series_matrix_table_begin",
    "\t".join(["ID_REF", *samples]),
    *("\t".join([p, *(f"{v:.1f}" for v in row)]) for p, row in zip(probes, values, strict=True)),
    "!series_matrix_table_end\n",
]
with gzip.open("GSE0_series_matrix.txt.gz", "wt") as file:
    file.write("\n".join(lines))

# %%
# The characteristics of the samples are the columns that you can predict, here `relapse`. Old
# arrays often come as raw intensities. `--log2 20` lifts everything below 20 to 20 and takes
# logarithms. If you forget it, a warning says that the values look like raw intensities.
check_call(
    "backstay run GSE0_series_matrix.txt.gz --target relapse --log2 20 --quick -o relapse",
    shell=True,
)

# %%
# ![The answer and the probes of the signature, sample by sample](geo.png)
#
# Before you believe a result from a public series, look at when and where its samples were
# measured. `--batch` takes a column such as the site, and `--measured` one with dates. Both are
# on the pages about [designs](../designs.md#batches) and [data](../data.md#suspicious-data).
