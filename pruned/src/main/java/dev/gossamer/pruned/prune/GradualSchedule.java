package dev.gossamer.pruned.prune;

/// Sparsity that rises during training, fast at first (M. Zhu and S. Gupta, *To prune, or not to
/// prune: exploring the efficacy of pruning for model compression*, 2017, equation 1): `s_t = s_f +
/// (s_i - s_f) (1 - (t - t_0) / (n dt))^3`.
///
/// @param initial sparsity at the first pruning
/// @param last final sparsity
/// @param begin step of the first pruning
/// @param prunings number of increases, `n`, at least 1
/// @param every iterations from one pruning to the next, `dt`, at least 1
public record GradualSchedule(double initial, double last, long begin, int prunings, long every) {
  /// Checks the components.
  public GradualSchedule {
    if (!(initial >= 0 && initial <= last && last < 1) || begin < 0 || prunings < 1 || every < 1) {
      throw new IllegalArgumentException(
          "gradual schedule: expected 0 <= initial <= last < 1, begin >= 0, prunings and every >= 1,"
              + " found %s, %s, %d, %d, %d".formatted(initial, last, begin, prunings, every));
    }
  }

  /// {@return whether the network is pruned in an iteration, to [#at]}
  ///
  /// @param step 0-based
  public boolean prunesAt(long step) {
    long since = step - begin;
    return since >= 0 && since % every == 0 && since / every <= prunings;
  }

  /// {@return the sparsity of an iteration: 0 before the first pruning}
  ///
  /// @param step 0-based
  public double at(long step) {
    if (step < begin) {
      return 0;
    }
    long done = Math.min(prunings, (step - begin) / every);
    double rest = 1 - (double) done / prunings;
    return last + (initial - last) * rest * rest * rest;
  }
}
