//! Integer codecs.
