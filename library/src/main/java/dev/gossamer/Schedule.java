package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.optimizer.LearningRate;

/// How the learning rate changes over the epochs.
public sealed interface Schedule {
  /// Returns the rate of each epoch.
  ///
  /// @param rate the initial rate
  /// @param epochs of the run
  /// @return the rates
  LearningRate of(double rate, int epochs);

  /// Returns this schedule with a linear warm-up in the first epochs.
  ///
  /// @param epochs of the warm-up, at least 1
  /// @return the changed schedule
  /// @throws InvalidSettingException if the number is less than 1
  default Schedule warmedUp(int epochs) {
    return new Warmup(epochs, this);
  }

  /// A constant rate.
  record Constant() implements Schedule {
    @Override
    public LearningRate of(double rate, int epochs) {
      return new LearningRate.Constant(rate);
    }
  }

  /// Multiplies the rate by a factor at regular intervals.
  ///
  /// @param stepEvery epochs between two changes
  /// @param stepFactor in `(0, 1]`
  record Step(int stepEvery, double stepFactor) implements Schedule {
    /// Default number of epochs between two changes.
    public static final int DEFAULT_EVERY = 50;

    /// Default factor.
    public static final double DEFAULT_FACTOR = 0.5;

    /// Checks the components.
    ///
    /// @throws InvalidSettingException if there are no epochs in a step, or the factor is not in
    ///   `(0, 1]`
    public Step {
      InvalidSettingException.requireAtLeast("stepEvery", stepEvery, 1);
      if (!(stepFactor > 0 && stepFactor <= 1)) {
        throw new InvalidSettingException(
            "{stepFactor}: expected 0 < factor <= 1, found " + stepFactor);
      }
    }

    @Override
    public LearningRate of(double rate, int epochs) {
      return new LearningRate.Step(rate, stepEvery, stepFactor);
    }
  }

  /// Another schedule with a linear warm-up.
  ///
  /// @param warmup number of epochs: epoch `e`, counted from 0, has `(e + 1) / warmup` of its rate
  /// @param schedule the schedule that is warmed up
  record Warmup(int warmup, Schedule schedule) implements Schedule {
    /// Checks the number.
    ///
    /// @throws InvalidSettingException if the number is less than 1
    public Warmup {
      InvalidSettingException.requireAtLeast("warmup", warmup, 1);
    }

    @Override
    public LearningRate of(double rate, int epochs) {
      return new LearningRate.Warmup(warmup, schedule.of(rate, epochs));
    }
  }

  /// Lowers the rate along a cosine to almost 0 in the last epoch.
  record Cosine() implements Schedule {
    @Override
    public LearningRate of(double rate, int epochs) {
      return new LearningRate.Cosine(rate, epochs);
    }
  }
}
