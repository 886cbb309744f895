# lintr over the R code, by the rules in .lintr.
lints <- list(lintr::lint_package(), lintr::lint_dir("tools"))
lints <- Filter(length, lints)
invisible(lapply(lints, print))
quit(status = as.integer(length(lints) > 0))
