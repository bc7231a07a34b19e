package dev.gossamer.spark.ranks;

import java.io.Serial;
import java.io.Serializable;

/// How a command ended on one rank.
///
/// @param status 0, or one of those that no repetition mends
/// @param output of rank 0; empty of others
/// @param message what it said of a failure
public record Outcome(int status, String output, String message) implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  /// Status of a command whose input or settings are wrong.
  static final int BAD_INPUT = 2;

  /// Status of a training whose numbers ceased to be finite.
  static final int DIVERGED = 3;

  /// {@return whether the command has done what it should}
  public boolean isDone() {
    return status == 0;
  }
}
