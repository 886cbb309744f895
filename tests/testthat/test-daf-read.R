test_that("names are listed in the order of their bytes", {
    for (d in writable_dafs()) {
        example_daf(d)
        set_scalar(d, "Zoo", 1)
        set_vector(d, "cell", "Age", 1:3)
        expect_identical(scalars_set(d), c("Zoo", "organism"))
        expect_identical(axes_set(d), c("cell", "gene"))
        expect_identical(vectors_set(d, "cell"), c("Age", "age", "type"))
        expect_identical(vectors_set(d, "gene"), character())
        expect_identical(matrices_set(d, "gene", "cell"), "UMIs")
        expect_identical(matrices_set(d, "cell", "cell"), character())
        expect_axtile_error(vectors_set(d, "nope"), "range", "missing axis")
        expect_axtile_error(matrices_set(d, "nope", "cell"), "range")
    }
})

test_that("axes are read", {
    for (d in writable_dafs()) {
        example_daf(d)
        expect_true(has_axis(d, "cell"))
        expect_false(has_axis(d, "nope"))
        expect_identical(axis_length(d, "cell"), 3L)
        expect_identical(axis_vector(d, "cell"), c("A", "B", "C"))
        expect_null(axis_vector(d, "nope", null_if_missing = TRUE))
        expect_axtile_error(axis_vector(d, "nope"), "range", "missing axis")
        expect_identical(axis_entries(d, "cell"), c("A", "B", "C"))
        expect_identical(axis_entries(d, "cell", c(3, 1, 3)), c("C", "A", "C"))
        expect_axtile_error(axis_entries(d, "cell", 0), "range")
        expect_axtile_error(axis_entries(d, "cell", 4), "range")
        expect_axtile_error(axis_entries(d, "cell", 1.5), "argument")
        expect_axtile_error(axis_entries(d, "cell", NA), "argument")
        expect_identical(
            axis_entries(d, "cell", c(0, -5, 2), allow_empty = TRUE),
            c("", "", "B")
        )
        expect_identical(axis_indices(d, "cell", c("C", "A")), c(3L, 1L))
        expect_identical(axis_indices(d, "cell", factor("C")), 3L)
        expect_axtile_error(axis_indices(d, "cell", "D"), "range", "D")
        expect_axtile_error(axis_indices(d, "cell", ""), "range")
        expect_identical(
            axis_indices(d, "cell", c("", "B"), allow_empty = TRUE), c(0L, 2L)
        )
        expect_axtile_error(
            axis_indices(d, "cell", "D", allow_empty = TRUE), "range"
        )
        expect_identical(
            axis_indices(d, "cell", c("D", "B"), allow_missing = TRUE),
            c(0L, 2L)
        )
        dict <- axis_dict(d, "cell")
        expect_identical(dict[["B"]], 2L)
        expect_length(ls(dict), 3)
    }
})

test_that("scalars, vectors and matrices are read, or a default", {
    for (d in writable_dafs()) {
        example_daf(d)
        expect_true(has_scalar(d, "organism"))
        expect_false(has_scalar(d, "nope"))
        expect_axtile_error(get_scalar(d, "nope"), "range", "missing scalar")
        expect_identical(get_scalar(d, "nope", 5), 5)
        expect_null(get_scalar(d, "nope", NULL))
        expect_identical(get_scalar(d, "organism", 5), "human")

        expect_true(has_vector(d, "cell", "age"))
        expect_true(has_vector(d, "cell", "name"))
        expect_true(has_vector(d, "cell", "index"))
        expect_false(has_vector(d, "cell", "nope"))
        expect_axtile_error(has_vector(d, "nope", "age"), "range")
        expect_identical(
            get_vector(d, "cell", "age"), c(A = 1L, B = 2L, C = 3L)
        )
        expect_identical(
            get_vector(d, "cell", "name"), c(A = "A", B = "B", C = "C")
        )
        expect_identical(
            get_vector(d, "cell", "index"), c(A = 1L, B = 2L, C = 3L)
        )
        expect_axtile_error(get_vector(d, "cell", "nope"), "range", "missing")
        expect_identical(
            get_vector(d, "cell", "nope", 0), c(A = 0, B = 0, C = 0)
        )
        expect_identical(
            get_vector(d, "cell", "nope", 7:9), c(A = 7L, B = 8L, C = 9L)
        )
        expect_null(get_vector(d, "cell", "nope", NULL))
        expect_axtile_error(get_vector(d, "cell", "nope", 1:2), "argument")
        expect_axtile_error(get_vector(d, "nope", "age", 0), "range")

        expect_true(has_matrix(d, "gene", "cell", "UMIs"))
        expect_false(has_matrix(d, "gene", "cell", "nope"))
        m <- matrix(1:6, 3, dimnames = list(c("A", "B", "C"), c("g1", "g2")))
        expect_identical(get_matrix(d, "cell", "gene", "UMIs"), m)
        expect_axtile_error(get_matrix(d, "cell", "gene", "nope"), "range")
        zeros <- m
        zeros[] <- 0
        expect_identical(get_matrix(d, "cell", "gene", "nope", 0), zeros)
        expect_identical(
            get_matrix(d, "cell", "gene", "nope", unname(m)), m
        )
        expect_null(get_matrix(d, "cell", "gene", "nope", NULL))
        expect_axtile_error(
            get_matrix(d, "cell", "gene", "nope", 1:2), "argument"
        )
    }
})

test_that("layouts are told apart where that is asked for", {
    for (d in writable_dafs()) {
        example_daf(d)
        m <- matrix(1:6, 3)
        set_matrix(d, "cell", "gene", "one", m, relayout = FALSE)
        expect_true(has_matrix(d, "gene", "cell", "one"))
        expect_false(has_matrix(d, "gene", "cell", "one", relayout = FALSE))
        expect_identical(
            matrices_set(d, "gene", "cell", relayout = FALSE), "UMIs"
        )
        expect_identical(unname(get_matrix(d, "gene", "cell", "one")), t(m))
        expect_true(query_requires_relayout(d, "@ gene @ cell :: one"))
        expect_false(query_requires_relayout(d, "@ cell @ gene :: one"))
        relayout_matrix(d, "cell", "gene", "one")
        expect_true(has_matrix(d, "gene", "cell", "one", relayout = FALSE))
        expect_axtile_error(relayout_matrix(d, "cell", "gene", "one"), "exists")
        expect_false(query_requires_relayout(d, "@ gene @ cell :: one"))
        delete_matrix(d, "cell", "gene", "one", relayout = FALSE)
        expect_true(has_matrix(d, "cell", "gene", "one"))
        delete_matrix(d, "cell", "gene", "one")
        expect_false(has_matrix(d, "cell", "gene", "one"))
        set_matrix(d, "cell", "cell", "square", diag(3))
        expect_axtile_error(
            relayout_matrix(d, "cell", "cell", "square"), "argument", "square"
        )
    }
})

test_that("versions are counted", {
    d <- example_daf()
    expect_identical(axis_version_counter(d, "cell"), 0)
    expect_identical(vector_version_counter(d, "cell", "age"), 1)
    set_vector(d, "cell", "age", 4:6, overwrite = TRUE)
    expect_identical(vector_version_counter(d, "cell", "age"), 2)
    expect_identical(matrix_version_counter(d, "cell", "gene", "UMIs"), 1)
    delete_axis(d, "cell")
    expect_identical(axis_version_counter(d, "cell"), 1)
})

test_that("large arrays are mapped, and changes of them are one's own", {
    path <- withr::local_tempfile()
    d <- files_daf(path, "w")
    n <- 5000
    add_axis(d, "x", sprintf("e%d", 1:n))
    add_axis(d, "y", c("u", "v"))
    set_vector(d, "x", "i", seq_len(n))
    set_vector(d, "x", "r", seq_len(n) / 2)
    m <- matrix(as.double(1:(2 * n)), n)
    set_matrix(d, "x", "y", "m", m)
    shown <- function(x) capture.output(.Internal(inspect(x)))[[1L]]
    for (what in c("i", "r")) {
        x <- get_vector(d, "x", what)
        expect_match(shown(x), "axtile map of 5000 elements")
        expect_identical(names(x), axis_vector(d, "x"))
        before <- x[[1]]
        x[1] <- 99
        expect_identical(get_vector(d, "x", what)[[1]], before)
        set_vector(d, "x", what, rev(seq_len(n)), overwrite = TRUE)
        expect_identical(x[[2]], if (what == "i") 2 else 1)
        expect_identical(get_vector(d, "x", what)[[1]], 5000L)
    }
    found <- get_matrix(d, "x", "y", "m")
    expect_match(shown(found), "axtile map of 10000 elements")
    expect_identical(unname(found), m)
    # What functions do to a kept object in place, they do to a copy.
    bare <- `dimnames<-`(get_matrix(d, "x", "y", "m"), NULL)
    expect_identical(dim(get_matrix(d, "x", "y", "m")), c(5000L, 2L))
    expect_identical(
        rownames(get_matrix(d, "x", "y", "m"))[1:2], c("e1", "e2")
    )
    files <- list.files(path, recursive = TRUE, full.names = TRUE)
    expect_identical(unname(files_daf(path)["@ x @ y :: m"]), m)
})

test_that("texts are ordinary ones once they are looked at", {
    n <- 3000
    entries <- sprintf("e%d", 1:n)
    path <- withr::local_tempfile()
    d <- files_daf(path, "w")
    add_axis(d, "x", entries)
    texts <- rep(c("a", "", "\u00e4", "NA", "b"), length.out = n)
    set_vector(d, "x", "t", texts)
    fresh <- function() {
        empty_cache(d)
        get_vector(d, "x", "t")
    }
    expect_identical(as.vector(fresh()), texts)
    expect_identical(fresh()[[3]], "\u00e4")
    expect_identical(unname(rev(fresh())[1:5]), rev(texts)[1:5])
    expect_identical(unname(sort(fresh())), sort(texts))
    expect_identical(match("b", fresh()), 5L)
    expect_false(anyNA(fresh()))
    expect_identical(unique(unname(fresh())), unique(texts))
    expect_identical(nchar(unname(fresh())), nchar(texts))
    expect_identical(unname(unserialize(serialize(fresh(), NULL))), texts)
    x <- fresh()
    x[2] <- NA
    expect_identical(which(is.na(unname(x))), 2L)
    expect_identical(get_vector(d, "x", "t")[[2]], "")
    for (at in c(1, n)) {
        y <- axis_vector(d, "x")
        y[at] <- "changed"
        expect_identical(axis_vector(d, "x")[at], entries[at])
        expect_identical(y[-at], entries[-at])
    }
    gctorture <- lapply(1:20, function(i) {
        x <- fresh()
        gc()
        paste0(x[c(1, i)], collapse = "")
    })
    expect_length(gctorture, 20)
    expect_identical(as.vector(fresh()), texts)
})
