package dev.gossamer.pruned.prune;

import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.prune.Structure.Axis;
import dev.gossamer.pruned.prune.Structure.Cut;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Chooses the units of a network that survive, so that training can continue with a smaller
/// network.
///
/// There are two kinds of scores. [#scales] are the scales of batch normalisation, compared over
/// all layers (Z. Liu et al., *Learning Efficient Convolutional Networks through Network Slimming*,
/// ICCV 2017; H. You et al., *Drawing Early-Bird Tickets*, ICLR 2020, section 3). [#norms] are the
/// norms of all weights that produce or read a unit (H. Li et al., *Pruning Filters for Efficient
/// ConvNets*, ICLR 2017, with the readers' weights in addition to the unit's own), compared within
/// a layer: every layer loses the same share of its units, because norms of layers of different
/// shapes are not comparable.
///
/// The sparsity is a fraction of all parameters, as for other criteria. Units are removed one by
/// one until the number of remaining parameters is as near as entire units allow: the error is at
/// most half of the last unit's parameters. Each layer keeps at least the unit with the largest
/// score.
public final class StructuredPruning {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// How units of different layers are compared.
  public enum Comparison {
    /// By their scores.
    GLOBAL,
    /// By their rank within their layer: every layer loses the same share.
    UNIFORM
  }

  /// One unit of a structure; those with the smallest keys go first.
  ///
  /// @param key what is compared
  /// @param turn share of the structure's units that are then removed
  private record Unit(int structure, int number, double key, double turn) {}

  private final ParameterLayout network;
  private final List<Structure> structures;
  private final Comparison comparison;

  /// Creates the pruning of a network's units.
  ///
  /// @param network all parameters
  /// @param structures that may lose units; each keeps at least one
  /// @param comparison of units of different layers
  public StructuredPruning(
      ParameterLayout network, List<Structure> structures, Comparison comparison) {
    this.network = network;
    this.structures = List.copyOf(structures);
    this.comparison = comparison;
  }

  /// {@return the scale of each unit in batch normalisation, without its sign, structure by
  /// structure; 0 for units that are not in this state}
  ///
  /// @param state of the parameters, or of a part of them
  /// @throws IllegalArgumentException if the state is already pruned
  public double[] scales(ModelState state) {
    requireWhole(state);
    double[] scores = new double[units()];
    int first = 0;
    for (Structure each : structures) {
      ParameterLayout.Entry entry = entry(state, String.valueOf(each.scale()));
      if (entry != null) {
        MemorySegment gain = entry.of(state.weights());
        for (int unit = 0; unit < each.units(); unit++) {
          scores[first + unit] = Math.abs(gain.getAtIndex(FLOAT, unit));
        }
      }
      first += each.units();
    }
    return scores;
  }

  /// {@return the sum of squares of this state's weights that produce or read each unit, structure
  /// by structure} Sums over the parts of a network give those of the network.
  ///
  /// @param state of the parameters, or of a part of them
  /// @throws IllegalArgumentException if the state is already pruned
  public double[] norms(ModelState state) {
    requireWhole(state);
    double[] scores = new double[units()];
    int first = 0;
    for (Structure each : structures) {
      for (Cut cut : each.cuts()) {
        ParameterLayout.Entry entry = entry(state, cut.parameter());
        if (entry != null && entry.rows() > 1) {
          add(entry.of(state.weights()), entry, cut, each.units(), scores, first);
        }
      }
      first += each.units();
    }
    return scores;
  }

  private static void add(
      MemorySegment values,
      ParameterLayout.Entry entry,
      Cut cut,
      int units,
      double[] scores,
      int first) {
    double[] squares = new double[units];
    for (int row = 0; row < entry.rows(); row++) {
      for (int column = 0; column < entry.cols(); column++) {
        double value = values.getAtIndex(FLOAT, (long) row * entry.cols() + column);
        squares[cut.unit(cut.axis() == Axis.ROWS ? row : column, units)] += value * value;
      }
    }
    for (int unit = 0; unit < units; unit++) {
      scores[first + unit] += squares[unit];
    }
  }

  private static ParameterLayout.@Nullable Entry entry(ModelState state, String name) {
    return state.layout().entries().stream()
        .filter(entry -> entry.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  private static void requireWhole(ModelState state) {
    if (!(state instanceof DenseState)) {
      throw new IllegalArgumentException(
          "structures: expected a state that keeps all elements, found a pruned one");
    }
  }

  private int units() {
    return structures.stream().mapToInt(Structure::units).sum();
  }

  /// {@return the minimum number of remaining parameters}
  public long least() {
    return count(each -> 1);
  }

  /// {@return the number of surviving units of each structure, by its name, if every layer loses
  /// the same share; for estimates before there are scores}
  ///
  /// @param kept number of remaining parameters
  public Map<String, Integer> widths(long kept) {
    double few = 0;
    double many = 1;
    // Shares of the units between which there is no more than one of each structure.
    for (int i = 0; i < Double.PRECISION; i++) {
      double middle = (few + many) / 2;
      if (count(shared(middle)) > kept) {
        few = middle;
      } else {
        many = middle;
      }
    }
    Map<String, Integer> widths = shared(few);
    Map<String, Integer> least = shared(many);
    for (Structure each : structures) {
      Map<String, Integer> next = new HashMap<>(widths);
      next.put(each.name(), least.getOrDefault(each.name(), 1));
      if (count(widths) - kept <= kept - count(next)) {
        break;
      }
      widths = next;
    }
    return widths;
  }

  /// Units that are left of each structure when a share of each is removed.
  private Map<String, Integer> shared(double share) {
    Map<String, Integer> left = new HashMap<>();
    for (Structure each : structures) {
      left.put(each.name(), Math.max(1, each.units() - (int) Math.round(share * each.units())));
    }
    return left;
  }

  private long count(Map<String, Integer> widths) {
    return count(each -> widths.getOrDefault(each.name(), each.units()));
  }

  /// {@return the units that survive}
  ///
  /// @param scores of all units, structure by structure; ties remove the unit whose layer has lost
  ///   the smaller share
  /// @param kept number of remaining parameters; removed units are not restored
  public SurvivingUnits survivors(double[] scores, long kept) {
    List<Unit> order = order(scores);
    int few = 0;
    int many = order.size();
    // The fewest that have to go so that no more than wanted are left.
    while (few < many) {
      int middle = (few + many) >>> 1;
      if (left(order, middle) > kept) {
        few = middle + 1;
      } else {
        many = middle;
      }
    }
    if (few > 0 && left(order, few - 1) - kept <= kept - left(order, few)) {
      few--;
    }
    return new SurvivingUnits(structures, survivors(order, few));
  }

  /// The units that may go, the first to go first.
  private List<Unit> order(double[] scores) {
    List<Unit> order = new ArrayList<>();
    int first = 0;
    for (int s = 0; s < structures.size(); s++) {
      int units = structures.get(s).units();
      int begin = first;
      List<Integer> own =
          IntStream.range(0, units)
              .boxed()
              .sorted(Comparator.comparingDouble(unit -> scores[begin + unit]))
              .toList();
      for (int rank = 0; rank < units - 1; rank++) {
        int unit = own.get(rank);
        double turn = (rank + 0.5) / units;
        double key = comparison == Comparison.GLOBAL ? scores[first + unit] : turn;
        order.add(new Unit(s, unit, key, turn));
      }
      first += units;
    }
    order.sort(Comparator.comparingDouble(Unit::key).thenComparingDouble(Unit::turn));
    return order;
  }

  /// Parameters that remain after the first units are removed.
  private long left(List<Unit> order, int removed) {
    int[] lost = new int[structures.size()];
    for (int i = 0; i < removed; i++) {
      lost[order.get(i).structure()]++;
    }
    Map<String, Integer> widths = new HashMap<>();
    for (int i = 0; i < lost.length; i++) {
      widths.put(structures.get(i).name(), structures.get(i).units() - lost[i]);
    }
    return count(widths);
  }

  private long count(ToIntFunction<Structure> left) {
    return SurvivingUnits.layout(network, structures, left).count();
  }

  private Map<String, BitSet> survivors(List<Unit> order, int removed) {
    Map<String, BitSet> survivors = new HashMap<>();
    for (Structure each : structures) {
      BitSet all = new BitSet();
      all.set(0, each.units());
      survivors.put(each.name(), all);
    }
    for (Unit unit : order.subList(0, removed)) {
      survivors
          .getOrDefault(structures.get(unit.structure()).name(), new BitSet())
          .clear(unit.number());
    }
    return survivors;
  }
}
