package dev.gossamer;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.Sha256;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Relations;
import dev.gossamer.graph.Standardisation;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Everything in a model file except the weights.
///
/// @param network its layers, and how it sees a graph
/// @param features its input
/// @param outputs what they stand for
/// @param edges of the graph that it was trained on; null of models of earlier versions
/// @param facts of its training, for people to read: data set, seed, epochs, scores
public record ModelDescription(
    NetworkSettings network,
    Features features,
    ModelOutputs outputs,
    @Nullable Edges edges,
    Map<String, String> facts) {
  /// The edges of a graph.
  ///
  /// @param directed whether they have a direction
  /// @param weighted whether they have weights
  /// @param columns their features; null if layers read none
  public record Edges(boolean directed, boolean weighted, @Nullable EdgeColumns columns) {
    /// {@return the edges of a data set}
    ///
    /// @param data as layers read it
    /// @param network its layers
    static Edges of(GraphData data, NetworkSettings network) {
      Relations relations = data.relations();
      EdgeFeatures features = network.kind().edgeFeatures() == 0 ? null : data.edgeFeatures();
      return relations == null
          ? new Edges(
              data.info().directed(),
              data.adjacency().values() != null,
              features == null ? null : EdgeColumns.of(data, features))
          : new Edges(relations.hasInverses(), false, null);
    }
  }

  /// The features of edges that a model reads.
  ///
  /// @param width features of each edge
  /// @param names of each; empty if they are not known
  /// @param encoding fingerprint of their definition, as of those of vertices: of the fact
  ///   [GraphData.Info#EDGE_DEFINITION] of the data set, else of the names; empty if there is
  ///   neither
  public record EdgeColumns(int width, List<String> names, String encoding) {
    /// Copies the list.
    public EdgeColumns {
      names = List.copyOf(names);
    }

    static EdgeColumns of(GraphData data, EdgeFeatures features) {
      String fact = data.info().provenance().get(GraphData.Info.EDGE_DEFINITION);
      List<String> said = fact == null ? features.names() : List.of(fact);
      return new EdgeColumns(
          features.width(), features.names(), said.isEmpty() ? "" : Features.fingerprint(said));
    }

    /// Refuses data whose edges have other features, as far as names and encoding are known.
    private void requireSame(GraphData data) {
      EdgeFeatures features = data.edgeFeatures();
      EdgeColumns found = features == null ? null : of(data, features);
      if (found == null || found.width != width) {
        throw new InvalidInputException(
            "%s: expected %d features of each edge, as the model was trained on, found %d"
                .formatted(data.name(), width, found == null ? 0 : found.width));
      }
      for (int i = 0; i < Math.min(names.size(), found.names.size()); i++) {
        if (!names.get(i).equals(found.names.get(i))) {
          throw new InvalidInputException(
              "%s: feature %d of edges: expected '%s', as the model was trained on, found '%s'"
                  .formatted(data.name(), i, names.get(i), found.names.get(i)));
        }
      }
      if (!encoding.isEmpty() && !found.encoding.isEmpty() && !encoding.equals(found.encoding)) {
        throw new InvalidInputException(
            "%s: expected features of edges of encoding %s, as the model was trained on, found %s; import tables with dataset import --like and this model"
                .formatted(data.name(), Features.shown(encoding), Features.shown(found.encoding)));
      }
    }
  }

  /// The input features of a model.
  ///
  /// @param width features per vertex
  /// @param scaling how they are scaled first
  /// @param names of each feature; empty if they are not known
  /// @param encoding fingerprint of their definition, SHA-256 in hexadecimal: of the fact
  ///   [GraphData.Info#DEFINITION] of the data set, else of the names; empty if there is neither
  /// @param standard means and deviations of [FeatureScaling#STANDARD]; null for others
  /// @param schema of the tables that they were computed from, with all that was fitted, as JSON
  ///   ([GraphData.Info#schema]); null for others
  public record Features(
      int width,
      FeatureScaling scaling,
      List<String> names,
      String encoding,
      @Nullable Standardisation standard,
      @Nullable String schema) {
    /// Characters of all names that a model keeps, at most. Of more, it has the fingerprint.
    private static final long MOST_CHARACTERS = 4L << 20;

    /// Found in data without features, to which training may have added some.
    private static final String NONE =
        "none; if training added them (--features), use the folder of its run in place of the model file, or add them with dataset convert";

    /// Digits of a fingerprint that a message shows.
    private static final int SHOWN = 12;

    /// Copies the list.
    ///
    /// @throws IllegalArgumentException if there are means without standardisation, or their number
    ///   is not the width
    public Features {
      names = List.copyOf(names);
      if (standard == null
          ? scaling == FeatureScaling.STANDARD
          : scaling != FeatureScaling.STANDARD || standard.means().size() != width) {
        throw new IllegalArgumentException(
            "standard: expected means of %d features with standard scaling, and else none, found %s"
                .formatted(width, standard == null ? "none" : standard.means().size()));
      }
    }

    /// {@return the features of a data set}
    ///
    /// @param data with features
    /// @param scaling how they are scaled first
    /// @param standard means and deviations, if the scaling needs them
    static Features of(GraphData data, FeatureScaling scaling, @Nullable Standardisation standard) {
      List<String> names = names(data);
      long characters = names.stream().mapToLong(String::length).sum();
      return new Features(
          data.features().width(),
          scaling,
          characters <= MOST_CHARACTERS ? names : List.of(),
          encoding(data),
          standard,
          data.info().schema());
    }

    private static List<String> names(GraphData data) {
      List<String> names = data.featureNames();
      return names == null ? List.of() : names;
    }

    private static String encoding(GraphData data) {
      String fact = data.info().provenance().get(GraphData.Info.DEFINITION);
      List<String> said = fact == null ? names(data) : List.of(fact);
      return said.isEmpty() ? "" : fingerprint(said);
    }

    private static String fingerprint(List<String> lines) {
      MessageDigest digest = Sha256.digest();
      for (String line : lines) {
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
      }
      return HexFormat.of().formatHex(digest.digest());
    }

    /// Refuses data with different features, as far as names and encoding are known.
    ///
    /// @throws InvalidInputException if number, names or encoding differ
    void requireSame(GraphData data) {
      Features found = of(data, FeatureScaling.NONE, null);
      if (found.width != width) {
        throw new InvalidInputException(
            "%s: expected %d features per vertex, as the model was trained on, found %s"
                .formatted(data.name(), width, found.width == 0 ? NONE : found.width));
      }
      for (int i = 0; i < Math.min(names.size(), found.names.size()); i++) {
        if (!names.get(i).equals(found.names.get(i))) {
          throw new InvalidInputException(
              "%s: feature %d: expected '%s', as the model was trained on, found '%s'"
                  .formatted(data.name(), i, names.get(i), found.names.get(i)));
        }
      }
      if (!encoding.isEmpty() && !found.encoding.isEmpty() && !encoding.equals(found.encoding)) {
        throw new InvalidInputException(
            "%s: expected features of encoding %s, as the model was trained on, found %s%s"
                .formatted(
                    data.name(),
                    shown(encoding),
                    shown(found.encoding),
                    schema == null
                        ? ""
                        : "; import the tables with dataset import --like and this model"));
      }
    }

    /// {@return data whose features are as the network reads them}
    ///
    /// @param arena owner of new features
    /// @param data with the same features
    GraphData scaled(Arena arena, GraphData data) {
      return switch (scaling) {
        case NONE -> data;
        case ROW -> data.withNormalisedFeatures(arena);
        case STANDARD ->
            data.withStandardisedFeatures(arena, Objects.requireNonNull(standard, "standard"));
      };
    }

    private static String shown(String fingerprint) {
      return fingerprint.substring(0, Math.min(SHOWN, fingerprint.length()));
    }
  }

  /// Copies the map.
  public ModelDescription {
    facts = Map.copyOf(facts);
  }

  /// Refuses data whose edges have other types, features or another direction, if layers tell them
  /// apart.
  ///
  /// @throws InvalidInputException if they differ
  void requireSameEdges(GraphData data) {
    if (edges != null && edges.columns != null) {
      edges.columns.requireSame(data);
    }
    requireSame(data, network.kind().relations(), Relations.named(data).names());
    LinkDecoder decoder = network.decoder();
    requireSame(data, decoder.types(), GraphTypes.edgesOf(data.types()));
    if (decoder.directed() && !data.info().directed()) {
      throw new InvalidInputException(
          "%s: expected a directed graph, as the model was trained on, found an undirected one"
              .formatted(data.name()));
    }
  }

  private static void requireSame(GraphData data, List<String> expected, List<String> found) {
    if (!expected.isEmpty() && !expected.equals(found)) {
      throw new InvalidInputException(
          "%s: expected edges of the relations that the model was trained on (%s), found %s"
              .formatted(data.name(), Dataset.shown(expected), Dataset.shown(found)));
    }
  }
}
