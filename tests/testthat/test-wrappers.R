test_that("the R wrappers of the Rust functions are current", {
    file <- test_path("..", "..", "R", "extendr-wrappers.R")
    skip_if_not(file.exists(file), "the package's source")
    dll <- getLoadedDLLs()[["axtile"]]
    routines <- getDLLRegisteredRoutines(dll)[[".Call"]]
    symbol <- routines$wrap__make_axtile_wrappers
    skip_if(is.null(symbol), "the wrapper generator")

    current <- .Call(symbol, TRUE, "axtile")
    current <- strsplit(current, "\n", fixed = TRUE)[[1]]
    expect_identical(setdiff(current, readLines(file)), character())
    expect_identical(
        setdiff(grep("\\.Call", readLines(file), value = TRUE), current),
        character()
    )
})
