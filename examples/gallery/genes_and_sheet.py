"""Genes in rows, and a sheet of the samples.

A core facility often sends two files. One has a row per gene and a column per sample. The other
says what each sample is. backstay puts the two together by the names of the samples.

The numbers here are made up, so we know the answer: 8 of 120 genes are higher in tumours.
"""

# %%
# First the two files. You have yours already.
from subprocess import check_call

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
samples = [f"P{i:02d}" for i in range(1, 61)]
tumour = np.arange(60) % 2 == 0
genes = rng.normal(8, 1, (120, 60))
genes[:8] += 1.5 * tumour
names = [f"up{j}" if j <= 8 else f"gene{j}" for j in range(1, 121)]
pd.DataFrame(genes.round(2), names, samples).to_csv("genes.tsv", sep="\t", index_label="gene")

sheet = pd.DataFrame({"sample": samples, "diagnosis": np.where(tumour, "tumour", "normal")})
sheet.to_csv("sheet.csv", index=False)

# %%
# Now the study. `--target` names the column of the sheet that is to be predicted. `--quick` is a
# first look; leave it out for a result that you want to publish.
check_call("backstay run genes.tsv --samples sheet.csv --target diagnosis --quick", shell=True)

# %%
# The report is `genes-backstay-quick/report.html`. It opens with the answer, and with one dot per
# sample for every gene of the signature:
#
# ![The answer, the signature and its genes, sample by sample](genes_and_sheet.png)
#
# *Again* is the chance that a study of other samples would choose the gene, too. The eight genes
# called "up" are the ones that we planted, and all are found. Two more came with them by luck. One
# of these looks nearly as sure: a figure from 60 samples is an estimate, and no proof. That is why
# the next step is [a second cohort](second_cohort.md).
#
# If a sample is missing in one of the two files, the command stops and names it. Nothing is
# dropped without a word. See [Data](../data.md#genes-in-rows-labels-in-another-file).
