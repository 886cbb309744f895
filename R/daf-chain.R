#' Chains of stores
#'
#' A chain is several stores as one. What a later store has hides what earlier
#' ones have under the same name, and all that is written goes to the last one;
#' the others stay as they are. Axes that stores share must have the same
#' entries.
#'
#' `complete_chain()` also makes the new store remember, in scalars of its own,
#' what comes before it; `complete_daf()` opens such a store together with all
#' before it.
#'
#' @param dafs A list of DAFs, earlier ones first.
#' @param name What the chain is called in messages; by default the names of
#'   its stores.
#' @param base_daf The store before, which is on the disk.
#' @param new_daf The store after it, which is on the disk and can be written.
#' @param axes,data What `new_daf` sees of `base_daf`, as for [viewer()]; `NULL`
#'   for all.
#' @param absolute Whether to remember the absolute path of `base_daf`, instead
#'   of the one from `new_daf`.
#' @param leaf The folder of the last store.
#' @param mode `"r"` to read, `"r+"` to write to the last store.
#' @param daf A DAF that is on the disk.
#' @returns `chain_reader()`, `chain_writer()`, `complete_chain()`,
#'   `complete_daf()`: a DAF. `complete_path()`: the paths of the store and all
#'   before it, the first of them last.
#' @section Errors:
#' `axtile_error_argument` for no store at all, entries that differ, or a last
#' store that cannot be written; deleting what an earlier store has.
#' `axtile_error_exists` if `new_daf` remembers a store already.
#' @family daf
#' @examples
#' path <- tempfile("base")
#' base <- files_daf(path, mode = "w")
#' add_axis(base, "cell", c("c1", "c2"))
#' set_vector(base, "cell", "age", c(1, 2))
#' chain <- chain_writer(list(files_daf(path), memory_daf("scratch")))
#' set_vector(chain, "cell", "age2", get_vector(chain, "cell", "age")^2)
#' vectors_set(chain, "cell")
#' vectors_set(base, "cell")
#' @export
chain_reader <- function(dafs, name = NULL) {
    chain(dafs, name, writable = FALSE)
}

#' @rdname chain_reader
#' @export
chain_writer <- function(dafs, name = NULL) {
    chain(dafs, name, writable = TRUE)
}

chain <- function(dafs, name, writable, call = rlang::caller_env()) {
    pointer <- rust(rs_daf_chain(list(
        dafs = check_dafs(dafs, arg = "dafs", call = call),
        name = check_string(name, null = TRUE, arg = "name", call = call),
        writable = writable, cache_mb = megabytes("daf_cache_mb", call)
    )), call = call)
    new_daf(pointer)
}

#' @rdname chain_reader
#' @export
complete_chain <- function(base_daf, new_daf, name = NULL, axes = NULL,
                           data = NULL, absolute = FALSE) {
    pointer <- rust(rs_daf_complete_chain(list(
        dafs = list(check_daf(base_daf), check_daf(new_daf)),
        name = check_string(name, null = TRUE),
        axes = view_items(axes, "axes", 1L),
        data = view_items(data, "data", 1:3),
        absolute = check_flag(absolute), cache_mb = megabytes("daf_cache_mb")
    )))
    new_daf(pointer)
}

#' @rdname chain_reader
#' @export
complete_daf <- function(leaf, mode = c("r", "r+"), name = NULL) {
    mode <- rlang::arg_match(mode)
    pointer <- rust(rs_daf_complete(list(
        path = check_path(leaf), mode = mode,
        name = check_string(name, null = TRUE),
        cache_mb = megabytes("daf_cache_mb")
    )))
    new_daf(pointer)
}

#' @rdname chain_reader
#' @export
complete_path <- function(daf) ask(rs_daf_complete_path, daf)
