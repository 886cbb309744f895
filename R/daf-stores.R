#' Stores of data in axes
#'
#' `memory_daf()` makes an empty store in memory. `files_daf()` and `zarr_daf()`
#' open or create one on the disk, as a folder of plain files or of Zarr
#' arrays (version 3). `open_daf()` does either, by the name of the folder.
#' `read_only()` gives the same store, which cannot be written.
#'
#' Opening reads little more than what the store is called. Arrays are mapped
#' when they are asked for. Any number of processes can read a store, one can
#' write it. Writing replaces files, so that what was read before stays as it
#' was.
#'
#' @param name What the store is called in messages; by default what its scalar
#'   `name` says, or its path.
#' @param path,uri The folder. `open_daf()` takes one whose name ends with
#'   `.zarr` as one of Zarr arrays, and makes a store in memory for `NULL` or
#'   `"memory://"`.
#' @param mode `"r"` to read a store; `"r+"` to write to one; `"w"` to create
#'   one where nothing is; `"w+"` to create one or empty the one that is there.
#' @param packed Whether to write compressed arrays. They are read, but not
#'   written: only `FALSE` is supported.
#' @param daf A DAF.
#' @param ... Passed on.
#' @returns A DAF; see [AxtileDaf].
#' @section Errors:
#' `axtile_error_io` if there is no store or it cannot be used,
#' `axtile_error_exists` for mode `"w"` if something is there,
#' `axtile_error_version` or `axtile_error_corrupt` if it cannot be read,
#' `axtile_error_argument` if what `"w+"` would replace is no store,
#' `axtile_error_unsupported` for what is not read or written.
#' @family daf
#' @examples
#' path <- tempfile()
#' d <- files_daf(path, mode = "w")
#' add_axis(d, "cell", c("c1", "c2"))
#' set_vector(d, "cell", "age", c(1.5, 2.5))
#' d <- files_daf(path)
#' get_vector(d, "cell", "age")
#' read_only(memory_daf("mine"))
#' @export
memory_daf <- function(name = "memory") {
    pointer <- rust(rs_daf_memory(list(
        name = check_string(name), cache_mb = megabytes("daf_cache_mb")
    )))
    new_daf(pointer)
}

#' @rdname memory_daf
#' @export
files_daf <- function(path, mode = c("r", "r+", "w", "w+"), name = NULL,
                      packed = FALSE) {
    mode <- rlang::arg_match(mode)
    open_store("files", check_path(path), mode, name, packed)
}

#' @rdname memory_daf
#' @export
zarr_daf <- function(uri, mode = c("r", "r+", "w", "w+"), name = NULL,
                     packed = FALSE) {
    mode <- rlang::arg_match(mode)
    open_store("zarr", check_path(uri), mode, name, packed)
}

#' @rdname memory_daf
#' @export
open_daf <- function(uri = NULL, mode = c("r", "r+", "w", "w+"), name = NULL,
                     ...) {
    mode <- rlang::arg_match(mode)
    if (is.null(uri) || identical(uri, "memory://")) {
        return(memory_daf(if (is.null(name)) "memory" else name))
    }
    uri <- check_path(uri)
    if (grepl("^https?://", uri)) {
        axtile_abort("unsupported", paste0(
            "'", uri, "': stores on servers are not supported; copy the store ",
            "to a folder."
        ))
    }
    is_zarr <- grepl("\\.zarr(\\.zip)?/*$", uri)
    if (is_zarr) {
        zarr_daf(uri, mode, name, ...)
    } else {
        files_daf(uri, mode, name, ...)
    }
}

open_store <- function(format, path, mode, name, packed,
                       call = rlang::caller_env()) {
    if (check_flag(packed, arg = "packed", call = call)) {
        axtile_abort(
            "unsupported",
            "Compressed arrays are read, but not written: `packed` is FALSE.",
            call = call
        )
    }
    is_zip <- grepl("\\.zip$", path) && !dir.exists(path)
    if (is_zip) {
        axtile_abort("unsupported", paste0(
            "'", path, "': stores in ZIP archives are not supported; unpack ",
            "it to a folder."
        ), path = path, call = call)
    }
    pointer <- rust(rs_daf_open(list(
        format = format, path = path, mode = mode,
        name = check_string(name, null = TRUE, arg = "name", call = call),
        cache_mb = megabytes("daf_cache_mb", call)
    )), call = call)
    new_daf(pointer)
}

#' @rdname memory_daf
#' @export
read_only <- function(daf, name = NULL) {
    pointer <- check_daf(daf)
    if (is.null(name) && !daf_info(daf)$is_writable) {
        return(daf)
    }
    new_daf(rust(rs_daf_read_only(list(
        daf = pointer, name = check_string(name, null = TRUE),
        cache_mb = megabytes("daf_cache_mb")
    ))))
}
