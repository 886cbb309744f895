# Real files, read with other programs for comparison. They are too large for
# the package; see helper-shared.R.

# The matrix of an h5ad file, genes x cells, through rhdf5.
read_h5ad <- function(path, group = "X") {
    attributes <- rhdf5::h5readAttributes(path, group)
    if (identical(as.vector(attributes[["encoding-type"]]), "array")) {
        # rhdf5 turns dimensions round: cells are columns already.
        return(as(rhdf5::h5read(path, group), "dgCMatrix"))
    }
    part <- function(name) {
        as.vector(rhdf5::h5read(path, paste0(group, "/", name)))
    }
    shape <- as.vector(attributes$shape)
    p <- as.integer(part("indptr"))
    i <- as.integer(part("indices"))
    x <- as.double(part("data"))
    m <- if (attributes[["encoding-type"]] == "csr_matrix") {
        Matrix::sparseMatrix(i = i + 1L, p = p, x = x, dims = rev(shape))
    } else {
        Matrix::t(Matrix::sparseMatrix(i = i + 1L, p = p, x = x, dims = shape))
    }
    Matrix::drop0(m)
}

test_that("real h5ad files read back as rhdf5 reads them", {
    skip_if_not_installed("rhdf5")
    cases <- list(
        c("pbmc3k.h5ad", "X"), c("her2st_10k.h5ad", "X"), c(
            "atac_hemato_csc.h5ad", "X"
        ),
        c("adt_dense.h5ad", "X"), c("pancreas_layers.h5ad", "X"),
        c("pancreas_layers.h5ad", "spliced"), c(
            "pancreas_layers.h5ad", "unspliced"
        )
    )
    for (case in cases) {
        file <- shared_path("data", case[[1]])
        group <- if (case[[2]] == "X") "X" else paste0("layers/", case[[2]])
        expected <- read_h5ad(file, group)
        ds <- convert_tiles(file, temp_tiles(), layer = case[[2]])
        expect_same_matrix(read_cells(ds), expected, dimnames = FALSE)
        expect_true(all(verify_tiles(ds)$ok))
        # What follows from the counts stands in the files' own annotations.
        obs <- read_obs(ds)
        if (case[[2]] == "X") {
            expect_equal(as.double(obs$n_counts), Matrix::colSums(expected))
            expect_s3_class(obs$depth_class, "ordered")
            expect_equal(
                as.double(read_var(ds)$n_cells),
                tabulate(expected@i + 1L, nrow(expected))
            )
        }
    }
})

test_that("a real 10x Genomics file and folder read back right", {
    skip_if_not_installed("rhdf5")
    file <- shared_path("data", "xenium_10x.h5")
    part <- function(name) {
        as.vector(rhdf5::h5read(file, paste0("matrix/", name)))
    }
    expected <- Matrix::drop0(Matrix::sparseMatrix(
        i = part("indices") + 1L, p = as.integer(part("indptr")), x = as.double(
            part("data")
        ),
        dims = part("shape"), dimnames = list(
            part("features/name"), part("barcodes")
        )
    ))
    expect_same_matrix(
        read_cells(convert_tiles(file, temp_tiles())), expected
    )

    folder <- shared_path("data", "mtx_unfiltered")
    expected <- as(
        Matrix::readMM(file.path(folder, "matrix.mtx.gz")), "CsparseMatrix"
    )
    ds <- convert_tiles(folder, temp_tiles())
    expect_same_matrix(read_cells(ds), expected, dimnames = FALSE)
    barcodes <- readLines(file.path(folder, "barcodes.tsv.gz"))
    expect_identical(rownames(read_obs(ds)), barcodes)
})

test_that("counts beyond the format are refused by name", {
    file <- shared_path("data", "smartseq_large_counts.h5ad")
    path <- temp_tiles()
    expect_axtile_error(
        convert_tiles(file, path, format = "deltacells"), "limit",
        "ENSMUSG.* has a count of"
    )
    expect_false(file.exists(path))
    ds <- convert_tiles(file, path)
    expect_identical(sum(read_cells(ds)@x), 734950306)
})

test_that("damaged datasets are answered as the table says", {
    folder <- shared_path("fixtures", "deltacells", "hostile_datasets")
    table <- utils::read.csv(file.path(folder, "hostile_datasets.csv"))
    use <- function(path) {
        ds <- open_tiles(path)
        read_cells(ds)
        read_cells(open_tiles(path, gene_order = "stored"))
        read_var(ds)
        suppressWarnings(read_obs(ds))
        "read"
    }
    for (k in seq_len(nrow(table))) {
        path <- file.path(folder, table$folder[[k]])
        opened <- tryCatch(open_tiles(path), axtile_error = identity)
        answer <- tryCatch(use(path), axtile_error = function(e) "refused")
        verified <- tryCatch(
            all(verify_tiles(path)$ok),
            axtile_error = function(e) FALSE
        )
        must <- table$must[[k]]
        if (must == "accept") {
            expect_identical(answer, "read", label = table$folder[[k]])
            expect_true(verified, label = table$folder[[k]])
        } else if (startsWith(must, "reject")) {
            expect_false(verified, label = table$folder[[k]])
            if (must != "reject by verify") {
                expect_identical(answer, "refused", label = table$folder[[k]])
            }
            if (must == "reject at open") {
                expect_s3_class(opened, "axtile_error")
            }
        }
    }
})

test_that("the same real cells in four encodings read alike", {
    digests <- utils::read.csv(
        shared_path("fixtures", "deltacells", "real.expected", "digests.csv"),
        check.names = FALSE
    )
    sha256 <- function(x, size) {
        file <- withr::local_tempfile()
        writeBin(x, file, size = size, endian = "little")
        substr(system2("sha256sum", file, stdout = TRUE), 1, 64)
    }
    skip_if(!nzchar(Sys.which("sha256sum")), "no sha256sum")
    for (name in c(
        "real_L03_C1", "real_L03_C8", "real_L19_C1", "real_L19_C8"
    )) {
        path <- shared_path("fixtures", "deltacells", name)
        m <- read_cells(open_tiles(path, gene_order = "stored"))
        expect_identical(sha256(m@i, 4), digests[1, 6], label = name)
        expect_identical(sha256(m@x, 8), digests[1, 8], label = name)
        expect_true(all(verify_tiles(path)$ok), label = name)
    }
})

test_that("further layers of a real h5ad file come along", {
    skip_if_not_installed("rhdf5")
    file <- shared_path("data", "pancreas_layers.h5ad")
    names <- c("spliced", "unspliced")
    ds <- convert_tiles(
        file, temp_tiles(),
        layers = names, tile_size = 1500, threads = 2
    )
    expect_identical(tiles_info(ds)$layers$name, c("counts", names))
    for (layer in names) {
        expected <- read_h5ad(file, paste0("layers/", layer))
        got <- read_cells(ds, layer = layer)
        expect_same_matrix(got, expected, dimnames = FALSE)
    }
    expect_true(all(verify_tiles(ds)$ok))
    expect_axtile_error(
        convert_tiles(file, temp_tiles(), layers = "none"),
        "argument", "spliced"
    )
    expect_axtile_error(
        convert_tiles(file, temp_tiles(), layers = c("spliced", "spliced")),
        "argument", "two layers"
    )
    tenx <- shared_path("data", "xenium_10x.h5")
    expect_axtile_error(
        convert_tiles(tenx, temp_tiles(), layers = "spliced"),
        "argument", "has no layer"
    )
})
