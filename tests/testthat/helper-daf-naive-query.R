# The naive evaluator of queries.

# Look-ups ----------------------------------------------------------------

naive_entries <- function(store, axis) {
    entries <- store$axes[[axis]]
    if (is.null(entries)) {
        naive_stop("no axis ", axis)
    }
    entries
}

naive_entry <- function(store, axis, entry) {
    at <- match(entry, naive_entries(store, axis))
    if (anyNA(at)) {
        naive_stop("no entry ", entry[is.na(at)][[1L]], " of ", axis)
    }
    at
}

# All values of a vector, or of a slice of a matrix.
naive_property <- function(store, axis, prop) {
    entries <- naive_entries(store, axis)
    slice <- prop$slice
    if (!is.null(slice)) {
        other <- if (slice$how == "entry") slice$axis else axis
        at <- naive_entry(store, other, slice$entry)
        values <- naive_matrix_of(store, axis, other, prop)
        values$x <- if (slice$how == "row") values$x[at, ] else values$x[, at]
        return(values)
    }
    if (prop$name == "name") {
        return(typed(entries))
    }
    if (prop$name == "index") {
        return(typed(seq_along(entries)))
    }
    found <- store$vectors[[axis]][[prop$name]]
    if (!is.null(found)) {
        return(typed(found))
    }
    if (is.null(prop$default)) {
        naive_stop("no vector ", prop$name)
    }
    one <- literal(prop$default)
    typed(rep(one$x, length(entries)), one$type)
}

# Rows and columns of all entries, whichever way it is stored.
naive_matrix_of <- function(store, rows, columns, prop) {
    found <- store$matrices[[paste0(rows, ",", columns)]][[prop$name]]
    if (is.null(found)) {
        found <- store$matrices[[paste0(columns, ",", rows)]][[prop$name]]
        if (!is.null(found)) found <- t(found)
    }
    if (!is.null(found)) {
        return(typed(unname(found)))
    }
    if (is.null(prop$default)) {
        naive_stop("no matrix ", prop$name)
    }
    one <- literal(prop$default)
    n <- c(
        length(naive_entries(store, rows)),
        length(naive_entries(store, columns))
    )
    typed(array(rep(one$x, prod(n)), n), one$type)
}

# Vectors -----------------------------------------------------------------

# A vector on its way: its values and their names; the axis that the names are
# entries of, and which ones; the property they come from; values that look-ups
# leave alone (NA elsewhere); and where in the first look-up they stand.
naive_start <- function(store, axis, picked, prop) {
    values <- naive_property(store, axis, prop)
    values$x <- values$x[picked]
    list(
        values = values, axis = axis, at = picked, property = prop$name,
        names = naive_entries(store, axis)[picked],
        finals = rep(NA_character_, length(picked)), from = seq_along(picked)
    )
}

naive_axis_of <- function(store, property, as) {
    if (!is.null(as) && nzchar(as)) {
        naive_entries(store, as)
        return(as)
    }
    if (is.null(property)) {
        naive_stop("which axis?")
    }
    candidates <- c(property, sub("[.].*", "", property))
    found <- candidates[candidates %in% names(store$axes)]
    if (length(found) == 0L) {
        naive_stop("no axis ", property)
    }
    found[[1L]]
}

naive_chain <- function(store, v, step) {
    if (!is_text(v$values)) {
        naive_stop("not entries")
    }
    axis <- naive_axis_of(store, v$property, step$as)
    is_open <- is.na(v$finals)
    is_empty <- is_open & v$values$x == ""
    if (any(is_empty)) {
        if (is.null(step$ifnot)) {
            naive_stop("an empty value")
        }
        if (is.na(step$ifnot)) {
            v <- naive_keep(v, !is_empty)
        } else {
            v$finals[is_empty] <- step$ifnot
        }
        is_open <- is.na(v$finals)
    }
    at <- naive_entry(store, axis, v$values$x[is_open])
    all <- naive_property(store, axis, step$prop)
    x <- rep(all$x[NA_integer_], length(v$finals))
    x[is_open] <- all$x[at]
    v$values <- typed(x, all$type)
    v$property <- step$prop$name
    v
}

naive_keep <- function(v, keep) {
    v$values$x <- v$values$x[keep]
    for (part in c("names", "at", "finals", "from")) {
        v[[part]] <- v[[part]][keep]
    }
    v
}

naive_settle <- function(v) {
    for (at in which(!is.na(v$finals))) {
        v$values$x[[at]] <- literal_as(v$finals[[at]], v$values$type)
        v$finals[[at]] <- NA
    }
    v
}

# Groups of the values of `v`: sets of positions, and their names.
naive_groups <- function(store, v, as, skips_nan) {
    v <- naive_settle(v)
    x <- v$values$x
    if (!is.null(as)) {
        if (!is_text(v$values)) {
            naive_stop("not entries")
        }
        axis <- naive_axis_of(store, v$property, as)
        naive_entry(store, axis, x)
        names <- naive_entries(store, axis)
    } else {
        if (is.numeric(x) && anyNA(x) && !skips_nan) {
            naive_stop("a label that is no number")
        }
        if (!is_text(v$values)) {
            x <- naive_labels(v$values)
        }
        names <- bytewise(x[!is.na(x)])
    }
    list(of = match(x, names), names = names)
}

naive_labels <- function(values) {
    x <- values$x
    if (values$type == "Bool") {
        return(ifelse(x, "true", "false"))
    }
    text <- vapply(x, format, "", digits = 15)
    if (values$type %in% c("Float32", "Float64")) {
        whole <- !is.na(x) & x == trunc(x)
        text[whole] <- paste0(text[whole], ".0")
    }
    ifelse(is.na(x), NA, text)
}

naive_label_vector <- function(store, v, step) {
    if (is.null(v$axis)) {
        naive_stop("no axis")
    }
    labels <- naive_start(store, v$axis, v$at, step$prop)
    for (chain in step$chains) labels <- naive_chain(store, labels, chain)
    labels
}

# For each of the n values of `v`, its group by the labels of a step.
naive_step_groups <- function(store, v, step, n) {
    labels <- naive_label_vector(store, v, step)
    groups <- naive_groups(store, labels, step$as, !is.null(step$default))
    of <- rep(NA_integer_, n)
    of[labels$from] <- groups$of
    list(of = of, names = groups$names)
}

sets_of <- function(groups) {
    lapply(seq_along(groups$names), function(k) which(groups$of == k))
}

naive_vector_step <- function(store, v, step) {
    if (step$op == "chain") {
        return(naive_chain(store, v, step))
    }
    v <- naive_settle(v)
    if (step$op == "compare") {
        v$values <- naive_compare(v$values, step$sign, step$value)
        return(v)
    }
    if (step$op == "eltwise") {
        v$values <- naive_eltwise(v$values, step$name, step$params)
        return(v)
    }
    groups <- naive_step_groups(store, v, step, length(v$names))
    v$values <- naive_reduce_sets(
        v$values, sets_of(groups), step$red, step$default
    )
    list(
        values = v$values, names = groups$names,
        finals = rep(NA_character_, length(groups$names))
    )
}

# Masks -------------------------------------------------------------------

# Which entries of an axis pass its masks.
naive_axis <- function(store, query) {
    n <- length(naive_entries(store, query$axis))
    passes <- rep(TRUE, n)
    for (term in query$terms) {
        v <- naive_start(store, query$axis, seq_len(n), term$prop)
        for (step in term$tail) v <- naive_vector_step(store, v, step)
        v <- naive_settle(v)
        one <- rep(FALSE, n)
        found <- truths(v$values)
        one[v$from] <- if (term$negated) !found else found
        passes <- switch(term$join,
            "[" = one,
            "&" = passes & one,
            "|" = passes | one,
            "^" = xor(passes, one)
        )
    }
    which(passes)
}

# Vectors as queries ask for them ----------------------------------------

naive_vector <- function(store, query) {
    if (is.null(query$matrix)) {
        at <- naive_axis(store, query$axis)
        v <- naive_start(store, query$axis$axis, at, query$prop)
    } else {
        m <- naive_matrix(store, query$matrix)
        line <- if (query$to == ">|") "rows" else "columns"
        margin <- if (query$to == ">|") 1L else 2L
        if (dim(m$values$x)[[3L - margin]] == 0L && is.null(query$default)) {
            naive_stop("nothing to reduce")
        }
        positions <- array(seq_along(m$values$x), dim(m$values$x))
        sets <- lapply(seq_along(m[[line]]$names), function(k) {
            if (margin == 1L) positions[k, ] else positions[, k]
        })
        values <- naive_reduce_sets(m$values, sets, query$red, query$default)
        v <- c(m[[line]], list(
            values = values,
            finals = rep(NA_character_, length(sets)), from = seq_along(sets)
        ))
    }
    for (step in query$tail) v <- naive_vector_step(store, v, step)
    v
}

# Answers -----------------------------------------------------------------

naive_answer <- function(store, query) {
    if (query$kind == "axis") {
        at <- naive_axis(store, query$axis)
        return(naive_entries(store, query$axis$axis)[at])
    }
    if (query$kind == "vector") {
        v <- naive_settle(naive_vector(store, query))
        return(stats::setNames(as.vector(v$values$x), v$names))
    }
    if (query$kind == "matrix") {
        m <- naive_matrix(store, query)
        dimnames(m$values$x) <- list(m$rows$names, m$columns$names)
        return(m$values$x)
    }
    values <- if (query$from$kind == "vector") {
        naive_settle(naive_vector(store, query$from))$values
    } else {
        naive_matrix(store, query$from)$values
    }
    values$x <- as.vector(values$x)
    all <- list(seq_along(values$x))
    values <- naive_reduce_sets(values, all, query$red, query$default)
    for (step in query$tail) {
        values <- if (step$op == "compare") {
            naive_compare(values, step$sign, step$value)
        } else {
            naive_eltwise(values, step$name, step$params)
        }
    }
    values$x
}
