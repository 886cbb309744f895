# The same counts in the formats of R users: size, time to write, time to read
# all of it as a dgCMatrix, and to gather cells in random order.
source("common.R")

m <- counts()
m <- m[, seq_len(min(ncol(m), 10000))]
n <- length(m@x)
set.seed(1)
some <- sample(ncol(m), min(5000, ncol(m)))

size <- function(path) {
    files <- if (dir.exists(path)) list.files(path, full.names = TRUE, recursive = TRUE) else path
    sum(file.size(files))
}
readers <- list()
gathers <- list()

# `write` writes m to `path`; `read` gives the dgCMatrix; `gather` that of `some`.
# `write_threads` is NA for a file that is there already.
add_format <- function(name, path, write, read, gather = NULL, write_threads = 1L) {
    path <- scratch(path)
    tried <- tryCatch(
        {
            took <- seconds(function() write(path))
            back <- read(path)
            if (!isTRUE(all.equal(back@x, m@x)) || !identical(back@i, m@i)) {
                stop("it reads other counts")
            }
            if (!is.null(gather) && length(gather(path)@x) != length(m[, some]@x)) {
                stop("it gathers other counts")
            }
        },
        error = identity
    )
    if (inherits(tried, "error")) {
        return(skip(name, conditionMessage(tried)))
    }
    record(name, NA, "size", size(path) / 1e6, "MB")
    record(name, NA, "bits", 8 * size(path) / n, "bits a nonzero")
    if (!is.na(write_threads)) record(name, write_threads, "write", took, "s")
    readers[[name]] <<- function() read(path)
    if (!is.null(gather)) gathers[[name]] <<- function() gather(path)
}

ways <- ways_to_write(c(3, 12, 19))
for (written in names(ways)) {
    add_format(
        paste0("tiles, ", written), paste0(gsub(" ", "_", written), ".tiles"),
        local({
            write <- ways[[written]]
            function(path) write(m, path, threads = 1)
        }),
        function(path) read_tile(open_tiles(path), 1, threads = 1)
    )
}
# In memory, the tile is decoded already; from the disk, it is not.
options(axtile.cache_mb = 4096)
tiles <- open_tiles(scratch("axtile.tiles"))
gathers[["tiles, decoded before"]] <- function() read_cells(tiles, some, threads = 1)
gathers[["Matrix in memory, m[, cells]"]] <- function() m[, some]
gathers[["tiles, from the file"]] <- function() {
    close_tiles(tiles)
    read_cells(tiles, some, threads = 1)
}

add_format(
    "RDS, gzip", "counts-gzip.rds",
    function(path) saveRDS(m, path), readRDS, function(path) readRDS(path)[, some]
)
add_format(
    "RDS, as it is", "counts.rds",
    function(path) saveRDS(m, path, compress = FALSE), readRDS,
    function(path) readRDS(path)[, some]
)

if (has_package("rhdf5")) {
    # A file of the user is read as it is; only one of few cells is the same.
    own <- !is.null(settings$h5ad) && ncol(m) == ncol(counts())
    add_format(
        if (own) "h5ad as given, rhdf5" else "h5ad, gzip, rhdf5", "counts.h5ad",
        function(path) if (own) file.copy(settings$h5ad, path) else write_h5ad(m, path),
        read_h5ad_rhdf5, function(path) read_h5ad_rhdf5(path)[, some],
        write_threads = if (own) NA else 1L
    )
} else {
    skip("h5ad, rhdf5", "rhdf5 is not installed")
}

if (has_package("HDF5Array") && has_package("rhdf5")) {
    suppressPackageStartupMessages(library(HDF5Array))
    # Opened once: HDF5Array of Bioconductor 3.16 on Debian opens only the first
    # file of a session.
    opened <- NULL
    open_10x <- function(path) {
        if (is.null(opened)) opened <<- TENxMatrix(path, "matrix")
        opened
    }
    add_format(
        "TENxMatrix, HDF5Array", "tenx.h5", function(path) write_10x(m, path),
        function(path) as(open_10x(path), "dgCMatrix"),
        function(path) as(open_10x(path)[, some], "dgCMatrix")
    )
} else {
    skip("TENxMatrix", "HDF5Array is not installed")
}

# Packages that few have: looked up by name, so that none is a dependency.
bpcells <- "BPCells"
if (has_package(bpcells)) {
    from <- function(name) getExportedValue(bpcells, name)
    add_format(
        "BPCells directory", "bpcells",
        function(path) {
            whole <- from("convert_matrix_type")(methods::as(m, "IterableMatrix"), "uint32_t")
            from("write_matrix_dir")(whole, path)
        },
        function(path) methods::as(from("open_matrix_dir")(path), "dgCMatrix"),
        function(path) methods::as(from("open_matrix_dir")(path)[, some], "dgCMatrix")
    )
} else {
    skip("BPCells directory", "BPCells is not installed")
}

anndata <- "anndataR"
if (has_package(anndata) && has_package("rhdf5")) {
    from <- function(name) getExportedValue(anndata, name)
    add_format(
        "h5ad, gzip, anndataR", "anndata.h5ad",
        function(path) write_h5ad(m, path),
        function(path) methods::as(Matrix::t(from("read_h5ad")(path)$X), "CsparseMatrix")
    )
    if ("read_zarr" %in% getNamespaceExports(anndata)) {
        add_format(
            "AnnData Zarr, anndataR", "anndata.zarr",
            function(path) from("write_zarr")(from("AnnData")(X = Matrix::t(m)), path),
            function(path) methods::as(Matrix::t(from("read_zarr")(path)$X), "CsparseMatrix")
        )
    } else {
        skip("AnnData Zarr", "this anndataR does not read Zarr")
    }
} else {
    skip("h5ad and Zarr, anndataR", "anndataR is not installed")
}

names(readers) <- paste("read,", names(readers))
compare(readers)
names(gathers) <- paste0("gather ", length(some), " cells, ", names(gathers))
compare(gathers)
finish()
