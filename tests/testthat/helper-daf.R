# A small store with a bit of everything.
example_daf <- function(d = memory_daf("example")) {
    add_axis(d, "cell", c("A", "B", "C"))
    add_axis(d, "gene", c("g1", "g2"))
    set_scalar(d, "organism", "human")
    set_vector(d, "cell", "age", c(1L, 2L, 3L))
    set_vector(d, "cell", "type", c("x", "y", "x"))
    set_matrix(d, "cell", "gene", "UMIs", matrix(1:6, 3))
    d
}

# An empty store of each kind that can be written.
writable_dafs <- function(env = parent.frame()) {
    folder <- function(ext) {
        path <- tempfile("a %s b%n {c} ", fileext = ext)
        withr::defer(unlink(path, recursive = TRUE), envir = env)
        path
    }
    list(
        memory = memory_daf("memory"),
        files = files_daf(folder(".daf"), "w"),
        zarr = zarr_daf(folder(".daf.zarr"), "w")
    )
}
