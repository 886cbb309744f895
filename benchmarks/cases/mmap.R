# A tile as a mapped matrix: how long it takes to open, against decoding it and
# against R's own format, and what computing on it costs; then the compact form
# with integer counts. Files are in the page cache.
source("common.R")

m <- counts()
m <- m[, seq_len(min(ncol(m), 10000))]
n <- length(m@x)
ds <- write_tiles(m, scratch("x.tiles"))
root <- scratch("mapped")
record("materialize_tiles", axtile_options()$axtile.threads, "write", seconds(function() {
    materialize_tiles(ds, root)
}), "s")
folder <- file.path(root, "tile_000001")
rds <- scratch("x.rds")
saveRDS(m, rds, compress = FALSE)
gz <- scratch("x.gz.rds")
saveRDS(m, gz)
stopifnot(
    identical(mmap_dgCMatrix(folder), m), identical(read_tile(ds, 1), m),
    identical(readRDS(rds), m), identical(readRDS(gz), m)
)

size <- function(files) sum(file.size(files)) / 1e6
record("tile", NA, "nonzeros", n, "")
record("tile", NA, "size", tiles_info(ds)$tile_bytes / 1e6, "MB")
record("mapped matrix", NA, "size", size(list.files(folder, full.names = TRUE)), "MB")
record("rds, not compressed", NA, "size", size(rds), "MB")
record("rds", NA, "size", size(gz), "MB")

compare(list(
    "read_tile" = function() read_tile(ds, 1, threads = 1),
    "read_tile, integer" = function() read_tile(ds, 1, threads = 1, as = "integer"),
    "read_tile, mmap" = function() read_tile(ds, 1, mmap = root),
    "mmap_dgCMatrix" = function() mmap_dgCMatrix(folder),
    "mmap_dgCMatrix, verify" = function() mmap_dgCMatrix(folder, verify = TRUE),
    "readRDS, not compressed" = function() readRDS(rds),
    "readRDS" = function() readRDS(gz)
))

mapped <- mmap_dgCMatrix(folder)
x <- matrix(stats::rnorm(ncol(m) * 10), ncol(m))
some <- sample(ncol(m), min(ncol(m), 500))
for (what in c("in memory", "mapped when new", "mapped")) {
    # A new map has no page yet: the first reading meets each of them.
    of <- switch(what,
        "in memory" = function() m,
        "mapped when new" = function() mmap_dgCMatrix(folder),
        "mapped" = function() mapped
    )
    operations <- list(
        function() colSums(of()), function() of() %*% x,
        function() of()[, some]
    )
    names(operations) <- paste0(c("colSums, ", "%*%, ", "[, 500 cells], "), what)
    compare(operations)
}

compact <- read_tile(ds, 1, as = "integer")
record("dgCMatrix", NA, "memory", unclass(utils::object.size(m)) / 1e6, "MB")
record("integer", NA, "memory", unclass(utils::object.size(compact)) / 1e6, "MB")
if (is(compact, "TileCounts")) {
    compare(list(
        "colSums, dgCMatrix" = function() colSums(m),
        "colSums, TileCounts" = function() colSums(compact),
        "rowSums, dgCMatrix" = function() rowSums(m),
        "rowSums, TileCounts" = function() rowSums(compact),
        "TileCounts to dgCMatrix" = function() as(compact, "dgCMatrix")
    ))
}
finish()
