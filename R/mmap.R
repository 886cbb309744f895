#' Memory-mapped vectors
#'
#' Vectors whose elements are those of a file, and are read from the disk when
#' they are looked at. Making one takes no time and no memory, whatever its
#' length (but for `mmap_lgl()`, which looks at every element: R has no meaning
#' for a logical value other than 0, 1 and `NA`).
#'
#' The vectors are ordinary ones to all of R. Writing to one never reaches the
#' file, nor another vector over it. Saved (`saveRDS()`, `save()`,
#' `serialize()`), copied or subset, they become ordinary vectors in memory.
#' The file may be deleted or replaced by renaming another one; it must not be
#' rewritten or made shorter in place while a vector maps it: the vector would
#' show the new bytes, and looking beyond the new end ends R.
#'
#' @param path A file of numbers without any header: 32-bit integers
#'   (`mmap_int()`, `mmap_lgl()`) or 64-bit floating-point numbers
#'   (`mmap_real()`), little-endian. -2^31 is `NA`.
#' @param ... Must be empty.
#' @param offset Where to begin, in bytes; a multiple of an element's size.
#' @param length The number of elements; `NULL` for all to the end of the file.
#' @returns An integer, double or logical vector.
#' @section Errors:
#' `axtile_error_io` if the file cannot be opened, `axtile_error_range` if
#' `offset` and `length` go beyond its end, `axtile_error_corrupt` if what is
#' left of it is no whole number of elements or holds no logical value,
#' `axtile_error_argument` for an offset that is no multiple,
#' `axtile_error_unsupported` on a big-endian machine.
#' @family mapped
#' @examples
#' path <- tempfile()
#' writeBin(c(1.5, 2.5, NA), path, endian = "little")
#' x <- mmap_real(path)
#' x
#' x[1] <- 100
#' mmap_real(path, offset = 8, length = 1)
#' @export
mmap_int <- function(path, ..., offset = 0, length = NULL) {
    rlang::check_dots_empty()
    mapped_vector("integer", path, offset, length)
}

#' @rdname mmap_int
#' @export
mmap_real <- function(path, ..., offset = 0, length = NULL) {
    rlang::check_dots_empty()
    mapped_vector("double", path, offset, length)
}

#' @rdname mmap_int
#' @export
mmap_lgl <- function(path, ..., offset = 0, length = NULL) {
    rlang::check_dots_empty()
    mapped_vector("logical", path, offset, length)
}

mapped_vector <- function(type, path, offset, length,
                          call = rlang::caller_env()) {
    if (!is.null(length)) {
        length <- check_count(length, min = 0, arg = "length", call = call)
    }
    rust(rs_mapped_vector(list(
        type = type, path = check_path(path, arg = "path", call = call),
        offset = check_count(offset, min = 0, arg = "offset", call = call),
        length = length
    )), call = call)
}

#' Memory-mapped sparse matrices
#'
#' `write_mmap_dgCMatrix()` writes a matrix as a folder whose files are the
#' matrix's own arrays; `mmap_dgCMatrix()` opens such a folder in milliseconds
#' as a [Matrix::dgCMatrix-class] whose elements are read from the disk when
#' they are looked at, and shared by all processes that map them.
#'
#' The matrix is an ordinary one to all functions: what changes it, changes
#' memory of this one matrix, never the folder. Saved with `saveRDS()` it is
#' plain. The folder may be deleted or overwritten by `write_mmap_dgCMatrix()`
#' while matrices map it; its files must not be changed in any other way.
#'
#' Opening reads and checks the header, column starts and names. Rows and values
#' of the elements are **trusted** to be those that were written, and checked by
#' their size only: that the folder is whole is what the header's checksums and
#' its atomic writing stand for. Use `verify = TRUE` for a folder from a source
#' that you do not trust, or after a copy: rows out of range would let R read
#' memory that is not the matrix's. The format is described in
#' `system.file("spec", "mapped-matrix.md", package = "axtile")`.
#'
#' @param path The folder.
#' @param ... Must be empty.
#' @param verify Whether to check every byte: checksums, and that rows are in
#'   range and ascend in each column.
#' @param m A [Matrix::dgCMatrix-class]. Names may hold anything but line feeds.
#' @param overwrite Whether to replace a mapped matrix at `path`.
#' @returns `mmap_dgCMatrix()`: a [Matrix::dgCMatrix-class].
#'   `write_mmap_dgCMatrix()`: the same, of what it wrote, invisibly.
#' @section Errors:
#' `axtile_error_io`, `axtile_error_version` or `axtile_error_corrupt` if there
#' is no such matrix, or a damaged one; `axtile_error_stale` if it was replaced
#' while it was opened; `axtile_error_unsupported` on a big-endian machine.
#' `axtile_error_argument` for what is no valid dgCMatrix, `axtile_error_exists`
#' if `path` exists. What was at `path` before is then still there.
#' @family mapped
#' @examples
#' m <- synthetic_counts(50, 200)
#' path <- tempfile(fileext = ".mapped")
#' write_mmap_dgCMatrix(m, path)
#' mapped <- mmap_dgCMatrix(path, verify = TRUE)
#' identical(mapped, m)
#' Matrix::colSums(mapped)[1:3]
#' @export
mmap_dgCMatrix <- function(path, ..., verify = FALSE) {
    rlang::check_dots_empty()
    path <- check_path(path)
    check_flag(verify)
    load_matrix()
    mapped_matrix(rust(rs_mapped_open(list(path = path, verify = verify))))
}

# The matrix of what the Rust library opened.
mapped_matrix <- function(opened, dimnames = TRUE) {
    matrix <- opened$matrix
    if (dimnames) {
        names <- list(opened$row_names, opened$column_names)
        names(names) <- opened$dimnames_names
        matrix@Dimnames <- names
    }
    matrix
}

#' @rdname mmap_dgCMatrix
#' @export
write_mmap_dgCMatrix <- function(m, path, ..., overwrite = FALSE) {
    rlang::check_dots_empty()
    load_matrix()
    if (!is(m, "dgCMatrix")) {
        abort_argument("m", "a dgCMatrix", m, rlang::current_env())
    }
    path <- check_path(path)
    check_flag(overwrite)
    names <- m@Dimnames
    text <- function(x, arg) if (!is.null(x)) check_strings(x, arg = arg)
    rust(rs_mapped_write(list(
        path = path, overwrite = overwrite,
        n_rows = m@Dim[[1L]], n_columns = m@Dim[[2L]],
        p = m@p, i = m@i, x = m@x,
        row_names = text(names[[1L]], "rownames(m)"),
        column_names = text(names[[2L]], "colnames(m)"),
        dimnames_names = text(names(names), "names(dimnames(m))")
    )))
    invisible(mmap_dgCMatrix(path))
}
