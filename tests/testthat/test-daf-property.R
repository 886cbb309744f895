# What the store answers and what the naive evaluator does. Where one refuses,
# the other must, too.

plain <- function(x) {
    if (methods::is(x, "Matrix")) {
        x <- as.matrix(x)
    }
    if (is.array(x)) {
        names <- dimnames(x)
        x <- matrix(plain_part(x), nrow(x), ncol(x))
        dimnames(x) <- lapply(names, as.character)
        return(x)
    }
    names <- names(x)
    stats::setNames(plain_part(x), if (length(x)) names)
}

plain_part <- function(x) {
    if (is.character(x)) as.vector(x) else as_number(x)
}

test_that("random queries of random stores are answered as by the book", {
    n_queries <- 800L
    n_answered <- 0L
    seed <- as.integer(Sys.getenv("AXTILE_SEED", "20261201"))
    withr::local_seed(seed)
    for (round in seq_len(n_queries)) {
        if (round %% 8L == 1L) {
            store <- random_store()
            daf <- as_daf(store, if (chance(0.5)) {
                memory_daf("random")
            } else {
                files_daf(withr::local_tempfile(), mode = "w")
            })
        }
        query <- random_query(store)
        text <- naive_text(query)
        wanted <- tryCatch(
            naive_answer(store, query),
            naive_error = function(e) e
        )
        found <- tryCatch(daf[text], axtile_error = function(e) e)
        label <- paste0("round ", round, ": ", text)
        if (inherits(wanted, "naive_error")) {
            expect_s3_class(found, "axtile_error")
            if (!inherits(found, "axtile_error")) {
                fail(paste0(label, ": refused as ", conditionMessage(wanted)))
            }
            next
        }
        if (inherits(found, "axtile_error")) {
            fail(paste0(label, ": ", conditionMessage(found)))
            next
        }
        n_answered <- n_answered + 1L
        expect_equal(
            plain(found), plain(wanted),
            tolerance = 2e-6, label = label, expected.label = "the naive answer"
        )
        # The same query asked in its canonical way is the same.
        again <- daf[canonical_query(text)]
        expect_identical(again, found, label = label)
    }
    # Most random queries must mean something for the test to say anything.
    expect_gt(n_answered, n_queries / 2)
})
