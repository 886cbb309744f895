# Tests the installed package: Rscript tools/testthat.R library
# Counts test_that() blocks; skipped ones are neither passed nor failed.
lib <- commandArgs(TRUE)[1]
.libPaths(c(lib, .libPaths()))
Sys.setenv(NOT_CRAN = "true", R_LIBS = paste(.libPaths(), collapse = ":"))
library(testthat)
results <- as.data.frame(test_dir(
    "tests/testthat",
    package = "axtile", load_package = "installed",
    reporter = "check", stop_on_failure = FALSE
))
bad <- results$failed > 0 | results$error
skipped <- !bad & results$skipped
cat(sprintf(
    "testthat: %d passed, %d failed, %d skipped\n",
    sum(!bad & !skipped), sum(bad), sum(skipped)
))
quit(status = as.integer(any(bad)))
