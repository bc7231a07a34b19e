/// Ranks that work together: collectives, messages between two ranks, and a meter of what they
/// move.
///
/// Imports nothing of Gossamer but the exception for bad input and the timeline. Start with
/// [dev.gossamer.comm.Communicator]; [dev.gossamer.comm.ThreadRanks] makes ranks of the threads of
/// this process, [dev.gossamer.comm.mpi.MpiRanks] joins those that an MPI launcher started.
@NullMarked
package dev.gossamer.comm;

import org.jspecify.annotations.NullMarked;
