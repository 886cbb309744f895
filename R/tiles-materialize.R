#' Keep decoded tiles as memory-mapped matrices
#'
#' Tiles take up little room but must be decoded at each reading. This writes
#' them decoded, as folders that [mmap_dgCMatrix()] opens in milliseconds, and
#' that several processes share in memory; they take 12 bytes a nonzero count
#' on the disk. [read_tile()] with `mmap = TRUE` reads them, and writes what is
#' missing.
#'
#' Each folder carries a checksum of what it was made from: the tile, the order
#' of genes, their names. It is never taken for a tile of another dataset, of
#' the same one after it was written anew, or of the other gene order.
#'
#' Interrupted, the function goes on where it was when it is called again. Two
#' processes at the same dataset wait for each other.
#'
#' @param x A `tile_dataset`.
#' @param path A folder for `tile_000001`, `tile_000002`, ...; `NULL` for one in
#'   the cache of [localize_obs()] (see [axtile_options()]), named after the
#'   dataset and its gene order. It can be deleted at any time:
#'   `unmaterialize_tiles()` does so. Matrices that map it stay as they are,
#'   except on Windows, where files that are mapped cannot be deleted.
#' @param ... Must be empty.
#' @param tiles Numbers of tiles; `NULL` for all.
#' @param layer The name of a layer; `NULL` for the first.
#' @param overwrite Whether to write tiles anew that are there, and to replace
#'   mapped matrices at `path` that are not these tiles.
#' @inheritParams read_cells
#' @returns `materialize_tiles()`: the folder, invisibly.
#'   `unmaterialize_tiles()`: `x`, invisibly.
#' @section Errors:
#' `axtile_error_exists` if something else is at `path` and `overwrite` is
#' `FALSE`, `axtile_error_range` if there is no such tile, `axtile_error_io` if
#' the folder cannot be written; else as [read_tile()].
#' @family tiles
#' @family mapped
#' @examples
#' path <- tempfile(fileext = ".tiles")
#' ds <- write_tiles(synthetic_counts(100, 500), path, tile_size = 50)
#' old <- options(axtile.cache_dir = tempfile())
#' materialize_tiles(ds)
#' m <- read_tile(ds, 2, mmap = TRUE)
#' identical(m, read_tile(ds, 2))
#' unmaterialize_tiles(ds)
#' options(old)
#' @export
materialize_tiles <- function(x, path = NULL, ..., tiles = NULL, layer = NULL,
                              overwrite = FALSE,
                              threads = axtile_option("threads"),
                              progress = axtile_option("progress")) {
    rlang::check_dots_empty()
    check_tiles(x)
    root <- if (!is.null(path)) check_path(path)
    layer <- check_string(layer, null = TRUE)
    check_flag(overwrite)
    if (is.null(tiles)) {
        tiles <- seq_len(x$n_tiles)
    } else if (!is.numeric(tiles)) {
        abort_argument("tiles", "numbers", tiles, rlang::current_env())
    }
    no_names <- function() NULL
    tiles <- check_positions(
        tiles, x$n_tiles, no_names, "tile", "tiles", rlang::current_env()
    )
    report <- progress_reporter(
        "Writing tiles", length(tiles), check_progress(progress)
    )
    for (k in seq_along(tiles)) {
        rust(rs_tiles_materialize(handle(
            x,
            tile = tiles[[k]], layer = layer, root = root,
            overwrite = overwrite, threads = threads
        )))
        if (!is.null(report)) report(k)
    }
    invisible(rust(rs_tiles_mapped_root(handle(x, root = root))))
}

#' @rdname materialize_tiles
#' @export
unmaterialize_tiles <- function(x) {
    check_tiles(x)
    folder <- rust(rs_tiles_mapped_root(handle(x)))
    if (unlink(folder, recursive = TRUE, expand = FALSE) != 0L) {
        axtile_abort(
            "io", paste0("cannot delete '", folder, "'"),
            path = folder
        )
    }
    invisible(x)
}

# A materialised tile. `mmap`: TRUE for the place in the cache, where it is made
# when it is not there, or the folder that materialize_tiles() was given.
read_mapped <- function(x, tile, layer, mmap, dimnames, compact, threads,
                        call) {
    if (compact) {
        axtile_abort("argument", paste0(
            "`mmap` is for `as = \"dgCMatrix\"`: materialised tiles hold ",
            "doubles."
        ), call = call)
    }
    if (!isTRUE(mmap) && !is.character(mmap)) {
        abort_argument("mmap", "TRUE, FALSE or a folder", mmap, call)
    }
    root <- if (!isTRUE(mmap)) check_path(mmap, arg = "mmap", call = call)
    arguments <- handle(
        x,
        tile = tile, layer = layer, root = root, overwrite = FALSE,
        threads = threads, call = call
    )
    load_matrix()
    opened <- rust(rs_tiles_mapped(arguments), call = call)
    if (is.null(opened) && is.null(root)) {
        rust(rs_tiles_materialize(arguments), call = call)
        opened <- rust(rs_tiles_mapped(arguments), call = call)
    }
    if (is.null(opened)) {
        axtile_abort("io", paste0(
            "Tile ", format(tile), " is not in '", root %||% "the cache",
            "'; materialize_tiles() puts it there."
        ), path = root, call = call)
    }
    mapped_matrix(opened, dimnames)
}
