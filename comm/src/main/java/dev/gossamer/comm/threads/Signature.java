package dev.gossamer.comm.threads;

import dev.gossamer.comm.Operation;

/// What the ranks of a collective must agree on.
///
/// @param bytes of the segment or block, if equal on all ranks; else -1
/// @param detail root, element and the like, in words; empty if there is none
record Signature(Operation operation, long bytes, String detail) {
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(operation.label());
    if (bytes >= 0) {
      text.append(" of ").append(bytes).append(" bytes");
    }
    return detail.isEmpty() ? text.toString() : text.append(' ').append(detail).toString();
  }
}
