# Figures of tests/data/covariates.json: limma 3.54.1 and survival 3.5.3 on the rows in it.
# Rscript covariates.R rows.csv figures.csv
library(limma)
library(survival)
args <- commandArgs(TRUE)
rows <- read.csv(args[1], stringsAsFactors = TRUE)
rows$site <- relevel(rows$site, ref = "b")
x <- t(as.matrix(rows[, grep("^x", names(rows))]))
fitted <- function(design, coef) {
  fit <- eBayes(lmFit(x, design))
  plain <- fit$coef[, coef] / fit$stdev.unscaled[, coef] / fit$sigma
  cbind(fit$t[, coef], fit$p.value[, coef], plain)
}
two <- fitted(model.matrix(~ ill + age + sex + site, rows), "ill")
number <- fitted(model.matrix(~ dose + age + sex + site, rows), "dose")
f <- apply(x, 1, function(one) {
  both <- anova(lm(one ~ age + sex + site, rows), lm(one ~ age + sex + site + stage, rows))
  c(both$F[2], both$`Pr(>F)`[2])
})
null <- coxph(Surv(time, event) ~ age + sex + site, rows, ties = "breslow",
              control = coxph.control(eps = 1e-12, iter.max = 50))
score <- apply(x, 1, function(one) {
  coxph(Surv(time, event) ~ one + age + sex + site, rows, ties = "breslow",
        init = c(0, coef(null)), control = coxph.control(iter.max = 0))$score
})
write.csv(data.frame(t = two[, 1], t_p = two[, 2], t_plain = two[, 3], slope = number[, 1],
                     slope_p = number[, 2], f = f[1, ], f_p = f[2, ], cox = score),
          args[2], row.names = FALSE)
