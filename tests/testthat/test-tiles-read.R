test_that("the format's own files read to the given counts", {
    expected <- test_path("fixtures", "tiny.expected")
    source_order <- read_mm(file.path(expected, "counts_source_order.mtx"))
    stored_order <- read_mm(file.path(expected, "counts_stored_order.mtx"))
    ds <- open_tiles(tiny_path())
    stored <- open_tiles(tiny_path(), gene_order = "stored")
    expect_same_matrix(read_cells(ds), source_order, dimnames = FALSE)
    expect_same_matrix(read_cells(stored), stored_order, dimnames = FALSE)
    first <- 0
    for (tile in 1:3) {
        n <- tiles_info(ds)$tiles$n_cells[[tile]]
        cells <- first + seq_len(n)
        first <- first + n
        expect_same_matrix(read_tile(ds, tile), source_order[, cells], FALSE)
        expect_same_matrix(
            read_tile(stored, tile), stored_order[, cells], FALSE
        )
    }
    genes <- utils::read.csv(file.path(expected, "genes.csv"))
    expect_identical(rownames(read_tile(stored, 1)), genes$gene_id)
    by_source <- genes$gene_id[order(genes$source_column)]
    expect_identical(rownames(read_tile(ds, 1)), by_source)
    batches <- utils::read.csv(file.path(expected, "batches.csv"))
    for (k in seq_len(nrow(batches))) {
        cells <- as.integer(strsplit(batches$cells[[k]], " ")[[1]]) + 1L
        batch <- file.path(
            expected, paste0("batch_", batches$batch[[k]], ".mtx")
        )
        got <- read_cells(stored, cells)
        expect_same_matrix(got, read_mm(batch), dimnames = FALSE)
    }
})

test_that("any cells and genes read as a matrix gives them", {
    path <- temp_tiles()
    m <- small_counts()
    for (sort in c(TRUE, FALSE)) {
        ds <- write_tiles(
            m, path,
            format = "deltacells", tile_size = 13, chunks = 3,
            sort_genes = sort, overwrite = TRUE
        )
        expect_same_matrix(read_cells(ds), m)
        set.seed(1)
        for (threads in 1:2) {
            cells <- sample(57, 200, replace = TRUE)
            genes <- sample(83, 30)
            expect_same_matrix(
                read_cells(ds, cells, threads = threads), m[, cells]
            )
            got <- read_cells(ds, cells, genes, threads = threads)
            expect_same_matrix(got, m[genes, cells])
            expect_same_matrix(
                read_cells(ds, genes = sort(genes)), m[sort(genes), ]
            )
            repeated <- c(genes, genes[1:3])
            expect_same_matrix(read_cells(ds, genes = repeated), m[repeated, ])
        }
        names <- colnames(m)[c(50, 1, 50)]
        expect_same_matrix(
            read_cells(ds, names, c("gene9", "gene2")),
            m[c("gene9", "gene2"), names]
        )
        keep <- seq_len(57) %% 4 == 0
        expect_same_matrix(read_cells(ds, keep), m[, keep])
        expect_identical(dim(read_cells(ds, integer())), c(83L, 0L))
        expect_identical(dim(read_cells(ds, genes = character())), c(0L, 57L))
    }
})

test_that("results are the same with and without the cache", {
    path <- temp_tiles()
    m <- small_counts()
    ds <- write_tiles(m, path, tile_size = 13)
    cells <- c(40, 2, 2, 57)
    for (mb in c(0, 1e-3, 100)) {
        withr::local_options(axtile.cache_mb = mb)
        expect_same_matrix(read_cells(ds, cells), m[, cells])
        expect_same_matrix(read_cells(ds, cells), m[, cells])
    }
})

test_that("cells, genes and tiles that are not there are refused", {
    path <- temp_tiles()
    ds <- write_tiles(small_counts(), path)
    for (cells in list(58, 0, -1, 1.5, NA_real_, c(1, NA), "nobody", TRUE)) {
        expect_axtile_error(read_cells(ds, cells), "range")
    }
    expect_axtile_error(read_cells(ds, genes = "gene999"), "range", "gene999")
    expect_axtile_error(read_cells(ds, list(1)), "argument")
    expect_axtile_error(read_tile(ds, 2), "range", "no tile 2")
    for (tile in list(0, 1:2, "a", NA)) {
        expect_axtile_error(read_tile(ds, tile), "argument")
    }
    expect_axtile_error(read_tile(ds, 1, threads = 0), "argument", "threads")
    m <- small_counts()
    rownames(m)[2:3] <- "twice"
    ds <- write_tiles(m, path, overwrite = TRUE)
    expect_axtile_error(
        read_cells(ds, genes = "twice"), "range", "more than one"
    )
    expect_same_matrix(read_cells(ds, genes = 2:3), m[2:3, ])
})

test_that("damaged tiles are errors that name the file", {
    path <- temp_tiles()
    ds <- write_tiles(small_counts(), path, tile_size = 20)
    tile <- file.path(path, "layers", "0", "tile_000001.axt")
    bytes <- readBin(tile, "raw", 1e6)
    damage <- function(bytes) {
        unlink(tile)
        writeBin(bytes, tile)
    }
    damage(replace(bytes, 300, xor(bytes[300], as.raw(4))))
    error <- expect_axtile_error(read_tile(ds, 2), "corrupt", "tile_000001")
    expect_match(error$place, "header|chunk")
    expect_axtile_error(read_cells(ds), "corrupt")
    expect_no_error(read_tile(ds, 1))
    error <- expect_axtile_error(verify_tiles(ds), "corrupt", "tile_000001")
    expect_identical(which(!error$report$ok), 2L)
    damage(bytes[1:100])
    expect_axtile_error(read_tile(ds, 2), "corrupt")
    damage(charToRaw("not a tile, but something else"))
    expect_error(read_tile(ds, 2), "tile_000001", class = "axtile_error")
    unlink(tile)
    expect_axtile_error(read_tile(ds, 2), "io")
    damage(bytes)
    expect_true(all(verify_tiles(ds)$ok))
})
