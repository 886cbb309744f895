# Size of a tile and how fast it becomes a dgCMatrix: by threads, level, order
# of genes, and by what memory R gets; how long it takes to load the package and
# to open a dataset.
source("common.R")

m <- counts()
m <- m[, seq_len(min(ncol(m), 10000))]
n <- length(m@x)
tile <- function(level) scratch(paste0("level", level, ".tiles"))
for (level in c(1, 12, 19)) {
    ds <- write_tiles(
        m, tile(level),
        format = "deltacells", level = level
    )
    bytes <- tiles_info(ds)$tile_bytes
    what <- paste("level", level)
    record(what, NA, "nonzeros", n, "")
    record(what, NA, "size", bytes / 1e6, "MB")
    record(what, NA, "bits", 8 * bytes / n, "bits a nonzero")
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
    memory = names(memory), order = c("source", "stored"), level = c(12, 1, 19),
    threads = threads, stringsAsFactors = FALSE
)
grid <- grid[grid$memory == "fresh" | grid$level == 12, ]
times <- vector("list", nrow(grid))
# Two times round, so that a disturbance does not meet one row alone.
for (round in 1:2) {
    for (k in seq_len(nrow(grid))) {
        row <- grid[k, ]
        code <- paste(
            "library(axtile)", ms,
            sprintf("ds <- open_tiles(%s, gene_order = '%s')", quoted(tile(row$level)), row$order),
            sprintf("read <- function() { gc(); ms(m <- read_tile(ds, 1, threads = %d)) }", row$threads),
            sprintf("cat(replicate(%d, read())[-1])", settings$repeats + 1L),
            sep = "; "
        )
        times[[k]] <- c(times[[k]], in_process(code, memory[[row$memory]]))
    }
}
for (k in seq_len(nrow(grid))) {
    row <- grid[k, ]
    what <- sprintf(
        "read_tile, level %d, %s order, %s%s", row$level, row$order, row$memory,
        if (row$memory == "as R starts") "" else " memory"
    )
    record_reads(what, row$threads, times[[k]])
}

many <- sparseMatrix(i = rep(1:10, 1000), j = 1:10000, x = 1, dims = c(200, 10000))
invisible(write_tiles(
    many, scratch("many.tiles"),
    format = "deltacells", tile_size = 10, level = 1
))
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
