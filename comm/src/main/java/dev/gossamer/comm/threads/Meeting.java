package dev.gossamer.comm.threads;

import dev.gossamer.comm.CommunicationException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// One collective of one group: ranks arrive with their arguments, and move the data together.
abstract class Meeting implements PendingOperation {
  final RankGroup group;
  private final BitSet admitted = new BitSet();
  private @Nullable Signature signature;
  private int first;
  private long sequence;

  Meeting(RankGroup group) {
    this.group = group;
  }

  /// Takes a rank in; called under the group's lock.
  final void admit(long number, Signature wanted, int rank) {
    if (signature == null) {
      signature = wanted;
      first = rank;
      sequence = number;
    } else if (!signature.equals(wanted)) {
      throw new CommunicationException(
          "ranks disagree in their collective number %d: %s called %s but %s called %s"
              .formatted(number, group.name(rank), wanted, group.name(first), signature));
    }
    admitted.set(rank);
  }

  /// Called under the group's lock.
  final boolean hasAll() {
    return admitted.cardinality() == group.size();
  }

  @Override
  public final String describe() {
    return "%s (collective number %d)".formatted(signature, sequence);
  }
}
