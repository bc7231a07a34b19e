package dev.gossamer;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import java.util.Arrays;
import java.util.List;

/// Pairs of vertices, of which [GraphModel#edgeProbabilities] says how likely an edge is. Memory: 8
/// bytes for each, 12 with types.
public final class VertexPairs {
  private final int[] firsts;
  private final int[] seconds;
  private final List<String> typeNames;

  /// Number of the name of each pair's type; none without types.
  private final int[] types;

  private VertexPairs(int[] firsts, int[] seconds, List<String> typeNames, int[] types) {
    if (firsts.length != seconds.length
        || (!typeNames.isEmpty() && types.length != firsts.length)) {
      throw new IllegalArgumentException(
          "pairs: expected as many first as second ends and types, found %d, %d, %d"
              .formatted(firsts.length, seconds.length, types.length));
    }
    this.firsts = firsts.clone();
    this.seconds = seconds.clone();
    this.typeNames = List.copyOf(typeNames);
    this.types = types.clone();
  }

  /// {@return pairs whose edges have any type}
  ///
  /// @param firsts numbers of vertices, the sources of directed edges
  /// @param seconds numbers of vertices, as many
  public static VertexPairs of(int[] firsts, int[] seconds) {
    return new VertexPairs(firsts, seconds, List.of(), new int[0]);
  }

  /// {@return these pairs, each with the type of the edge in question}
  ///
  /// @param names of types
  /// @param ofPairs position of the type in the names, of each pair
  public VertexPairs withTypes(List<String> names, int[] ofPairs) {
    if (Arrays.stream(ofPairs).anyMatch(type -> type < 0 || type >= names.size())) {
      throw new IllegalArgumentException(
          "pairs: expected positions of types from 0 to %d, found others"
              .formatted(names.size() - 1));
    }
    return new VertexPairs(firsts, seconds, names, ofPairs);
  }

  /// {@return the number of pairs}
  public int count() {
    return firsts.length;
  }

  /// {@return the number of the first vertex of a pair}
  ///
  /// @param pair from 0 on
  public int first(int pair) {
    return firsts[pair];
  }

  /// {@return the number of the second vertex of a pair}
  ///
  /// @param pair from 0 on
  public int second(int pair) {
    return seconds[pair];
  }

  /// {@return the first ends; borrowed}
  int[] firsts() {
    return firsts;
  }

  /// {@return the second ends; borrowed}
  int[] seconds() {
    return seconds;
  }

  /// Checks that all are vertices of a graph.
  ///
  /// @param vertices of the graph
  /// @param name of the graph
  void requireIn(int vertices, String name) {
    requireVertices(firsts, "pairs of vertices", vertices, name);
    requireVertices(seconds, "pairs of vertices", vertices, name);
  }

  /// Checks that all are vertices of a graph.
  ///
  /// @param chosen numbers of vertices
  /// @param expected what they are, in a message
  /// @param vertices of the graph
  /// @param name of the graph
  static void requireVertices(int[] chosen, String expected, int vertices, String name) {
    for (int v : chosen) {
      if (v < 0 || v >= vertices) {
        throw new InvalidInputException(
            "%s: expected %s from 0 to %d, found %d".formatted(name, expected, vertices - 1, v));
      }
    }
  }

  /// {@return the number of the type that a model has for each pair}
  ///
  /// @param ofModel the types that it tells apart, by number; fewer than two for none
  int[] types(List<String> ofModel) {
    if (ofModel.size() < 2) {
      return new int[count()];
    }
    int[] numbers = new int[typeNames.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = ofModel.indexOf(typeNames.get(i));
      if (numbers[i] < 0) {
        throw unknown(ofModel, typeNames.get(i));
      }
    }
    if (typeNames.isEmpty()) {
      throw unknown(ofModel, "none");
    }
    return Arrays.stream(types).map(type -> numbers[type]).toArray();
  }

  private static InvalidSettingException unknown(List<String> ofModel, String found) {
    return new InvalidSettingException(
        "{edgeType}: expected the type of the edge of each pair, one of %s, found %s"
            .formatted(Dataset.shown(ofModel), found));
  }
}
