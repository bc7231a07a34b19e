/// Files: input with checks, the `.npy` format of an array, checksums, and atomic output.
///
/// Imports only the errors of [dev.gossamer.base]. Start with [dev.gossamer.base.io.AtomicOutput]
/// and [dev.gossamer.base.io.NpyFile].
@NullMarked
package dev.gossamer.base.io;

import org.jspecify.annotations.NullMarked;
