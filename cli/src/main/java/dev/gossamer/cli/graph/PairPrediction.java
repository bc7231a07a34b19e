package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.InferenceSettings;
import dev.gossamer.VertexPairs;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.tables.OutputColumn;
import dev.gossamer.tables.OutputTable;
import dev.gossamer.tables.PairTable;
import dev.gossamer.tables.TableSource;
import dev.gossamer.tables.Tables;
import dev.gossamer.tables.Tables.TableOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// The probability of an edge between the vertices of each row of a table.
final class PairPrediction implements ModelOptions.Purpose<float[]> {
  private final TableSource source;
  private final PredictionOutput.Table to;
  private final BiConsumer<Dataset, Integer> said;

  /// Null until they are asked for.
  private @Nullable PairTable pairs;

  /// @param source of the pairs
  /// @param to where they go, with probabilities
  /// @param said told the data set and the number of pairs in the end
  PairPrediction(TableSource source, PredictionOutput.Table to, BiConsumer<Dataset, Integer> said) {
    this.source = source;
    this.to = to;
    this.said = said;
  }

  private PairTable pairs(GraphModel model, Dataset dataset) {
    PairTable read = pairs;
    if (read == null) {
      boolean typed = model.description().network().decoder().types().size() > 1;
      read =
          Tables.pairs(
              source,
              Path.of(""),
              VertexNumbers.of(dataset)::of,
              dataset.name(),
              typed,
              TableOptions.DEFAULT);
      pairs = read;
    }
    return read;
  }

  @Override
  public MemoryEstimate memory(GraphModel model, Dataset dataset, InferenceSettings settings) {
    return model.edgeProbabilityMemory(dataset, pairs(model, dataset).firsts().length, settings);
  }

  @Override
  public float[] use(GraphModel model, Dataset dataset, InferenceSettings settings) {
    PairTable table = pairs(model, dataset);
    VertexPairs all = VertexPairs.of(table.firsts(), table.seconds());
    return model.edgeProbabilities(
        dataset,
        table.typeNames().isEmpty() ? all : all.withTypes(table.typeNames(), table.types()),
        settings);
  }

  @Override
  public void report(Dataset dataset, float[] probabilities) {
    PairTable table = Objects.requireNonNull(pairs);
    IntFunction<String> firsts = row -> dataset.vertexName(table.firsts()[row]);
    IntFunction<String> seconds = row -> dataset.vertexName(table.seconds()[row]);
    int rows = probabilities.length;
    boolean whole = NameColumn.areWhole(rows, firsts) && NameColumn.areWhole(rows, seconds);
    List<String> names = table.columns();
    List<OutputColumn> columns = new ArrayList<>();
    columns.add(NameColumn.of(names.get(0), firsts, whole));
    columns.add(NameColumn.of(names.get(1), seconds, whole));
    if (names.size() > 2) {
      columns.add(
          new OutputColumn.Text(names.get(2), row -> table.typeNames().get(table.types()[row])));
    }
    columns.add(new OutputColumn.Real("probability", row -> probabilities[row]));
    Tables.write(new OutputTable(rows, columns), to.target());
    said.accept(dataset, rows);
  }
}
