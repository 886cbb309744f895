# Starts R in the background; returns its process number.
start_r <- function(code) {
    script <- tempfile(fileext = ".R")
    writeLines(c(
        paste0(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")"),
        "library(axtile)", code
    ), script)
    command <- paste(
        shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script),
        ">/dev/null 2>&1 & echo $!"
    )
    as.integer(system(command, intern = TRUE))
}

is_running <- function(pid) {
    # Signal 0 asks only.
    isTRUE(tools::pskill(pid, 0L))
}
