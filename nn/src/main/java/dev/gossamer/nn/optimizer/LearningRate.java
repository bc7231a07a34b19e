package dev.gossamer.nn.optimizer;

/// The learning rate of each epoch.
public sealed interface LearningRate {
  /// The rate of an epoch.
  ///
  /// @param epoch 0-based
  double at(int epoch);

  /// The same rate always.
  record Constant(double rate) implements LearningRate {
    public Constant {
      requirePositive(rate);
    }

    @Override
    public double at(int epoch) {
      return rate;
    }
  }

  /// `rate * factor^floor(epoch / every)`.
  record Step(double rate, int every, double factor) implements LearningRate {
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
  record Cosine(double rate, int epochs) implements LearningRate {
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

  private static void requirePositive(double rate) {
    if (!(rate > 0 && rate < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "learning rate: expected a positive number, found " + rate);
    }
  }
}
