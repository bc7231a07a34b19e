/// MPI through the foreign-function interface. The same classes support Open MPI and MPICH.
///
/// Imports `dev.gossamer.comm`. The public classes are [dev.gossamer.comm.mpi.MpiRanks] and
/// [dev.gossamer.comm.mpi.MpiOptions]. To read the implementation, start with `MpiSession`;
/// differences between the two libraries are in `MpiFlavour`, the calls are in `MpiCalls`.
@NullMarked
package dev.gossamer.comm.mpi;

import org.jspecify.annotations.NullMarked;
