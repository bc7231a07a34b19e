package dev.gossamer.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Figures that are reduced over a team together:
///
/// ```java
/// Figures all = new Figures();
/// Figures.Figure edges = all.sum(counts.edges());
/// Figures.Figure slowest = all.largest(seconds);
/// all.reduce(team);
/// double perSecond = edges.value() / slowest.value();
/// ```
///
/// Any number of figures takes two messages. Every rank adds the same figures in the same order.
public final class Figures {
  private final Kind sums = new Kind();
  private final Kind largest = new Kind();

  /// Creates an empty collection.
  public Figures() {}

  /// A figure over all ranks.
  public interface Figure {
    /// {@return the figure}
    ///
    /// @throws IllegalStateException before [Figures#reduce]
    double value();
  }

  /// Figures that are reduced alike.
  private static final class Kind {
    final List<Double> mine = new ArrayList<>();
    double[] reduced = {};

    Figure add(double value) {
      int at = mine.size();
      mine.add(value);
      return () -> {
        if (at >= reduced.length) {
          throw new IllegalStateException("figures: not reduced yet");
        }
        return reduced[at];
      };
    }

    double[] values() {
      return mine.stream().mapToDouble(Double::doubleValue).toArray();
    }
  }

  /// Adds a figure that is summed over the ranks.
  ///
  /// @param mine the figure of this rank
  /// @return the sum
  public Figure sum(double mine) {
    return sums.add(mine);
  }

  /// Adds a count that is summed over the ranks.
  ///
  /// @param mine the count of this rank
  /// @return the sum, exact up to `2^53`
  public Figure sum(long mine) {
    return sums.add((double) mine);
  }

  /// Adds figures that are summed over the ranks elementwise.
  ///
  /// @param mine the figures of this rank, of equal number on all ranks
  /// @return the sums, in the same order
  public List<Figure> sums(double... mine) {
    return Arrays.stream(mine).mapToObj(this::sum).toList();
  }

  /// Adds a figure whose maximum over the ranks is computed.
  ///
  /// @param mine the figure of this rank
  /// @return the largest
  public Figure largest(double mine) {
    return largest.add(mine);
  }

  /// Adds a figure whose minimum over the ranks is computed.
  ///
  /// @param mine the figure of this rank
  /// @return the smallest
  public Figure smallest(double mine) {
    Figure negated = largest.add(-mine);
    return () -> -negated.value();
  }

  /// Reduces all figures that have been added. Collective.
  ///
  /// @param team the ranks
  public void reduce(Team team) {
    sums.reduced = team.sum(sums.values());
    largest.reduced = team.max(largest.values());
  }
}
