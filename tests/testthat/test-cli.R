run_command <- function(...) {
    out <- suppressWarnings(system2(
        file.path(R.home("bin"), "Rscript"), c(shQuote(axtile_command()), ...),
        stdout = TRUE, stderr = TRUE
    ))
    status <- attr(out, "status")
    list(out = as.vector(out), status = if (is.null(status)) 0L else status)
}

test_that("the shell command converts, tells and verifies", {
    folder <- withr::local_tempdir()
    m <- small_counts()
    Matrix::writeMM(m, file.path(folder, "matrix.mtx"))
    writeLines(colnames(m), file.path(folder, "barcodes.tsv"))
    writeLines(
        paste0(rownames(m), "\t", rownames(m)), file.path(folder, "genes.tsv")
    )
    path <- temp_tiles()
    done <- run_command(
        "convert", shQuote(folder), "--output", shQuote(path),
        "--tile-size=20", "--format", "deltacells", "--level", "3"
    )
    expect_identical(done$status, 0L)
    ds <- open_tiles(path)
    expect_identical(tiles_info(ds)$n_tiles, 3L)
    expect_same_matrix(read_cells(ds), m)
    expect_match(
        run_command("info", shQuote(path))$out[[2]], "57 cells x 83 genes"
    )
    expect_match(run_command("verify", shQuote(path))$out, "whole")
    expect_match(
        run_command("obs", "info", shQuote(path))$out[[2]], "obs_names"
    )
    withr::local_envvar(DELTACELLS_CACHE = withr::local_tempdir())
    done <- run_command("obs", "localize", shQuote(path), "--all")
    expect_match(done$out, "localized: obs_names")
})

test_that("wrong calls say so", {
    expect_identical(run_command("nonsense")$status, 2L)
    expect_identical(run_command("info")$status, 2L)
    expect_identical(run_command("convert", "a", "--output")$status, 2L)
    failed <- run_command("info", shQuote(tempfile("none")))
    expect_identical(failed$status, 1L)
    expect_match(failed$out, "cannot open", all = FALSE)
    expect_identical(run_command("help")$status, 0L)
})
