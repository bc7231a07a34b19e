package dev.gossamer.nn.optimizer;

/// The learning rate of each epoch, or of each iteration where one counts those.
public sealed interface LearningRate {
  /// {@return the rate of an epoch}
  ///
  /// @param epoch 0-based
  double at(int epoch);

  /// The same rate always.
  ///
  /// @param rate learning rate, positive
  record Constant(double rate) implements LearningRate {
    /// Checks the rate.
    public Constant {
      requirePositive(rate);
    }

    @Override
    public double at(int epoch) {
      return rate;
    }
  }

  /// `rate * factor^floor(epoch / every)`.
  ///
  /// @param rate the first
  /// @param every epochs between two steps
  /// @param factor what a step multiplies the rate with
  record Step(double rate, int every, double factor) implements LearningRate {
    /// Checks the numbers.
    public Step {
      requirePositive(rate);
      if (every < 1 || !(factor > 0 && factor <= 1)) {
        throw new IllegalArgumentException(
            "step schedule: expected every >= 1 and 0 < factor <= 1, found every %d, factor %s"
                .formatted(every, factor));
      }
    }

    @Override
    public double at(int epoch) {
      return rate * Math.pow(factor, Math.floorDiv(epoch, every));
    }
  }

  /// `rate / 2 * (1 + cos(pi epoch / epochs))`: from the rate to almost 0 over the run.
  ///
  /// @param rate the first
  /// @param epochs of the run
  record Cosine(double rate, int epochs) implements LearningRate {
    /// Checks the numbers.
    public Cosine {
      requirePositive(rate);
      if (epochs < 1) {
        throw new IllegalArgumentException(
            "cosine schedule: expected epochs >= 1, found " + epochs);
      }
    }

    @Override
    public double at(int epoch) {
      return rate / 2 * (1 + Math.cos(Math.PI * Math.min(epoch, epochs) / epochs));
    }
  }

  /// `(epoch + 1) / warmup` of another rate in the first epochs, and then all of it: large steps in
  /// the directions of weights that have learned nothing yet do harm.
  ///
  /// @param warmup epochs, at least 1
  /// @param rate what is warmed up
  record Warmup(int warmup, LearningRate rate) implements LearningRate {
    /// Checks the number.
    public Warmup {
      if (warmup < 1) {
        throw new IllegalArgumentException("warm-up: expected at least 1 epoch, found " + warmup);
      }
    }

    @Override
    public double at(int epoch) {
      return rate.at(epoch) * Math.min(1, (epoch + 1.0) / warmup);
    }
  }

  /// From almost 0 in equal steps to the rate, then along a cosine to a floor, and on at the floor:
  /// in the first `warmup` epochs `rate (epoch + 1) / warmup`, then `floor + (rate - floor) / 2 *
  /// (1 + cos(pi (epoch - warmup) / (total - warmup)))`. Epochs may be iterations.
  ///
  /// @param rate the highest
  /// @param warmup epochs, 0 for none
  /// @param total epochs, more than those
  /// @param floor at least 0 and at most the rate
  record WarmupCosine(double rate, int warmup, int total, double floor) implements LearningRate {
    /// Checks the numbers.
    public WarmupCosine {
      requirePositive(rate);
      if (warmup < 0 || total <= warmup || !(floor >= 0 && floor <= rate)) {
        throw new IllegalArgumentException(
            ("warm-up schedule: expected 0 <= warmup < total and 0 <= floor <= %s,"
                    + " found %d, %d and %s")
                .formatted(rate, warmup, total, floor));
      }
    }

    @Override
    public double at(int epoch) {
      if (epoch < warmup) {
        return rate * (epoch + 1) / warmup;
      }
      double share = (double) (Math.min(epoch, total) - warmup) / (total - warmup);
      return floor + (rate - floor) / 2 * (1 + Math.cos(Math.PI * share));
    }
  }

  private static void requirePositive(double rate) {
    if (!(rate > 0 && rate < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "learning rate: expected a positive number, found " + rate);
    }
  }
}
