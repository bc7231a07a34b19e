package dev.gossamer.comm;

/// What the elements of a reduced segment are, in the byte order of the machine.
public enum Element {
  FLOAT(Float.BYTES),
  DOUBLE(Double.BYTES),
  LONG(Long.BYTES);

  private final int bytes;

  Element(int bytes) {
    this.bytes = bytes;
  }

  /// Bytes of one element.
  public int bytes() {
    return bytes;
  }
}
