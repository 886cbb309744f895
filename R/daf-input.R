# What users hand over to be stored, as the Rust library takes it.

# Text in UTF-8. R's own conversion would replace what is not valid in the
# session's encoding.
texts_for_rust <- function(x, arg, call) {
    is_utf8 <- l10n_info()[["UTF-8"]]
    native <- if (!is_utf8) which(Encoding(x) == "unknown" & !is.na(x))
    wrong <- if (is_utf8) {
        which(!validEnc(x))
    } else {
        native[is.na(iconv(x[native], "", "UTF-8"))]
    }
    if (length(wrong)) {
        axtile_abort("argument", paste0(
            "`", arg, "` holds text that is not valid in its encoding: ",
            "element ", wrong[[1L]], "."
        ), call = call)
    }
    enc2utf8(x)
}

# A vector without a class that would be lost, other than those that are told
# apart from the values.
plain_values <- function(x, arg, call) {
    if (is.factor(x)) {
        x <- as.character(x)
    }
    is_plain <- is.atomic(x) && !is.null(x) && !is.complex(x) &&
        (!is.object(x) || inherits(x, c("integer64", "AsIs", "noquote")))
    if (!is_plain) {
        abort_argument(arg, paste0(
            "logical, integer, integer64, double, raw, character or a factor"
        ), x, call)
    }
    if (is.character(x)) texts_for_rust(x, arg, call) else x
}

names_for_rust <- function(x, arg, call) {
    if (!is.null(x)) texts_for_rust(as.character(x), arg, call)
}

daf_vector_arguments <- function(vec, call) {
    if (isS4(vec) && is(vec, "sparseVector")) {
        return(sparse_vector_arguments(vec, call))
    }
    if (length(dim(vec)) > 1L) {
        abort_argument("vec", "a vector", vec, call)
    }
    names <- if (is.null(dim(vec))) names(vec) else dimnames(vec)[[1L]]
    list(
        values = plain_values(vec, "vec", call),
        names = names_for_rust(names, "names(vec)", call)
    )
}

sparse_vector_arguments <- function(vec, call) {
    values <- if (is(vec, "nsparseVector")) {
        rep(TRUE, length(vec@i))
    } else {
        plain_values(vec@x, "vec", call)
    }
    list(
        values = values, indices = as.double(vec@i),
        length = as.double(vec@length)
    )
}

daf_matrix_arguments <- function(mat, call) {
    if (isS4(mat) && is(mat, "Matrix")) {
        mat <- common_matrix(mat)
    }
    if (is(mat, "dgCMatrix") || is(mat, "lgCMatrix")) {
        names <- mat@Dimnames
        dim <- mat@Dim
        arguments <- list(p = mat@p, i = mat@i, values = mat@x)
    } else {
        is_matrix <- is.matrix(mat) && is.atomic(mat)
        if (!is_matrix) {
            abort_argument(
                "mat", "a matrix, or one of the package Matrix", mat, call
            )
        }
        names <- dimnames(mat)
        dim <- dim(mat)
        arguments <- list(values = plain_values(mat, "mat", call))
    }
    c(arguments, list(
        n_rows = as.double(dim[[1L]]), n_columns = as.double(dim[[2L]]),
        row_names = names_for_rust(names[[1L]], "rownames(mat)", call),
        column_names = names_for_rust(names[[2L]], "colnames(mat)", call)
    ))
}

# One of the two sparse classes that can be stored, or an ordinary matrix.
common_matrix <- function(mat) {
    if (is(mat, "dgCMatrix") || is(mat, "lgCMatrix")) {
        return(mat)
    }
    if (is(mat, "denseMatrix")) {
        return(as.matrix(mat))
    }
    mat <- as(as(mat, "generalMatrix"), "CsparseMatrix")
    if (is(mat, "nMatrix")) as(mat, "lMatrix") else mat
}
