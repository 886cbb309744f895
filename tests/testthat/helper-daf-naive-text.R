# The text of a query that the naive evaluator takes.

naive_text <- function(query) {
    switch(query$kind,
        axis = axis_text(query$axis),
        vector = vector_text(query),
        matrix = matrix_text(query),
        scalar = paste(
            naive_text(query$from), red_text(">>", query),
            steps_text(query$tail)
        )
    )
}

value_text <- function(x) if (nzchar(x)) x else "''"

axis_text <- function(axis) {
    terms <- vapply(axis$terms, function(term) {
        paste(
            term$join, if (term$negated) "!", property_text(term$prop),
            steps_text(term$tail)
        )
    }, "")
    paste("@", axis$axis, paste(terms, collapse = " "), if (length(terms)) "]")
}

property_text <- function(prop) {
    slice <- prop$slice
    paste(
        prop$name, if (!is.null(prop$default)) paste("||", prop$default),
        if (!is.null(slice)) {
            switch(slice$how,
                entry = paste("@", slice$axis, "=", slice$entry),
                column = paste("@|", slice$entry),
                row = paste("@-", slice$entry)
            )
        }
    )
}

look_up_text <- function(prop) {
    paste(if (is.null(prop$slice)) ":" else "::", property_text(prop))
}

as_text <- function(as) if (!is.null(as)) paste("=@", as)

red_text <- function(sign, step) {
    paste(
        operation_of(sign, step$red$name, step$red$params),
        if (!is.null(step$default)) paste("||", step$default)
    )
}

operation_of <- function(sign, name, params) {
    paste(c(sign, name, rbind(names(params), unlist(params))), collapse = " ")
}

labels_text <- function(step) {
    paste(property_text(step$prop), steps_text(step$chains), as_text(step$as))
}

steps_text <- function(steps) {
    texts <- vapply(steps, function(step) {
        switch(step$op,
            compare = paste(step$sign, value_text(step$value)),
            eltwise = operation_of("%", step$name, step$params),
            chain = paste(
                as_text(step$as),
                if (!is.null(step$ifnot)) {
                    paste("??", if (!is.na(step$ifnot)) step$ifnot)
                },
                look_up_text(step$prop)
            ),
            group = paste("/", labels_text(step), red_text(">>", step)),
            rows = paste("-/", labels_text(step), red_text(">-", step)),
            columns = paste("|/", labels_text(step), red_text(">|", step))
        )
    }, "")
    paste(texts, collapse = " ")
}

vector_text <- function(query) {
    if (is.null(query$matrix)) {
        start <- paste(axis_text(query$axis), look_up_text(query$prop))
    } else {
        start <- paste(matrix_text(query$matrix), red_text(query$to, query))
    }
    paste(start, steps_text(query$tail))
}

matrix_text <- function(query) {
    if (!is.null(query$count)) {
        return(paste(
            vector_text(query$count), as_text(query$count_as), "*",
            labels_text(query)
        ))
    }
    paste(
        axis_text(query$rows), axis_text(query$columns), "::",
        property_text(query$prop), steps_text(query$tail)
    )
}
