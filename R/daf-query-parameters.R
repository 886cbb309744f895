# Operations of queries and their parameters. What an operation takes is a
# named list in the order of its arguments: the types that `type` may be, or
# one_number().

one_number <- function(expected, default, is_valid = function(x, given) TRUE) {
    list(expected = expected, default = default, is_valid = is_valid)
}

eps_number <- function() {
    one_number(
        "a number that is not negative", 0,
        function(x, given) x >= 0 && is.finite(x)
    )
}

eltwise <- function(name, arguments, takes, needed = character(),
                    call = rlang::caller_env()) {
    found <- piped(arguments, call)
    given <- match_parameters(name, found$arguments, takes, call)
    missing <- setdiff(needed, names(given))
    if (length(missing)) {
        abort_argument(missing[[1L]], "given", NULL, call)
    }
    operation <- operation_text(name, given, takes, call)
    continued(found$before, paste("%", operation))
}

reduction <- function(name, arguments, takes = list(), given = list(),
                      call = rlang::caller_env()) {
    found <- piped(arguments, call)
    matched <- match_parameters(name, found$arguments, takes, call)
    given[names(matched)] <- matched
    operation <- operation_text(name, given, takes, call)
    continued(found$before, paste(">>", operation), reduction = operation)
}

# The arguments by the names of the parameters that they are.
match_parameters <- function(name, arguments, takes, call) {
    arguments <- Filter(Negate(is.null), arguments)
    names <- names(arguments)
    if (is.null(names)) {
        names <- rep("", length(arguments))
    }
    unnamed <- which(names == "")
    free <- setdiff(names(takes), names)
    names[unnamed] <- free[seq_along(unnamed)]
    wrong <- names[!names %in% names(takes)]
    if (length(wrong)) {
        known <- paste0("`", names(takes), "`", collapse = ", ")
        axtile_abort("argument", paste0(
            "`", name, "()` has ",
            if (is.na(wrong[[1L]])) {
                "no further parameter"
            } else {
                paste0("no parameter `", wrong[[1L]], "`")
            },
            if (length(takes)) paste0("; it has ", known), "."
        ), call = call)
    }
    if (anyDuplicated(names)) {
        axtile_abort("argument", paste0(
            "The parameter `", names[[anyDuplicated(names)]], "` of `", name,
            "()` is given twice."
        ), call = call)
    }
    names(arguments) <- names
    arguments
}

# The operation and those of its parameters that differ from their defaults.
operation_text <- function(name, given, takes, call) {
    texts <- name
    for (parameter in names(takes)) {
        spec <- takes[[parameter]]
        if (is.character(spec)) {
            type <- check_type(
                given[[parameter]], spec,
                null = TRUE, arg = parameter, call = call
            )
            texts <- c(texts, if (!is.null(type)) c(parameter, type))
            next
        }
        default <- spec$default
        if (is.function(default)) {
            default <- default(given)
        }
        if (is.null(given[[parameter]])) {
            given[[parameter]] <- default
        }
        value <- check_number(given[[parameter]], spec, given, parameter, call)
        if (!identical(value, as.double(default))) {
            texts <- c(texts, parameter, escaped(number_text(value)))
        }
    }
    paste(texts, collapse = " ")
}

check_number <- function(x, spec, given, arg, call) {
    is_number <- is.numeric(x) && length(x) == 1L && !is.na(x)
    if (!is_number || !isTRUE(spec$is_valid(x, given))) {
        abort_argument(arg, spec$expected, x, call)
    }
    as.double(x)
}

# The name of an element type as it is written; lower case is understood.
check_type <- function(x, types, ..., null = FALSE, arg = "type",
                       call = rlang::caller_env()) {
    if (null && is.null(x)) {
        return(NULL)
    }
    check_string(x, arg = arg, call = call)
    found <- match(tolower(x), tolower(types))
    if (is.na(found)) {
        types <- paste(dQuote(types, FALSE), collapse = ", ")
        abort_argument(arg, paste("one of", types), x, call)
    }
    types[[found]]
}

# A reduction of a matrix to a row or column: `arguments` hold the reduction
# and, before it, the query so far.
reduced_to <- function(sign, arguments, call = rlang::caller_env()) {
    arguments <- Filter(Negate(is.null), arguments)
    is_reduction <- vapply(arguments, function(argument) {
        !is.null(attr(argument, "reduction")) || !is_query(argument)
    }, logical(1))
    if (sum(is_reduction) != 1L || length(arguments) > 2L) {
        abort_argument(
            "reduction", "one reduction such as `Sum()`", NULL, call
        )
    }
    operation <- arguments[[which(is_reduction)]]
    before <- arguments[!is_reduction]
    text <- attr(operation, "reduction")
    if (is.null(text)) {
        text <- escaped(check_string(operation, arg = "reduction", call = call))
    }
    continued(if (length(before)) before[[1L]], paste(sign, text))
}
