# Figures of R's survival and glmnet for tests/data/survival_oracles.json.
# Rscript survival_oracles.R rossi.csv > survival_oracles.json
# rossi.csv: the data set rossi of lifelines 0.30.3 (Rossi, Berk & Lenihan 1980), to_csv(index=False).
suppressMessages({library(survival); library(glmnet)})
json <- function(v) {
  if (is.matrix(v)) v <- lapply(seq_len(ncol(v)), function(j) v[, j])
  if (is.list(v) && is.null(names(v))) return(paste0("[", paste(sapply(v, json), collapse = ", "), "]"))
  if (is.list(v)) return(paste0("{", paste0('"', names(v), '": ', sapply(v, json), collapse = ",\n"), "}"))
  if (is.character(v)) return(paste0('"', v, '"'))
  text <- if (is.logical(v)) as.character(as.integer(v)) else sub(" +", "", formatC(v, digits = 12, width = 1))
  if (length(text) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
}
exact <- coxph.control(eps = 1e-12, toler.chol = 1e-14, iter.max = 50)
glmnet.control(epsnr = 1e-15, mxitnr = 1000)
rossi <- read.csv(commandArgs(TRUE)[1])
ecog <- lung[!is.na(lung$ph.ecog), ]
sets <- list(
  lung = list(time = ecog$time, event = ecog$status == 2, X = cbind(ecog$ph.ecog, ecog$age, ecog$sex)),
  veteran = list(time = veteran$time, event = veteran$status == 1,
                 X = cbind(veteran$karno, veteran$age, veteran$diagtime, veteran$prior, veteran$trt)),
  rossi = list(time = rossi$week, event = rossi$arrest == 1, X = cbind(rossi$fin, rossi$age, rossi$prio)))
figures <- lapply(sets, function(s) {
  y <- Surv(s$time, s$event); X <- s$X; x <- X[, 1]; d <- ncol(X)
  curve <- survfit(y ~ 1)
  alone <- coxph(y ~ X[, 2:d], ties = "breslow", control = exact)
  given <- coxph(y ~ X[, 2:d] + x, ties = "breslow", init = c(coef(alone), 0), control = coxph.control(iter.max = 0))
  full <- coxph(y ~ X, ties = "breslow", control = exact)
  ridge <- suppressWarnings(coxph(y ~ ridge(X, theta = 50, scale = FALSE), ties = "breslow", control = exact))
  # With a start of 0 for all rows: without, glmnet 4.1.6 takes some rows that are censored at the
  # time of an event out of its risk set, depending on their order.
  net <- glmnet(scale(X), Surv(0 * s$time, s$time, s$event), family = "cox", alpha = 0.5, nlambda = 6, lambda.min.ratio = 0.05,
                standardize = FALSE, thresh = 1e-16, maxit = 1e7)
  base <- basehaz(full, centered = FALSE)
  half <- round(quantile(s$time[s$event], 0.4, names = FALSE)) + 0.5
  groups <- survdiff(y ~ x)
  list(time = s$time, event = s$event, X = X, horizon = half,
       survival = summary(curve, times = half)$surv,
       concordance = unname(concordance(y ~ x, reverse = TRUE)$count),
       uno = unname(concordance(y ~ x, reverse = TRUE, timewt = "n/G2", ymax = half)$concordance),
       logrank = c(groups$chisq, length(groups$n) - 1),
       martingale = unname(resid(coxph(y ~ 1, ties = "breslow"), type = "martingale"))[1:5],
       score = sapply(1:d, function(j) coxph(y ~ X[, j], ties = "breslow")$score),
       score_given_others = given$score,
       coefficients = unname(coef(full)), ridge_50 = unname(coef(ridge)),
       hazard_at_horizon = max(base$hazard[base$time <= half]),
       lambdas = net$lambda, net = as.matrix(unname(net$beta)))
})
about <- paste("Data sets lung (rows with ph.ecog; ph.ecog, age, sex) and veteran (karno, age, diagtime, prior, trt) of R's survival",
  packageVersion("survival"), "and rossi (fin, age, prio) of lifelines 0.30.3. Figures by that survival and glmnet",
  packageVersion("glmnet"), "under", R.version.string, "with survival_oracles.R beside this file.")
cat(json(c(list(about = about), figures)), "\n")
