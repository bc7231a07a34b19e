/// Memory by address, for the innermost loops.
///
/// Whoever goes by addresses has checked them before: nothing else does, and a wrong one ends the
/// virtual machine or spoils somebody's data. So only kernels and the partitioners' level graphs
/// see this package. Imports nothing of Gossamer; start with [dev.gossamer.matrix.memory.Memory],
/// which is all there is.
@NullMarked
package dev.gossamer.matrix.memory;

import org.jspecify.annotations.NullMarked;
