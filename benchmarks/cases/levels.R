# zstd level x chunks, and x order of genes for the default number of chunks:
# size, time to write, time to read.
source("common.R")

m <- counts()
m <- m[, seq_len(min(ncol(m), 10000))]
n <- length(m@x)
cores <- axtile_options()$axtile.threads
levels <- c(1, 3, 6, 9, 12, 15, 19)
grid <- rbind(
    expand.grid(level = levels, chunks = c(8, 1, 4, 16), sorted = TRUE),
    expand.grid(level = levels, chunks = 8, sorted = FALSE)
)
grid <- grid[order(grid$level != 12), ]

readers <- list()
for (k in seq_len(nrow(grid))) {
    row <- grid[k, ]
    what <- sprintf(
        "level %d, %d chunk%s, genes %s", row$level, row$chunks,
        if (row$chunks == 1) "" else "s", if (row$sorted) "sorted" else "as they came"
    )
    path <- scratch(paste0("grid", k, ".tiles"))
    took <- seconds(function() {
        write_tiles(
            m, path,
            format = "deltacells", level = row$level, chunks = row$chunks, sort_genes = row$sorted,
            threads = cores
        )
    })
    bytes <- tiles_info(path)$tile_bytes
    record(what, NA, "size", bytes / 1e6, "MB")
    record(what, NA, "bits", 8 * bytes / n, "bits a nonzero")
    record(what, cores, "write", took, "s")
    local({
        ds <- open_tiles(path)
        readers[[what]] <<- function() read_tile(ds, 1, threads = 1)
    })
}
rm(m)
compare(readers)
finish()
