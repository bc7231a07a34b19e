/// Ranks as threads of this process: messages are copies between their buffers, and a simulated
/// network can delay them.
///
/// Imports `dev.gossamer.comm`. The public classes are [dev.gossamer.comm.threads.ThreadRanks] and
/// [dev.gossamer.comm.threads.ThreadOptions]. To read the implementation, start with
/// `ThreadCommunicator`; collectives are `Meeting`s of a `RankGroup`, messages wait in a `Mailbox`.
@NullMarked
package dev.gossamer.comm.threads;

import org.jspecify.annotations.NullMarked;
