package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.graph.format.ClassNumbers;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The data set of a run, and how it is read. Start with [#of] and change what differs.
///
/// @param data a built-in name, a data set folder, or a file or folder in a raw format
/// @param format of a raw file; null to recognise it by its content
/// @param directed true to keep the direction of arcs in a raw file, false to store each in both
///   directions, null for the default of the format
/// @param splitIndex number of the split in a raw file that has several, counted from 0
/// @param split proportions of a split that is drawn, as `10/10/80`; null for the data set's own,
///   or [SplitProportions#DEFAULT] if it has none
/// @param splitSeed of a split that is drawn, and of random features and labels
/// @param vertexData features and labels in place of the data set's own
public record DataSettings(
    String data,
    @Nullable String format,
    @Nullable Boolean directed,
    int splitIndex,
    @Nullable String split,
    long splitSeed,
    VertexData vertexData) {
  /// The class references of the running JDK.
  public static final DataSettings DEFAULT = of("jdk-classes");

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the format is unknown, the index is negative, there are not
  ///   three proportions, or vertices are to be divided where edges are
  public DataSettings {
    Objects.requireNonNull(vertexData, "vertexData");
    reading(format, directed, splitIndex);
    proportions(split, splitSeed);
    if (split != null && vertexData.links() != null) {
      throw new InvalidSettingException(
          "{split}: {task} links divides edges, not vertices; use {linkSplit}");
    }
  }

  /// {@return settings that recognise the format by its content}
  ///
  /// @param data a built-in name, a data set folder, or a file or folder in a raw format
  public static DataSettings of(String data) {
    return new DataSettings(data, null, null, 0, null, 0, VertexData.OWN);
  }

  /// {@return a copy for another data set} Keeps only the direction of edges, the split, and
  /// features that are computed from the graph.
  ///
  /// @param other a built-in name, a data set folder, or a file or folder in a raw format
  public DataSettings withData(String other) {
    return new DataSettings(other, null, directed, 0, split, splitSeed, vertexData.ofOtherGraph());
  }

  /// {@return a copy with other features and labels}
  ///
  /// @param other in place of the data set's own
  public DataSettings withVertexData(VertexData other) {
    return new DataSettings(data, format, directed, splitIndex, split, splitSeed, other);
  }

  /// {@return a copy with an absolute path}
  public DataSettings absolute() {
    boolean builtIn = BuiltIn.named(data).isPresent();
    return new DataSettings(
        builtIn ? data : Path.of(data).toAbsolutePath().normalize().toString(),
        format,
        directed,
        splitIndex,
        split,
        splitSeed,
        vertexData.absolute());
  }

  /// {@return how a split is drawn, if one is}
  public SplitProportions proportions() {
    return proportions(split, splitSeed);
  }

  private static SplitProportions proportions(@Nullable String split, long seed) {
    return new SplitProportions(split == null ? SplitProportions.DEFAULT.text() : split, seed);
  }

  private static ReadOptions reading(
      @Nullable String format, @Nullable Boolean directed, int splitIndex) {
    return ReadOptions.DEFAULT
        .withFormat(format == null ? null : GraphFormat.named(format))
        .withDirected(directed)
        .withSplitIndex(splitIndex);
  }

  /// Opens it, from the user's cache if it was built or converted before.
  ///
  /// @return a data set to close
  /// @throws dev.gossamer.base.InvalidInputException if it is not there, or damaged
  public Dataset open() {
    return open(CacheListener.SILENT);
  }

  /// Opens it, from the user's cache if it was built or converted before.
  ///
  /// @param listener is notified of conversions
  /// @return a data set to close
  /// @throws dev.gossamer.base.InvalidInputException if it does not exist, or is damaged
  public Dataset open(CacheListener listener) {
    return open(listener, Long.MAX_VALUE);
  }

  /// Opens it. A built-in data set that must be built first is refused if building needs too much
  /// memory.
  ///
  /// @param listener is notified of conversions
  /// @param limit maximum bytes of this process
  /// @return a data set to close
  /// @throws dev.gossamer.base.InvalidInputException if it does not exist, is damaged, or memory
  ///   does not suffice
  public Dataset open(CacheListener listener, long limit) {
    return withSplit(read(DatasetCache.ofUser(), listener, limit), split != null);
  }

  /// Opens it after comparing every file, of the cache or of the data set folder, with its
  /// checksum.
  ///
  /// @param listener is notified of conversions
  /// @return a data set to close
  /// @throws dev.gossamer.base.InvalidInputException if it does not exist, is damaged, or is a data
  ///   set folder without checksums
  public Dataset openVerified(CacheListener listener) {
    return withSplit(
        read(DatasetCache.ofUser().verifying(), listener, Long.MAX_VALUE), split != null);
  }

  /// Opens it for a trained model. If something is known of its vertices but there is no split, one
  /// is drawn, as for training. Features of tables are computed by the values that those of the
  /// model were fitted to. Classes whose names are numbers are numbers for a model that was trained
  /// on such.
  ///
  /// @param model that will be used
  /// @param listener is notified of conversions
  /// @return a data set to close
  /// @throws dev.gossamer.base.InvalidInputException if it does not exist, or is damaged
  public Dataset openFor(GraphModel model, CacheListener listener) {
    ReadOptions options =
        reading(format, directed, splitIndex).withFitted(model.description().features().schema());
    Dataset dataset =
        asNumbers(model, read(DatasetCache.ofUser(), options, listener, Long.MAX_VALUE));
    GraphData data = dataset.data();
    boolean divided = data.hasTruth() && data.task() != Task.LINKS;
    return withSplit(dataset, divided && (split != null || !data.hasSplit()));
  }

  private static Dataset asNumbers(GraphModel model, Dataset dataset) {
    GraphData data = dataset.data();
    boolean ofClasses =
        model.task() == Task.REGRESSION && model.classes().equals(List.of(ClassNumbers.NAME));
    return ofClasses && ClassNumbers.areIn(data)
        ? dataset.with(ClassNumbers.as(Task.REGRESSION, data, dataset.added()))
        : dataset;
  }

  private Dataset withSplit(Dataset dataset, boolean drawn) {
    return drawn ? dataset.withSplit(proportions()) : dataset;
  }

  /// Reads it without drawing a split.
  Dataset read(DatasetCache cache, CacheListener listener, long limit) {
    return read(cache, reading(format, directed, splitIndex), listener, limit);
  }

  private Dataset read(
      DatasetCache cache, ReadOptions options, CacheListener listener, long limit) {
    return vertexData.addTo(own(cache, options, listener, limit), splitSeed, limit);
  }

  /// Reads it with its own features and labels.
  private Dataset own(DatasetCache cache, ReadOptions options, CacheListener listener, long limit) {
    Optional<BuiltIn> missing = cache.toBuild(data, options);
    if (missing.isEmpty()) {
      return Dataset.of(cache.open(data, options, listener));
    }
    BuiltIn.Building building = missing.get().building();
    long needed = MemoryEstimate.RUNTIME_BYTES + building.bytes();
    if (needed > limit) {
      throw new InvalidSettingException(
          "memory: building %s, which is done once, needs %s but %s may be used; use more memory, or other data"
              .formatted(
                  missing.get().key(),
                  MemoryEstimate.readable(needed),
                  MemoryEstimate.readable(limit)));
    }
    return new Dataset(cache.open(data, options, listener), needed + building.mapped());
  }
}
