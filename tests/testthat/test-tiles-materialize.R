local_cache <- function(env = parent.frame()) {
    dir <- tempfile("cache %s [a-z]* ")
    withr::local_options(axtile.cache_dir = dir, .local_envir = env)
    withr::defer(unlink(dir, recursive = TRUE, expand = FALSE), envir = env)
    dir
}

is_mapped <- function(m) {
    any(grepl("axtile map", utils::capture.output(.Internal(inspect(m@x)))))
}

tile_folders <- function(root) list.files(root, "^tile_")

test_that("a materialised tile is the tile", {
    cache <- local_cache()
    m <- small_counts()
    ds <- write_tiles(m, temp_tiles(), tile_size = 20)
    root <- materialize_tiles(ds)
    expect_identical(dirname(dirname(root)), cache)
    expect_identical(tile_folders(root), sprintf("tile_%06d", 1:3))
    files <- list.files(root, all.files = TRUE, no.. = TRUE)
    expect_identical(files, tile_folders(root))
    for (tile in 1:3) {
        got <- read_tile(ds, tile, mmap = TRUE)
        expect_true(is_mapped(got))
        expect_same_matrix(got, read_tile(ds, tile))
        bare <- read_tile(ds, tile, mmap = TRUE, dimnames = FALSE)
        expect_same_matrix(bare, read_tile(ds, tile, dimnames = FALSE))
        folder <- file.path(root, sprintf("tile_%06d", tile))
        expect_same_matrix(mmap_dgCMatrix(folder, verify = TRUE), got)
    }
    expect_false(is_mapped(read_tile(ds, 1)))
    expect_identical(expect_invisible(unmaterialize_tiles(ds)), ds)
    expect_false(dir.exists(root))
    expect_same_matrix(got, read_tile(ds, 3))
    unmaterialize_tiles(ds)
    bare <- write_tiles(unname(m), temp_tiles())
    expect_same_matrix(read_tile(bare, 1, mmap = TRUE), read_tile(bare, 1))
})

test_that("a tile is materialised when it is first asked for", {
    local_cache()
    ds <- write_tiles(small_counts(), temp_tiles(), tile_size = 20)
    first <- read_tile(ds, 2, mmap = TRUE)
    root <- materialize_tiles(ds, tiles = integer())
    expect_identical(tile_folders(root), "tile_000002")
    header <- file.path(root, "tile_000002", "header.json")
    Sys.setFileTime(header, "2001-01-01")
    expect_identical(read_tile(ds, 2, mmap = TRUE), first)
    materialize_tiles(ds, tiles = c(2, 1))
    expect_identical(format(file.mtime(header), "%Y"), "2001")
    expect_identical(tile_folders(root), sprintf("tile_%06d", 1:2))
    materialize_tiles(ds, tiles = 2, overwrite = TRUE)
    expect_false(format(file.mtime(header), "%Y") == "2001")
    tiny <- open_tiles(tiny_path())
    expect_same_matrix(read_tile(tiny, 3, mmap = TRUE), read_tile(tiny, 3))
})

test_that("gene orders and datasets are told apart", {
    local_cache()
    path <- temp_tiles()
    m <- small_counts()
    # Without equal totals, tiles do not depend on the order of genes.
    m <- m[!duplicated(Matrix::rowSums(m)), ]
    ds <- write_tiles(m, path, format = "deltacells")
    stored <- open_tiles(path, gene_order = "stored")
    expect_same_matrix(read_tile(ds, 1, mmap = TRUE), read_tile(ds, 1))
    expect_same_matrix(read_tile(stored, 1, mmap = TRUE), read_tile(stored, 1))
    expect_false(identical(
        rownames(read_tile(ds, 1)), rownames(read_tile(stored, 1))
    ))
    # A deltacells manifest knows no checksums of its genes.
    others <- list(m[rev(seq_len(nrow(m))), ], m)
    rownames(others[[1]]) <- rownames(m)
    rownames(others[[2]]) <- paste0("other", seq_len(nrow(m)))
    identity <- ds$identity
    for (other in others) {
        ds <- write_tiles(
            other, path, overwrite = TRUE, format = "deltacells"
        )
        expect_identical(ds$identity, identity)
        expect_same_matrix(read_tile(ds, 1, mmap = TRUE), other)
        stored <- open_tiles(path, gene_order = "stored")
        expect_same_matrix(
            read_tile(stored, 1, mmap = TRUE), read_tile(stored, 1)
        )
    }
})

test_that("an own folder serves its dataset and gene order only", {
    local_cache()
    m <- small_counts()
    path <- temp_tiles()
    ds <- write_tiles(m, path, tile_size = 30)
    stored <- open_tiles(path, gene_order = "stored")
    root <- tempfile("own %n ")
    withr::defer(unlink(root, recursive = TRUE))
    expect_axtile_error(read_tile(ds, 1, mmap = root), "io", "Tile 1 is not in")
    expect_invisible(own <- materialize_tiles(ds, root, tiles = 1))
    expect_identical(own, root)
    expect_same_matrix(read_tile(ds, 1, mmap = root), m[, 1:30])
    expect_axtile_error(read_tile(ds, 2, mmap = root), "io", "Tile 2 is not in")
    expect_axtile_error(
        read_tile(stored, 1, mmap = root), "argument", "in stored order"
    )
    expect_axtile_error(materialize_tiles(stored, root), "exists")
    materialize_tiles(ds, root)
    expect_identical(tile_folders(root), sprintf("tile_%06d", 1:2))
    materialize_tiles(stored, root, overwrite = TRUE)
    expect_same_matrix(read_tile(stored, 2, mmap = root), read_tile(stored, 2))
    expect_axtile_error(read_tile(ds, 2, mmap = root), "argument")
    # The cache was not used.
    expect_identical(list.files(getOption("axtile.cache_dir")), character())
})

test_that("damaged tiles in the cache are made again, in a folder refused", {
    local_cache()
    ds <- write_tiles(small_counts(), temp_tiles())
    root <- materialize_tiles(ds)
    own <- tempfile()
    withr::defer(unlink(own, recursive = TRUE))
    materialize_tiles(ds, own)
    for (file in c("header.json", "x.f64", "colnames.txt")) {
        text <- "x"
        if (file == "header.json") {
            text <- "{\"format\": \"axtile-mapped-matrix\"}"
        }
        writeLines(text, file.path(root, "tile_000001", file))
        expect_same_matrix(read_tile(ds, 1, mmap = TRUE), read_tile(ds, 1))
    }
    writeLines("x", file.path(own, "tile_000001", "x.f64"))
    expect_axtile_error(read_tile(ds, 1, mmap = own), "corrupt")
    expect_axtile_error(materialize_tiles(ds, own), "exists")
    materialize_tiles(ds, own, overwrite = TRUE)
    expect_same_matrix(read_tile(ds, 1, mmap = own), read_tile(ds, 1))
    # Something else in the place is never removed.
    for (place in c(root, own)) {
        unlink(file.path(place, "tile_000001"), recursive = TRUE)
        writeLines("precious", file.path(place, "tile_000001"))
        expect_axtile_error(
            materialize_tiles(ds, if (place == own) own, overwrite = TRUE),
            "argument", "not a store"
        )
        expect_identical(readLines(file.path(place, "tile_000001")), "precious")
    }
})

test_that("a dataset that changed is stale, and wrong arguments are refused", {
    local_cache()
    path <- temp_tiles()
    m <- small_counts()
    ds <- write_tiles(m, path, tile_size = 20)
    read_tile(ds, 1, mmap = TRUE)
    write_tiles(m[, 1:30], path, overwrite = TRUE)
    expect_axtile_error(read_tile(ds, 1, mmap = TRUE), "stale")
    expect_axtile_error(materialize_tiles(ds), "stale")
    ds <- open_tiles(path)
    expect_axtile_error(materialize_tiles(ds, tiles = 2), "range")
    expect_axtile_error(materialize_tiles(ds, tiles = "1"), "argument")
    expect_axtile_error(materialize_tiles(ds, tiles = NA_real_), "range")
    expect_axtile_error(materialize_tiles(ds, NA), "argument")
    expect_axtile_error(materialize_tiles(ds, overwrite = 1), "argument")
    expect_axtile_error(materialize_tiles(path), "argument")
    expect_axtile_error(unmaterialize_tiles(path), "argument")
    expect_axtile_error(read_tile(ds, 2, mmap = TRUE), "range")
    for (wrong in list(NA, 1, NULL, c("a", "b"))) {
        expect_axtile_error(read_tile(ds, 1, mmap = wrong), "argument")
    }
    expect_axtile_error(
        read_tile(ds, 1, mmap = TRUE, as = "integer"), "argument", "dgCMatrix"
    )
    expect_error(
        materialize_tiles(ds, NULL, 1), class = "rlib_error_dots_nonempty"
    )
    file <- tempfile()
    writeLines("x", file)
    expect_axtile_error(materialize_tiles(ds, file), "io")
    skip_on_os("windows")
    folder <- tempfile()
    dir.create(folder)
    Sys.chmod(folder, "500")
    skip_if(file.access(folder, 2) == 0, "permissions do not bind this user")
    expect_axtile_error(materialize_tiles(ds, folder), "io")
})

test_that("several processes materialise the same tile", {
    skip_on_os("windows")
    local_cache()
    ds <- write_tiles(small_counts(), temp_tiles())
    expected <- read_tile(ds, 1)
    got <- parallel::mclapply(1:6, function(k) {
        identical(read_tile(ds, 1, mmap = TRUE), expected)
    }, mc.cores = 2)
    expect_identical(got, rep(list(TRUE), 6))
})
