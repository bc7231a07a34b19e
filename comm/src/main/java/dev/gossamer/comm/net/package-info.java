/// Ranks that are processes connected by sockets, started by something that is not an MPI launcher:
/// a barrier stage of Spark, a test.
///
/// Imports `dev.gossamer.comm`. The public classes are [dev.gossamer.comm.net.NetRanks],
/// [dev.gossamer.comm.net.NetOptions] and [dev.gossamer.comm.net.Gathering]. To read the
/// implementation, start with `NetWorld` (who moves bytes when), then `Connection` (what is said
/// between two ranks); `Wire` and `Admission` are what differs when that is encrypted.
@NullMarked
package dev.gossamer.comm.net;

import org.jspecify.annotations.NullMarked;
