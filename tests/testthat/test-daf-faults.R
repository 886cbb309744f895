# Mistakes that other implementations are known to make, each with the right
# answer.

small <- function(...) {
    d <- memory_daf("small")
    add_axis(d, "cell", c("A", "B", "C"))
    add_axis(d, "donor", c("X", "Y"))
    set_vector(d, "cell", "donor", c("X", "Y", "X"))
    set_vector(d, "donor", "age", c(10, 20))
    set_scalar(d, "v", 1)
    d
}

fresh_files <- function(env = parent.frame()) {
    files_daf(withr::local_tempfile(.local_envir = env), mode = "w")
}

test_that("1. results follow what they were made of", {
    d <- small()
    expect_equal(unname(d["@ cell : donor : age"]), c(10, 20, 10))
    set_vector(d, "donor", "age", c(11, 21), overwrite = TRUE)
    expect_equal(unname(d["@ cell : donor : age"]), c(11, 21, 11))
    expect_equal(d[". v"], 1)
    set_scalar(d, "v", 2, overwrite = TRUE)
    expect_equal(d[". v"], 2)
    delete_vector(d, "donor", "age")
    expect_error(d["@ cell : donor : age"], class = "axtile_error_range")
    base <- small()
    top <- memory_daf("top")
    chain <- chain_writer(list(base, top))
    expect_equal(chain["@ donor : age >> Sum"], 30)
    set_vector(chain, "donor", "age", c(1, 2), overwrite = TRUE)
    expect_equal(chain["@ donor : age >> Sum"], 3)
    set_vector(top, "donor", "age", c(3, 4), overwrite = TRUE)
    expect_equal(chain["@ donor : age >> Sum"], 7)
})

test_that("2. a view leaves what it is of alone", {
    d <- small()
    set_vector(d, "cell", "x", c(1, 2, 3))
    view <- viewer(d, axes = list(list("cell", "@ cell [ x > 1 ]")))
    expect_equal(get_vector(view, "cell", "x"), c(B = 2, C = 3))
    expect_equal(get_vector(d, "cell", "x"), c(A = 1, B = 2, C = 3))
    expect_equal(d["@ cell : x >> Sum"], 6)
    expect_equal(view["@ cell : x >> Sum"], 5)
})

test_that("3. a data frame and the entries of an axis are two things", {
    d <- small()
    expect_s3_class(get_dataframe(d, "cell"), "data.frame")
    expect_identical(as.vector(get_query(d, "@ cell")), c("A", "B", "C"))
    expect_s3_class(get_dataframe(d, "cell"), "data.frame")
})

test_that("4. values of matrices go where their names say", {
    d <- small()
    m <- matrix(
        1:6, 3, 2,
        dimnames = list(c("C", "A", "B"), c("Y", "X"))
    )
    set_matrix(d, "cell", "donor", "m", m)
    found <- get_matrix(d, "cell", "donor", "m")
    expect_equal(found[rownames(m), colnames(m)], m)
    expect_identical(dimnames(found), list(c("A", "B", "C"), c("X", "Y")))
    turned <- get_matrix(d, "donor", "cell", "m")
    expect_equal(turned[colnames(m), rownames(m)], t(m))
    sparse <- Matrix::Matrix(m * 1, sparse = TRUE)
    set_matrix(d, "cell", "donor", "s", sparse)
    expect_equal(
        as.matrix(get_matrix(d, "cell", "donor", "s"))[rownames(m), ],
        m[, c("X", "Y")] * 1
    )
})

test_that("5. what a file cannot hold is refused, nothing becomes 0", {
    for (d in list(small(), fresh_files())) {
        if (!has_axis(d, "cell")) {
            add_axis(d, "cell", c("A", "B", "C"))
        }
        with_na <- list(
            c(1L, NA, 3L), c(1, NA, 3), c(TRUE, NA, FALSE), c("a", NA, "b")
        )
        for (x in with_na) {
            expect_error(set_vector(d, "cell", "v", x), class = "axtile_error")
            expect_false(has_vector(d, "cell", "v"))
        }
        expect_error(
            set_scalar(d, "s", NA_character_),
            class = "axtile_error"
        )
        # A float that is no number is none of those.
        set_vector(d, "cell", "nan", c(1, NaN, 3))
        expect_equal(unname(get_vector(d, "cell", "nan")), c(1, NaN, 3))
        # Kept or refused: never read back as something else.
        lines <- c("a\nb", "c", "d")
        kept <- tryCatch(
            {
                set_vector(d, "cell", "lines", lines)
                as.vector(get_vector(d, "cell", "lines"))
            },
            axtile_error = function(e) lines
        )
        expect_identical(kept, lines)
        set_vector(d, "cell", "f", factor(c("u", "v", "u")))
        expect_identical(
            get_vector(d, "cell", "f"), c(A = "u", B = "v", C = "u")
        )
    }
})

# A store with a vector and a scalar that R itself cannot write: their bytes,
# as the format has them.
foreign <- function(type, bytes, value, env = parent.frame()) {
    path <- withr::local_tempfile(.local_envir = env)
    d <- files_daf(path, mode = "w")
    add_axis(d, "x", c("A", "B"))
    json <- sprintf("{\"format\":\"dense\",\"eltype\":\"%s\"}", type)
    writeLines(json, file.path(path, "vectors", "x", "v.json"))
    writeBin(as.raw(bytes), file.path(path, "vectors", "x", "v.data"))
    json <- sprintf("{\"type\":\"%s\",\"value\":%s}", type, value)
    writeLines(json, file.path(path, "scalars", "s.json"))
    unlink(file.path(path, "metadata.json"))
    path
}

test_that("6. large unsigned numbers stay what they are", {
    # 2^31 and 7, little end first.
    path <- foreign("UInt32", c(0, 0, 0, 0x80, 7, 0, 0, 0), "4000000000")
    d <- files_daf(path)
    expect_equal(as_number(get_vector(d, "x", "v")), c(2^31, 7))
    expect_equal(as_number(get_scalar(d, "s")), 4e9)
    expect_equal(as_number(d["@ x : v >> Max"]), 2^31)
})

test_that("7. sums go beyond 32 bits", {
    d <- memory_daf("sums")
    add_axis(d, "x", c("A", "B", "C"))
    set_vector(d, "x", "v", rep(.Machine$integer.max, 3))
    total <- 3 * .Machine$integer.max
    expect_equal(as_number(d["@ x : v >> Sum type Int64"]), total)
    expect_equal(as_number(d["@ x : v >> Sum"]), total)
    expect_equal(as_number(d["@ x : v / name >> Sum"]), rep(total / 3, 3))
})

sparse_store <- function(x) {
    d <- memory_daf("sparse")
    add_axis(d, "r", paste0("r", seq_len(nrow(x))))
    add_axis(d, "c", paste0("c", seq_len(ncol(x))))
    set_matrix(d, "r", "c", "s", Matrix::Matrix(x, sparse = TRUE))
    set_matrix(d, "r", "c", "d", x)
    d
}

test_that("8. zeros that are not stored take part", {
    d <- sparse_store(rbind(c(0, 1, 4), c(1, 2, 2)))
    for (m in c("s", "d")) {
        expect_equal(
            unname(d[paste("@ r @ c ::", m, ">| GeoMean")]), c(0, 4^(1 / 3)),
            tolerance = 1e-7
        )
    }
})

test_that("9. what is no number spoils all reductions", {
    d <- sparse_store(rbind(c(0, NaN, 4), c(1, 2, 2)))
    for (how in c("Max", "Min", "Median", "Mode", "Sum", "Mean", "Var")) {
        for (m in c("s", "d")) {
            found <- d[paste("@ r @ c ::", m, ">|", how)]
            expect_true(is.nan(found[["r1"]]), label = paste(how, m))
            expect_false(is.nan(found[["r2"]]), label = paste(how, m))
        }
    }
})

test_that("10. variances of large numbers are right", {
    x <- rbind(1e8 + 1:3, c(0, 0, 3))
    d <- sparse_store(x)
    set_vector(d, "c", "v", 1e8 + 1:3)
    set_vector(d, "c", "g", c("a", "a", "a"))
    for (m in c("s", "d")) {
        expect_equal(
            unname(d[paste("@ r @ c ::", m, ">| Var")]), c(2 / 3, 2)
        )
        expect_equal(
            unname(d[paste("@ r @ c ::", m, "|/ g >| Var")][, 1]), c(2 / 3, 2)
        )
        expect_equal(
            unname(d[paste("@ c @ r ::", m, "-/ g >- Std")][1, ]),
            sqrt(c(2 / 3, 2))
        )
    }
    expect_equal(d["@ c : v >> Var"], 2 / 3)
    expect_equal(d["@ c : v / g >> Var"], c(a = 2 / 3))
})

test_that("11. what other writers make is read and kept up to date", {
    path <- withr::local_tempfile()
    d <- files_daf(path, mode = "w")
    add_axis(d, "x", c("A", "B"))
    base <- file.path(path, "matrices", "x", "x")
    part <- function(name, type, n) {
        sprintf(
            "\"%s\":{\"format\":\"dense\",\"eltype\":\"%s\",\"n_elements\":%d}",
            name, type, n
        )
    }
    writeLines(sprintf(
        "{\"format\":\"sparse\",%s,%s,%s}", part("colptr", "UInt16", 3),
        part("rowval", "UInt16", 1), part("nzval", "String", 1)
    ), file.path(base, "m.json"))
    short <- function(x, name) {
        writeBin(as.integer(x), file.path(base, name), size = 2L)
    }
    short(c(1, 1, 2), "m.colptr")
    short(2, "m.rowval")
    writeLines("here", file.path(base, "m.nztxt"))
    writeLines(
        "{\"type\":\"Float64\",\"value\":-Inf}",
        file.path(path, "scalars", "s.json")
    )
    unlink(file.path(path, "metadata.json"))
    d <- files_daf(path, mode = "r+")
    expect_identical(
        unname(as.matrix(get_matrix(d, "x", "x", "m"))),
        matrix(c("", "", "", "here"), 2)
    )
    expect_identical(get_scalar(d, "s"), -Inf)
    set_vector(d, "x", "v", c(1, 2))
    index <- readLines(file.path(path, "metadata.json"), warn = FALSE)
    expect_match(index, "\"vectors/x/v\":", fixed = TRUE)
    delete_vector(d, "x", "v")
    index <- readLines(file.path(path, "metadata.json"), warn = FALSE)
    expect_false(grepl("\"vectors/x/v\":", index, fixed = TRUE))
    # Both layouts are there after one call: a second one must say so.
    add_axis(d, "y", c("a", "b", "c"))
    set_matrix(d, "x", "y", "m", matrix(1:6, 2))
    expect_error(
        set_matrix(d, "y", "x", "m", matrix(1:6, 3)),
        class = "axtile_error_exists"
    )
})

test_that("12. the language is complete", {
    d <- small()
    set_vector(d, "donor", "sex", c("f", "m"))
    set_vector(d, "cell", "flag", c(TRUE, FALSE, TRUE))
    set_matrix(d, "cell", "donor", "m", matrix(1:6, 3))
    expect_equal(
        d["@ cell @ donor :: m -/ donor : sex >- Sum"],
        matrix(
            c(4, 2, 10, 5), 2,
            dimnames = list(c("f", "m"), c("X", "Y"))
        )
    )
    expect_equal(
        d["@ donor @ cell :: m |/ donor : sex >| Sum"],
        matrix(
            c(4, 10, 2, 5), 2,
            dimnames = list(c("X", "Y"), c("f", "m"))
        )
    )
    expect_identical(as.vector(d["@ cell [ flag = true ]"]), c("A", "C"))
    expect_identical(as.vector(d["@ cell [ index > 1 ]"]), c("B", "C"))
    expect_equal(unname(d["@ cell : index"]), 1:3)
})

test_that("13. results have a type", {
    d <- small()
    set_vector(d, "cell", "i", 1:3)
    expect_type(d["@ cell : i >> Max"], "integer")
    expect_type(d["@ cell : i >> Sum"], "integer")
    expect_type(d["@ cell : i > 1 >> Max"], "logical")
    counts <- d["@ cell : donor * donor"]
    expect_false(inherits(counts, "table"))
    expect_true(is.matrix(counts))
    expect_equal(unname(counts), matrix(c(2, 0, 0, 1), 2))
})

test_that("14. a change of order keeps the types of the files", {
    # 1.5 and 2.5 as floats of 32 bits.
    path <- foreign(
        "Float32", c(0, 0, 0xc0, 0x3f, 0, 0, 0x20, 0x40), "1.5"
    )
    vectors <- file.path(path, "vectors", "x")
    writeLines(
        paste0(
            "{\"format\":\"sparse\",",
            "\"nzind\":{\"format\":\"dense\",\"eltype\":\"UInt16\",",
            "\"n_elements\":1},",
            "\"nzval\":{\"format\":\"dense\",\"eltype\":\"UInt8\",",
            "\"n_elements\":1}}"
        ),
        file.path(vectors, "u.json")
    )
    writeBin(1L, file.path(vectors, "u.nzind"), size = 2L)
    writeBin(as.raw(9), file.path(vectors, "u.nzval"))
    d <- files_daf(path, mode = "r+")
    reorder_axes(d, x = c(2L, 1L))
    expect_identical(as.vector(axis_vector(d, "x")), c("B", "A"))
    expect_equal(get_vector(d, "x", "v"), c(B = 2.5, A = 1.5))
    expect_equal(as_number(get_vector(d, "x", "u")), c(0, 9))
    expect_match(readLines(file.path(vectors, "v.json")), "Float32")
    expect_identical(file.size(file.path(vectors, "v.data")), 8)
    expect_match(readLines(file.path(vectors, "u.json")), "sparse.*UInt8")
    expect_identical(file.size(file.path(vectors, "u.nzval")), 1)
})
