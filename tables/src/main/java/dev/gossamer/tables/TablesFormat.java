package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.FormatProbe;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import java.nio.file.Path;
import java.util.List;

/// Schemas of tables, as [SchemaFile] writes them.
public final class TablesFormat implements GraphFormat {
  /// Part of the memory of a run that joins and sorts may take.
  private static final int PART = 4;

  private static final long LEAST_BYTES = 128L << 20;

  /// Creates the format.
  public TablesFormat() {}

  @Override
  public String name() {
    return "tables";
  }

  @Override
  public String description() {
    return "a schema of tables, graph.yaml";
  }

  @Override
  public boolean isFolder() {
    return false;
  }

  @Override
  public List<String> endings() {
    return List.of("yaml", "yml");
  }

  /// The tables are in other files.
  @Override
  public boolean isSelfContained() {
    return false;
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    String name = probe.name();
    return !probe.isFolder() && endings().stream().anyMatch(each -> name.endsWith("." + each));
  }

  @Override
  public GraphData read(Path file, ReadOptions options) {
    SchemaFile found = SchemaFile.read(file);
    GraphSchema schema = found.schema();
    String fitted = options.fitted();
    if (fitted != null) {
      schema = fittedAs(schema, fitted, file);
    }
    Boolean directed = options.directed();
    GraphSchema chosen = directed == null ? schema : schema.withDirected(directed);
    long bytes =
        Math.clamp(options.memoryLimit() / PART, LEAST_BYTES, Tables.TableOptions.DEFAULT.bytes());
    return Tables.read(chosen, found.folder(), new Tables.TableOptions(bytes, options.progress()))
        .data();
  }

  private static GraphSchema fittedAs(GraphSchema schema, String fitted, Path file) {
    try {
      return schema.fittedAs(SchemaFile.parse("schema of the model", fitted));
    } catch (InvalidSettingException e) {
      throw new InvalidInputException("%s: %s".formatted(file, e.message(SchemaFile::key)), e);
    }
  }
}
