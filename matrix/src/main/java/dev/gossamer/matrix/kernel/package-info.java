/// The arithmetic on matrices: sparse times dense, dense times dense, sparse times sparse, and what
/// is fused with them.
///
/// Every kernel gives the same bits for any number of threads, writes into memory of the caller and
/// never allocates, but for [dev.gossamer.matrix.kernel.Spgemm], the size of whose result only the
/// product knows. Imports nothing of Gossamer but `dev.gossamer.matrix`.
@NullMarked
package dev.gossamer.matrix.kernel;

import org.jspecify.annotations.NullMarked;
