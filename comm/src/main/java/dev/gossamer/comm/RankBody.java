package dev.gossamer.comm;

/// What a rank does.
@FunctionalInterface
public interface RankBody {
  /// Does what the rank is there for.
  ///
  /// @param world all ranks, this one among them; valid until the method returns
  /// @throws Exception any failure: it ends all ranks
  void run(Communicator world) throws Exception;
}
