/// Memory access by address, for the innermost loops.
///
/// Callers must check addresses before they use them: there is no other check, and a wrong address
/// crashes the virtual machine or corrupts other data. So only kernels and the partitioners' level
/// graphs use this package. Imports nothing of Gossamer; start with
/// [dev.gossamer.base.memory.Memory], the only class.
@NullMarked
package dev.gossamer.base.memory;

import org.jspecify.annotations.NullMarked;
