/// The arithmetic on matrices: sparse times dense, dense times dense, and what is fused with them.
///
/// Every kernel writes into memory of the caller, never allocates, and gives the same bits for any
/// number of threads. Imports nothing of Gossamer but `dev.gossamer.matrix`.
@NullMarked
package dev.gossamer.matrix.kernel;

import org.jspecify.annotations.NullMarked;
