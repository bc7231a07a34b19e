package dev.gossamer.tables.debian;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.TemporaryFolder;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.tables.GraphSchema;
import dev.gossamer.tables.SchemaFile;
import dev.gossamer.tables.SplitRule;
import dev.gossamer.tables.Tables;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The packages of Debian, Ubuntu and the like, from the lists that apt has on every such machine.
/// The lists become two tables and a schema, which are read as tables of users are:
///
/// - *`packages.csv`*, the vertices: a row per package, with its section (`net` of `contrib/net`),
///   description (the first line), priority, architecture, `Multi-Arch`, maintainer, size in bytes
///   and installed size in KiB. Of packages that several lists have, or one list twice, the first
///   counts; lists are read in the order of their names.
/// - *`depends.csv`*, the edges: a row per dependency (`Depends`, then `Pre-Depends`), which leads
///   to its first alternative that is in a list. A virtual package stands for the first package
///   that provides it. Versions do not count. Dependencies without such an alternative are left
///   out.
/// - *Labels*: the section; packages without one are unlabelled.
/// - *Features*: all other columns, as the schema `debian-packages.yaml` encodes them. Neither the
///   section nor `Tag`, another classification by hand, of which much is the section in other
///   words.
/// - *Split*: of the labelled packages, one tenth for training, one tenth for validation, the rest
///   for test.
///
/// Equal lists give equal data on every machine.
public final class DebianPackages implements BuiltIn {
  /// Version of the definition above; part of the name in a cache.
  private static final int DEFINITION = 1;

  /// Memory for joins and sorts.
  private static final long STORE_BYTES = 128L << 20;

  private final @Nullable Path lists;

  /// Those of this machine.
  public DebianPackages() {
    lists = null;
  }

  /// Those of lists in a folder.
  ///
  /// @param lists folder with files `*_Packages`, as texts or packed (`.gz`; others need apt)
  public DebianPackages(Path lists) {
    this.lists = Objects.requireNonNull(lists, "lists");
  }

  @Override
  public String key() {
    return "debian-packages";
  }

  @Override
  public String description() {
    return "dependencies between the packages in this machine's apt lists";
  }

  /// Measured with 63,666 packages; the store may take all of its memory where there are many
  /// cores.
  @Override
  public Building building() {
    return new Building(192L << 20, 128L << 20);
  }

  @Override
  public String version() {
    return "%s-v%d".formatted(found().key(), DEFINITION);
  }

  private PackageLists found() {
    return lists == null ? PackageLists.ofMachine() : PackageLists.in(lists);
  }

  @Override
  public GraphData build(Progress progress) {
    return build(new Splits.Fractions(10, 10, 80), 0, progress);
  }

  /// Builds the data set with another split.
  ///
  /// @param fractions of the split
  /// @param seed of the split
  /// @param progress notified of each step
  /// @return a data set to close
  /// @throws InvalidInputException if there are no lists, or one is damaged
  public GraphData build(Splits.Fractions fractions, long seed, Progress progress) {
    try (TemporaryFolder folder = TemporaryFolder.create("debian")) {
      Path tables = folder.path().resolve(key());
      writeTables(tables, progress);
      return read(tables, fractions, seed, progress);
    }
  }

  /// Writes `packages.csv`, `depends.csv` and their schema, `debian-packages.yaml`.
  ///
  /// @param folder written atomically; replaces earlier tables, but never a folder with other files
  /// @param progress notified of each step
  /// @throws InvalidInputException if there are no lists, one is damaged, or the folder cannot be
  ///   written
  public void writeTables(Path folder, Progress progress) {
    PackageLists from = found();
    AtomicOutput.folder(
        folder, PackageTables.FILES, temporary -> PackageTables.write(from, temporary, progress));
  }

  /// Reads the tables in a folder by their schema.
  ///
  /// @param folder that [#writeTables] wrote
  /// @param fractions of the split
  /// @param seed of the split
  /// @param progress notified of each step
  /// @return a data set to close
  /// @throws InvalidInputException naming table, column and row, what was expected and what was
  ///   found
  public GraphData read(Path folder, Splits.Fractions fractions, long seed, Progress progress) {
    SchemaFile file = SchemaFile.read(folder.resolve(PackageTables.SCHEMA));
    GraphSchema schema =
        file.schema().withSplit(new SplitRule(SplitRule.By.RANDOM, fractions, seed));
    GraphData graph =
        Tables.read(schema, file.folder(), new Tables.TableOptions(STORE_BYTES, progress)).data();
    Map<String, String> provenance = new LinkedHashMap<>(graph.info().provenance());
    provenance.put("lists", found().description());
    return graph.withInfo(graph.info().withProvenance(provenance));
  }
}
