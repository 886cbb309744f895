temp_folder <- function(pattern = "a %s b%n {c} ", env = parent.frame()) {
    path <- tempfile(pattern)
    withr::defer(unlink(path, recursive = TRUE), envir = env)
    path
}

bytes_of <- function(path) readBin(path, "raw", file.size(path))

mapped_example <- function(env = parent.frame()) {
    m <- small_counts()
    path <- temp_folder(env = env)
    write_mmap_dgCMatrix(m, path)
    list(m = m, path = path)
}

test_that("vectors are those of the file", {
    path <- temp_folder()
    ints <- c(0L, NA, -5L, .Machine$integer.max)
    writeBin(ints, path, endian = "little")
    expect_identical(mmap_int(path), ints)
    expect_identical(mmap_int(path, offset = 4), ints[-1])
    expect_identical(mmap_int(path, offset = 4, length = 2), ints[2:3])
    expect_identical(mmap_int(path, offset = 16), integer())
    expect_identical(mmap_int(path, length = 0), integer())
    expect_identical(rev(mmap_int(path))[2:1], ints[3:4])
    expect_identical(sum(mmap_int(path), na.rm = TRUE), sum(ints, na.rm = TRUE))

    reals <- c(0, -0, NA, NaN, Inf, 4.9e-324, 1e308)
    writeBin(reals, path, endian = "little")
    expect_identical(mmap_real(path), reals)
    expect_identical(is.nan(mmap_real(path)), is.nan(reals))
    expect_identical(mmap_real(path, offset = 8), reals[-1])
    expect_identical(mmap_real(path, length = 7), reals)

    flags <- c(TRUE, NA, FALSE)
    writeBin(flags, path, endian = "little")
    expect_identical(mmap_lgl(path), flags)
    expect_identical(which(mmap_lgl(path)), 1L)
    expect_identical(ifelse(mmap_lgl(path), 1, 2), c(1, NA, 2))

    file.create(path)
    expect_identical(mmap_int(path), integer())
    expect_identical(mmap_real(path), double())
    expect_identical(mmap_lgl(path), logical())
})

test_that("writes reach neither the file nor another vector", {
    path <- temp_folder()
    writeBin(as.double(1:1000), path, endian = "little")
    before <- bytes_of(path)
    x <- mmap_real(path)
    y <- mmap_real(path)
    x[c(1, 1000)] <- -1
    # Sorts in place, through the pointer.
    z <- mmap_real(path)
    z <- sort.int(z, decreasing = TRUE, method = "quick")
    expect_identical(x[c(1, 2, 1000)], c(-1, 2, -1))
    expect_identical(y, as.double(1:1000))
    expect_identical(z, as.double(1000:1))
    expect_identical(mmap_real(path), y)
    expect_identical(bytes_of(path), before)
    a <- b <- mmap_real(path)
    a[5] <- 0
    expect_identical(b[5], 5)
})

test_that("vectors go through R's own formats as plain ones", {
    path <- temp_folder()
    writeBin(1:100, path, endian = "little")
    x <- mmap_int(path)
    expect_identical(unserialize(serialize(x, NULL)), 1:100)
    rds <- temp_folder()
    saveRDS(x, rds)
    unlink(path)
    expect_identical(readRDS(rds), 1:100)
    expect_identical(x, 1:100)
    names(x) <- 1:100
    expect_identical(x[["7"]], 7L)
    expect_identical(as.double(x), as.double(1:100))
    expect_identical(x[which(x > 98)], c(`99` = 99L, `100` = 100L))
    x <- NULL
    gc()
    x <- mmap_int(rds, length = 2)
    shown <- utils::capture.output(.Internal(inspect(x)))
    expect_match(shown[[1]], "axtile map of 2 elements from byte 0 of ")
    expect_match(shown[[1]], basename(rds), fixed = TRUE)
})

test_that("another finaliser may look at a vector that is already gone", {
    path <- temp_folder()
    writeBin(1:100, path, endian = "little")
    seen <- NULL
    local({
        holder <- new.env()
        holder$x <- mmap_int(path)
        reg.finalizer(holder, function(e) {
            seen <<- c(length(e$x), sum(e$x), length(e$x[3]))
        })
    })
    for (k in 1:3) gc()
    expect_length(seen, 3L)
})

test_that("what is no such file is refused", {
    path <- temp_folder()
    writeBin(as.raw(1:22), path)
    expect_axtile_error(mmap_int(path), "corrupt", "multiple of the 4 bytes")
    expect_axtile_error(mmap_real(path), "corrupt", "22 bytes")
    expect_axtile_error(mmap_real(path, offset = 8), "corrupt")
    expect_identical(length(mmap_real(path, offset = 8, length = 1)), 1L)
    expect_axtile_error(mmap_real(path, offset = 8, length = 2), "range")
    expect_axtile_error(mmap_int(path, offset = 24), "range")
    expect_axtile_error(mmap_int(path, offset = 2^52), "range")
    expect_axtile_error(mmap_int(path, length = 2^53), "range")
    expect_axtile_error(mmap_int(path, offset = 2, length = 1), "argument")
    expect_axtile_error(mmap_real(path, offset = 4, length = 1), "argument")
    writeBin(c(1L, 0L, 2L), path, endian = "little")
    error <- expect_axtile_error(mmap_lgl(path), "corrupt", "0, 1")
    expect_identical(error$place, "byte 8")
    expect_identical(error$path, path)
    error <- expect_axtile_error(mmap_lgl(path, offset = 4), "corrupt")
    expect_identical(error$place, "byte 8")
    expect_identical(mmap_lgl(path, length = 2), c(TRUE, FALSE))

    for (wrong in list(-1, 1.5, NA, "1", 1:2, Inf)) {
        expect_axtile_error(mmap_int(path, offset = wrong), "argument")
        expect_axtile_error(mmap_int(path, length = wrong), "argument")
    }
    expect_axtile_error(mmap_int(path, offset = NULL), "argument")
    expect_axtile_error(mmap_int(NA_character_), "argument")
    expect_error(mmap_int(path, 4), class = "rlib_error_dots_nonempty")
    expect_axtile_error(mmap_int(tempdir()), "io", "regular file")
    expect_axtile_error(mmap_int(file.path(path, "x")), "io")
    expect_axtile_error(mmap_int(temp_folder("none %s")), "io")
    skip_on_os("windows")
    Sys.chmod(path, "000")
    skip_if(file.access(path, 4) == 0, "permissions do not bind this user")
    expect_axtile_error(mmap_int(path), "io")
})

test_that("a mapped matrix is the one that was written", {
    example <- mapped_example()
    mapped <- mmap_dgCMatrix(example$path)
    expect_same_matrix(mapped, example$m)
    expect_same_matrix(mmap_dgCMatrix(example$path, verify = TRUE), example$m)
    expect_identical(mapped, example$m)

    cases <- list(
        methods::new("dgCMatrix"),
        methods::new("dgCMatrix", Dim = c(3L, 0L), p = 0L),
        methods::new("dgCMatrix", Dim = c(0L, 3L), p = integer(4)),
        Matrix::sparseMatrix(
            1:2, 1:2, x = c(NaN, -0), dims = c(2, 2),
            dimnames = list(genes = c("", "\u00fc"), cells = NULL)
        ),
        Matrix::sparseMatrix(
            1:2, 1:2, x = c(Inf, 0), dims = c(3, 2),
            dimnames = list(NULL, c("a\r", "a\r"))
        )
    )
    for (m in cases) {
        path <- temp_folder()
        expect_invisible(write_mmap_dgCMatrix(m, path))
        expect_same_matrix(mmap_dgCMatrix(path, verify = TRUE), m)
    }
})

test_that("all of Matrix works on a mapped matrix", {
    example <- mapped_example()
    m <- example$m
    x <- mmap_dgCMatrix(example$path)
    dense <- matrix(seq_len(ncol(m) * 2), ncol(m))
    functions <- list(
        function(m) m %*% dense, Matrix::crossprod, Matrix::tcrossprod,
        Matrix::t, Matrix::colSums, Matrix::rowSums, Matrix::rowMeans,
        function(m) m[3:1, ], function(m) m[, c(7, 7, 5)],
        function(m) m["gene2", ], function(m) m[1:2, "cell7", drop = FALSE],
        function(m) suppressMessages(m[m > 3]),
        function(m) m * 2, function(m) m + m,
        log1p, function(m) m > 1, function(m) Matrix::cbind2(m, m),
        function(m) rbind(m, m), function(m) cbind(m, 1), as.matrix, summary,
        function(m) as(m, "TsparseMatrix"), function(m) Matrix::drop0(m),
        function(m) max(m), function(m) sum(m), dim, dimnames, length,
        function(m) apply(m, 1, sum), methods::validObject, Matrix::nnzero,
        function(m) unserialize(serialize(m, NULL))
    )
    for (f in functions) {
        expect_identical(f(x), f(m))
    }
    expect_identical(x, m)
    expect_same_matrix(mmap_dgCMatrix(example$path, verify = TRUE), m)
})

test_that("a mapped matrix saves as a plain one and outlives its folder", {
    example <- mapped_example()
    x <- mmap_dgCMatrix(example$path)
    rds <- temp_folder()
    saveRDS(x, rds)
    rda <- temp_folder()
    save(x, file = rda)
    unlink(example$path, recursive = TRUE)
    expect_false(dir.exists(example$path))
    for (k in 1:2) gc()
    expect_identical(x, example$m)
    expect_same_matrix(readRDS(rds), example$m)
    loaded <- new.env()
    load(rda, loaded)
    expect_same_matrix(loaded$x, example$m)
})

test_that("changes stay in the matrix that is changed", {
    example <- mapped_example()
    files <- list.files(example$path, full.names = TRUE)
    before <- lapply(files, bytes_of)
    x <- mmap_dgCMatrix(example$path)
    y <- mmap_dgCMatrix(example$path)
    x@x[1] <- 5.5
    x@i[1] <- 0L
    x["gene9", "cell9"] <- -1
    expect_identical(x@x[[1]], 5.5)
    expect_identical(x["gene9", "cell9"], -1)
    expect_identical(y, example$m)
    expect_identical(lapply(files, bytes_of), before)
    dimnames(y) <- NULL
    expect_identical(mmap_dgCMatrix(example$path), example$m)
})

test_that("forked processes share a mapped matrix", {
    skip_on_os("windows")
    example <- mapped_example()
    x <- mmap_dgCMatrix(example$path)
    sums <- parallel::mclapply(1:3, function(k) {
        x@x[] <- x@x * k
        own <- mmap_dgCMatrix(example$path)
        gc()
        c(sum(x), sum(own))
    }, mc.cores = 2)
    total <- sum(example$m)
    expect_identical(sums, lapply(1:3, function(k) c(total * k, total)))
    expect_identical(x, example$m)
})

test_that("overwriting replaces the folder and leaves its maps alone", {
    example <- mapped_example()
    x <- mmap_dgCMatrix(example$path)
    expect_axtile_error(write_mmap_dgCMatrix(x, example$path), "exists")
    # Onto itself, too.
    write_mmap_dgCMatrix(x * 2, example$path, overwrite = TRUE)
    expect_identical(x, example$m)
    expect_identical(mmap_dgCMatrix(example$path), example$m * 2)
    expect_identical(list.files(example$path, all.files = TRUE, no.. = TRUE), c(
        "colnames.txt", "header.json", "i.i32", "p.i32", "rownames.txt", "x.f64"
    ))
    other <- temp_folder()
    dir.create(other)
    writeLines("precious", file.path(other, "x.f64"))
    error <- expect_axtile_error(
        write_mmap_dgCMatrix(x, other, overwrite = TRUE),
        "argument", "not a store"
    )
    expect_identical(readLines(file.path(other, "x.f64")), "precious")
    expect_axtile_error(
        write_mmap_dgCMatrix(x, file.path(other, "a", "b")), "io"
    )
    expect_axtile_error(
        write_mmap_dgCMatrix(x, file.path(other, "x.f64", "b")), "io"
    )
})

test_that("what is no dgCMatrix is not written", {
    path <- temp_folder()
    m <- small_counts()
    for (wrong in list(as.matrix(m), NULL, 1, m > 0, as(m, "TsparseMatrix"))) {
        expect_axtile_error(write_mmap_dgCMatrix(wrong, path), "argument")
    }
    broken <- m
    broken@i[1] <- 83L
    expect_axtile_error(write_mmap_dgCMatrix(broken, path), "argument", "row")
    broken <- m
    broken@p[2] <- 1000000L
    expect_axtile_error(write_mmap_dgCMatrix(broken, path), "argument")
    broken <- m
    broken@Dim[2] <- 56L
    expect_axtile_error(write_mmap_dgCMatrix(broken, path), "argument", "Dim")
    rownames(m)[3] <- "two\nlines"
    expect_axtile_error(write_mmap_dgCMatrix(m, path), "argument", "line feed")
    rownames(m)[3] <- NA
    expect_axtile_error(write_mmap_dgCMatrix(m, path), "argument", "without NA")
    expect_axtile_error(write_mmap_dgCMatrix(m, NA), "argument")
    expect_axtile_error(
        write_mmap_dgCMatrix(m, path, overwrite = NA), "argument"
    )
    expect_false(file.exists(path))
})

test_that("damage is noticed, by `verify` at the latest", {
    example <- mapped_example()
    damage <- function(file, change) {
        path <- file.path(example$path, file)
        bytes <- bytes_of(path)
        withr::defer(writeBin(bytes, path), envir = parent.frame())
        writeBin(change(bytes), path)
    }
    flip <- function(bytes) {
        bytes[[40]] <- xor(bytes[[40]], as.raw(1))
        bytes
    }
    shorten <- function(bytes) bytes[seq_len(length(bytes) - 8L)]
    for (file in c("p.i32", "rownames.txt", "colnames.txt", "header.json")) {
        local({
            damage(file, flip)
            expect_axtile_error(mmap_dgCMatrix(example$path), "corrupt")
        })
    }
    for (file in c("i.i32", "x.f64")) {
        local({
            damage(file, flip)
            expect_s4_class(mmap_dgCMatrix(example$path), "dgCMatrix")
            error <- expect_axtile_error(
                mmap_dgCMatrix(example$path, verify = TRUE), "corrupt", "XXH3"
            )
            expect_identical(basename(error$path), file)
        })
    }
    for (file in list.files(example$path)) {
        local({
            damage(file, shorten)
            expect_axtile_error(mmap_dgCMatrix(example$path), "corrupt")
        })
        local({
            damage(file, function(bytes) raw())
            expect_axtile_error(mmap_dgCMatrix(example$path), "corrupt")
        })
    }
    local({
        damage("header.json", function(bytes) {
            charToRaw(sub("83", "82", rawToChar(bytes)))
        })
        expect_axtile_error(mmap_dgCMatrix(example$path), "corrupt", "changed")
    })
    local({
        damage("header.json", function(bytes) {
            charToRaw(sub("\"version\": 1", "\"version\": 2", rawToChar(bytes)))
        })
        expect_axtile_error(
            mmap_dgCMatrix(example$path), "version", "version 2"
        )
    })
    expect_same_matrix(mmap_dgCMatrix(example$path, verify = TRUE), example$m)
    expect_axtile_error(mmap_dgCMatrix(tempdir()), "io")
    expect_axtile_error(mmap_dgCMatrix(tiny_path()), "io")
    expect_axtile_error(mmap_dgCMatrix(temp_folder()), "io")
    expect_axtile_error(mmap_dgCMatrix(example$path, verify = NA), "argument")
    unlink(file.path(example$path, "x.f64"))
    expect_axtile_error(mmap_dgCMatrix(example$path), "io")
})
