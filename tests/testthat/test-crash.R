# Writers are killed at many moments: what was there must stay readable, and
# the next write must succeed.

test_that("a killed writer loses nothing that was there", {
    skip_on_os("windows")
    skip_on_cran()
    folder <- withr::local_tempdir()
    path <- file.path(folder, "x.tiles")
    old <- small_counts()
    new <- synthetic_counts(3000, 2000, seed = 3)
    input <- file.path(folder, "new.rds")
    saveRDS(new, input)
    ready <- file.path(folder, "ready")
    code <- c(
        paste0("x <- readRDS(", deparse(input), ")"),
        paste0("file.create(", deparse(ready), ")"),
        paste0(
            "write_tiles(x, ", deparse(path),
            ", overwrite = TRUE, format = 'deltacells', ",
            "tile_size = 100, level = 15, threads = 1)"
        ),
        paste0("unlink(", deparse(ready), ")")
    )
    write_tiles(old, path)
    n_killed <- 0
    for (delay in seq(0, 2, length.out = 12)) {
        pid <- start_r(code)
        while (!file.exists(ready)) Sys.sleep(0.01)
        Sys.sleep(delay)
        n_killed <- n_killed + is_running(pid)
        tools::pskill(pid, tools::SIGKILL)
        while (is_running(pid)) Sys.sleep(0.01)
        unlink(ready)
        ds <- open_tiles(path)
        expect_true(all(verify_tiles(ds)$ok))
        expect_true(
            identical(dim(ds), dim(old)) || identical(dim(ds), dim(new))
        )
        expect_same_matrix(
            read_cells(ds), if (ncol(ds) == ncol(old)) old else new
        )
        write_tiles(old, path, overwrite = TRUE)
        left <- setdiff(
            list.files(folder, all.files = TRUE, no.. = TRUE), "new.rds"
        )
        expect_identical(left, "x.tiles")
    }
    expect_gt(n_killed, 3)
})

test_that("a killed conversion can be resumed", {
    skip_on_os("windows")
    skip_on_cran()
    folder <- withr::local_tempdir()
    m <- synthetic_counts(2000, 1000, seed = 4)
    source <- file.path(folder, "source")
    dir.create(source)
    Matrix::writeMM(m, file.path(source, "matrix.mtx"))
    writeLines(colnames(m), file.path(source, "barcodes.tsv"))
    writeLines(
        paste0(rownames(m), "\t", rownames(m)), file.path(source, "genes.tsv")
    )
    path <- file.path(folder, "x.tiles")
    call <- paste0(
        "convert_tiles(", deparse(source), ", ", deparse(path),
        ", format = 'deltacells', tile_size = 50, level = 19, threads = 1, ",
        "resume = TRUE)"
    )
    partial <- file.path(folder, ".x.tiles.axtile-partial", "tiles")
    pid <- start_r(call)
    while (length(list.files(partial)) < 5 && is_running(pid)) Sys.sleep(0.01)
    tools::pskill(pid, tools::SIGKILL)
    while (is_running(pid)) Sys.sleep(0.01)
    expect_false(file.exists(path))
    finished <- file.path(partial, "tile_000000.dct")
    before <- file.mtime(finished)
    ds <- eval(parse(text = call))
    expect_same_matrix(read_cells(ds), m)
    expect_identical(
        file.mtime(file.path(path, "tiles", "tile_000000.dct")), before
    )
    expect_false(file.exists(file.path(folder, ".x.tiles.axtile-partial")))
    expect_identical(list.files(path, "unfinished|scratch"), character())
})

test_that("a full disk is an error and leaves the old dataset", {
    skip_on_cran()
    skip_if_not(file.exists("/dev/full"), "no small file system to fill")
    folder <- withr::local_tempdir()
    mounted <- system2("mount", c(
        "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder
    ),
        stdout = FALSE, stderr = FALSE
    ) == 0
    skip_if_not(mounted, "may not mount a small file system")
    withr::defer(system2("umount", folder))
    path <- file.path(folder, "x.tiles")
    old <- small_counts()
    write_tiles(old, path)
    new <- synthetic_counts(3000, 2000, seed = 3)
    expect_axtile_error(
        write_tiles(new, path, overwrite = TRUE), "io", "space"
    )
    ds <- open_tiles(path)
    expect_same_matrix(read_cells(ds), old)
    expect_identical(
        list.files(folder, all.files = TRUE, no.. = TRUE), "x.tiles"
    )
    close_tiles(ds)
})

test_that("an interrupt stops a write and keeps the session", {
    skip_on_os("windows")
    skip_on_cran()
    folder <- withr::local_tempdir()
    path <- file.path(folder, "x.tiles")
    result <- file.path(folder, "result")
    ready <- file.path(folder, "ready")
    pid <- start_r(c(
        "x <- synthetic_counts(3000, 3000, seed = 3)",
        paste0("file.create(", deparse(ready), ")"),
        paste0(
            "r <- tryCatch({write_tiles(x, ", deparse(path),
            ", format = 'deltacells', tile_size = 100, level = 22); 'done'}, ",
            "interrupt = function(e) 'interrupted')"
        ),
        paste0("writeLines(r, ", deparse(result), ")")
    ))
    while (!file.exists(ready)) Sys.sleep(0.01)
    Sys.sleep(0.3)
    tools::pskill(pid, tools::SIGINT)
    while (is_running(pid)) Sys.sleep(0.01)
    # A background process of a shell without job control ignores the signal.
    skip_if_not(readLines(result) != "done", "the signal was not delivered")
    expect_identical(readLines(result), "interrupted")
    expect_false(file.exists(path))
})
