/// MPI through the foreign-function interface: Open MPI and MPICH from the same classes.
///
/// Imports `dev.gossamer.comm`. Start with [dev.gossamer.comm.mpi.MpiSession]; what differs between
/// the two libraries is in [dev.gossamer.comm.mpi.MpiFlavour], the calls are in
/// [dev.gossamer.comm.mpi.MpiCalls].
@NullMarked
package dev.gossamer.comm.mpi;

import org.jspecify.annotations.NullMarked;
