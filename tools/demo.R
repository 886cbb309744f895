# Converts real counts to tiles, checks every count against the input, and
# compares sizes and times. Usage: Rscript tools/demo.R [file.h5ad]
# Without a file: the 10x Genomics counts of PBMC in the sctransform package.

suppressPackageStartupMessages({
    library(axtile)
    library(Matrix)
})

need <- function(package) {
    if (!requireNamespace(package, quietly = TRUE)) {
        stop("the demo needs the R package ", package, call. = FALSE)
    }
}

# Inputs: a list of `path` to convert, `bytes`, and `read(cells)`, which reads
# the counts of consecutive cells, genes x cells, without axtile.

pbmc_input <- function(folder) {
    need("sctransform")
    data <- new.env()
    utils::data("pbmc", package = "sctransform", envir = data)
    pbmc <- data$pbmc
    dir.create(folder)
    file <- function(name) file.path(folder, name)
    invisible(writeMM(pbmc, file("matrix.mtx")))
    writeLines(colnames(pbmc), file("barcodes.tsv"))
    genes <- rownames(pbmc)
    writeLines(paste(genes, genes, sep = "\t"), file("genes.tsv"))
    list(
        name = "sctransform's 10x Genomics PBMC, as a Matrix Market folder",
        path = folder,
        bytes = sum(file.size(list.files(folder, full.names = TRUE))),
        reader = "readMM()",
        read = function(cells) {
            m <- as(readMM(file("matrix.mtx")), "CsparseMatrix")
            m[, cells, drop = FALSE]
        }
    )
}

h5ad_input <- function(path) {
    need("rhdf5")
    attributes <- rhdf5::h5readAttributes(path, "X")
    encoding <- sub("_matrix$", "", c(
        attributes[["encoding-type"]], attributes$h5sparse_format, "array"
    )[[1]])
    shape <- c(attributes$shape, attributes$h5sparse_shape)
    read <- function(name, ...) {
        as.vector(rhdf5::h5read(path, name, bit64conversion = "double", ...))
    }
    # Row or column starts, and the part of the values that a range of them has.
    starts <- if (encoding != "array") read("X/indptr")
    range <- function(name, first, last) {
        count <- starts[[last + 1]] - starts[[first]]
        if (count == 0) {
            return(numeric())
        }
        read(paste0("X/", name), start = starts[[first]] + 1, count = count)
    }
    rows <- function(cells) {
        first <- cells[[1]]
        last <- cells[[length(cells)]]
        sparseMatrix(
            i = range("indices", first, last), index1 = FALSE,
            p = starts[first + 0:length(cells)] - starts[[first]],
            x = as.double(range("data", first, last)),
            dims = c(shape[[2]], length(cells))
        )
    }
    columns <- function(cells) {
        all <- sparseMatrix(
            i = read("X/indices"), p = starts, index1 = FALSE,
            x = as.double(read("X/data")), dims = shape
        )
        t(all[cells, , drop = FALSE])
    }
    dense <- function(cells) {
        block <- rhdf5::h5read(path, "X", index = list(NULL, cells))
        storage.mode(block) <- "double"
        as(block, "CsparseMatrix")
    }
    list(
        name = basename(path), path = path, bytes = file.size(path),
        reader = paste0("rhdf5 (X: ", encoding, ")"),
        read = switch(encoding, csr = rows, csc = columns, dense)
    )
}

# How many counts of two matrices differ.
differences <- function(m, other) {
    other <- drop0(other)
    if (!identical(dim(m), dim(other))) {
        return(Inf)
    }
    same_places <- identical(m@p, other@p) && identical(m@i, other@i)
    if (same_places) sum(m@x != other@x) else nnzero(m - other)
}

number <- function(x) formatC(x, format = "d", big.mark = ",")
elapsed <- function(code) {
    start <- Sys.time()
    code
    as.double(Sys.time() - start, units = "secs")
}
# The median time of reading, of as many times as a few seconds allow.
read_time <- function(read) {
    first <- elapsed(read())
    gc()
    repeats <- max(1, min(25, floor(5 / first)))
    stats::median(replicate(repeats, elapsed(read())))
}
work <- tempfile("axtile-demo-")
dir.create(work)
scratch <- function(name) file.path(work, name)
end <- function(status) {
    unlink(work, recursive = TRUE)
    quit(save = "no", status = status)
}

args <- commandArgs(TRUE)
if (length(args) > 1L) {
    stop("usage: Rscript tools/demo.R [file.h5ad]", call. = FALSE)
}
input <- if (length(args)) h5ad_input(args) else pbmc_input(scratch("pbmc"))

cat("Converting ", input$name, "\n\n", sep = "")
took <- elapsed(ds <- convert_tiles(input$path, scratch("demo.tiles")))
print(ds)
cat(sprintf("  converted in %.2f s\n\n", took))

files <- nrow(verify_tiles(ds))
cat("verify_tiles(): all ", files, " files are whole\n", sep = "")
info <- tiles_info(ds)
wrong <- 0
done <- 0
for (tile in seq_len(info$n_tiles)) {
    m <- read_tile(ds, tile)
    wrong <- wrong + differences(m, input$read(done + seq_len(ncol(m))))
    done <- done + ncol(m)
}
cat(
    number(max(0, info$nnz - wrong)), " counts of ", number(info$nnz),
    " are identical to those that ", input$reader, " reads\n\n", sep = ""
)
if (wrong > 0 || done != info$n_cells) {
    cat("NOT IDENTICAL\n")
    end(1)
}

# The table holds the counts in memory: of a large dataset, the first tile.
all <- info$nnz <= 2e8
m <- if (all) read_cells(ds) else read_tile(ds, 1)
cells <- seq_len(ncol(m))
read_all <- function(ds) {
    for (tile in seq_len(tiles_info(ds)$n_tiles)) read_tile(ds, tile)
}
ways <- list(
    "axtile" = list(),
    "axtile, 8 clusters" = list(clusters = 8),
    "deltacells, level 12" = list(format = "deltacells", level = 12),
    "deltacells, level 19" = list(format = "deltacells", level = 19)
)
rows <- lapply(names(ways), function(way) {
    path <- scratch(paste0(make.names(way), ".tiles"))
    arguments <- c(list(m, path), ways[[way]])
    write <- elapsed(tiles <- do.call(write_tiles, arguments))
    list(
        paste0("tiles, ", way), tiles_info(tiles)$tile_bytes,
        write, read_time(function() read_all(tiles))
    )
})
rds <- scratch("counts.rds")
write <- elapsed(saveRDS(m, rds))
rows <- c(rows, list(
    list(
        "RDS, gzip", file.size(rds), write, read_time(function() readRDS(rds))
    ),
    list(
        paste0("input, by ", input$reader), if (all) input$bytes else NA, NA,
        read_time(function() input$read(cells))
    )
))
column <- function(k) unlist(lapply(rows, `[[`, k))
memory <- 12 * length(m@x) + 4 * ncol(m)
cat(
    number(ncol(m)), " cells", if (!all) " (the first tile)", ", ",
    number(length(m@x)), " nonzero counts. Ratio: times smaller than a ",
    "dgCMatrix.\nTiles: ", axtile_options()$axtile.threads, " threads.\n",
    sep = ""
)
print(data.frame(
    format = column(1), bytes = number(column(2)),
    ratio = round(memory / column(2), 1),
    write_s = signif(column(3), 2), read_ms = signif(1000 * column(4), 3)
), row.names = FALSE, right = TRUE)
end(0)
