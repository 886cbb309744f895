# Annotations of cells: columns, and looking up some cells before and after
# their columns are copied to the local cache. Always made up: 100,000 cells.
source("common.R")

n <- 100000L
set.seed(1)
pick <- function(prefix, k) factor(sample(sprintf("%s%d", prefix, seq_len(k)), n, TRUE))
obs <- data.frame(
    cell_type = pick("type", 20), donor = pick("donor", 200), batch = pick("batch", 8),
    n_counts = stats::rpois(n, 3000), mito = stats::runif(n), doublet = stats::runif(n) < 0.05
)
for (k in 1:39) obs[[paste0("score", k)]] <- stats::rnorm(n)
m <- Matrix::sparseMatrix(
    i = sample(50L, n, TRUE), p = 0:n, x = 1, dims = c(50, n),
    dimnames = list(NULL, paste0("cell", seq_len(n)))
)
path <- scratch("obs.tiles")
record("write 100,000 cells, 45 columns", 1, "write", seconds(function() {
    write_tiles(m, path, obs = obs, threads = 1)
}), "s")
ds <- open_tiles(path)
record("obs, 45 columns and names", NA, "size", tiles_info(ds)$obs_bytes / 1e6, "MB")
stopifnot(identical(read_obs(ds, cell_names = FALSE), obs))

three <- c("cell_type", "donor", "n_counts")
some <- sample(n, 5000)
look_up <- function() read_obs(ds, three, cells = some, cell_names = FALSE, threads = 1)
all_cells <- function() read_obs(ds, three, cell_names = FALSE, threads = 1)
everything <- function() read_obs(ds, threads = 1)
names_too <- function() read_obs(ds, three, cells = some, threads = 1)
compare(list(
    "5,000 cells x 3 columns, not localized" = look_up,
    "5,000 cells x 3 columns and names, not localized" = names_too,
    "all cells x 3 columns, not localized" = all_cells,
    "all cells, all columns, names, not localized" = everything
))
rds <- scratch("obs.rds")
saveRDS(obs, rds)
record("localize 3 columns and names", 1, "once", 1000 * seconds(function() {
    localize_obs(ds, c(three, "obs_names"), threads = 1)
}), "ms")
stopifnot(identical(look_up(), `rownames<-`(obs[some, three], NULL)))
compare(list("5,000 cells x 3 columns, localized" = look_up), inner = 20L)
compare(list(
    "5,000 cells x 3 columns and names, localized" = names_too,
    "all cells x 3 columns, localized" = all_cells,
    "RDS of the data frame, then obs[cells, columns]" = function() readRDS(rds)[some, three],
    "data frame in memory, obs[cells, columns]" = function() obs[some, three]
))
finish()
