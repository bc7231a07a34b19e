package dev.gossamer.onnx;

import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import dev.gossamer.graph.Normalisation;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The entries of the matrix `A^T` of a graph, computed from its edges as data sets are built: each
/// entry once, sorted by target and source; of an undirected graph each edge in both directions and
/// no self loops. Then, if layers want them, a self loop for each vertex without one.
///
/// @param sources column of each entry, `int64[m]`
/// @param targets row of each entry, `int64[m]`
/// @param values of each entry, `float32[m]`; null if all are 1
/// @param vertices `n`, `int64[1]`
record Entries(Value sources, Value targets, @Nullable Value values, Value vertices) {
  /// What the edges of a graph are.
  ///
  /// @param directed whether they have a direction
  /// @param weighted whether they have weights, which are added up over repeated edges
  /// @param selfLoops whether a vertex without a self loop gets one, of weight 1
  record Form(boolean directed, boolean weighted, boolean selfLoops) {}

  /// Ends of edges, and a number of each: its weight or its type.
  ///
  /// @param from sources, `int64[e]`
  /// @param to targets, `int64[e]`
  /// @param numbers one for each edge; null if there is none
  private record Ends(Value from, Value to, @Nullable Value numbers) {
    /// Adds the input `edges`. Ends that are no vertices would be taken for others by [#keys]: to
    /// read each from the list of all fails for them.
    static Ends input(OnnxGraph graph, @Nullable Value numbers, Value ids) {
      Value edges = graph.input("edges", DataType.INT64, 2, "edges");
      return new Ends(
          ids.gather(edges.gather(graph.integer(0))),
          ids.gather(edges.gather(graph.integer(1))),
          numbers);
    }

    private OnnxGraph graph() {
      return from.graph();
    }

    private Ends with(Ends others) {
      return new Ends(
          joined(from, others.from),
          joined(to, others.to),
          numbers == null || others.numbers == null ? null : joined(numbers, others.numbers));
    }

    private static Value joined(Value some, Value others) {
      return some.graph().concatenated(0, List.of(some, others));
    }

    /// In both directions, without self loops.
    Ends undirected() {
      Ends both = with(new Ends(to, from, numbers));
      Value kept = graph().node("Not", graph().node("Equal", both.from, both.to));
      Value weights = both.numbers;
      return new Ends(
          kept(both.from, kept), kept(both.to, kept), weights == null ? null : kept(weights, kept));
    }

    private static Value kept(Value elements, Value kept) {
      return elements
          .graph()
          .node("Compress", List.of(elements, kept), OnnxGraph.attribute("axis", 0));
    }

    /// The other way around, with numbers that are larger by as many.
    Ends inverse(long more) {
      Value types = numbers;
      return new Ends(to, from, types == null ? null : types.plus(graph().integer(more)));
    }

    /// `n target + source`.
    Value keys(Value vertices) {
      return to.times(vertices).plus(from);
    }
  }

  /// Adds the inputs `edges` and, of a graph with weights, `edge_weights`, and computes the
  /// entries.
  static Entries of(OnnxGraph graph, Form form, Value vertices) {
    graph.enter("graph");
    Value given = form.weighted() ? graph.input("edge_weights", DataType.FLOAT, "edges") : null;
    Value ids = ids(vertices);
    Ends all = Ends.input(graph, given, ids);
    Ends ends = form.directed() ? all : all.undirected();
    Value keys = ends.keys(vertices);
    Value weights = ends.numbers();
    if (!form.selfLoops()) {
      OnnxGraph.Distinct entries = graph.distinct(keys);
      Value values = weights == null ? null : added(weights, entries.numbers(), entries.distinct());
      return of(entries.distinct(), values, vertices);
    }
    Value loops = ids.times(vertices).plus(ids);
    OnnxGraph.Distinct entries = graph.distinct(graph.concatenated(0, List.of(keys, loops)));
    return of(
        entries.distinct(), weights == null ? null : withLoops(weights, ids, entries), vertices);
  }

  private static Entries of(Value keys, @Nullable Value values, Value vertices) {
    Value targets = keys.over(vertices);
    return new Entries(keys.minus(targets.times(vertices)), targets, values, vertices);
  }

  /// `0..n-1`.
  private static Value ids(Value vertices) {
    OnnxGraph graph = vertices.graph();
    return graph.node("Range", graph.integer(0), graph.node("Squeeze", vertices), graph.integer(1));
  }

  /// The sum of the numbers of each group, in the order of the groups.
  private static Value added(Value numbers, Value groups, Value ofEach) {
    OnnxGraph graph = numbers.graph();
    Value zeros = graph.node("Expand", graph.number(0), ofEach.shape());
    return graph.scattered(zeros, groups, numbers, "add");
  }

  /// The weights of entries, and 1 for those of loops that no edge is.
  private static Value withLoops(Value weights, Value ids, OnnxGraph.Distinct entries) {
    OnnxGraph graph = weights.graph();
    Value none = graph.node("Expand", graph.number(0), ids.shape());
    Value one = graph.node("Expand", graph.number(1), weights.shape());
    Value sums =
        added(graph.concatenated(0, List.of(weights, none)), entries.numbers(), entries.distinct());
    Value edges =
        added(graph.concatenated(0, List.of(one, none)), entries.numbers(), entries.distinct());
    Value missing = graph.node("Equal", edges, graph.number(0));
    return graph.node("Where", missing, graph.number(1), sums);
  }

  /// The entries of relations: an edge that is of several has an entry for each.
  ///
  /// @param entries by target, source and relation, without values
  /// @param relations of each entry, `int64[m]`
  record Related(Entries entries, Value relations) {
    /// Adds the inputs `edges` and, of several types of them, `edge_types`.
    ///
    /// @param relations how many there are: the types and, of a directed graph, their inverses
    static Related of(OnnxGraph graph, boolean directed, int relations, Value vertices) {
      graph.enter("graph");
      int types = directed ? relations / 2 : relations;
      Value given = types > 1 ? graph.input("edge_types", DataType.INT64, "edges") : null;
      Value known = given == null ? null : ids(graph.integers(types)).gather(given);
      Ends ends = Ends.input(graph, known, ids(vertices));
      if (known == null) {
        Value same = graph.node("Expand", graph.integer(0), ends.from().shape());
        ends = new Ends(ends.from(), ends.to(), same);
      }
      Ends all = directed ? ends.with(ends.inverse(types)) : ends.undirected();
      Value count = graph.integer(relations);
      Value keys = all.keys(vertices).times(count).plus(Objects.requireNonNull(all.numbers()));
      Value distinct = graph.distinct(keys).distinct();
      Value pairs = distinct.over(count);
      return new Related(Entries.of(pairs, null, vertices), distinct.minus(pairs.times(count)));
    }
  }

  /// The same entries as those of `Â`.
  Entries scaled(Normalisation normalisation) {
    return switch (normalisation) {
      case NONE -> this;
      case ROW_MEAN -> times(powers(degrees(targets), -1).gather(targets));
      case SYMMETRIC ->
          times(
              powers(degrees(targets), -0.5)
                  .gather(targets)
                  .times(powers(degrees(sources), -0.5).gather(sources)));
    };
  }

  private Entries times(Value scales) {
    Value all = values == null ? scales : scales.times(values);
    return new Entries(sources, targets, all, vertices);
  }

  /// The sum of the entries of each vertex, `float64[n]`.
  private Value degrees(Value ends) {
    OnnxGraph graph = ends.graph();
    Value zeros = graph.node("Expand", graph.exactly(0), vertices);
    Value each =
        values == null
            ? graph.node("Expand", graph.exactly(1), ends.shape())
            : values.as(DataType.DOUBLE);
    return graph.scattered(zeros, ends, each, "add");
  }

  /// `degree^power`, 0 for a vertex without entries; float32.
  private static Value powers(Value degrees, double power) {
    OnnxGraph graph = degrees.graph();
    Value positive = graph.node("Greater", degrees, graph.exactly(0));
    Value powers = graph.node("Pow", degrees, graph.exactly(power));
    return graph.node("Where", positive, powers, graph.exactly(0)).as(DataType.FLOAT);
  }

  /// `Â H`: adds up the rows of sources for each target.
  ///
  /// @param rows `n x width`
  Value product(Value rows) {
    Value read = rows.gather(sources);
    return summed(values == null ? read : read.times(values.unsqueezed(1)));
  }

  /// Adds up a row of each entry for its target.
  ///
  /// @param rows `m x width`
  Value summed(Value rows) {
    return rows.graph().sums(rows, targets, vertices);
  }

  /// The softmax over the entries of each target.
  ///
  /// @param scores `m x heads`
  Value softmax(Value scores) {
    OnnxGraph graph = scores.graph();
    Value indices = graph.node("Expand", targets.unsqueezed(1), scores.shape());
    Value sizes = graph.concatenated(0, List.of(vertices, scores.size(1)));
    Value least = graph.node("Expand", graph.number(Float.NEGATIVE_INFINITY), sizes);
    Value most = graph.scattered(least, indices, scores, "max").gather(targets);
    Value powers = scores.minus(most).mapped("Exp");
    return powers.over(summed(powers).gather(targets));
  }
}
