//! Readers of the layouts in which people keep counts.
