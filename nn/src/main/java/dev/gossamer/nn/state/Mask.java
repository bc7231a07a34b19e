package dev.gossamer.nn.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// The elements of a model's parameters that survive pruning.
///
/// Only matrices may be pruned: a parameter of one row survives as a whole. Memory: one bit per
/// element of a matrix, on the Java heap; a [CompressedState] does not keep its mask. Immutable;
/// bit sets passed to it must not be changed.
public final class Mask {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final ParameterLayout layout;
  private final Map<String, BitSet> kept;

  /// Creates a mask.
  ///
  /// @param layout of all parameters
  /// @param kept survivors of matrices, by position in the flattened parameter; other matrices
  ///   survive as a whole
  /// @throws IllegalArgumentException if there is no such matrix, or it has fewer elements
  public Mask(ParameterLayout layout, Map<String, BitSet> kept) {
    this.layout = layout;
    this.kept = new HashMap<>();
    kept.forEach((name, bits) -> {
      ParameterLayout.Entry entry = layout.entry(name);
      if (!prunable(entry) || bits.length() > entry.count()) {
        throw new IllegalArgumentException(
            "mask: %s: expected survivors of a matrix, found %d x %d with a survivor at %d"
                .formatted(name, entry.rows(), entry.cols(), bits.length() - 1));
      }
      if (bits.cardinality() < entry.count()) {
        this.kept.put(name, bits);
      }
    });
  }

  /// {@return the mask of an unpruned model}
  ///
  /// @param layout all parameters of the model
  public static Mask whole(ParameterLayout layout) {
    return new Mask(layout, Map.of());
  }

  /// {@return whether a parameter may be pruned}
  ///
  /// @param entry a parameter
  public static boolean prunable(ParameterLayout.Entry entry) {
    return entry.rows() > 1;
  }

  /// {@return the layout of the survivors, given their number: an unpruned parameter in its own
  /// shape, a pruned one as one row}
  ///
  /// @param layout all parameters of the model
  /// @param survivors returns the number of survivors of a parameter
  public static ParameterLayout kept(
      ParameterLayout layout, ToLongFunction<ParameterLayout.Entry> survivors) {
    ParameterLayout.Builder builder = ParameterLayout.builder();
    for (ParameterLayout.Entry entry : layout.entries()) {
      long count = survivors.applyAsLong(entry);
      if (count == entry.count()) {
        builder.add(entry.name(), entry.rows(), entry.cols(), entry.decay());
      } else {
        builder.add(entry.name(), 1, Math.toIntExact(count), entry.decay());
      }
    }
    return builder.build();
  }

  /// Returns whether a parameter is pruned, from its entry in [#kept].
  static boolean prunes(ParameterLayout.Entry entry, ParameterLayout kept) {
    return kept.entry(entry.name()).count() < entry.count();
  }

  /// {@return all parameters}
  public ParameterLayout layout() {
    return layout;
  }

  /// {@return whether any element of a parameter is pruned}
  ///
  /// @param name of the parameter
  public boolean prunes(String name) {
    return kept.containsKey(name);
  }

  /// {@return whether an element survives}
  ///
  /// @param name of the parameter
  /// @param element 0-based, in the flattened parameter
  public boolean keeps(String name, int element) {
    BitSet bits = kept.get(name);
    return bits == null || bits.get(element);
  }

  /// {@return a copy of the survivors of a parameter, by position in the flattened parameter}
  ///
  /// @param name of the parameter
  /// @throws IllegalArgumentException if there is no such parameter
  public BitSet survivors(String name) {
    BitSet bits = kept.get(name);
    if (bits != null) {
      return (BitSet) bits.clone();
    }
    BitSet all = new BitSet();
    all.set(0, Math.toIntExact(layout.entry(name).count()));
    return all;
  }

  /// {@return the number of survivors of a parameter}
  ///
  /// @param name of the parameter
  /// @throws IllegalArgumentException if there is no such parameter
  public long count(String name) {
    return count(layout.entry(name));
  }

  private long count(ParameterLayout.Entry entry) {
    BitSet bits = kept.get(entry.name());
    return bits == null ? entry.count() : bits.cardinality();
  }

  /// {@return the number of survivors of all parameters}
  public long count() {
    return layout.entries().stream().mapToLong(this::count).sum();
  }

  /// {@return the fraction of all elements, including vectors, that is pruned}
  public double sparsity() {
    return 1 - (double) count() / (double) layout.count();
  }

  /// {@return the layout of the elements that a state with this mask keeps}
  public ParameterLayout kept() {
    return kept(layout, this::count);
  }

  /// {@return the number of elements on which two masks differ}
  ///
  /// @param other of the same layout
  public long differences(Mask other) {
    long sum = 0;
    for (ParameterLayout.Entry entry : layout.entries()) {
      if (prunes(entry.name()) || other.prunes(entry.name())) {
        BitSet bits = survivors(entry.name());
        bits.xor(other.bits(entry));
        sum += bits.cardinality();
      }
    }
    return sum;
  }

  private BitSet bits(ParameterLayout.Entry entry) {
    BitSet bits = kept.get(entry.name());
    return bits == null ? survivors(entry.name()) : bits;
  }

  /// {@return the number of survivors of all matrices}
  public long survivorsOfMatrices() {
    return layout.where(Mask::prunable).entries().stream().mapToLong(this::count).sum();
  }

  /// {@return the fraction of their survivors in which two masks differ: 0 if they are equal, 1 if
  /// no element survives in both, for any sparsity} `|A xor B| / (|A| + |B|)` over all matrices.
  ///
  /// @param other of the same layout
  public double distance(Mask other) {
    long survivors = survivorsOfMatrices() + other.survivorsOfMatrices();
    return (double) differences(other) / (double) Math.max(1, survivors);
  }

  /// Checks that a state keeps all survivors.
  ///
  /// @throws IllegalArgumentException if the state has another layout, or a survivor of this mask
  ///   is pruned there
  void requireWithin(ModelState from) {
    if (!from.layout().equals(layout)) {
      throw new IllegalArgumentException("pruning: the mask is for other parameters");
    }
    Mask before = from.mask();
    for (ParameterLayout.Entry entry : layout.entries()) {
      if (before.prunes(entry.name())) {
        BitSet back = survivors(entry.name());
        back.andNot(before.survivors(entry.name()));
        if (!back.isEmpty()) {
          throw new IllegalArgumentException(
              "pruning: %s: expected survivors that were survivors before, found element %d"
                  .formatted(entry.name(), back.nextSetBit(0)));
        }
      }
    }
  }

  /// {@return whether every survivor of this mask survives in another}
  ///
  /// @param other of the same layout
  public boolean within(Mask other) {
    for (ParameterLayout.Entry entry : layout.entries()) {
      BitSet theirs = other.kept.get(entry.name());
      if (theirs != null) {
        BitSet left = survivors(entry.name());
        left.andNot(theirs);
        if (!left.isEmpty()) {
          return false;
        }
      }
    }
    return true;
  }

  /// Returns the mask of a subset of the parameters, for example those of a pipeline stage.
  ///
  /// @param part parameters of [#layout], with the same shapes
  /// @return a mask of `part`
  /// @throws IllegalArgumentException if a parameter is not in [#layout]
  public Mask part(ParameterLayout part) {
    Map<String, BitSet> chosen = new HashMap<>();
    for (ParameterLayout.Entry entry : part.entries()) {
      ParameterLayout.Entry whole = layout.entry(entry.name());
      if (whole.rows() != entry.rows() || whole.cols() != entry.cols()) {
        throw new IllegalArgumentException(
            "mask: %s: expected %d x %d, found %d x %d"
                .formatted(entry.name(), whole.rows(), whole.cols(), entry.rows(), entry.cols()));
      }
      BitSet bits = kept.get(entry.name());
      if (bits != null) {
        chosen.put(entry.name(), bits);
      }
    }
    return new Mask(part, chosen);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Mask mask && layout.equals(mask.layout) && kept.equals(mask.kept);
  }

  @Override
  public int hashCode() {
    return Objects.hash(layout, kept);
  }

  /// Sets pruned elements to zero.
  ///
  /// @param flat `float32[layout().count()]`, laid out as [#layout]
  public void apply(MemorySegment flat) {
    for (ParameterLayout.Entry entry : layout.entries()) {
      BitSet bits = kept.get(entry.name());
      if (bits != null) {
        int i = bits.nextClearBit(0);
        for (; i < entry.count(); i = bits.nextClearBit(i + 1)) {
          flat.setAtIndex(FLOAT, entry.offset() + i, 0f);
        }
      }
    }
  }
}
