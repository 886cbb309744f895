with_registries <- function(env = parent.frame()) {
    custom <- registered$custom
    withr::defer(registered$custom <- custom, envir = env)
}

test_that("functions of users are operations", {
    with_registries()
    d <- example_daf()
    sparse <- as(matrix(c(0, 5, 0, 2, 0, 0), 3), "dgCMatrix")
    set_matrix(d, "cell", "gene", "s", sparse)
    register_reduction("Range", function(x) max(x) - min(x), overwrite = TRUE)
    register_eltwise("Squash", function(x, by = 2) x / by, overwrite = TRUE)
    expect_identical(d["@ cell : age >> Range"], 2)
    expect_identical(
        d["@ cell @ gene :: UMIs >| Range"], c(A = 3, B = 3, C = 3)
    )
    expect_identical(d["@ cell @ gene :: s >- Range"], c(g1 = 5, g2 = 2))
    expect_identical(d["@ cell : age / type >> Range"], c(x = 2, y = 0))
    expect_identical(
        d["@ cell @ gene :: UMIs -/ type >- Range"],
        matrix(
            c(2, 0, 2, 0), 2,
            dimnames = list(c("x", "y"), c("g1", "g2"))
        )
    )
    expect_identical(d["@ cell : age % Squash"], c(A = 0.5, B = 1, C = 1.5))
    expect_identical(
        d["@ cell : age % Squash by 4"], c(A = 0.25, B = 0.5, C = 0.75)
    )
    expect_identical(
        unname(as.matrix(d["@ cell @ gene :: s % Squash"])),
        unname(as.matrix(sparse)) / 2
    )
    seen <- NULL
    register_eltwise("Look", function(x, ...) {
        seen <<- dim(x)
        x
    }, overwrite = TRUE)
    d["@ cell @ gene :: UMIs % Look"]
    expect_identical(seen, c(3L, 2L))
    expect_identical(canonical_query("@ cell:age%Squash by 3"),
        "@ cell : age % Squash by 3"
    )
    expect_axtile_error(d["@ cell : age % Squash bye 3"], "argument", "by")
    expect_axtile_error(d["@ cell : age >> Rang"], "argument", "Range")
})

test_that("results follow the functions", {
    with_registries()
    d <- example_daf()
    register_reduction("Mine", function(x) 1, overwrite = TRUE)
    expect_identical(d["@ cell : age >> Mine"], 1)
    register_reduction("Mine", function(x) 2, overwrite = TRUE)
    expect_identical(d["@ cell : age >> Mine"], 2)
})

test_that("what goes wrong in a function ends the query, not R", {
    with_registries()
    d <- example_daf()
    wrong <- list(
        function(x) stop("oh %s%n {no}"), function(x) "a", function(x) x,
        function(x) NULL, function(x) double(), function(x) undefined_thing,
        function(x) rlang::abort("classed", class = "mine")
    )
    for (fn in wrong) {
        register_reduction("Bad", fn, overwrite = TRUE)
        expect_axtile_error(d["@ cell : age >> Bad"], "argument", "Bad")
        expect_axtile_error(
            d["@ cell @ gene :: UMIs >| Bad"], "argument", "Bad"
        )
    }
    register_reduction("Bad", wrong[[1]], overwrite = TRUE)
    expect_axtile_error(
        d["@ cell : age >> Bad"], "argument", "oh %s%n \\{no\\}"
    )
    register_eltwise("Short", function(x) x[1], overwrite = TRUE)
    expect_axtile_error(d["@ cell : age % Short"], "argument", "length 1")
    # A function may use the store that it is called for.
    register_reduction("Deep", function(x) {
        gc()
        sum(x) + d["@ cell : age >> Sum"]
    }, overwrite = TRUE)
    expect_identical(d["@ cell : age >> Deep"], 12)
    register_reduction("Jump", function(x) {
        rlang::interrupt()
    }, overwrite = TRUE)
    stopped <- tryCatch(
        d["@ cell : age >> Jump"],
        interrupt = function(e) "stopped"
    )
    expect_identical(stopped, "stopped")
    expect_identical(d["@ cell : age >> Sum"], 6L)
})

test_that("operations are registered once", {
    with_registries()
    first <- function(x) 1
    register_reduction("Once", first, overwrite = TRUE, source = "here")
    expect_axtile_error(
        register_reduction("Once", first, source = "there"), "exists",
        "first in: here; second in: there"
    )
    expect_axtile_error(
        register_reduction("Sum", first, overwrite = TRUE), "exists"
    )
    expect_identical(get_reduction("Once"), first)
    expect_true(all(c("Once", "Sum") %in% registered_reductions()))
    expect_false(is.unsorted(registered_eltwise()))
    register_query_operation("eltwise", "Other", function(x, ...) x, TRUE)
    expect_true("Other" %in% registered_eltwise())
    expect_axtile_error(get_eltwise("Once"), "range", "Abs")
    expect_identical(get_reduction("Quantile")(c(1, 2, 4), p = 0.5), 2)
    expect_identical(get_eltwise("Abs")(c(a = -1, b = 2)), c(a = 1, b = 2))
    for (name in list("", "a b", "1a", NULL)) {
        expect_axtile_error(register_reduction(name, first), "argument")
    }
    for (fn in list(NULL, 5, "sum", function() 1)) {
        expect_axtile_error(register_reduction("X", fn), "argument")
    }
    expect_identical(get_reduction("Once")(5), 1)
})
