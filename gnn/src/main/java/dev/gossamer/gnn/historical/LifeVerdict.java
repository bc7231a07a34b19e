package dev.gossamer.gnn.historical;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The decision, after some fetching batches, whether embeddings are cached, and for how long. The
/// same on all ranks.
///
/// @param life maximum age of embeddings in batches; 0 if none is cached
/// @param warning why none is cached, with components in braces; empty otherwise
public record LifeVerdict(int life, Optional<String> warning) {
  /// Maximum error of batches as a share of their rows. If batches read a tenth of remote rows,
  /// embeddings of any age give the same accuracy; if they read a third or two thirds, accuracy
  /// suffers while the error is above this (`docs/historical.md`).
  static final double MOST_ERROR = 0.1;

  /// {@return the life with the smallest error, of those that push no more than is fetched; none if
  /// all errors are too large}
  ///
  /// @param costs of the lives to choose from
  /// @param drift how fast embeddings change
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
                "%.0f %% of the rows of a batch would be missed, and per batch embeddings move by %.1f %% of the differences between them",
                100 * best.missed(),
                100 * drift.perBatch())
            : String.format(
                Locale.ROOT,
                "embeddings that live long enough would take %.0f bytes per epoch, and fetching takes %.0f",
                best.pushed(),
                fetched);
    return new LifeVerdict(
        0,
        Optional.of(
            "{cacheLife}: batches fetch, as without {historical}, until keeping embeddings pays off: "
                + reason));
  }
}
