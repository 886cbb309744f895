obs_example <- function(n = 57) {
    set.seed(2)
    obs <- data.frame(
        type = factor(
            sample(c("T", "B", NA), n, TRUE), levels = c("T", "never", "B")
        ),
        grade = factor(
            sample(c("low", "high"), n, TRUE), c("low", "high"), ordered = TRUE
        ),
        flag = sample(c(TRUE, FALSE, NA), n, TRUE),
        int = sample(c(-.Machine$integer.max, 0L, 5L, NA), n, TRUE),
        real = sample(c(pi, -Inf, 1e300, NA), n, TRUE),
        text = sample(c("", "NA", "\u00fcn\u00ef\n", NA), n, TRUE),
        check.names = FALSE
    )
    obs[["odd / name %\u00e9"]] <- seq_len(n)
    obs
}

test_that("obs and var come back as they went in", {
    path <- temp_tiles()
    m <- small_counts()
    obs <- obs_example()
    var <- obs_example(83)[c("type", "grade", "flag", "int", "real")]
    rownames(obs) <- colnames(m)
    rownames(var) <- rownames(m)
    ds <- write_tiles(m, path, obs = obs, var = var, tile_size = 10)
    expect_identical(read_obs(ds), obs)
    expect_identical(read_var(ds), var)
    cells <- c(31, 5, 5, 57)
    some <- read_obs(ds, c("text", "type"), cells)
    expect_identical(as.list(some[-1]), as.list(obs[cells, c("text", "type")]))
    expect_identical(some$obs_names, colnames(m)[cells])
    expect_identical(read_obs(ds, "grade", colnames(m)[9])$grade, obs$grade[9])
    expect_identical(obs_columns(ds)$name, c(names(obs), "obs_names"))
    expect_identical(read_obs(ds, "obs_names")[[1]], colnames(m))
    stored <- read_var(open_tiles(path, gene_order = "stored"))
    expect_setequal(rownames(stored), rownames(m))
    expect_identical(stored[rownames(m), ], var)
})

test_that("a matrix without names or annotations is fine", {
    path <- temp_tiles()
    m <- small_counts()
    dimnames(m) <- NULL
    ds <- write_tiles(m, path)
    expect_identical(colnames(read_tile(ds, 1)), NULL)
    expect_identical(dim(read_obs(ds)), c(57L, 0L))
    expect_identical(dim(read_var(ds)), c(83L, 0L))
    expect_axtile_error(read_cells(ds, "a"), "range", "no cell names")
    expect_axtile_error(read_obs(ds, "a"), "range")
})

test_that("the format's own obs reads to the given values", {
    skip_if_not_installed("jsonlite")
    expected <- jsonlite::fromJSON(
        test_path("fixtures", "tiny.expected", "obs.json"),
        simplifyVector = FALSE
    )
    ds <- open_tiles(tiny_path())
    expect_warning(obs <- read_obs(ds), class = "axtile_warning_wide_integer")
    obs$obs_names <- rownames(obs)
    expect_setequal(names(obs), names(expected))
    number <- function(x) {
        if (is.null(x)) NA else if (is.character(x)) as.numeric(x) else x
    }
    for (name in names(expected)) {
        column <- expected[[name]]
        values <- column$values
        got <- obs[[name]]
        if (column$kind == "category") {
            expect_s3_class(got, "factor")
            expect_identical(
                levels(got), as.character(unlist(column$categories))
            )
            codes <- unlist(column$codes)
            expect_identical(
                as.integer(got), ifelse(codes < 0, NA_integer_, codes + 1L)
            )
        } else if (is.character(got)) {
            text <- vapply(values, function(x) {
                if (is.null(x)) NA_character_ else format(
                    x, scientific = FALSE, digits = 20
                )
            }, "")
            expect_identical(got, text, label = name)
        } else {
            expect_equal(
                as.numeric(got), vapply(values, number, 1), label = name
            )
        }
    }
})

test_that("localized columns give the same values", {
    withr::local_options(axtile.cache_dir = withr::local_tempdir())
    path <- temp_tiles()
    m <- small_counts()
    obs <- obs_example()
    rownames(obs) <- colnames(m)
    ds <- write_tiles(m, path, obs = obs, tile_size = 10)
    expect_identical(localize_obs(ds, c("type", "text")), ds)
    fields <- obs_columns(ds)
    expect_identical(fields$name[fields$localized], c("type", "text"))
    expect_identical(read_obs(ds), obs)
    localize_obs(ds)
    expect_true(all(obs_columns(ds)$localized))
    expect_identical(read_obs(ds), obs)
    cells <- c(57, 1, 1)
    expect_identical(
        as.list(read_obs(ds, cells = cells)[names(obs)]), as.list(obs[cells, ])
    )
    expect_axtile_error(localize_obs(ds, "none"), "range")
})

test_that("columns that cannot be stored are refused by name", {
    m <- small_counts()
    path <- temp_tiles()
    expect_axtile_error(
        write_tiles(m, path, obs = data.frame(when = Sys.time() + 1:57)),
        "argument", "when"
    )
    nested <- data.frame(a = 1:57)
    nested$b <- I(as.list(1:57))
    expect_axtile_error(write_tiles(m, path, obs = nested), "argument", "b")
    expect_axtile_error(
        write_tiles(m, path, obs = data.frame(a = 1:3)), "argument", "3 rows"
    )
    expect_axtile_error(
        write_tiles(m, path, obs = data.frame(obs_names = 1:57)),
        "argument", "obs_names"
    )
    expect_false(file.exists(path))
})

test_that("names come from the column of cell names only", {
    path <- temp_tiles()
    m <- small_counts()
    obs <- data.frame(obs_names_raw = rep(letters[1:19], 3))
    ds <- write_tiles(m, path, obs = obs)
    expect_identical(rownames(read_obs(ds)), colnames(m))
    plain <- read_obs(ds, cell_names = FALSE)
    expect_identical(plain, obs)
    colnames(m) <- NULL
    ds <- write_tiles(m, path, obs = obs, overwrite = TRUE)
    expect_identical(read_obs(ds), obs)
    expect_axtile_error(read_obs(ds, ""), "range")
    expect_axtile_error(read_obs(ds, strrep("x", 1e5)), "range")
    expect_axtile_error(read_obs(ds, "obs_name_raw"), "range", "obs_names_raw")
})

test_that("files that change under an open dataset are told, not read", {
    withr::local_options(axtile.cache_dir = withr::local_tempdir())
    path <- temp_tiles()
    m <- small_counts()
    ds <- write_tiles(m, path, obs = data.frame(a = 1:57))
    read_obs(ds)
    shard <- file.path(path, "obs", "0", "obs_0000.parquet")
    bytes <- readBin(shard, "raw", 1e6)
    close(file(shard, "wb"))
    expect_axtile_error(read_obs(ds), "stale")
    close_tiles(ds)
    expect_axtile_error(read_obs(ds), "corrupt")
    writeBin(bytes, shard)
    close_tiles(ds)
    localize_obs(ds)
    cached <- list.files(
        getOption("axtile.cache_dir"), "arrow$",
        recursive = TRUE, full.names = TRUE
    )
    expect_identical(read_obs(ds, cells = 5)$a, 5L)
    for (file in cached) close(file(file, "wb"))
    expect_identical(read_obs(ds, cells = 7)$a, 7L)
    schema <- file.path(path, "obs", "0", "schema.json")
    text <- readLines(schema, warn = FALSE)
    unlink(schema)
    expect_axtile_error(verify_tiles(ds), "corrupt", "schema.json")
    writeLines(text, schema, sep = "")
    expect_true(all(verify_tiles(ds)$ok))
})
