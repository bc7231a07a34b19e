package dev.gossamer.tables.debian;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Progress;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/// The two tables that [DebianPackages] describes, from lists of packages. Reads the lists twice:
/// which packages there are must be known before a dependency is resolved.
final class PackageTables {
  /// A row per package.
  static final String PACKAGES = "packages.csv";

  /// A row per dependency.
  static final String DEPENDS = "depends.csv";

  /// The schema of both, a resource.
  static final String SCHEMA = "debian-packages.yaml";

  static final Set<String> FILES = Set.of(PACKAGES, DEPENDS, SCHEMA);

  private static final List<String> DEPENDENCIES = List.of("depends", "pre-depends");
  private static final String PROVIDES = "provides";
  private static final String SECTION = "section";
  private static final List<String> TEXTS =
      List.of("description", "priority", "architecture", "multi-arch", "maintainer");
  private static final List<String> NUMBERS = List.of("size", "installed-size");

  private final PackageLists lists;
  private final Progress progress;
  private final Set<String> packages = new HashSet<>();

  /// The first package that provides a virtual one.
  private final Map<String, String> providers = new HashMap<>();

  private PackageTables(PackageLists lists, Progress progress) {
    this.lists = lists;
    this.progress = progress;
  }

  /// Writes both tables and their schema.
  ///
  /// @param folder that exists
  static void write(PackageLists lists, Path folder, Progress progress) throws IOException {
    PackageTables tables = new PackageTables(lists, progress);
    tables.findPackages();
    tables.writeRows(folder);
    try (InputStream schema =
        Objects.requireNonNull(PackageTables.class.getResourceAsStream(SCHEMA), SCHEMA)) {
      Files.copy(schema, folder.resolve(SCHEMA));
    }
  }

  private void findPackages() {
    lists.forEach(
        Set.of(PROVIDES),
        "finding packages",
        progress,
        stanza -> {
          if (packages.add(stanza.name())) {
            for (List<String> provided : stanza.relations(PROVIDES)) {
              providers.putIfAbsent(provided.getFirst(), stanza.name());
            }
          }
        });
    if (packages.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected packages, found none; 'apt-get update' gets the lists again"
              .formatted(lists.files().getFirst()));
    }
  }

  private void writeRows(Path folder) throws IOException {
    Set<String> wanted = new HashSet<>(DEPENDENCIES);
    wanted.add(SECTION);
    wanted.addAll(TEXTS);
    wanted.addAll(NUMBERS);
    Set<String> written = new HashSet<>();
    try (CSVPrinter rows =
            printer(
                folder.resolve(PACKAGES),
                Stream.of(Stream.of("name", SECTION), TEXTS.stream(), NUMBERS.stream())
                    .flatMap(names -> names)
                    .map(name -> name.replace('-', '_')));
        CSVPrinter edges = printer(folder.resolve(DEPENDS), Stream.of("package", "depends_on"))) {
      lists.forEach(
          wanted,
          "writing tables",
          progress,
          stanza -> {
            if (written.add(stanza.name())) {
              write(stanza, rows, edges);
            }
          });
    } catch (UncheckedIOException e) {
      throw Objects.requireNonNull(e.getCause());
    }
  }

  private static CSVPrinter printer(Path file, Stream<String> header) throws IOException {
    CSVFormat format =
        CSVFormat.DEFAULT
            .builder()
            .setHeader(header.toArray(String[]::new))
            .setRecordSeparator('\n')
            .get();
    BufferedWriter writer = Files.newBufferedWriter(file);
    return new CSVPrinter(writer, format);
  }

  private void write(Stanza stanza, CSVPrinter rows, CSVPrinter edges) {
    try {
      rows.print(stanza.name());
      rows.print(stanza.text(SECTION).map(PackageTables::lastPart).orElse(null));
      for (String field : TEXTS) {
        rows.print(stanza.text(field).orElse(null));
      }
      for (String field : NUMBERS) {
        rows.print(stanza.number(field).orElse(null));
      }
      rows.println();
      for (String field : DEPENDENCIES) {
        for (List<String> alternatives : stanza.relations(field)) {
          Optional<String> target = resolved(alternatives);
          if (target.isPresent()) {
            edges.printRecord(stanza.name(), target.get());
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// `net` of `contrib/net`.
  private static String lastPart(String section) {
    return section.substring(section.lastIndexOf('/') + 1);
  }

  /// The first alternative that is in a list, or that a package in one provides.
  private Optional<String> resolved(List<String> alternatives) {
    return alternatives.stream()
        .map(name -> packages.contains(name) ? name : providers.get(name))
        .filter(Objects::nonNull)
        .findFirst();
  }
}
