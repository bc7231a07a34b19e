/// MPI through the foreign-function interface: Open MPI and MPICH from the same classes.
///
/// Imports `dev.gossamer.comm`. From outside, [dev.gossamer.comm.mpi.MpiRanks] and
/// [dev.gossamer.comm.mpi.MpiOptions] are all there is. Inside start with `MpiSession`; what
/// differs between the two libraries is in `MpiFlavour`, the calls are in `MpiCalls`.
@NullMarked
package dev.gossamer.comm.mpi;

import org.jspecify.annotations.NullMarked;
