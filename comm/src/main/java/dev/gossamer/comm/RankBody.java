package dev.gossamer.comm;

/// The code that a rank runs.
@FunctionalInterface
public interface RankBody {
  /// Runs the rank.
  ///
  /// @param world all ranks, including this one; valid until the method returns
  /// @throws Exception any failure: it ends all ranks
  void run(Communicator world) throws Exception;
}
