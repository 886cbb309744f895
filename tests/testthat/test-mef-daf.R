test_that("channels and segments are axes with their metadata", {
    path <- temp_mef()
    x <- small_eeg()
    w <- write_mef(x, path, precision = 3, subject = list(subject_id = "S1"))
    append_mef(w, x, start = mef_t0 + 1e7, new_segment = TRUE)
    close(w)
    s <- open_mef(path)
    m <- mef_daf(s)
    expect_true(is_daf(m))
    expect_identical(axis_entries(m, "channel"), c("E1", "E2"))
    expect_identical(axis_entries(m, "segment"), c(
        "E1-000000", "E1-000001", "E2-000000", "E2-000001"
    ))
    expect_identical(get_scalar(m, "session"), s$name)
    expect_identical(get_scalar(m, "end_uutc"), mef_t0 + 2e7)
    infos <- mef_channels(s)
    for (column in setdiff(names(infos), c("name", "start", "end"))) {
        got <- unname(get_vector(m, "channel", column))
        expect_identical(got, infos[[column]], info = column)
    }
    segments <- mef_segments(s)
    for (column in setdiff(names(segments), c("segment", "start", "end"))) {
        got <- unname(get_vector(m, "segment", column))
        missing <- is.na(segments[[column]])
        expect_identical(got[!missing], segments[[column]][!missing])
        expect_true(all(is.nan(got[missing])), info = column)
    }
    n_samples <- m["@ segment : n_samples / channel >> Sum"]
    expect_equal(as.vector(n_samples), c(4000, 4000))
    expect_identical(daf_name(mef_daf(s, "mine")), "mine")
    expect_axtile_error(mef_daf(path), "argument", "open_mef")
    expect_axtile_error(mef_daf(s, 5), "argument", "name")
})
