package dev.gossamer.gnn.historical;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What is decided after some batches that have fetched: whether embeddings are kept from then on,
/// and for how long. The same on all ranks.
///
/// @param life how many batches old embeddings may be; 0 if none is kept
/// @param warning why none is kept, with components in braces; empty if some are
public record LifeVerdict(int life, Optional<String> warning) {
  /// The most that batches may be off by, as a share of their rows. Graphs of which batches read a
  /// tenth of remote rows learn as well with embeddings of any age; where it is a third or two
  /// thirds, accuracy is lost before the error comes down to this (`docs/historical.md`).
  static final double MOST_ERROR = 0.1;

  /// {@return the life with which batches are off least, of those that push no more than is
  /// fetched; none if they are off by too much with all of them}
  ///
  /// @param costs of the lives to choose from
  /// @param drift how fast embeddings have moved
  /// @param fetched bytes that all ranks fetch per epoch
  public static LifeVerdict of(List<LifeCost> costs, EmbeddingDrift drift, double fetched) {
    Comparator<LifeCost> byError = Comparator.comparingDouble(cost -> cost.error(drift));
    Optional<LifeCost> cheap = costs.stream().filter(cost -> cost.pushed() <= fetched).min(byError);
    if (cheap.isPresent() && cheap.get().error(drift) <= MOST_ERROR) {
      return new LifeVerdict(cheap.get().life(), Optional.empty());
    }
    LifeCost best = costs.stream().min(byError).orElseThrow();
    String reason =
        best.error(drift) > MOST_ERROR
            ? String.format(
                Locale.ROOT,
                "%.0f %% of the rows of a batch would be missed, and embeddings move by %.1f %% of what they differ by per batch",
                100 * best.missed(),
                100 * drift.perBatch())
            : String.format(
                Locale.ROOT,
                "what lives long enough would be pushed in %.0f bytes per epoch, and fetching sends %.0f",
                best.pushed(),
                fetched);
    return new LifeVerdict(
        0,
        Optional.of(
            "{cacheLife}: no embeddings are kept, and batches fetch as without {historical}, until that changes: "
                + reason));
  }
}
