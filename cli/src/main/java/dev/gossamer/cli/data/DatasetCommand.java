package dev.gossamer.cli.data;

import dev.gossamer.Dataset;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.ForceOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.GraphFormat;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "dataset",
    description = "Build, inspect and convert data sets.",
    subcommands = {
      DatasetBuildCommand.class,
      DatasetCommand.Show.class,
      DatasetCommand.Convert.class,
      DatasetImportCommand.class,
      DatasetCommand.Names.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer dataset list",
      "  gossamer dataset info --data cora/",
      "  gossamer dataset convert --data edges.tsv.gz --out my-graph",
      "  gossamer dataset build rmat --scale 20 --edge-factor 16 --features 128 --classes 40",
    })
public final class DatasetCommand implements Runnable {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "expected build, info, convert, import or list, found none");
  }

  @Command(
      name = "info",
      description = "Show the statistics and the origin of a data set.",
      sortOptions = false,
      footerHeading = "%nExamples:%n",
      footer = {
        "  gossamer dataset info --data jdk-classes --json",
        "  gossamer dataset info --data jdk-classes --html jdk-classes.html",
      })
  static final class Show implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin VertexDataOptions data = new VertexDataOptions();

    @Option(
        names = "--verify",
        description =
            "Compare every file of the data set folder, or of its copy in the cache, with its checksum.")
    boolean verify;

    @Option(
        names = "--html",
        paramLabel = "FILE",
        description =
            "Also write a page with plots of degrees, classes and features, which any browser shows offline.")
    @Nullable Path html;

    @Mixin ForceOptions existing = new ForceOptions();

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      if (html != null) {
        existing.requireNew(html);
      }
      try (Dataset opened = verify ? data.openVerified(common) : data.open(common);
          ProgressSteps progress = new ProgressSteps(common.quiet)) {
        DatasetFacts facts = DatasetFacts.of(opened.data(), progress);
        facts = verify ? facts.with("verified", true) : facts;
        if (html != null) {
          List<FeatureRange> features = FeatureRange.of(opened.data(), progress);
          String page = new DatasetPage(facts, features).html();
          AtomicOutput.file(html, temporary -> Files.writeString(temporary, page));
        }
        if (common.json) {
          out.println(facts.json());
        } else {
          facts.print(out);
        }
      }
      out.flush();
      return 0;
    }
  }

  @Command(
      name = "convert",
      description = "Convert a data set of any format to a data set folder.",
      sortOptions = false,
      footerHeading = "%nExample:%n",
      footer = "  gossamer dataset convert --data Cornell5.mat --out cornell5")
  static final class Convert implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin VertexDataOptions data = new VertexDataOptions();

    @Option(
        names = {"-o", "--out"},
        paramLabel = "FOLDER",
        required = true,
        description =
            "Folder to write; replaces an earlier data set, but never a folder with other files.")
    Path out = Path.of("");

    @Override
    public Integer call() {
      DatasetFolder.requireReplaceable(out);
      try (Dataset opened = data.open(common)) {
        GraphData dataset = opened.data();
        DatasetFolder.write(out, dataset);
        Written.report(spec, common, dataset, out);
      }
      return 0;
    }
  }

  @Command(
      name = "list",
      description = {
        "List the built-in data sets, the generators, the raw formats, and where to get published data sets.",
        "Formats are recognised by content; --format forces one. Nothing is downloaded.",
      },
      footerHeading = "%nExample:%n",
      footer = "  gossamer dataset list --json")
  static final class Names implements Callable<Integer> {
    private static final Map<String, CommandLine> GENERATORS =
        new CommandLine(new DatasetBuildCommand()).getSubcommands();

    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      if (common.json) {
        ObjectNode node = JsonOutput.object();
        ArrayNode builtIn = node.putArray("built_in");
        BuiltIn.all().forEach(dataset -> builtIn.add(dataset.key()));
        ArrayNode generators = node.putArray("generators");
        GENERATORS.keySet().forEach(generators::add);
        ArrayNode names = node.putArray("formats");
        GraphFormat.all().forEach(format -> names.add(format.name()));
        ArrayNode published = node.putArray("published");
        PublishedData.ALL.forEach(data -> describe(data, published.addObject()));
        out.println(JsonOutput.line(node));
      } else {
        table().print(out);
        out.println();
        published().print(out);
      }
      out.flush();
      return 0;
    }

    private static Table table() {
      Map<String, String> builtIn = new LinkedHashMap<>();
      for (BuiltIn dataset : BuiltIn.all()) {
        builtIn.put(dataset.key(), dataset.description());
      }
      Map<String, String> generators = new LinkedHashMap<>();
      GENERATORS.forEach((name, command) ->
          generators.put(name, command.getCommandSpec().usageMessage().description()[0]));
      Map<String, String> formats = new LinkedHashMap<>();
      for (GraphFormat format : GraphFormat.all()) {
        String folder = format.isFolder() ? "a folder with " : "";
        formats.put(format.name(), folder + format.description());
      }
      Table table = new Table();
      section(table, "built in", builtIn);
      section(table, "generators", generators);
      section(table, "formats", formats);
      return table;
    }

    private static void describe(PublishedData published, ObjectNode node) {
      node.put("name", published.name());
      node.put("title", published.title());
      node.put("source", published.source());
      node.put("licence", published.licence());
      node.put("format", published.format());
      node.put("data", published.data());
    }

    private static Table published() {
      Table table = new Table().row("published", "title", "from", "licence", "format", "--data");
      for (PublishedData data : PublishedData.ALL) {
        table.row(
            data.name(), data.title(), data.source(), data.licence(), data.format(), data.data());
      }
      return table;
    }

    private static void section(Table table, String title, Map<String, String> described) {
      String first = title;
      for (Map.Entry<String, String> row : described.entrySet()) {
        table.row(first, row.getKey(), row.getValue());
        first = "";
      }
    }
  }
}
