package dev.gossamer.cli.data;

import dev.gossamer.cli.terminal.PlainText;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.format.DatasetDraft;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Describes a data set in two lines.
public final class DatasetText {
  private static final int HASH_DIGITS = 12;

  private DatasetText() {}

  public static void print(GraphData dataset, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "data     %s  %,d vertices  %,d %sedges%s  %s  %s%n",
        PlainText.of(dataset.name()),
        dataset.vertices(),
        dataset.edges(),
        dataset.info().directed() ? "directed " : "",
        ofEdges(dataset.edgeFeatures()),
        features(dataset),
        truth(dataset));
    Map<String, String> facts = new TreeMap<>(dataset.info().provenance());
    String merged = facts.remove(DatasetDraft.MERGED);
    String dropped = facts.remove(DatasetDraft.DROPPED);
    String origin =
        facts.entrySet().stream()
            .map(fact -> words(fact.getKey()) + " " + shown(fact.getValue()))
            .collect(Collectors.joining(", "));
    line(out, "", origin.isEmpty() ? null : origin);
    line(out, "", ends(dataset.links()));
    line(out, DatasetDraft.MERGED + " ", merged);
    line(out, DatasetDraft.DROPPED + " ", dropped);
    out.flush();
  }

  /// `hubLimit` as people write it.
  private static String words(String key) {
    return key.replaceAll("(?<=[a-z])(?=[A-Z])", " ").replace('_', ' ').toLowerCase(Locale.ROOT);
  }

  /// A value, of a hash the digits that tell it from others.
  private static String shown(String value) {
    return value.matches("[0-9a-f]{64}") ? value.substring(0, HASH_DIGITS) : value;
  }

  private static void line(PrintWriter out, String what, @Nullable String value) {
    if (value != null) {
      out.println("         " + what + PlainText.of(value));
    }
  }

  /// What is to be predicted.
  private static String truth(GraphData dataset) {
    return switch (dataset.task()) {
      case CLASSIFICATION -> "%,d classes".formatted(dataset.classes());
      case MULTI_LABEL -> "%,d labels".formatted(dataset.outputs());
      case LINKS -> links(dataset);
      case REGRESSION -> DatasetDraft.counted(dataset.outputs(), "number") + " to predict";
    };
  }

  private static String links(GraphData dataset) {
    LinkSplit.Parts parts = Objects.requireNonNull(dataset.links()).parts();
    return "%,d training, %,d validation and %,d test edges to predict"
        .formatted(parts.train().count(), parts.validation().count(), parts.test().count());
  }

  /// The latest times of parts of edges, null if edges have not been divided by time.
  private static @Nullable String ends(@Nullable LinkTask links) {
    LinkSplit.Latest latest = links == null ? null : links.parts().latest();
    return latest == null
        ? null
        : "training edges up to %s, validation edges up to %s"
            .formatted(
                latest.times().text(latest.train()), latest.times().text(latest.validation()));
  }

  private static String ofEdges(@Nullable EdgeFeatures features) {
    return features == null ? "" : " with " + DatasetDraft.counted(features.width(), "feature");
  }

  static String features(GraphData dataset) {
    return switch (dataset.features()) {
      case Features.Dense dense -> "%,d features".formatted(dense.width());
      case Features.Sparse sparse ->
          "%,d sparse features (%,d nonzeros)".formatted(sparse.width(), sparse.x().nnz());
      case Features.None none -> "no features";
    };
  }
}
