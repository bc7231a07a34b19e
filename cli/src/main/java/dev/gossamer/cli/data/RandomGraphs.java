package dev.gossamer.cli.data;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.CacheReport;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.graph.generate.Bter;
import dev.gossamer.graph.generate.DegreeDistribution;
import dev.gossamer.graph.generate.Generator;
import dev.gossamer.graph.generate.Grid;
import dev.gossamer.graph.generate.Planted;
import dev.gossamer.graph.generate.Rmat;
import dev.gossamer.graph.generate.StochasticBlocks;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Commands that build random graphs with planted classes.
abstract class RandomGraphs extends DatasetBuildCommand.Building {
  @Option(
      names = "--features",
      paramLabel = "F",
      defaultValue = "64",
      description = "Number of features; 0 for none (default: ${DEFAULT-VALUE}).")
  int features;

  @Option(
      names = "--classes",
      paramLabel = "C",
      defaultValue = "16",
      description = "Number of planted classes (default: ${DEFAULT-VALUE}).")
  int classes;

  @Option(
      names = "--signal",
      paramLabel = "S",
      defaultValue = "1.5",
      description =
          "Length of the class means, in standard deviations of the features' noise (default: ${DEFAULT-VALUE}).")
  double signal;

  final Planted planted() {
    return new Planted(classes, features, signal, fractions(), seed);
  }

  abstract Generator generator();

  @Override
  final Path build() {
    Generator generator = generator();
    Path folder = folder(generator.name());
    try (ProgressSteps progress = new ProgressSteps(common.quiet)) {
      generator.generate(folder, progress);
    }
    return folder;
  }

  /// Random graphs whose edges may prefer their own class.
  abstract static class ClassAware extends RandomGraphs {
    @Option(
        names = "--inside",
        paramLabel = "SHARE",
        defaultValue = "0.5",
        description = "Fraction of the edges drawn inside classes (default: ${DEFAULT-VALUE}).")
    double inside;
  }

  @Command(
      name = "rmat",
      description =
          "Generate a recursive-matrix graph (Chakrabarti et al. 2004): heavy-tailed degrees.",
      sortOptions = false,
      footerHeading = "%nExample:%n",
      footer =
          "  gossamer dataset build rmat --vertices 2400000 --edge-factor 25 --features 100 --classes 47")
  static final class RecursiveMatrix extends ClassAware {
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
    Generator generator() {
      if (quadrants.size() != 3) {
        throw new InvalidSettingException(
            "{quadrants}: expected 3 numbers, found " + quadrants.size());
      }
      if (scale < 1 || scale > 30) {
        throw new InvalidSettingException("{scale}: expected 1 to 30, found " + scale);
      }
      return new Rmat(
          vertices == null ? 1 << scale : vertices,
          edgeFactor,
          new Rmat.Quadrants(quadrants.get(0), quadrants.get(1), quadrants.get(2)),
          inside,
          planted());
    }
  }

  @Command(
      name = "sbm",
      description = "Generate a stochastic block model: the class of a vertex is its block.",
      sortOptions = false)
  static final class BlockModel extends ClassAware {
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
    Generator generator() {
      return new StochasticBlocks(vertices, degree, inside, planted());
    }
  }

  @Command(
      name = "bter",
      description = {
        "Generate a block two-level Erdos-Renyi graph (Kolda et al. 2014): given degrees and clustering.",
        "Degrees follow a power law, or those of another data set (--like), scaled.",
      },
      sortOptions = false)
  static final class BlockTwoLevel extends ClassAware {
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
        description = "Minimum degree of the power law (default: ${DEFAULT-VALUE}).")
    int minDegree;

    @Option(
        names = "--max-degree",
        paramLabel = "D",
        defaultValue = "1000",
        description = "Maximum degree of the power law (default: ${DEFAULT-VALUE}).")
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
        description =
            "How fast the clustering coefficient falls with the degree (default: ${DEFAULT-VALUE}).")
    double clusteringDecay;

    @Override
    Generator generator() {
      Bter.Clustering coefficients = new Bter.Clustering(clustering, clusteringDecay);
      return new Bter(degrees().scaledBy(scaleDegrees), coefficients, inside, planted());
    }

    private DegreeDistribution degrees() {
      if (like == null) {
        return DegreeDistribution.powerLaw(vertices, exponent, minDegree, maxDegree);
      }
      try (CacheReport report = new CacheReport(common);
          GraphData dataset = DatasetCache.ofUser().open(like, ReadOptions.DEFAULT, report)) {
        return DegreeDistribution.of(dataset.adjacency());
      }
    }
  }

  @Command(
      name = "grid",
      description = "Generate a two-dimensional grid with a patchwork of classes.",
      sortOptions = false)
  static final class TwoDimensional extends RandomGraphs {
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
    Generator generator() {
      Grid.Border border = torus ? Grid.Border.TORUS : Grid.Border.OPEN;
      return new Grid(rows, cols, border, patch, planted());
    }
  }
}
