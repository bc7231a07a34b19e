package dev.gossamer.planner;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.graph.format.YamlSection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;
import tools.jackson.dataformat.yaml.util.StringQuotingChecker;

/// Reads and writes `cluster.yaml`: a [Cluster] in numbers with units.
///
/// ```yaml
/// nodes: 2
/// ranks-per-node: 4
/// cores-per-node: 16
/// memory-per-node: 64g
/// inside: {latency: 2 us, bandwidth: 6 GB/s}
/// between: {latency: 30 us, bandwidth: 10 Gbit/s}
/// ```
///
/// `rates` may follow, as [#write] writes them. docs/formats.md has a whole file.
public final class ClusterFile {
  /// Far more than the rates of any calibration take.
  private static final int MOST_BYTES = 1 << 20;

  private static final List<String> KEYS =
      List.of(
          "nodes",
          "ranks-per-node",
          "cores-per-node",
          "memory-per-node",
          "inside",
          "between",
          "rates");

  private static final YAMLMapper YAML =
      YAMLMapper.builder(YAMLFactory.builder().stringQuotingChecker(new Plain()).build())
          .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
          .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
          .build();

  /// Nothing that is written here means something else without quotes.
  private static final class Plain extends StringQuotingChecker {
    private static final long serialVersionUID = 1;

    @Override
    public boolean needToQuoteName(String name) {
      return false;
    }

    @Override
    public boolean needToQuoteValue(String value) {
      return false;
    }
  }

  private ClusterFile() {}

  /// Reads a cluster.
  ///
  /// @param file YAML, or JSON, which is YAML too
  /// @param rates of this machine, used if the file has none
  /// @return the cluster
  /// @throws InvalidInputException naming file, key, what was expected and what was found
  public static Cluster read(Path file, Supplier<? extends Rates> rates) {
    YamlSection cluster = YamlSection.read(file, MOST_BYTES, "a cluster", KEYS);
    Optional<MeasuredRates> own =
        cluster.has("rates") ? Optional.of(rates(cluster.section("rates"))) : Optional.empty();
    int nodes = cluster.count("nodes");
    int ranks = cluster.count("ranks-per-node");
    int cores = cluster.count("cores-per-node");
    long memory = (long) positive(cluster, "memory-per-node", Quantity.MEMORY);
    LinkRates inside = link(cluster.section("inside"));
    LinkRates between =
        nodes == 1 && !cluster.has("between") ? inside : link(cluster.section("between"));
    if ((long) nodes * ranks > Cluster.MOST_RANKS) {
      throw new InvalidInputException(
          "%s: expected at most %d ranks on all nodes, found %d nodes of %d ranks"
              .formatted(file, Cluster.MOST_RANKS, nodes, ranks));
    }
    return new Cluster(
        nodes, ranks, cores, memory, inside, between, own.isPresent() ? own.get() : rates.get());
  }

  /// Checks that a file may be replaced by a cluster file.
  ///
  /// @param file the existing file
  /// @throws InvalidInputException if it is not a cluster file
  public static void requireCluster(Path file) {
    read(file, ClusterFile::unknown);
  }

  /// Rates that are never read.
  private static MeasuredRates unknown() {
    Map<Work, RateTable> tables = new EnumMap<>(Work.class);
    for (Work work : Work.values()) {
      List<Integer> at = Collections.nCopies(work.sizes(), 1);
      tables.put(work, new RateTable(List.of(new RateTable.Point(at, 1, 1))));
    }
    return new MeasuredRates(1, tables);
  }

  private static LinkRates link(YamlSection section) {
    section.requireKeys(List.of("latency", "bandwidth"));
    return new LinkRates(
        quantity(section, "latency", Quantity.TIME),
        positive(section, "bandwidth", Quantity.BANDWIDTH));
  }

  private static MeasuredRates rates(YamlSection section) {
    List<String> keys = new ArrayList<>(List.of("threads"));
    Map<Work, RateTable> tables = new EnumMap<>(Work.class);
    Arrays.stream(Work.values()).map(Work::key).forEach(keys::add);
    section.requireKeys(keys);
    int threads = section.count("threads");
    for (Work work : Work.values()) {
      tables.put(work, table(section, work));
    }
    return new MeasuredRates(threads, tables);
  }

  private static RateTable table(YamlSection rates, Work work) {
    if (work.sizes() == 0) {
      return new RateTable(List.of(point(rates, work.key(), List.of(), work)));
    }
    YamlSection section = rates.section(work.key());
    List<RateTable.Point> points = new ArrayList<>();
    for (String key : section.keys()) {
      points.add(point(section, key, sizes(section, key, work.sizes()), work));
    }
    try {
      return new RateTable(points);
    } catch (InvalidSettingException e) {
      throw new InvalidInputException(
          "%s: expected every combination of the sizes once, found %s"
              .formatted(section.where(), String.join(", ", section.keys())),
          e);
    }
  }

  private static List<Integer> sizes(YamlSection section, String key, int dimensions) {
    String[] parts = key.split(" x ", -1);
    if (parts.length != dimensions
        || Arrays.stream(parts).anyMatch(part -> !part.matches("[1-9][0-9]{0,8}"))) {
      throw new InvalidInputException(
          "%s: expected keys of %d sizes such as %s, found %s"
              .formatted(
                  section.where(),
                  dimensions,
                  String.join(" x ", List.of("4096", "16", "4", "64").subList(0, dimensions)),
                  key));
    }
    return Arrays.stream(parts).map(Integer::valueOf).toList();
  }

  /// Two numbers: that of one thread, and that of all.
  private static RateTable.Point point(
      YamlSection section, String key, List<Integer> at, Work work) {
    String where = section.where(key);
    String text = text(section, key);
    String[] parts = text.split(",", -1);
    if (parts.length != 2) {
      throw new InvalidInputException(
          "%s: expected two numbers, of one thread and of all, found %s".formatted(where, text));
    }
    try {
      return new RateTable.Point(
          at, seconds(work, where, parts[0]), seconds(work, where, parts[1]));
    } catch (InvalidSettingException e) {
      throw new InvalidInputException(
          "%s: expected more than 0, found %s".formatted(where, text), e);
    }
  }

  /// Bytes and multiply-adds stand in a file as what is done a second; a multiply-add is two
  /// operations.
  private static double seconds(Work work, String where, String text) {
    return switch (work) {
      case MATMUL, MATMUL_RAGGED, WEIGHT_GRADIENT -> 2 / Quantity.OPERATIONS.parse(where, text);
      case STREAM -> 1 / Quantity.BANDWIDTH.parse(where, text);
      default -> Quantity.TIME.parse(where, text);
    };
  }

  /// {@return the rate of a kind of work as files have it: a time per unit, or operations or bytes
  /// per second}
  ///
  /// @param work the kind
  /// @param seconds of a unit
  public static String text(Work work, double seconds) {
    return switch (work) {
      case MATMUL, MATMUL_RAGGED, WEIGHT_GRADIENT -> Quantity.OPERATIONS.text(2 / seconds);
      case STREAM -> Quantity.BANDWIDTH.text(1 / seconds);
      default -> Quantity.TIME.text(seconds);
    };
  }

  private static String text(Work work, RateTable.Point point) {
    return text(work, point.one()) + ", " + text(work, point.all());
  }

  /// Writes a cluster.
  ///
  /// @param file written atomically
  /// @param cluster to write
  /// @throws IllegalArgumentException if its rates are not [MeasuredRates]
  /// @throws InvalidInputException if it cannot be written
  public static void write(Path file, Cluster cluster) {
    byte[] yaml = YAML.writeValueAsBytes(entries(cluster));
    AtomicOutput.file(file, temporary -> Files.write(temporary, yaml));
  }

  private static Map<String, Object> entries(Cluster cluster) {
    if (!(cluster.rates() instanceof MeasuredRates rates)) {
      throw new IllegalArgumentException(
          "rates: expected measured ones, found " + cluster.rates().getClass().getName());
    }
    Map<String, Object> entries = new LinkedHashMap<>();
    entries.put("nodes", cluster.nodes());
    entries.put("ranks-per-node", cluster.ranksPerNode());
    entries.put("cores-per-node", cluster.coresPerNode());
    entries.put("memory-per-node", Quantity.MEMORY.text((double) cluster.memoryPerNode()));
    entries.put("inside", entries(cluster.inside()));
    entries.put("between", entries(cluster.between()));
    entries.put("rates", entries(rates));
    return entries;
  }

  private static Map<String, Object> entries(LinkRates link) {
    Map<String, Object> entries = new LinkedHashMap<>();
    entries.put("latency", Quantity.TIME.text(link.latency()));
    entries.put("bandwidth", Quantity.BANDWIDTH.text(link.bandwidth()));
    return entries;
  }

  private static Map<String, Object> entries(MeasuredRates rates) {
    Map<String, Object> entries = new LinkedHashMap<>();
    entries.put("threads", rates.threads());
    rates
        .tables()
        .forEach((work, table) ->
            entries.put(
                work.key(),
                work.sizes() == 0 ? text(work, table.points().getFirst()) : entries(work, table)));
    return entries;
  }

  private static Map<String, Object> entries(Work work, RateTable table) {
    Map<String, Object> entries = new LinkedHashMap<>();
    for (RateTable.Point point : table.points()) {
      entries.put(
          point.at().stream().map(String::valueOf).collect(Collectors.joining(" x ")),
          text(work, point));
    }
    return entries;
  }

  private static String text(YamlSection section, String key) {
    return section.text(key, "a number with its unit");
  }

  private static double quantity(YamlSection section, String key, Quantity quantity) {
    return quantity.parse(section.where(key), text(section, key));
  }

  private static double positive(YamlSection section, String key, Quantity quantity) {
    double value = quantity(section, key, quantity);
    if (value <= 0) {
      throw new InvalidInputException(
          "%s: expected more than 0, found %s".formatted(section.where(key), text(section, key)));
    }
    return value;
  }
}
