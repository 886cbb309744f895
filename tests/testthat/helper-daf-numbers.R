# Numbers as doubles, those of bit64's class, too, whether or not it is there.
as_number <- function(x) {
    if (!inherits(x, "integer64")) {
        return(as.double(x))
    }
    bits <- writeBin(as.double(unclass(x)), raw(), endian = "little")
    halves <- matrix(readBin(bits, "integer", 2L * length(x)), 2L)
    # The lower half has no sign.
    halves[2L, ] * 2^32 + halves[1L, ] %% 2^32
}
