package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.run.LaunchSettings;
import dev.gossamer.run.RankLaunch;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How many ranks work together, which vertices they own and how they exchange rows. Start with
/// [#DEFAULT] and change what differs.
///
/// Under a launcher such as `mpirun` the ranks are the processes that it has started; otherwise
/// they are threads of this process.
///
/// @param ranks how many, and how they are connected
/// @param strategy which rows are exchanged, and how
/// @param placement which rank has which vertex: a partitioner's name, `block`, `random` or a part
///   file; null for the usual
public record RankSettings(
    LaunchSettings ranks, ExchangeStrategy strategy, @Nullable String placement) {
  /// The partitioner that minimises the total volume and the largest volume that a rank sends or
  /// receives.
  public static final String USUAL_PLACEMENT = "gvb";

  /// One rank.
  public static final RankSettings DEFAULT =
      new RankSettings(
          LaunchSettings.DEFAULT,
          new ExchangeStrategy(ExchangeStrategy.Kind.SPARSITY_AWARE, 1, true),
          null);

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the replication and its square do not divide the number of
  ///   ranks
  public RankSettings {
    int size = ranks.launch().ranks();
    if (!strategy.validFor(size)) {
      throw new InvalidSettingException(
          "{replication}: expected C with C and C*C dividing %d ranks, found %d"
              .formatted(size, strategy.replication()));
    }
  }

  /// Returns a copy with another number of ranks that are threads.
  ///
  /// @param count at least 1
  /// @return the changed copy
  public RankSettings withCount(int count) {
    return new RankSettings(ranks.withCount(count), strategy, placement);
  }

  /// Returns a copy with another strategy.
  ///
  /// @param other which rows are exchanged, and how
  /// @return the changed copy
  public RankSettings withStrategy(ExchangeStrategy other) {
    return new RankSettings(ranks, other, placement);
  }

  /// Returns a copy with another placement.
  ///
  /// @param where a partitioner's name, `block`, `random` or a part file
  /// @return the changed copy
  public RankSettings withPlacement(String where) {
    return new RankSettings(ranks, strategy, where);
  }

  /// Returns a copy with the usual placement.
  ///
  /// @return the changed copy
  public RankSettings withUsualPlacement() {
    return new RankSettings(ranks, strategy, null);
  }

  /// Returns a copy with an absolute path, if the placement is that of a part file.
  RankSettings absolute() {
    return placement != null && Placed.isPartFile(placement)
        ? withPlacement(Path.of(placement).toAbsolutePath().normalize().toString())
        : this;
  }

  /// The ranks themselves.
  RankLaunch launch() {
    return ranks.launch();
  }

  /// Returns the number of ranks of the run.
  int size() {
    return launch().ranks();
  }

  /// Blocks of vertices.
  int blocks() {
    return size() / strategy.replication();
  }
}
