package dev.gossamer.cli.data;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.CacheReport;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.graph.generate.ClassGraph;
import dev.gossamer.tables.debian.DebianPackages;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "build",
    description =
        "Build a data set: a graph of classes or of packages, or a random graph with planted classes.",
    subcommands = {
      DatasetBuildCommand.JdkClasses.class,
      DatasetBuildCommand.ClassPath.class,
      DatasetBuildCommand.Packages.class,
      RandomGraphs.RecursiveMatrix.class,
      RandomGraphs.BlockModel.class,
      RandomGraphs.BlockTwoLevel.class,
      RandomGraphs.TwoDimensional.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer dataset build jdk-classes --home /usr/lib/jvm/other-jdk --out other-jdk",
      "  gossamer dataset build classpath --classpath 'a.jar:b.jar:classes' --out my-classes",
      "  gossamer dataset build debian-packages --tables debian --out debian-packages",
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

  /// Base of all commands that build a data set.
  abstract static class Building implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();

    @Option(
        names = {"-o", "--out"},
        paramLabel = "FOLDER",
        description =
            "Folder to write; replaces an earlier data set, but never a folder with other files (default: the name of"
                + " the graph).")
    @Nullable Path out;

    @Option(
        names = "--split",
        paramLabel = "T/V/S",
        defaultValue = "10/10/80",
        description = "Training, validation and test parts in percent (default: ${DEFAULT-VALUE}).")
    String split = "10/10/80";

    @Option(
        names = "--seed",
        paramLabel = "N",
        defaultValue = "0",
        description = "Seed; the same seed gives the same bytes (default: ${DEFAULT-VALUE}).")
    long seed;

    /// Builds the data set and writes it.
    ///
    /// @return the folder
    abstract Path build();

    final Path folder(String name) {
      return out == null ? Path.of(name) : out;
    }

    final Splits.Fractions fractions() {
      return Splits.Fractions.parse(split);
    }

    @Override
    public final Integer call() {
      if (out != null) {
        DatasetFolder.requireReplaceable(out);
      }
      Path folder = build();
      try (GraphData written = DatasetFolder.open(folder)) {
        Written.report(spec, common, written, folder);
      }
      return 0;
    }
  }

  /// Graphs of classes.
  abstract static class ClassGraphs extends Building {
    @Option(
        names = "--hub-limit",
        paramLabel = "N",
        defaultValue = "1000",
        description =
            "Drop the edges of classes with more neighbours than this; none to keep them (default: ${DEFAULT-VALUE}).")
    String hubLimit = "1000";

    private int limit() {
      if (hubLimit.equalsIgnoreCase("none")) {
        return Integer.MAX_VALUE;
      }
      if (!hubLimit.matches("[0-9]{1,9}")) {
        throw new InvalidInputException(
            "--hub-limit: expected a number or none, found " + hubLimit);
      }
      return Integer.parseInt(hubLimit);
    }

    /// Returns the default rules for a source of classes.
    abstract ClassGraph usual();

    /// Returns the graph of the source, to be closed.
    abstract GraphData graph(ClassGraph rules);

    @Override
    final Path build() {
      Splits.Fractions fractions = fractions();
      try (GraphData built = graph(usual().withHubLimit(limit()))) {
        Path folder = folder(built.name());
        DatasetFolder.write(folder, built.withSplit(Splits.draw(built, fractions, seed)));
        return folder;
      }
    }
  }

  @Command(
      name = "jdk-classes",
      description =
          "Build the graph of references between the classes of a JDK; the label is the package or the module.",
      sortOptions = false)
  static final class JdkClasses extends ClassGraphs {
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
    ClassGraph usual() {
      return switch (label.toLowerCase(Locale.ROOT)) {
        case "package" -> ClassGraph.byPackage(seed);
        case "module" -> ClassGraph.byModule(seed);
        default ->
            throw new InvalidInputException("--label: expected package or module, found " + label);
      };
    }

    @Override
    GraphData graph(ClassGraph rules) {
      return home == null ? rules.jdk() : rules.jdk(home);
    }
  }

  @Command(
      name = "classpath",
      description =
          "Build the graph of references between the classes of a class path; the label is the jar or folder.",
      sortOptions = false)
  static final class ClassPath extends ClassGraphs {
    @Option(
        names = "--classpath",
        paramLabel = "PATH",
        required = true,
        description = "Jars and folders, separated as on the Java command line.")
    String classPath = "";

    @Override
    ClassGraph usual() {
      return ClassGraph.byJar(seed);
    }

    @Override
    GraphData graph(ClassGraph rules) {
      List<Path> elements =
          Arrays.stream(classPath.split(File.pathSeparator)).map(Path::of).toList();
      return rules.classPath(elements);
    }
  }

  @Command(
      name = "debian-packages",
      description =
          "Build the graph of dependencies between the packages in apt's lists; the label is the section.",
      sortOptions = false,
      footerHeading = "%nExamples:%n",
      footer = {
        "  gossamer dataset build debian-packages --tables debian --out debian-packages",
        "  gossamer dataset import --vertices debian/packages.csv --edges debian/depends.csv --out debian",
      })
  static final class Packages extends Building {
    @Option(
        names = "--lists",
        paramLabel = "FOLDER",
        description =
            "Folder with other lists, *_Packages as texts or packed (default: those of this machine's apt).")
    @Nullable Path lists;

    @Option(
        names = "--tables",
        paramLabel = "FOLDER",
        description =
            "Keep the tables packages.csv and depends.csv that the lists become, and their schema; replaces earlier"
                + " ones, but never a folder with other files.")
    @Nullable Path tables;

    @Override
    Path build() {
      DebianPackages packages = lists == null ? new DebianPackages() : new DebianPackages(lists);
      Splits.Fractions fractions = fractions();
      Path folder = folder(packages.key());
      try (CacheReport report = new CacheReport(common);
          GraphData built = graph(packages, fractions, report)) {
        DatasetFolder.write(folder, built);
      }
      return folder;
    }

    private GraphData graph(DebianPackages packages, Splits.Fractions fractions, Progress report) {
      if (tables == null) {
        return packages.build(fractions, seed, report);
      }
      packages.writeTables(tables, report);
      return packages.read(tables, fractions, seed, report);
    }
  }
}
