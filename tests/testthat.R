library(testthat)
library(axtile)

test_check("axtile")
