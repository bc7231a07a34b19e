package dev.gossamer;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Task;
import dev.gossamer.run.memory.MemoryEstimate;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/// A graph with features, classes and a split, on which models are trained and evaluated.
///
/// [#open] accepts what the command line accepts: a data set folder, a built-in name, or a file or
/// folder in a raw format, which is recognised by its content, converted once and kept in the cache
/// folder.
public final class Dataset implements AutoCloseable {
  private final GraphData data;
  private final long peak;
  private final Arena added;

  /// @param data closed with the data set
  /// @param peak bytes that this process has had resident, as it built the data set; 0 if it has
  ///   not
  Dataset(GraphData data, long peak) {
    this(data, peak, Arena.ofShared());
  }

  private Dataset(GraphData data, long peak, Arena added) {
    this.data = data;
    this.peak = peak;
    this.added = added;
  }

  /// Opens a data set folder, or a file or folder in a raw format.
  ///
  /// @param path of a file or folder
  /// @return a data set to close
  /// @throws InvalidInputException if it is no data set, or damaged
  public static Dataset open(Path path) {
    return DataSettings.of(path.toString()).open();
  }

  /// Opens a built-in data set (`jdk-classes`: the references between the classes of the running
  /// JDK; with the module of tables also `debian-packages`), or what a path names.
  ///
  /// @param nameOrPath a built-in name, or a path
  /// @return a data set to close
  /// @throws InvalidInputException if it is neither
  public static Dataset open(String nameOrPath) {
    return DataSettings.of(nameOrPath).open();
  }

  /// Begins a data set from the objects of a Java program.
  ///
  /// @param <V> type of the vertices' ids: `String`, `Long`, `Integer`, a record
  /// @param name the name in tables and run folders
  /// @return an empty builder
  public static <V> DatasetBuilder<V> builder(String name) {
    return new DatasetBuilder<>(name);
  }

  /// Wraps a graph that is in memory.
  ///
  /// @param data closed with the data set
  /// @return the data set
  public static Dataset of(GraphData data) {
    return new Dataset(data, 0);
  }

  /// Returns the same data with a drawn split. The copy shares the memory of this data set and must
  /// not outlive it.
  ///
  /// @param split in which proportions
  /// @return the copy; closing either closes both
  public Dataset withSplit(SplitProportions split) {
    return new Dataset(split.draw(data), peak, added);
  }

  /// Returns the same graph with edges to predict in place of what is known of its vertices: some
  /// are held out of it. The copy shares the memory of this data set and must not outlive it.
  ///
  /// @param links how edges are divided and compared
  /// @param seed of the division, and of the pairs that held-out edges are ranked among
  /// @return the copy; closing either closes both
  public Dataset withLinks(LinkSettings links, long seed) {
    return with(links.divide(added, data, seed));
  }

  /// The same data set with other features or labels.
  ///
  /// @param other shares the memory of this data set, or has it from [#added]
  Dataset with(GraphData other) {
    return new Dataset(other, peak, added);
  }

  /// The owner of features that were added; closed with the data set.
  Arena added() {
    return added;
  }

  /// {@return an estimate of a training with what building the data set in the same process took
  /// more, if it was built}
  ///
  /// @param training without
  MemoryEstimate in(MemoryEstimate training) {
    return training.with("building the data set", peak - training.bytes());
  }

  /// {@return the underlying adjacency matrix, features and labels}
  public GraphData data() {
    return data;
  }

  /// {@return the name in tables and run folders}
  public String name() {
    return data.name();
  }

  /// {@return number of vertices}
  public int vertices() {
    return data.vertices();
  }

  /// {@return number of edges; an undirected edge counts once}
  public long edges() {
    return data.edges();
  }

  /// {@return features per vertex; 0 if there are none}
  public int features() {
    return data.features().width();
  }

  /// {@return name of each class; empty if vertices have none}
  public List<String> classes() {
    return data.info().classNames();
  }

  /// {@return what is predicted of each vertex}
  public Task task() {
    return data.task();
  }

  /// {@return whether vertices are assigned to training, validation and test}
  public boolean hasSplit() {
    return data.split().length > 0;
  }

  /// Returns the name of a vertex; its number if it has no name.
  ///
  /// @param vertex from 0 on
  /// @return the name
  /// @throws IndexOutOfBoundsException if there is no such vertex
  public String vertexName(int vertex) {
    List<String> names = data.vertexNames();
    return names == null
        ? Integer.toString(Objects.checkIndex(vertex, vertices()))
        : names.get(vertex);
  }

  /// @throws InvalidInputException if there are no features
  static void requireFeatures(GraphData data) {
    if (data.features() instanceof Features.None) {
      throw new InvalidSettingException(
          "%s: expected features to train on, found none; {vertexFeatures} adds some: FILE.npy, identity (learned), random:64 or degree"
              .formatted(data.name()));
    }
  }

  /// @throws InvalidInputException if a network cannot be trained on the data set
  static void requireTrainable(GraphData data) {
    requireFeatures(data);
    if (data.links() != null) {
      requireEdges(data, data.links().parts());
      return;
    }
    boolean classes = data.task() == Task.CLASSIFICATION;
    if (classes && data.classes() < 2) {
      throw new InvalidSettingException(
          "%s: expected at least 2 classes, found %d; {vertexLabels} sets others: FILE.npy, FILE.csv or random:40"
              .formatted(data.name(), data.classes()));
    }
    for (String name : data.outputNames()) {
      if (hasControlCharacter(name)) {
        throw new InvalidInputException(
            "%s: expected class names without control characters, found '%s'; rename the class"
                .formatted(data.name(), name));
      }
    }
    if (classes && Arrays.stream(data.classCounts(Split.TRAIN)).filter(n -> n > 0).count() == 1) {
      throw new InvalidInputException(
          "%s: expected training vertices of at least 2 classes, found only '%s'; draw another split"
              .formatted(data.name(), MajorityClass.of(data).name()));
    }
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      if (data.labelled(part).length == 0) {
        throw new InvalidInputException(
            "%s: expected labelled vertices in the %s part, found none; draw another split"
                .formatted(data.name(), part.name().toLowerCase(Locale.ROOT)));
      }
    }
  }

  private static void requireEdges(GraphData data, LinkSplit.Parts parts) {
    if (parts.edges() == 0 && parts.messages().nnz() > 0) {
      throw new InvalidInputException(
          "%s: expected edges that can be told from pairs without an edge, found none: vertices have edges with all others of a type, or with none"
              .formatted(data.name()));
    }
    for (Split part : List.of(Split.TRAIN, Split.VALIDATION, Split.TEST)) {
      if (parts.scored(part).count() == 0) {
        throw new InvalidSettingException(
            "%s: {linkSplit}: expected edges in the %s part, found none of %,d; use other shares%s"
                .formatted(
                    data.name(),
                    part.name().toLowerCase(Locale.ROOT),
                    parts.edges(),
                    parts.latest() == null
                        ? ", or another seed"
                        : ", as edges of one time are in one part"));
      }
    }
  }

  /// Whether a name would do more on a terminal than show itself.
  static boolean hasControlCharacter(String name) {
    return name.chars().anyMatch(Character::isISOControl);
  }

  /// The first few of some names, and how many there are more.
  static String shown(List<String> names) {
    int most = 5;
    String first = String.join(", ", names.subList(0, Math.min(most, names.size())));
    return names.isEmpty()
        ? "none"
        : names.size() > most ? "%s and %d more".formatted(first, names.size() - most) : first;
  }

  /// Frees the data set's memory.
  @Override
  public void close() {
    data.close();
    if (added.scope().isAlive()) {
      added.close();
    }
  }
}
