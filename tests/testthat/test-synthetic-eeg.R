test_that("made-up recordings are reproducible and leave the seed alone", {
    set.seed(9)
    before <- .Random.seed
    x <- synthetic_eeg(3, 4, 100, seed = 5)
    expect_identical(.Random.seed, before)
    expect_identical(synthetic_eeg(3, 4, 100, seed = 5), x)
    expect_false(identical(synthetic_eeg(3, 4, 100, seed = 6), x))
    expect_identical(dim(x), c(400L, 3L))
    expect_identical(colnames(x), c("E1", "E2", "E3"))
    expect_true(all(is.finite(x)))
    expect_identical(attr(x, "sampling_rate"), 100)
    # The last channel has the strongest rhythm.
    power <- function(channel) {
        spectrum <- stats::spec.pgram(
            synthetic_eeg(4, 60, 100)[, channel], plot = FALSE, taper = 0
        )
        in_band <- abs(spectrum$freq * 100 - 10) < 1
        mean(spectrum$spec[in_band])
    }
    expect_gt(power(4), 4 * power(1))
    expect_identical(dim(synthetic_eeg(1, 0.001, 10)), c(1L, 1L))
})

test_that("sizes are checked", {
    expect_axtile_error(synthetic_eeg(0), "argument", "n_channels")
    expect_axtile_error(synthetic_eeg(1, 0), "argument", "seconds")
    expect_axtile_error(synthetic_eeg(1, 1, NA), "argument", "sampling_rate")
    expect_axtile_error(synthetic_eeg(1, 1, seed = -1), "argument", "seed")
})
