package dev.gossamer.cli;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.Bter;
import dev.gossamer.graph.generate.ClassGraph;
import dev.gossamer.graph.generate.DegreeDistribution;
import dev.gossamer.graph.generate.Generator;
import dev.gossamer.graph.generate.Grid;
import dev.gossamer.graph.generate.Rmat;
import dev.gossamer.graph.generate.StochasticBlocks;
import dev.gossamer.graph.generate.VertexData;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "build",
    description = "Make a data set: a graph of classes, or a random graph with planted classes.",
    subcommands = {
      DatasetBuildCommand.JdkClasses.class,
      DatasetBuildCommand.ClassPath.class,
      DatasetBuildCommand.RecursiveMatrix.class,
      DatasetBuildCommand.BlockModel.class,
      DatasetBuildCommand.BlockTwoLevel.class,
      DatasetBuildCommand.TwoDimensional.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer dataset build jdk-classes --home /usr/lib/jvm/other-jdk --out other-jdk",
      "  gossamer dataset build classpath --classpath 'a.jar:b.jar:classes' --out my-classes",
      "  gossamer dataset build rmat --scale 20 --edge-factor 16 --features 128 --classes 40",
    })
final class DatasetBuildCommand implements Runnable {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "expected one of " + String.join(", ", spec.subcommands().keySet()) + ", found none");
  }

  /// Flags of everything that is built.
  static final class Output {
    @Option(
        names = {"-o", "--out"},
        paramLabel = "FOLDER",
        description = "Folder to write (default: the name of the graph).")
    @Nullable Path out;

    @Option(
        names = "--split",
        paramLabel = "T/V/S",
        defaultValue = "10/10/80",
        description = "Train, validation and test part in per cent (default: ${DEFAULT-VALUE}).")
    String split = "10/10/80";

    @Option(
        names = "--seed",
        paramLabel = "N",
        defaultValue = "0",
        description = "Seed; equal seeds give equal bytes (default: ${DEFAULT-VALUE}).")
    long seed;

    Path folder(String name) {
      return out == null ? Path.of(name) : out;
    }

    Splits.Fractions fractions() {
      return Splits.Fractions.parse(split);
    }

    void write(CommandSpec spec, CommonOptions common, GraphData built) {
      Path folder = folder(built.name());
      DatasetFolder.write(folder, built.withSplit(Splits.draw(built, fractions(), seed)));
      report(spec, common, folder);
    }

    static void report(CommandSpec spec, CommonOptions common, Path folder) {
      try (GraphData written = DatasetFolder.open(folder)) {
        Written.report(spec, common, written, folder);
      }
    }
  }

  /// Flags of graphs of classes.
  static final class ClassOptions {
    @Option(
        names = "--hub-limit",
        paramLabel = "N",
        defaultValue = "1000",
        description =
            "A class with more neighbours loses its edges; none to keep them (default: ${DEFAULT-VALUE}).")
    String hubLimit = "1000";

    int limit() {
      if (hubLimit.equals("none")) {
        return Integer.MAX_VALUE;
      }
      if (!hubLimit.matches("[0-9]{1,9}")) {
        throw new InvalidInputException(
            "--hub-limit: expected a number or none, found " + hubLimit);
      }
      return Integer.parseInt(hubLimit);
    }
  }

  @Command(
      name = "jdk-classes",
      description = "Which class of a JDK refers to which; the label is the package or the module.",
      sortOptions = false)
  static final class JdkClasses implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin Output output = new Output();
    @Mixin ClassOptions classes = new ClassOptions();

    @Option(
        names = "--home",
        paramLabel = "FOLDER",
        description = "Another JDK's folder (default: the running one).")
    @Nullable Path home;

    @Option(
        names = "--label",
        paramLabel = "WHAT",
        defaultValue = "package",
        description =
            "package (its first three components, of at least 100 classes) or module (of at least 50)"
                + " (default: ${DEFAULT-VALUE}).")
    String label = "package";

    @Override
    public Integer call() {
      ClassGraph usual =
          switch (label) {
            case "package" -> ClassGraph.byPackage(output.seed);
            case "module" -> ClassGraph.byModule(output.seed);
            default ->
                throw new InvalidInputException(
                    "--label: expected package or module, found " + label);
          };
      ClassGraph graph =
          new ClassGraph(usual.groupBy(), usual.minimumGroup(), classes.limit(), output.seed);
      try (GraphData built = home == null ? graph.jdk() : graph.jdk(home)) {
        output.write(spec, common, built);
      }
      return 0;
    }
  }

  @Command(
      name = "classpath",
      description = "Which class of a class path refers to which; the label is the jar or folder.",
      sortOptions = false)
  static final class ClassPath implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin Output output = new Output();
    @Mixin ClassOptions classes = new ClassOptions();

    @Option(
        names = "--classpath",
        paramLabel = "PATH",
        required = true,
        description = "Jars and folders, separated as on the Java command line.")
    String classPath = "";

    @Override
    public Integer call() {
      List<Path> elements =
          Arrays.stream(classPath.split(File.pathSeparator)).map(Path::of).toList();
      ClassGraph usual = ClassGraph.byJar(output.seed);
      ClassGraph graph =
          new ClassGraph(usual.groupBy(), usual.minimumGroup(), classes.limit(), output.seed);
      try (GraphData built = graph.classPath(elements)) {
        output.write(spec, common, built);
      }
      return 0;
    }
  }

  /// Flags of random graphs.
  static final class RandomOptions {
    @Option(
        names = "--features",
        paramLabel = "F",
        defaultValue = "64",
        description = "Width of the features; 0 for none (default: ${DEFAULT-VALUE}).")
    int features;

    @Option(
        names = "--classes",
        paramLabel = "C",
        defaultValue = "16",
        description = "Planted classes (default: ${DEFAULT-VALUE}).")
    int classes;

    @Option(
        names = "--signal",
        paramLabel = "S",
        defaultValue = "1.5",
        description =
            "Length of the class means, in standard deviations of the features' noise (default: ${DEFAULT-VALUE}).")
    double signal;

    @Option(
        names = "--inside",
        paramLabel = "SHARE",
        defaultValue = "0.5",
        description =
            "Share of the edges made to join a class to itself (default: ${DEFAULT-VALUE}).")
    double inside;

    VertexData data(Output output) {
      return new VertexData(features, signal, output.fractions());
    }
  }

  /// Makes the graph that the flags describe and writes it, with progress.
  private static int generate(
      CommandSpec spec, CommonOptions common, Output output, Supplier<Generator> described) {
    Generator generator;
    try {
      generator = described.get();
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()), e);
    }
    Path folder = output.folder(generator.name());
    try (ProgressSteps progress = new ProgressSteps(common.quiet)) {
      generator.generate(folder, progress);
    }
    Output.report(spec, common, folder);
    return 0;
  }

  @Command(
      name = "rmat",
      description = "Recursive matrix (Chakrabarti et al. 2004): heavy-tailed degrees.",
      sortOptions = false,
      footerHeading = "%nExample:%n",
      footer =
          "  gossamer dataset build rmat --vertices 2400000 --edge-factor 25 --features 100 --classes 47")
  static final class RecursiveMatrix implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin Output output = new Output();
    @Mixin RandomOptions random = new RandomOptions();

    @Option(
        names = "--scale",
        paramLabel = "S",
        defaultValue = "14",
        description = "2^S vertices (default: ${DEFAULT-VALUE}).")
    int scale;

    @Option(names = "--vertices", paramLabel = "N", description = "Vertices, instead of --scale.")
    @Nullable Integer vertices;

    @Option(
        names = "--edge-factor",
        paramLabel = "E",
        defaultValue = "16",
        description = "Edges drawn for each vertex (default: ${DEFAULT-VALUE}).")
    double edgeFactor;

    @Option(
        names = "--quadrants",
        paramLabel = "A,B,C",
        split = ",",
        arity = "1",
        defaultValue = "0.57,0.19,0.19",
        description = "Probabilities of the first three quadrants (default: ${DEFAULT-VALUE}).")
    List<Double> quadrants = List.of(0.57, 0.19, 0.19);

    @Override
    public Integer call() {
      if (quadrants.size() != 3) {
        throw new InvalidInputException(
            "--quadrants: expected 3 numbers, found " + quadrants.size());
      }
      if (scale < 1 || scale > 30) {
        throw new InvalidInputException("--scale: expected 1 to 30, found " + scale);
      }
      return generate(
          spec,
          common,
          output,
          () ->
              new Rmat(
                  vertices == null ? 1 << scale : vertices,
                  edgeFactor,
                  quadrants.get(0),
                  quadrants.get(1),
                  quadrants.get(2),
                  random.classes,
                  random.inside,
                  random.data(output),
                  output.seed));
    }
  }

  @Command(
      name = "sbm",
      description = "Stochastic block model: the class of a vertex is its block.",
      sortOptions = false)
  static final class BlockModel implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin Output output = new Output();
    @Mixin RandomOptions random = new RandomOptions();

    @Option(
        names = "--vertices",
        paramLabel = "N",
        defaultValue = "10000",
        description = "Vertices (default: ${DEFAULT-VALUE}).")
    int vertices;

    @Option(
        names = "--degree",
        paramLabel = "D",
        defaultValue = "16",
        description = "Mean degree (default: ${DEFAULT-VALUE}).")
    double degree;

    @Override
    public Integer call() {
      return generate(
          spec,
          common,
          output,
          () ->
              new StochasticBlocks(
                  vertices,
                  random.classes,
                  degree,
                  random.inside,
                  random.data(output),
                  output.seed));
    }
  }

  @Command(
      name = "bter",
      description = {
        "Block two-level Erdos-Renyi (Kolda et al. 2014): given degrees and clustering.",
        "Degrees follow a power law, or those of another data set (--like), scaled.",
      },
      sortOptions = false)
  static final class BlockTwoLevel implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin Output output = new Output();
    @Mixin RandomOptions random = new RandomOptions();

    @Option(
        names = "--vertices",
        paramLabel = "N",
        defaultValue = "10000",
        description = "Vertices of the power law (default: ${DEFAULT-VALUE}).")
    int vertices;

    @Option(
        names = "--exponent",
        paramLabel = "X",
        defaultValue = "2.2",
        description = "Exponent of the power law (default: ${DEFAULT-VALUE}).")
    double exponent;

    @Option(
        names = "--min-degree",
        paramLabel = "D",
        defaultValue = "3",
        description = "Least degree of the power law (default: ${DEFAULT-VALUE}).")
    int minDegree;

    @Option(
        names = "--max-degree",
        paramLabel = "D",
        defaultValue = "1000",
        description = "Largest degree of the power law (default: ${DEFAULT-VALUE}).")
    int maxDegree;

    @Option(
        names = "--like",
        paramLabel = "DATA",
        description = "Take the degrees of this data set instead.")
    @Nullable String like;

    @Option(
        names = "--scale-degrees",
        paramLabel = "X",
        defaultValue = "1",
        description = "Multiply all degrees (default: ${DEFAULT-VALUE}).")
    double scaleDegrees;

    @Option(
        names = "--clustering",
        paramLabel = "C",
        defaultValue = "0.6",
        description = "Clustering coefficient at low degree (default: ${DEFAULT-VALUE}).")
    double clustering;

    @Option(
        names = "--clustering-decay",
        paramLabel = "X",
        defaultValue = "0.01",
        description = "How fast it falls with the degree (default: ${DEFAULT-VALUE}).")
    double clusteringDecay;

    @Override
    public Integer call() {
      return generate(
          spec,
          common,
          output,
          () ->
              new Bter(
                  degrees().scaledBy(scaleDegrees),
                  new Bter.Clustering(clustering, clusteringDecay),
                  random.classes,
                  random.inside,
                  random.data(output),
                  output.seed));
    }

    private DegreeDistribution degrees() {
      if (like == null) {
        return DegreeDistribution.powerLaw(vertices, exponent, minDegree, maxDegree);
      }
      DataOptions source = new DataOptions();
      source.data = like;
      try (GraphData dataset = source.open(common).data()) {
        return DegreeDistribution.of(dataset.adjacency());
      }
    }
  }

  @Command(
      name = "grid",
      description = "Two-dimensional grid with a patchwork of classes.",
      sortOptions = false)
  static final class TwoDimensional implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin Output output = new Output();
    @Mixin RandomOptions random = new RandomOptions();

    @Option(
        names = "--rows",
        paramLabel = "N",
        defaultValue = "100",
        description = "Rows (default: ${DEFAULT-VALUE}).")
    int rows;

    @Option(
        names = "--cols",
        paramLabel = "N",
        defaultValue = "100",
        description = "Columns (default: ${DEFAULT-VALUE}).")
    int cols;

    @Option(names = "--torus", description = "Join the last row and column to the first.")
    boolean torus;

    @Option(
        names = "--patch",
        paramLabel = "N",
        defaultValue = "10",
        description = "Side of a square of one class (default: ${DEFAULT-VALUE}).")
    int patch;

    @Override
    public Integer call() {
      return generate(
          spec,
          common,
          output,
          () ->
              new Grid(rows, cols, torus, patch, random.classes, random.data(output), output.seed));
    }
  }
}
