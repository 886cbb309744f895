#' Data in axes
#'
#' A *DAF* (data in axes format) holds four kinds of things: **scalars**, single
#' values by name; **axes**, lists of unique entries by name; **vectors**, one
#' value for each entry of an axis; and **matrices**, one value for each pair of
#' entries of two axes. Objects of the class `AxtileDaf` are such stores,
#' whether in memory ([memory_daf()]), in a folder of files ([files_daf()]), in
#' one of Zarr arrays ([zarr_daf()]), or made of others ([chain_reader()],
#' [viewer()]).
#'
#' An object points to an open store. Copies of it are the same store. It can
#' be used in forked processes, but not saved: what [readRDS()] gives is
#' refused, and has to be opened again.
#'
#' @param x,daf A DAF.
#' @param i A query; see [get_query()].
#' @param ... Not used.
#' @returns `x[query]`: what the query gives. `print()`: `x`, invisibly.
#'   `is_daf()`, `is_leaf()`: `TRUE` or `FALSE`; leaves are stores that are not
#'   made of others. `daf_name()`: the name. `description()`: a text of several
#'   lines.
#' @section Values in R:
#' | element type | in R |
#' |---|---|
#' | Bool | logical |
#' | Int8 to Int32, UInt8 to UInt32 | integer (1) |
#' | Int64, UInt64 | integer64 (2) |
#' | Float32, Float64 | double |
#' | String | character |
#' | sparse matrix of numbers | [Matrix::dgCMatrix-class] |
#' | sparse matrix of Bool | [Matrix::lgCMatrix-class] |
#'
#' (1) Double if one of the values is beyond R's integers. (2) If the package
#' bit64 is installed; else double, and refused where that is not exact. A
#' single value of Int64 that a query gives is an integer where it fits.
#'
#' And back: logical is stored as Bool, integer as Int32, double as Float64,
#' integer64 as Int64, raw as UInt8, character and factor as String. `NA` is
#' refused, as the formats have no missing value; NaN is a number.
#'
#' Vectors of Float64 and Int32 in files are mapped, not read; texts become R's
#' when they are looked at.
#' @section Errors:
#' `axtile_error_argument` for an object that was saved, or comes from another
#' process.
#' @family daf
#' @name AxtileDaf
#' @aliases AxtileDaf-class
#' @examples
#' d <- memory_daf("demo")
#' add_axis(d, "cell", c("c1", "c2", "c3"))
#' set_vector(d, "cell", "score", c(10, 20, 30))
#' d
#' d["@ cell : score >> Mean"]
#' is_daf(d)
#' daf_name(d)
NULL

new_daf <- function(pointer) {
    if (is.null(session$has_bit64)) {
        # Loaded, so that its methods are there when integer64 come.
        has_bit64 <- requireNamespace("bit64", quietly = TRUE)
        rust(rs_daf_integer64(has_bit64))
        session$has_bit64 <- has_bit64
    }
    structure(list(pointer = pointer), class = "AxtileDaf")
}

# The pointer of a DAF, which the Rust library takes.
check_daf <- function(x, ..., arg = rlang::caller_arg(x),
                      call = rlang::caller_env()) {
    if (!inherits(x, "AxtileDaf")) {
        abort_argument(arg, "a DAF (see `files_daf()`)", x, call)
    }
    .subset2(x, "pointer")
}

# The pointers of a list of DAFs.
check_dafs <- function(x, ..., arg = rlang::caller_arg(x),
                       call = rlang::caller_env()) {
    if (inherits(x, "AxtileDaf")) {
        x <- list(x)
    }
    if (!is.list(x)) {
        abort_argument(arg, "a list of DAFs", x, call)
    }
    lapply(x, check_daf, arg = arg, call = call)
}

daf_info <- function(daf, call = rlang::caller_env()) {
    rust(rs_daf_info(list(daf = check_daf(daf, call = call))), call = call)
}

#' @rdname AxtileDaf
#' @export
is_daf <- function(x) inherits(x, "AxtileDaf")

#' @rdname AxtileDaf
#' @export
is_leaf <- function(daf) {
    daf_info(daf)$kind %in% c("MemoryDaf", "FilesDaf", "ZarrDaf")
}

#' @rdname AxtileDaf
#' @export
daf_name <- function(daf) daf_info(daf)$name

#' @rdname AxtileDaf
#' @export
description <- function(daf) {
    rust(rs_daf_describe(list(daf = check_daf(daf))))
}

#' @rdname AxtileDaf
#' @export
format.AxtileDaf <- function(x, ...) {
    strsplit(description(x), "\n", fixed = TRUE)[[1L]]
}

#' @rdname AxtileDaf
#' @export
print.AxtileDaf <- function(x, ...) {
    writeLines(format(x))
    invisible(x)
}

#' @rdname AxtileDaf
#' @export
`[.AxtileDaf` <- function(x, i) {
    get_query(x, i)
}
