# Size of a tile and how fast it becomes a dgCMatrix: by format, threads, order of
# genes, kind of result, and by what memory R gets; how long it takes to load the package and
# to open a dataset.
source("common.R")

m <- counts()
m <- m[, seq_len(min(ncol(m), 10000))]
n <- length(m@x)
tile <- function(written) scratch(paste0(gsub(" ", "_", written), ".tiles"))
ways <- ways_to_write(c(3, 12, 19))
for (written in names(ways)) {
    took <- seconds(function() ways[[written]](m, tile(written), threads = 1))
    bytes <- tiles_info(tile(written))$tile_bytes
    record(written, NA, "nonzeros", n, "")
    record(written, NA, "size", bytes / 1e6, "MB")
    record(written, NA, "bits", 8 * bytes / n, "bits a nonzero")
    record(written, 1, "write", took * 1e9 / n, "ns a nonzero")
}
rm(m)
invisible(gc())

record_reads <- function(what, threads, ms) {
    record(what, threads, "median", stats::median(ms), "ms", length(ms))
    record(what, threads, "min", min(ms), "ms", length(ms))
    record(what, threads, "median", stats::median(ms) * 1e6 / n, "ns a nonzero", length(ms))
}
rscript <- file.path(R.home("bin"), "Rscript")
quoted <- function(path) encodeString(path, quote = "'")
in_process <- function(code, environment = character()) {
    scan(
        text = system2(rscript, c("-e", shQuote(code)), env = environment, stdout = TRUE),
        quiet = TRUE
    )
}
ms <- paste(
    "ms <- function(code) { t <- Sys.time(); code",
    "1000 * as.double(Sys.time() - t, units = 'secs') }",
    sep = "; "
)

# Memory as R gives it: `fresh` pages from the system for each matrix, or
# `reused` ones, which the C library keeps (on Linux); `as R starts` with its
# garbage collector, which looks through the whole session when a matrix does
# not fit into what R expects to need (run.R raises that, see README.md).
memory <- list(
    fresh = character(),
    reused = c(
        "MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=16000000000",
        "MALLOC_TOP_PAD_=1000000000"
    ),
    "as R starts" = "R_VSIZE=64M"
)
threads <- unique(c(1L, 2L, axtile_options()$axtile.threads, parallel::detectCores()))
threads <- sort(threads[threads <= max(2L, parallel::detectCores())])
grid <- expand.grid(
    memory = names(memory), order = c("source", "stored"), written = names(ways),
    as = c("dgCMatrix", "integer"), threads = threads, stringsAsFactors = FALSE
)
is_usual <- grid$written %in% c("axtile", "deltacells level 19")
grid <- grid[grid$memory == "fresh" & grid$as == "dgCMatrix" | is_usual, ]
grid <- grid[grid$as == "dgCMatrix" | grid$memory != "as R starts", ]
times <- vector("list", nrow(grid))
# Two times round, so that a disturbance does not meet one row alone.
for (round in 1:2) {
    for (k in seq_len(nrow(grid))) {
        row <- grid[k, ]
        code <- paste(
            "library(axtile)", ms,
            sprintf("ds <- open_tiles(%s, gene_order = '%s')", quoted(tile(row$written)), row$order),
            sprintf(
                "read <- function() { gc(); ms(m <- read_tile(ds, 1, threads = %d, as = '%s')) }",
                row$threads, row$as
            ),
            sprintf("cat(replicate(%d, read())[-1])", settings$repeats + 1L),
            sep = "; "
        )
        times[[k]] <- c(times[[k]], in_process(code, memory[[row$memory]]))
    }
}
for (k in seq_len(nrow(grid))) {
    row <- grid[k, ]
    what <- sprintf(
        "read_tile, %s, %s order, %s%s%s", row$written, row$order, row$memory,
        if (row$memory == "as R starts") "" else " memory",
        if (row$as == "integer") ", integer" else ""
    )
    record_reads(what, row$threads, times[[k]])
}

many <- sparseMatrix(i = rep(1:10, 1000), j = 1:10000, x = 1, dims = c(200, 10000))
invisible(write_tiles(many, scratch("many.tiles"), tile_size = 10))
path <- quoted(scratch("many.tiles"))
code <- paste(
    ms, "load <- ms(library(axtile))",
    sprintf("first <- ms(ds <- open_tiles(%s))", path), "close_tiles(ds)",
    sprintf("later <- ms(open_tiles(%s))", path), "cat(load, first, later)",
    sep = "; "
)
times <- vapply(seq_len(settings$repeats), function(round) in_process(code), c(0, 0, 0))
what <- c(
    "library(axtile)", "open_tiles, 1,000 tiles, first call of a session",
    "open_tiles, 1,000 tiles, after close_tiles"
)
for (k in seq_along(what)) {
    record(what[[k]], 1, "median", stats::median(times[k, ]), "ms", settings$repeats)
    record(what[[k]], 1, "min", min(times[k, ]), "ms", settings$repeats)
}
finish()
