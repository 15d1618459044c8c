# Figures of tests/data/pairs.json: limma 3.54.1 on the rows in it, patients as blocks.
# Rscript pairs.R rows.csv figures.csv
library(limma)
args <- commandArgs(TRUE)
rows <- read.csv(args[1])
x <- t(as.matrix(rows[, grep("^x", names(rows))]))
design <- model.matrix(~ factor(patient) + after, rows)
fit <- eBayes(lmFit(x, design))
signed <- apply(x, 1, function(one) {
  test <- wilcox.test(one[rows$after == 1], one[rows$after == 0], paired = TRUE)
  c(test$statistic, test$p.value)
})
write.csv(data.frame(t = fit$t[, "after"], p = fit$p.value[, "after"], v = signed[1, ],
                     signed_p = signed[2, ]), args[2], row.names = FALSE)
