package dev.gossamer.cli.data;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.CacheReport;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.graph.format.DatasetDraft;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.tables.GraphSchema;
import dev.gossamer.tables.Handling;
import dev.gossamer.tables.ImportReport;
import dev.gossamer.tables.SchemaFile;
import dev.gossamer.tables.SchemaProposal;
import dev.gossamer.tables.SplitRule;
import dev.gossamer.tables.TableGraph;
import dev.gossamer.tables.Tables;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "import",
    description = {
      "Import a graph from tables: CSV, TSV, JSON lines or Parquet files, SQL queries, databases.",
      "Without a schema, one is proposed, printed with its reasons and written to a file that you can change and use"
          + " with --schema.",
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer dataset import --vertices accounts.parquet --edges 'payments/*.csv.gz' --out shop",
      "  gossamer dataset import --edges triples.tsv --directed --out facts",
      "      the ends of edges are the vertices",
      "  gossamer dataset import --schema shop.yaml --on-dangling drop --out shop",
      "  gossamer dataset import --like runs/20260131-101500-shop --vertices new.parquet --edges new-payments.csv --out new",
      "      new tables with the features of a trained model",
      "  gossamer dataset import --vertices \"sql: select * from 'accounts.csv' where active\" --edges payments.csv --out shop",
      "  gossamer dataset import --vertices 'jdbc:postgresql://db/shop select * from accounts' --edges payments.csv --out shop",
    })
final class DatasetImportCommand implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();

  @Option(
      names = "--vertices",
      paramLabel = "SOURCE",
      description = {
        "Table with a row per vertex: a file, a folder or a pattern; 'sql: QUERY' over files;"
            + " or 'jdbc:ADDRESS QUERY' (password in GOSSAMER_JDBC_PASSWORD). Repeat it for more tables."
            + " Without one, the ends of edges are the vertices."
      })
  List<String> vertices = List.of();

  @Option(
      names = "--edges",
      paramLabel = "SOURCE",
      description = "Table with a row per edge, as --vertices. Repeat it for more tables.")
  List<String> edges = List.of();

  @Option(
      names = "--schema",
      paramLabel = "FILE",
      description =
          "Schema of the tables. With --vertices and --edges, the file to which the proposed schema is written"
              + " (default: the name of --out with .yaml).")
  @Nullable Path schema;

  @Option(
      names = "--like",
      paramLabel = "MODEL",
      description =
          "Compute features from columns of the same names by the means, values and classes that a model was trained on:"
              + " its run, its file, or its data set. Labels may be missing.")
  @Nullable Path like;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      required = true,
      description =
          "Folder to write; replaces an earlier data set, but never a folder with other files.")
  Path out = Path.of("");

  @Option(names = "--dry-run", description = "Propose a schema and write it, but import nothing.")
  boolean dryRun;

  @Option(
      names = "--directed",
      negatable = true,
      fallbackValue = "true",
      description = "Keep the direction of edges (default: that of the schema, else not).")
  @Nullable Boolean directed;

  @Option(
      names = "--on-dangling",
      paramLabel = "refuse|drop|add",
      description =
          "Edges with an end that is in no table of vertices: refuse them, leave them out, or make the end a vertex"
              + " (default: that of the schema, else refuse).")
  Handling.@Nullable Dangling onDangling;

  @Option(
      names = "--on-duplicate",
      paramLabel = "refuse|first",
      description =
          "Rows of vertices with the id of an earlier row: refuse them, or keep the first"
              + " (default: that of the schema, else refuse).")
  Handling.@Nullable Duplicates onDuplicate;

  @Option(
      names = "--on-missing",
      paramLabel = "refuse|drop",
      description =
          "Rows without an id, and edges without an end, a time or a type: refuse them, or leave them out"
              + " (default: that of the schema, else refuse).")
  Handling.@Nullable Missing onMissing;

  @Option(
      names = "--split",
      paramLabel = "T/V/S",
      description =
          "Training, validation and test parts of the labelled vertices in percent, if no column has them"
              + " (default: that of the schema, else 60/20/20).")
  @Nullable String split;

  @Option(
      names = "--split-by",
      paramLabel = "random|class|time",
      description =
          "Divide vertices at random, at random within each class, or by their time"
              + " (default: that of the schema, else random).")
  SplitRule.@Nullable By splitBy;

  @Option(
      names = "--split-seed",
      paramLabel = "N",
      description = "Seed of a random split (default: that of the schema, else 0).")
  @Nullable Long splitSeed;

  @Override
  public Integer call() {
    DatasetFolder.requireReplaceable(out);
    boolean proposes = !vertices.isEmpty() || !edges.isEmpty() || like != null;
    if (proposes ? edges.isEmpty() : schema == null) {
      throw new InvalidSettingException(
          "expected --edges, with --vertices if a table has them, or --schema, found %s"
              .formatted(vertices.isEmpty() ? "neither" : "--vertices alone"));
    }
    if (dryRun && !proposes) {
      throw new InvalidSettingException(
          "{dryRun}: proposes a schema for --edges and --vertices, found --schema alone");
    }
    SchemaFile found = proposes ? proposed() : SchemaFile.read(Objects.requireNonNull(schema));
    if (!dryRun) {
      write(new SchemaFile(changed(found.schema()), found.folder()));
    }
    spec.commandLine().getOut().flush();
    return 0;
  }

  private SchemaFile proposed() {
    Path here = Path.of("").toAbsolutePath();
    Path folder = here.resolve(out).normalize();
    String name = String.valueOf(folder.getFileName());
    Path file = schema == null ? usualFile(here, folder, name) : schema;
    SchemaProposal proposal =
        like == null
            ? Tables.propose(name, here, vertices, edges)
            : Tables.like(FittedSchemas.of(like), name, here, vertices, edges);
    SchemaFile proposed = new SchemaFile(changed(proposal.schema()), here);
    requireNew(file, proposed.text(file), new SchemaFile(proposal.schema(), here).text(file));
    proposed.write(file);
    PrintWriter to = spec.commandLine().getOut();
    if (common.json) {
      if (dryRun) {
        to.println(JsonOutput.line(json(proposal, file)));
      }
      return proposed;
    }
    Table table = new Table().row("table", "column", "becomes", "because");
    proposal
        .reasons()
        .forEach(each -> table.row(each.table(), each.column(), each.role(), each.reason()));
    table.print(to);
    to.printf("schema   %s%n", file);
    return proposed;
  }

  /// The file beside the data set, named as `out` is.
  private Path usualFile(Path here, Path folder, String name) {
    Path beside = folder.resolveSibling(name + ".yaml");
    return out.isAbsolute() ? beside : here.normalize().relativize(beside);
  }

  /// A schema that somebody has changed is not replaced.
  ///
  /// @param texts of schemas that nobody has changed
  private static void requireNew(Path file, String... texts) {
    try {
      if (Files.exists(file) && !List.of(texts).contains(Files.readString(file))) {
        throw new InvalidInputException(
            "%s: expected no other schema, found one; use it with --schema instead of --vertices and --edges, or name another file"
                .formatted(file));
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private static ObjectNode json(SchemaProposal proposal, Path file) {
    ObjectNode node = JsonOutput.object();
    node.put("schema", file.toString());
    ArrayNode columns = node.putArray("columns");
    for (SchemaProposal.Reason each : proposal.reasons()) {
      ObjectNode column = columns.addObject();
      column.put("table", each.table());
      column.put("column", each.column());
      column.put("becomes", each.role());
      column.put("because", each.reason());
    }
    return node;
  }

  /// The schema with what flags say otherwise.
  private GraphSchema changed(GraphSchema given) {
    Handling handling = given.handling();
    SplitRule rule = given.split();
    return given
        .withDirected(directed == null ? given.directed() : directed)
        .withHandling(
            new Handling(
                onDangling == null ? handling.dangling() : onDangling,
                onDuplicate == null ? handling.duplicates() : onDuplicate,
                onMissing == null ? handling.missing() : onMissing))
        .withSplit(
            new SplitRule(
                splitBy == null ? rule.by() : splitBy,
                split == null ? rule.fractions() : Splits.Fractions.parse(split),
                splitSeed == null ? rule.seed() : splitSeed));
  }

  private void write(SchemaFile from) {
    try (CacheReport report = new CacheReport(common);
        TableGraph graph =
            Tables.read(
                from.schema(),
                from.folder(),
                new Tables.TableOptions(Tables.TableOptions.DEFAULT.bytes(), report))) {
      DatasetFolder.write(out, graph.data());
      if (!common.json) {
        print(graph.report());
      }
      Written.report(spec, common, graph.data(), out);
    }
  }

  private void print(ImportReport report) {
    Table table = new Table();
    report
        .tables()
        .forEach(
            each -> table.row("table", each.table(), DatasetDraft.counted(each.rows(), "row")));
    table.print(spec.commandLine().getOut());
    StringBuilder left = new StringBuilder();
    append(left, report.dangling(), "dangling edge", "");
    append(left, report.duplicates(), "duplicate id", "");
    append(left, report.missing(), "row", " without id, end, time or type");
    append(left, report.selfLoops(), "self loop", "");
    append(left, report.merged(), "repeated edge", "");
    if (!left.isEmpty()) {
      spec.commandLine().getOut().printf("found    %s%n", left);
    }
  }

  private static void append(StringBuilder to, long count, String what, String more) {
    if (count > 0) {
      to.append(to.isEmpty() ? "" : ", ").append(DatasetDraft.counted(count, what)).append(more);
    }
  }
}
