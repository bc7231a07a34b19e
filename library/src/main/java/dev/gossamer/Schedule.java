package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.optimizer.LearningRate;

/// How the learning rate changes over the epochs.
public sealed interface Schedule {
  /// The rate of each epoch.
  ///
  /// @param rate at the beginning
  /// @param epochs of the run
  /// @return the rates
  LearningRate of(double rate, int epochs);

  /// This schedule with rates that rise to their height in the first epochs.
  ///
  /// @param epochs of the rise, at least 1
  /// @return the changed schedule
  /// @throws InvalidSettingException if there are no epochs of a rise
  default Schedule warmedUp(int epochs) {
    return new Warmup(epochs, this);
  }

  /// The same rate always.
  record Constant() implements Schedule {
    @Override
    public LearningRate of(double rate, int epochs) {
      return new LearningRate.Constant(rate);
    }
  }

  /// The rate is multiplied by a factor at regular intervals.
  ///
  /// @param stepEvery epochs of a step
  /// @param stepFactor in `(0, 1]`
  record Step(int stepEvery, double stepFactor) implements Schedule {
    /// Epochs of a step.
    public static final int DEFAULT_EVERY = 50;

    /// What a step multiplies the rate with.
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

  /// Another schedule, whose rates rise to their height in the first epochs.
  ///
  /// @param warmup epochs of the rise: epoch `e`, from 0 on, has `(e + 1) / warmup` of its rate
  /// @param schedule what is warmed up
  record Warmup(int warmup, Schedule schedule) implements Schedule {
    /// Checks the number.
    ///
    /// @throws InvalidSettingException if there are no epochs of a rise
    public Warmup {
      InvalidSettingException.requireAtLeast("warmup", warmup, 1);
    }

    @Override
    public LearningRate of(double rate, int epochs) {
      return new LearningRate.Warmup(warmup, schedule.of(rate, epochs));
    }
  }

  /// Along a cosine to almost 0 at the last epoch.
  record Cosine() implements Schedule {
    @Override
    public LearningRate of(double rate, int epochs) {
      return new LearningRate.Cosine(rate, epochs);
    }
  }
}
