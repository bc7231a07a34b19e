package dev.gossamer.nn.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// Which elements of a model's parameters survive pruning.
///
/// Only matrices may be pruned: a parameter of one row survives whole. Takes a bit for each element
/// of a matrix, on the Java heap; what a mask has been made into a [CompressedState] needs it no
/// more. Not to be changed, nor are the bit sets given to it.
public final class Mask {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final ParameterLayout layout;
  private final Map<String, BitSet> kept;

  /// Says what survives.
  ///
  /// @param layout of all parameters
  /// @param kept survivors of matrices, counted in the flattened parameter; a matrix that is not
  ///   among them survives whole
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

  /// {@return the mask with which everything survives}
  ///
  /// @param layout all parameters of the model
  public static Mask whole(ParameterLayout layout) {
    return new Mask(layout, Map.of());
  }

  /// {@return whether pruning may touch a parameter}
  ///
  /// @param entry a parameter
  public static boolean prunable(ParameterLayout.Entry entry) {
    return entry.rows() > 1;
  }

  /// {@return what is kept of each parameter if this number of its elements survives: a parameter
  /// that survives whole in its own shape, another as one row}
  ///
  /// @param layout all parameters of the model
  /// @param survivors how many elements of a parameter survive
  public static ParameterLayout kept(
      ParameterLayout layout, ToLongFunction<ParameterLayout.Entry> survivors) {
    ParameterLayout.Builder builder = ParameterLayout.builder();
    for (ParameterLayout.Entry entry : layout.entries()) {
      long count = survivors.applyAsLong(entry);
      if (count == entry.count()) {
        builder.add(entry.name(), entry.rows(), entry.cols(), entry.decays());
      } else {
        builder.add(entry.name(), 1, Math.toIntExact(count), entry.decays());
      }
    }
    return builder.build();
  }

  /// Whether anything of a parameter is pruned, by what is [#kept].
  static boolean prunes(ParameterLayout.Entry entry, ParameterLayout kept) {
    return kept.entry(entry.name()).count() < entry.count();
  }

  /// {@return all parameters}
  public ParameterLayout layout() {
    return layout;
  }

  /// {@return whether anything of a parameter is pruned}
  ///
  /// @param name of the parameter
  public boolean prunes(String name) {
    return kept.containsKey(name);
  }

  /// {@return whether an element survives, counted in the flattened parameter}
  ///
  /// @param name of the parameter
  /// @param element 0-based, in the flattened parameter
  public boolean keeps(String name, int element) {
    BitSet bits = kept.get(name);
    return bits == null || bits.get(element);
  }

  /// {@return the survivors of a parameter, counted in the flattened parameter; a copy}
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

  /// {@return how many elements of a parameter survive}
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

  /// {@return how many elements of all parameters survive}
  public long count() {
    return layout.entries().stream().mapToLong(this::count).sum();
  }

  /// {@return share of all elements, of vectors too, that is pruned}
  public double sparsity() {
    return 1 - (double) count() / (double) layout.count();
  }

  /// {@return what a state with this mask keeps}
  public ParameterLayout kept() {
    return kept(layout, this::count);
  }

  /// {@return on how many elements two masks differ}
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

  /// {@return how many elements of all matrices survive}
  public long survivorsOfMatrices() {
    return layout.where(Mask::prunable).entries().stream().mapToLong(this::count).sum();
  }

  /// {@return the fraction of their surviving elements in which two masks differ: 0 if they are
  /// equal, 1 if nothing survives in both, for any sparsity} `|A xor B| / (|A| + |B|)` over all
  /// matrices.
  ///
  /// @param other of the same layout
  public double distance(Mask other) {
    long survivors = survivorsOfMatrices() + other.survivorsOfMatrices();
    return (double) differences(other) / (double) Math.max(1, survivors);
  }

  /// Refuses to bring back what a state has not kept.
  ///
  /// @throws IllegalArgumentException if the state is of another layout, or a survivor of this mask
  ///   is none there
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

  /// {@return whether every survivor of this mask is one of another's}
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

  /// Returns the mask for some of the parameters, for example those of a pipeline stage.
  ///
  /// @param part parameters of [#layout], in shapes as there
  /// @return a mask of `part`
  /// @throws IllegalArgumentException if one is not there
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

  /// Sets what is pruned to zero.
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
