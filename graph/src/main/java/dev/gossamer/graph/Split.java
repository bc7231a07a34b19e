package dev.gossamer.graph;

/// The part of the data to which a labelled vertex belongs.
public enum Split {
  /// No part: unlabelled or left out.
  NONE(0),
  /// Used for training.
  TRAIN(1),
  /// Used to select the best weights and for early stopping.
  VALIDATION(2),
  /// Used for the final score.
  TEST(3);

  private final byte code;

  Split(int code) {
    this.code = (byte) code;
  }

  /// {@return the code stored on disk and in [GraphData#split]}
  public byte code() {
    return code;
  }
}
