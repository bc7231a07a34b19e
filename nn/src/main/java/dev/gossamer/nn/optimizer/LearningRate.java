package dev.gossamer.nn.optimizer;

/// The learning rate of each epoch or iteration.
public sealed interface LearningRate {
  /// {@return the rate of an epoch}
  ///
  /// @param epoch 0-based
  double at(int epoch);

  /// A constant rate.
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
  /// @param rate initial rate
  /// @param every epochs between two steps
  /// @param factor of the rate in each step
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

  /// `rate / 2 * (1 + cos(pi epoch / epochs))`: decreases from the rate to almost 0 over the run.
  ///
  /// @param rate initial rate
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

  /// Multiplies another rate by `(epoch + 1) / warmup` in the first epochs, to avoid large steps
  /// with untrained weights.
  ///
  /// @param warmup number of epochs, at least 1
  /// @param rate the rate to warm up
  record Warmup(int warmup, LearningRate rate) implements LearningRate {
    /// Checks the numbers.
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

  /// Increases linearly from almost 0 to the rate, then decreases along a cosine to a minimum, and
  /// stays there: in the first `warmup` epochs `rate (epoch + 1) / warmup`, then `floor + (rate -
  /// floor) / 2 * (1 + cos(pi (epoch - warmup) / (total - warmup)))`. Epochs may be iterations.
  ///
  /// @param rate maximum rate
  /// @param warmup number of epochs, 0 for none
  /// @param total number of epochs, more than `warmup`
  /// @param floor minimum rate, at least 0 and at most `rate`
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
