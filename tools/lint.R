# lintr over the R code, by the rules in .lintr.
lints <- lintr::lint_package()
if (length(lints)) {
    print(lints)
}
quit(status = as.integer(length(lints) > 0))
