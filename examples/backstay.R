# backstay from R: run the command line, read what it writes, return a data.frame and plot it.
#
#     source("examples/backstay.R")
#     found <- backstay_run("cells.csv", target = "diagnosis", options = "--quick")
#     head(found$features)
#     plot_features(found)
#
# Or from a shell: Rscript examples/backstay.R cells.csv diagnosis plot.png --quick
# Base R is enough; with the package jsonlite the answer of results.json is read as well.

# R's own library path could give Python the libraries of another Python.
call_backstay <- function(command, arguments) {
  suppressWarnings(system2(command, arguments, stdout = TRUE, stderr = TRUE,
                           env = if (.Platform$OS.type == "unix") "LD_LIBRARY_PATH=" else character()))
}

# Run a study of a file, or of a data.frame with an outcome in one of its columns.
backstay_run <- function(table, target, out = tempfile("backstay-"), options = character(),
                         command = Sys.getenv("BACKSTAY", "backstay")) {
  if (is.data.frame(table)) {
    file <- tempfile(fileext = ".csv")
    write.csv(table, file, row.names = FALSE)
    table <- file
  }
  arguments <- c("run", shQuote(table), "--target", shQuote(target), "--out", shQuote(out),
                 "--quiet", options)
  said <- call_backstay(command, arguments)
  status <- attr(said, "status")
  if (!is.null(status) && status != 0) {
    stop("backstay ended with status ", status, ":\n", paste(said, collapse = "\n"))
  }
  backstay_read(out)
}

# Read the folder of a finished run.
backstay_read <- function(out) {
  features <- read.csv(file.path(out, "features.csv"), check.names = FALSE)
  flags <- intersect(c("in_signature", "core"), names(features))
  features[flags] <- features[flags] == "True"
  found <- list(
    folder = out,
    features = features,
    report = file.path(out, "report.html")
  )
  if (requireNamespace("jsonlite", quietly = TRUE)) {
    results <- jsonlite::fromJSON(file.path(out, "results.json"), simplifyVector = FALSE)
    found$answer <- results$recommendation
  }
  found
}

# Predict new rows with the signature of a run.
backstay_predict <- function(found, table, command = Sys.getenv("BACKSTAY", "backstay")) {
  said <- tempfile(fileext = ".csv")
  arguments <- c("predict", shQuote(file.path(found$folder, "signature.json")), shQuote(table),
                 "--out", shQuote(said))
  text <- call_backstay(command, arguments)
  if (!file.exists(said)) stop(paste(text, collapse = "\n"))
  read.csv(said, check.names = FALSE)
}

# How often the features were chosen, with 95 % intervals; filled if in the signature.
plot_features <- function(found, most = 20) {
  best <- head(found$features[order(-found$features$frequency), ], most)
  best <- best[rev(seq_len(nrow(best))), ]
  old <- par(mar = c(4, 12, 1, 1), las = 1)
  on.exit(par(old))
  place <- seq_len(nrow(best))
  plot(best$frequency, place, xlim = c(0, 1), yaxt = "n", ylab = "",
       xlab = "chosen, share of the resamples",
       pch = ifelse(best$in_signature, 19, 1))
  segments(best$frequency_low, place, best$frequency_high, place)
  axis(2, at = place, labels = best$feature, tick = FALSE)
  invisible(best)
}

# From a shell: file, target, picture, and options of backstay run.
if (sys.nframe() == 0L) {
  given <- commandArgs(trailingOnly = TRUE)
  if (length(given) < 3) stop("usage: Rscript backstay.R TABLE TARGET PLOT.png [options]")
  found <- backstay_run(given[1], given[2], options = given[-(1:3)])
  print(head(found$features[c("feature", "in_signature", "frequency", "effect", "q_value")], 10),
        row.names = FALSE)
  png(given[3], width = 900, height = 700, res = 110)
  plot_features(found)
  invisible(dev.off())
}
