test_that("writers return the store and say what exists or is missing", {
    for (d in writable_dafs()) {
        expect_identical(withVisible(example_daf(d))$value, d)
        expect_invisible(set_scalar(d, "a", 1))
        expect_invisible(add_axis(d, "empty", character()))
        expect_identical(axis_length(d, "empty"), 0L)
        set_vector(d, "empty", "v", double())
        expect_identical(unname(get_vector(d, "empty", "v")), double())
        set_matrix(d, "empty", "gene", "m", matrix(0, 0, 2))
        expect_identical(dim(get_matrix(d, "gene", "empty", "m")), c(2L, 0L))
        expect_axtile_error(add_axis(d, "cell", "z"), "exists", "existing axis")
        expect_axtile_error(set_scalar(d, "a", 2), "exists")
        expect_axtile_error(set_vector(d, "cell", "age", 1:3), "exists")
        m <- matrix(1:6, 3)
        expect_axtile_error(set_matrix(d, "cell", "gene", "UMIs", m), "exists")
        expect_axtile_error(
            set_matrix(d, "gene", "cell", "UMIs", t(m)), "exists"
        )
        set_matrix(d, "gene", "cell", "UMIs", t(m) + 1L, overwrite = TRUE)
        expect_identical(unname(get_matrix(d, "cell", "gene", "UMIs")), m + 1L)
        expect_axtile_error(set_vector(d, "nope", "v", 1), "range")
        expect_axtile_error(
            set_vector(d, "cell", "v", 1:4), "argument", "length"
        )
        for (name in c("name", "index")) {
            expect_axtile_error(
                set_vector(d, "cell", name, 1:3), "argument", "reserved"
            )
            expect_axtile_error(
                delete_vector(d, "cell", name), "argument", "reserved"
            )
        }
    }
})

test_that("names and entries are checked", {
    for (d in writable_dafs()) {
        for (name in c(" a", "a ", "a/b", "a\\b", "a:b", "a,b", "a\nb", "..")) {
            expect_axtile_error(add_axis(d, name, "x"), "argument", "name")
            expect_axtile_error(set_scalar(d, name, 1), "argument", "name")
        }
        for (name in list("", NA_character_, NULL, 1, c("a", "b"))) {
            expect_axtile_error(add_axis(d, name, "x"), "argument")
        }
        for (entries in list(c("a", "a"), c("a", ""), c("a", NA), 1:2, NULL)) {
            expect_axtile_error(add_axis(d, "x", entries), "argument")
        }
        expect_false(has_axis(d, "x"))
        add_axis(d, "x", factor(c("b", "a")))
        expect_identical(axis_vector(d, "x"), c("b", "a"))
        expect_axtile_error(set_vector(d, "x", "a", 1:2, NA), "argument")
    }
})

test_that("things are deleted", {
    for (d in writable_dafs()) {
        example_daf(d)
        expect_axtile_error(delete_scalar(d, "nope"), "range")
        expect_axtile_error(delete_vector(d, "cell", "nope"), "range")
        expect_axtile_error(delete_matrix(d, "cell", "gene", "nope"), "range")
        expect_axtile_error(delete_axis(d, "nope"), "range")
        expect_no_error(delete_scalar(d, "nope", must_exist = FALSE))
        expect_no_error(delete_vector(d, "cell", "nope", must_exist = FALSE))
        expect_no_error(
            delete_matrix(d, "cell", "gene", "nope", must_exist = FALSE)
        )
        expect_no_error(delete_axis(d, "nope", must_exist = FALSE))
        delete_scalar(d, "organism")
        expect_identical(scalars_set(d), character())
        delete_vector(d, "cell", "age")
        expect_identical(vectors_set(d, "cell"), "type")
        delete_axis(d, "cell")
        expect_identical(axes_set(d), "gene")
        expect_false(has_axis(d, "cell"))
        add_axis(d, "cell", c("A", "B"))
        expect_false(has_vector(d, "cell", "type"))
        expect_false(has_matrix(d, "cell", "gene", "UMIs"))
    }
})

test_that("orders are changed", {
    for (d in writable_dafs()[c("memory", "files")]) {
        example_daf(d)
        before <- get_matrix(d, "cell", "gene", "UMIs")
        expect_invisible(reorder_axes(d, cell = c(3, 1, 2), gene = 2:1))
        expect_identical(axis_vector(d, "cell"), c("C", "A", "B"))
        expect_identical(
            get_vector(d, "cell", "age"), c(C = 3L, A = 1L, B = 2L)
        )
        expect_identical(
            get_matrix(d, "cell", "gene", "UMIs"), before[c(3, 1, 2), 2:1]
        )
        expect_identical(
            get_matrix(d, "gene", "cell", "UMIs"), t(before[c(3, 1, 2), 2:1])
        )
        for (order in list(1:2, c(1, 1, 2), 2:4)) {
            expect_axtile_error(reorder_axes(d, cell = order), "argument")
        }
        for (order in list(c(1, 2, NA), c(0, 1, 2), "a", NULL, c(1.5, 2, 3))) {
            expect_axtile_error(reorder_axes(d, cell = order), "argument")
        }
        expect_axtile_error(reorder_axes(d, nope = 1), "range")
        expect_axtile_error(reorder_axes(d), "argument")
        expect_axtile_error(reorder_axes(d, 3:1), "argument")
        expect_no_error(reset_reorder_axes(d))
    }
    one <- example_daf()
    two <- example_daf()
    reorder_axes(list(one, two), cell = 3:1)
    expect_identical(axis_vector(two, "cell"), axis_vector(one, "cell"))
    reorder_axes(one, cell = 3:1)
    expect_axtile_error(
        reorder_axes(list(one, two), cell = 3:1), "argument", "different"
    )
})

test_that("a change of order that was interrupted is put right", {
    path <- withr::local_tempfile()
    d <- example_daf(files_daf(path, "w"))
    # As a crash in the middle leaves it: the old file is kept aside.
    backup <- file.path(path, ".reorder.backup", "axes")
    dir.create(backup, recursive = TRUE)
    axis <- file.path(path, "axes", "cell.txt")
    file.copy(axis, backup)
    unlink(axis)
    writeLines(c("C", "B", "A"), axis)
    expect_axtile_error(files_daf(path), "corrupt")
    expect_no_error(reset_reorder_axes(path))
    expect_identical(axis_vector(files_daf(path), "cell"), c("A", "B", "C"))
    expect_false(dir.exists(file.path(path, ".reorder.backup")))
    expect_axtile_error(reset_reorder_axes(tempfile()), "io")
})
