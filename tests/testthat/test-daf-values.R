# Values that come back as what they were.
kept_vectors <- list(
    flags = c(TRUE, FALSE, TRUE),
    integers = c(-.Machine$integer.max, 0L, .Machine$integer.max),
    doubles = c(-0, 4.9e-324, 1e308),
    not_numbers = c(NaN, Inf, -Inf),
    texts = c("a", "", "NA"),
    unicode = c("\u00e4", "\U1F600", "\u4e2d")
)

test_that("vectors of every type come back", {
    for (d in writable_dafs()) {
        add_axis(d, "x", c("a", "b", "c"))
        for (name in names(kept_vectors)) {
            set_vector(d, "x", name, kept_vectors[[name]])
            found <- get_vector(d, "x", name)
            expect_identical(
                found, setNames(kept_vectors[[name]], c("a", "b", "c")),
                label = paste(daf_name(d), name)
            )
        }
        expect_identical(1 / get_vector(d, "x", "doubles")[["a"]], -Inf)
        set_vector(d, "x", "raw", as.raw(c(0, 7, 255)))
        expect_identical(unname(get_vector(d, "x", "raw")), c(0L, 7L, 255L))
        set_vector(d, "x", "factor", factor(c("u", "v", "u")))
        expect_identical(unname(get_vector(d, "x", "factor")), c("u", "v", "u"))
        latin <- c("\xe4", "b", "c")
        Encoding(latin) <- "latin1"
        set_vector(d, "x", "latin", latin)
        expect_identical(get_vector(d, "x", "latin")[["a"]], "\u00e4")
        set_vector(d, "x", "plain", I(c(1, 2, 3)))
        expect_identical(unname(get_vector(d, "x", "plain")), c(1, 2, 3))
        set_vector(d, "x", "array", array(1:3, 3))
        expect_identical(unname(get_vector(d, "x", "array")), 1:3)
    }
})

test_that("scalars of every type come back", {
    values <- list(
        TRUE, 5L, -.Machine$integer.max, pi, NaN, -Inf, "", "a\"b\\", "\u00e4"
    )
    for (d in writable_dafs()) {
        for (value in values) {
            set_scalar(d, "s", value, overwrite = TRUE)
            expect_identical(get_scalar(d, "s"), value)
            expect_identical(d[". s"], value)
        }
        expect_axtile_error(set_scalar(d, "s", 1), "exists")
        for (wrong in list(NULL, c(1, 2), double(), list(1), NA, NA_real_)) {
            expect_axtile_error(
                set_scalar(d, "s", wrong, overwrite = TRUE), "argument"
            )
        }
        expect_identical(get_scalar(d, "s"), "\u00e4")
    }
})

# Integers of 64 bits, from their bytes, the smallest first.
integer64 <- function(...) {
    bytes <- as.raw(c(...))
    structure(
        readBin(bytes, "double", length(bytes) / 8, endian = "little"),
        class = "integer64"
    )
}

test_that("integers of 64 bits are kept, or are doubles that are the same", {
    d <- memory_daf()
    add_axis(d, "x", c("a", "b", "c"))
    # -2, 2^40 and 7.
    x <- integer64(
        0xfe, rep(0xff, 7), rep(0, 5), 1, 0, 0, 7, rep(0, 7)
    )
    set_vector(d, "x", "i", x)
    expect_match(description(d), "3 x Int64")
    withr::defer(rust(rs_daf_integer64(isTRUE(session$has_bit64))))
    rust(rs_daf_integer64(FALSE))
    empty_cache(d)
    expect_identical(unname(get_vector(d, "x", "i")), c(-2, 2^40, 7))
    rust(rs_daf_integer64(TRUE))
    empty_cache(d)
    found <- get_vector(d, "x", "i")
    expect_s3_class(found, "integer64")
    expect_identical(as.vector(unclass(found)), as.vector(unclass(x)))
    # 2^53 + 1 is no double.
    set_scalar(d, "odd", integer64(1, 0, 0, 0, 0, 0, 0x20, 0))
    expect_s3_class(get_scalar(d, "odd"), "integer64")
    rust(rs_daf_integer64(FALSE))
    expect_axtile_error(get_scalar(d, "odd"), "limit", "9007199254740993")
    # A single value that a query gives is an integer of R's where it fits.
    expect_identical(d[". none || 7"], 7L)
    na <- integer64(0, 0, 0, 0, 0, 0, 0, 0x80)
    expect_axtile_error(set_scalar(d, "na", na), "argument", "NA")
})

test_that("what cannot be kept is refused, and nothing is stored", {
    for (d in writable_dafs()) {
        add_axis(d, "x", c("a", "b", "c"))
        wrong <- list(
            c(1L, NA, 3L), c(1, NA, 3), c(TRUE, NA, FALSE), c("a", NA, "b"),
            factor(c("a", NA, "b")), Sys.Date() + 0:2, Sys.time() + 0:2,
            list(1, 2, 3), 1:3 + 1i, NULL, quote(a), matrix(1:9, 3),
            as.POSIXlt(Sys.time() + 0:2), table(1:3), data.frame(a = 1:3)
        )
        for (x in wrong) {
            expect_axtile_error(set_vector(d, "x", "v", x), "argument")
        }
        bad <- c("\xff\xfe", "b", "c")
        expect_axtile_error(set_vector(d, "x", "v", bad), "argument")
        expect_false(has_vector(d, "x", "v"))
        expect_axtile_error(
            set_vector(d, "x", "v", c(1, NA, 3)), "argument", "2 of `vec` is NA"
        )
    }
    dafs <- writable_dafs()
    add_axis(dafs$memory, "x", c("a", "b"))
    add_axis(dafs$files, "x", c("a", "b"))
    set_vector(dafs$memory, "x", "lines", c("1\n2", "3"))
    expect_identical(
        get_vector(dafs$memory, "x", "lines"), c(a = "1\n2", b = "3")
    )
    expect_axtile_error(
        set_vector(dafs$files, "x", "lines", c("1\n2", "3")), "argument"
    )
    expect_false(has_vector(dafs$files, "x", "lines"))
    expect_axtile_error(add_axis(dafs$files, "y", c("1\n2", "3")), "argument")
})

test_that("values go where their names say", {
    for (d in writable_dafs()) {
        add_axis(d, "x", c("a", "b", "c"))
        add_axis(d, "y", c("u", "v"))
        set_vector(d, "x", "v", c(c = 3, a = 1, b = 2))
        expect_identical(get_vector(d, "x", "v"), c(a = 1, b = 2, c = 3))
        for (names in list(c("a", "b", "d"), c("a", "b", "b"))) {
            expect_axtile_error(
                set_vector(d, "x", "w", setNames(1:3, names)), "argument"
            )
        }
        expect_axtile_error(
            set_vector(d, "x", "w", c(a = 1, b = 2)), "argument", "length"
        )
        m <- matrix(
            1:6, 3,
            dimnames = list(c("c", "a", "b"), c("v", "u"))
        )
        sorted <- m[c("a", "b", "c"), c("u", "v")]
        set_matrix(d, "x", "y", "m", m)
        expect_identical(get_matrix(d, "x", "y", "m"), sorted)
        expect_identical(get_matrix(d, "y", "x", "m"), t(sorted))
        # Names of rows only.
        colnames(m) <- NULL
        set_matrix(d, "x", "y", "r", m)
        expect_identical(
            unname(get_matrix(d, "x", "y", "r")), unname(m)[c(2, 3, 1), ]
        )
        sparse <- as(m * 1.5, "dgCMatrix")
        set_matrix(d, "x", "y", "s", sparse)
        found <- get_matrix(d, "x", "y", "s")
        expect_s4_class(found, "dgCMatrix")
        expect_identical(
            as.matrix(found), m[c("a", "b", "c"), ] * 1.5,
            ignore_attr = TRUE
        )
        expect_identical(
            dimnames(found), list(c("a", "b", "c"), c("u", "v"))
        )
        rownames(m)[[1]] <- "z"
        expect_axtile_error(set_matrix(d, "x", "y", "z", m), "argument")
    }
})

test_that("matrices of every kind come back", {
    dense <- list(
        flags = matrix(c(TRUE, FALSE, TRUE, TRUE, FALSE, FALSE), 3),
        integers = matrix(c(0L, -5L, 7L, 1L, 2L, 3L), 3),
        doubles = matrix(c(0, NaN, Inf, 1.5, -2, 0), 3),
        texts = matrix(c("", "b", "c", "d", "", "f"), 3)
    )
    x <- Matrix::sparseMatrix(
        c(1, 3, 2), c(1, 1, 2), x = c(2.5, -1, 8), dims = c(3, 2)
    )
    names <- list(c("a", "b", "c"), c("u", "v"))
    for (d in writable_dafs()) {
        add_axis(d, "x", names[[1]])
        add_axis(d, "y", names[[2]])
        for (name in names(dense)) {
            m <- dense[[name]]
            set_matrix(d, "x", "y", name, m)
            dimnames(m) <- names
            expect_identical(get_matrix(d, "x", "y", name), m)
            expect_identical(get_matrix(d, "y", "x", name), t(m))
        }
        set_matrix(d, "x", "y", "sparse", x)
        named <- x
        dimnames(named) <- names
        found <- get_matrix(d, "x", "y", "sparse")
        expect_true(validObject(found))
        expect_identical(found, named)
        expect_identical(get_matrix(d, "y", "x", "sparse"), Matrix::t(named))
        set_matrix(d, "x", "y", "sparse_flags", x > 0)
        found <- get_matrix(d, "x", "y", "sparse_flags")
        expect_s4_class(found, "lgCMatrix")
        expect_identical(as.matrix(found), as.matrix(named > 0))
        pattern <- as(as(x, "nMatrix"), "CsparseMatrix")
        others <- list(
            triplets = as(x, "TsparseMatrix"), rows = as(x, "RsparseMatrix"),
            pattern = pattern,
            dense = as(as(x, "unpackedMatrix"), "generalMatrix")
        )
        for (name in names(others)) {
            set_matrix(d, "x", "y", name, others[[name]])
            expect_identical(
                unname(as.matrix(get_matrix(d, "x", "y", name))),
                unname(as.matrix(others[[name]])),
                label = name
            )
        }
        symmetric <- Matrix::forceSymmetric(
            Matrix::sparseMatrix(c(1, 1), c(1, 2), x = c(1, 2), dims = c(2, 2))
        )
        set_matrix(d, "y", "y", "symmetric", symmetric)
        expect_identical(
            unname(as.matrix(get_matrix(d, "y", "y", "symmetric"))),
            matrix(c(1, 2, 2, 0), 2)
        )
    }
})

test_that("matrices that cannot be kept are refused", {
    d <- memory_daf()
    add_axis(d, "x", c("a", "b", "c"))
    add_axis(d, "y", c("u", "v"))
    x <- Matrix::sparseMatrix(
        c(1, 3), c(1, 2), x = c(1, 2), dims = c(3, 2)
    )
    set <- function(m) set_matrix(d, "x", "y", "m", m)
    for (m in list(1:6, list(), NULL, data.frame(a = 1:3, b = 1:3))) {
        expect_axtile_error(set(m), "argument")
    }
    expect_axtile_error(set(matrix(1:6, 2)), "argument", "length")
    expect_axtile_error(set(matrix(c(1:5, NA), 3)), "argument", "NA")
    expect_axtile_error(set(matrix(list(1, 2), 3, 2)), "argument")
    bad <- list(
        list("i", c(0L, 9L)), list("i", c(-1L, 2L)),
        list("p", c(0L, 2L, 1L)), list("p", c(0L, 1L, 7L)),
        list("p", c(0L, 1L)), list("x", 1), list("x", c(1, NA))
    )
    for (one in bad) {
        m <- x
        slot(m, one[[1]], check = FALSE) <- one[[2]]
        expect_axtile_error(set(m), "argument")
    }
    expect_false(has_matrix(d, "x", "y", "m"))
})

test_that("sparse vectors of Matrix are kept so", {
    x <- Matrix::sparseVector(c(1.5, -2), c(2, 90), 100)
    flags <- Matrix::sparseVector(c(TRUE, TRUE), c(1, 100), 100)
    for (d in writable_dafs()) {
        add_axis(d, "x", sprintf("e%d", 1:100))
        set_vector(d, "x", "v", x)
        expect_identical(unname(get_vector(d, "x", "v")), as.vector(x))
        set_vector(d, "x", "f", flags)
        expect_identical(unname(get_vector(d, "x", "f")), as.vector(flags))
        expect_match(description(d), "v: 100 x Float64 (Sparse", fixed = TRUE)
        bad <- x
        bad@i <- c(90, 2)
        expect_axtile_error(set_vector(d, "x", "b", bad), "argument")
        bad@i <- c(2, 101)
        expect_axtile_error(set_vector(d, "x", "b", bad), "argument")
    }
})
