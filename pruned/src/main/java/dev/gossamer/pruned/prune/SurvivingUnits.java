package dev.gossamer.pruned.prune;

import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.prune.Structure.Axis;
import dev.gossamer.pruned.prune.Structure.Cut;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/// The surviving units of a network's structures, and so the surviving rows and columns of its
/// parameters. Independent of the division into stages. Immutable; bit sets passed to it must not
/// be changed.
public final class SurvivingUnits {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final List<Structure> structures;
  private final Map<String, BitSet> units;

  /// Creates the survivors of structures.
  ///
  /// @param structures of the network, all of them or some
  /// @param units survivors by the name of the structure; structures that are not listed survive as
  ///   a whole
  /// @throws IllegalArgumentException if a structure has fewer units, or none survives
  public SurvivingUnits(List<Structure> structures, Map<String, BitSet> units) {
    this.structures = List.copyOf(structures);
    this.units = new HashMap<>();
    for (Structure each : structures) {
      BitSet survivors = units.get(each.name());
      if (survivors == null) {
        survivors = new BitSet();
        survivors.set(0, each.units());
      } else if (survivors.isEmpty() || survivors.length() > each.units()) {
        throw new IllegalArgumentException(
            "%s: expected at least one survivor of %d units, found %s"
                .formatted(each.name(), each.units(), survivors));
      }
      this.units.put(each.name(), survivors);
    }
  }

  /// {@return the number of surviving units of each structure, by its name}
  public Map<String, Integer> widths() {
    Map<String, Integer> widths = new TreeMap<>();
    structures.forEach(each -> widths.put(each.name(), survivors(each).cardinality()));
    return widths;
  }

  /// {@return whether every unit survives}
  public boolean areAll() {
    return structures.stream().allMatch(each -> survivors(each).cardinality() == each.units());
  }

  /// {@return a copy of the surviving units of a structure}
  ///
  /// @param structure its name
  /// @throws IllegalArgumentException if no structure has this name
  public BitSet survivors(String structure) {
    BitSet survivors = units.get(structure);
    if (survivors == null) {
      throw new IllegalArgumentException("units: no structure is named " + structure);
    }
    return (BitSet) survivors.clone();
  }

  private BitSet survivors(Structure structure) {
    return units.getOrDefault(structure.name(), new BitSet());
  }

  /// {@return the shapes of parameters or statistics without removed units}
  ///
  /// @param from layout of the network, or of a part of it
  public ParameterLayout layout(ParameterLayout from) {
    return layout(from, structures, each -> survivors(each).cardinality());
  }

  /// {@return the shapes of parameters with a number of surviving units}
  ///
  /// @param from parameters of the network, or of a part of it
  /// @param structures of the network
  /// @param left units of each that survive
  static ParameterLayout layout(
      ParameterLayout from, List<Structure> structures, ToIntFunction<Structure> left) {
    Map<String, Integer> rows = new HashMap<>();
    Map<String, Integer> columns = new HashMap<>();
    Map<String, ParameterLayout.Entry> entries = new HashMap<>();
    from.entries().forEach(entry -> entries.put(entry.name(), entry));
    for (Structure each : structures) {
      for (Cut cut : each.cuts()) {
        ParameterLayout.Entry entry = entries.get(cut.parameter());
        if (entry != null) {
          boolean ofRows = cut.axis() == Axis.ROWS;
          int count = (ofRows ? entry.rows() : entry.cols()) / each.units();
          (ofRows ? rows : columns).put(cut.parameter(), count * left.applyAsInt(each));
        }
      }
    }
    ParameterLayout.Builder layout = ParameterLayout.builder();
    for (ParameterLayout.Entry entry : from.entries()) {
      layout.add(
          entry.name(),
          rows.getOrDefault(entry.name(), entry.rows()),
          columns.getOrDefault(entry.name(), entry.cols()),
          entry.decay());
    }
    return layout.build();
  }

  /// {@return the survivors as elements of matrices, which an Early-Bird Ticket compares}
  ///
  /// @param layout parameters of the network, or of a part of it
  public Mask mask(ParameterLayout layout) {
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry entry : layout.where(Mask::prunable).entries()) {
      int[] columns = indices(entry, Axis.COLUMNS);
      int[] rows = indices(entry, Axis.ROWS);
      if (rows.length < entry.rows() || columns.length < entry.cols()) {
        BitSet bits = new BitSet(Math.toIntExact(entry.count()));
        for (int row : rows) {
          for (int column : columns) {
            bits.set(row * entry.cols() + column);
          }
        }
        kept.put(entry.name(), bits);
      }
    }
    return new Mask(layout, kept);
  }

  /// Copies the surviving elements of a parameter, or of its optimizer slots.
  ///
  /// @param entry a parameter with its original shape
  /// @param all `float32[rows cols]`
  /// @param to `float32`, one for each survivor, overwritten
  public void gather(ParameterLayout.Entry entry, MemorySegment all, MemorySegment to) {
    int[] columns = indices(entry, Axis.COLUMNS);
    long at = 0;
    for (int row : indices(entry, Axis.ROWS)) {
      long begin = (long) row * entry.cols();
      if (columns.length == entry.cols()) {
        MemorySegment.copy(
            all, begin * Float.BYTES, to, at * Float.BYTES, (long) entry.cols() * Float.BYTES);
        at += entry.cols();
      } else {
        for (int column : columns) {
          to.setAtIndex(FLOAT, at++, all.getAtIndex(FLOAT, begin + column));
        }
      }
    }
  }

  /// The rows or columns of a parameter that survive.
  private int[] indices(ParameterLayout.Entry entry, Axis axis) {
    int count = axis == Axis.ROWS ? entry.rows() : entry.cols();
    for (Structure each : structures) {
      for (Cut cut : each.cuts()) {
        if (cut.axis() == axis && cut.parameter().equals(entry.name())) {
          BitSet survivors = survivors(each);
          return IntStream.range(0, count)
              .filter(i -> survivors.get(cut.unit(i, each.units())))
              .toArray();
        }
      }
    }
    return IntStream.range(0, count).toArray();
  }
}
