# Two names of one object.
same_object <- function(x, y) {
    address <- function(x) {
        sub(" .*", "", capture.output(.Internal(inspect(x)))[[1L]])
    }
    identical(address(x), address(y))
}

test_that("what was read is kept until it changes", {
    for (d in writable_dafs()) {
        example_daf(d)
        for (read in list(
            function() get_vector(d, "cell", "type"),
            function() get_matrix(d, "cell", "gene", "UMIs"),
            function() d["@ cell : age > 1"],
            function() d["@ cell @ gene :: UMIs % Abs"],
            function() axis_vector(d, "cell")
        )) {
            kept <- read()
            expect_true(same_object(read(), kept))
            empty_cache(d)
            expect_identical(read(), kept)
        }
        set_vector(d, "cell", "type", c("a", "b", "c"), overwrite = TRUE)
        expect_identical(
            unname(get_vector(d, "cell", "type")), c("a", "b", "c")
        )
        expect_identical(d["@ cell [ type = b ]"], "B")
        delete_axis(d, "cell")
        add_axis(d, "cell", c("z", "y", "x"))
        set_vector(d, "cell", "age", 1:3)
        expect_identical(names(d["@ cell : age"]), c("z", "y", "x"))
        expect_identical(axis_vector(d, "cell"), c("z", "y", "x"))
    }
})

test_that("another handle's changes are seen", {
    path <- withr::local_tempfile()
    d <- example_daf(files_daf(path, "w"))
    r <- files_daf(path)
    expect_identical(r["@ cell : age >> Sum"], 6L)
    get_vector(r, "cell", "age")
    set_vector(d, "cell", "age", 4:6, overwrite = TRUE)
    expect_identical(r["@ cell : age >> Sum"], 15L)
    expect_identical(unname(get_vector(r, "cell", "age")), 4:6)
})

test_that("caches are emptied in part, and small if they must be", {
    d <- example_daf()
    read <- function() {
        list(get_vector(d, "cell", "type"), d["@ cell : age > 1"])
    }
    is_kept <- function(before, after) {
        c(same_object(before[[1]], after[[1]]),
            same_object(before[[2]], after[[2]]))
    }
    before <- read()
    expect_identical(is_kept(before, read()), c(TRUE, TRUE))
    empty_cache(d, clear = QUERY_DATA)
    expect_identical(is_kept(before, read()), c(TRUE, FALSE))
    before <- read()
    empty_cache(d, keep = c("QueryData", "MemoryData"))
    expect_identical(is_kept(before, read()), c(FALSE, TRUE))
    expect_invisible(empty_cache(d))
    expect_axtile_error(empty_cache(d, clear = "all"), "argument")
    expect_axtile_error(empty_cache(d, "query", "mapped"), "argument")
    withr::local_options(axtile.daf_cache_mb = 0)
    none <- example_daf()
    one <- get_vector(none, "cell", "type")
    expect_false(same_object(get_vector(none, "cell", "type"), one))
    withr::local_options(axtile.daf_cache_mb = "a")
    expect_axtile_error(memory_daf(), "argument", "axtile.daf_cache_mb")
})

test_that("no more is kept than there are places", {
    d <- memory_daf()
    add_axis(d, "x", c("a", "b"))
    for (i in 1:600) {
        set_vector(d, "x", paste0("v", i), as.double(c(i, -i)))
    }
    for (round in 1:2) {
        for (i in 1:600) {
            expect_identical(
                unname(get_vector(d, "x", paste0("v", i))),
                as.double(c(i, -i))
            )
        }
    }
})
