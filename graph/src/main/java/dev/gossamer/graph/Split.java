package dev.gossamer.graph;

/// Which part of the data a labelled vertex belongs to. The ordinal is the code stored on disk.
public enum Split {
  NONE,
  TRAIN,
  VALIDATION,
  TEST;

  /// The code stored on disk and in [Dataset#split].
  public byte code() {
    return (byte) ordinal();
  }
}
