/// Communication between ranks: collectives, point-to-point messages, and counters of the bytes
/// sent.
///
/// Imports nothing of Gossamer except the exception for bad input and the timeline. Start with
/// [dev.gossamer.comm.Communicator]; [dev.gossamer.comm.threads.ThreadRanks] runs ranks as threads
/// of this process, [dev.gossamer.comm.mpi.MpiRanks] joins ranks that an MPI launcher started,
/// [dev.gossamer.comm.net.NetRanks] those that any other program started.
@NullMarked
package dev.gossamer.comm;

import org.jspecify.annotations.NullMarked;
