package dev.gossamer.tables.debian;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.tables.SchemaProposal;
import dev.gossamer.tables.Tables;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DebianPackagesTest {
  /// Alternatives, virtual packages, versions, architectures, continuation lines.
  private static final String MAIN =
      """
      Package: alpha
      Version: 1:2.0-1
      Installed-Size: 10
      Maintainer: Ann "A" Other <ann@example.org>
      Architecture: amd64
      Depends: beta (>= 2), nowhere | gamma | beta,
       virtual-mail | delta,\tdelta:any (<< 3) [amd64] <!nocheck>, nowhere
      Pre-Depends: gamma, beta
      Description: An editor, fast
       With a long text:
       .
       which is left out.
      Section: editors
      Priority: optional
      Size: 1000

      Package: beta
      Architecture: all
      Multi-Arch: foreign
      Depends: other | alpha
      Section: contrib/net
      Provides: virtual-mail (= 1), other
      Size: 2000
      \t
      pACKAGE:gamma
      architecture: all
      provides: virtual-mail
      SECTION: net

      """;

  /// A package that the first list has, one without a section, and no empty line at the end.
  private static final String UPDATES =
      """

      Package: alpha
      Section: games
      Depends: epsilon
      Provides: nowhere

      Package: delta
      Depends: virtual-mail, delta
      X-Odd:
      """;

  @TempDir Path folder;

  private Path list(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private DebianPackages packages() throws IOException {
    list("a_dists_stable_main_binary-amd64_Packages", MAIN);
    list("b_dists_stable-updates_main_binary-amd64_Packages", UPDATES);
    list("b_dists_stable-updates_InRelease", "no list");
    return new DebianPackages(folder);
  }

  private Path tables(DebianPackages packages) {
    Path tables = folder.resolve("tables");
    packages.writeTables(tables, Progress.SILENT);
    return tables;
  }

  @Test
  void theTablesAreThoseByHand() throws IOException {
    Path tables = tables(packages());
    assertThat(tables.resolve("packages.csv"))
        .hasContent(
            """
            name,section,description,priority,architecture,multi_arch,maintainer,size,installed_size
            alpha,editors,"An editor, fast",optional,amd64,,"Ann ""A"" Other <ann@example.org>",1000,10
            beta,net,,,all,foreign,,2000,
            gamma,net,,,all,,,,
            delta,,,,,,,,
            """);
    assertThat(tables.resolve("depends.csv"))
        .hasContent(
            """
            package,depends_on
            alpha,beta
            alpha,gamma
            alpha,beta
            alpha,delta
            alpha,gamma
            alpha,beta
            beta,beta
            delta,beta
            delta,delta
            """);
  }

  @Tag("slow")
  @Test
  void theGraphIsReadFromTheTables() throws IOException {
    DebianPackages packages = packages();
    Splits.Fractions fractions = new Splits.Fractions(100, 0, 0);
    try (GraphData d = packages.build(fractions, 0, Progress.SILENT)) {
      assertThat(d.name()).isEqualTo("debian-packages");
      assertThat(d.vertexNames()).containsExactly("alpha", "beta", "gamma", "delta");
      assertThat(d.info().classNames()).containsExactly("editors", "net");
      assertThat(d.labels()).containsExactly(0, 1, 1, GraphData.UNLABELLED);
      assertThat(d.info().directed()).isFalse();
      assertThat(edges(d)).containsExactly("0-1", "0-2", "0-3", "1-3");
      assertThat(d.featureNames())
          .contains("priority=optional", "architecture=all", "multi_arch missing", "size")
          .noneMatch(name -> name.startsWith("section"));
      assertThat(d.isLabelled(0, Split.TRAIN)).isTrue();
      assertThat(d.info().provenance())
          .containsEntry("lists", "stable main amd64, stable-updates main amd64")
          .containsEntry("table packages", "4 rows");
      Path tables = tables(packages);
      try (GraphData read = packages.read(tables, fractions, 0, Progress.SILENT)) {
        assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(d));
      }
    }
  }

  private static List<String> edges(GraphData d) {
    CsrMatrix a = d.adjacency();
    List<String> edges = new ArrayList<>();
    for (int u = 0; u < d.vertices(); u++) {
      for (int v : a.rowColumns(u)) {
        if (u < v) {
          edges.add(u + "-" + v);
        }
      }
    }
    return edges;
  }

  @Test
  void packedListsGiveTheSame() throws IOException {
    String plain = Files.readString(tables(packages()).resolve("depends.csv"));
    for (String name : List.of("a_dists_stable_main", "b_dists_stable-updates_main")) {
      Path file = folder.resolve(name + "_binary-amd64_Packages");
      try (OutputStream out =
          new GZIPOutputStream(Files.newOutputStream(folder.resolve(file + ".gz")))) {
        Files.copy(file, out);
      }
      Files.delete(file);
    }
    assertThat(tables(new DebianPackages(folder)).resolve("depends.csv")).hasContent(plain);
  }

  @Test
  void otherListsAreAnotherVersion() throws IOException {
    DebianPackages packages = packages();
    TreeSet<String> versions = new TreeSet<>(List.of(packages.version()));
    assertThat(versions.first()).matches("[0-9a-f]{16}-v1").isEqualTo(packages.version());
    Path list = list("b_dists_stable-updates_main_binary-amd64_Packages", UPDATES + "X: y\n");
    versions.add(packages.version());
    Files.setLastModifiedTime(list, FileTime.from(Instant.EPOCH));
    versions.add(packages.version());
    Files.move(list, folder.resolve("c_Packages"));
    versions.add(packages.version());
    Files.delete(folder.resolve("c_Packages"));
    versions.add(packages.version());
    assertThat(versions).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Package: a\\nnonsense|line 2: expected 'Field: value', or such a line above one that begins with a space, found 'nonsense'",
        "Package: a\\n: b|line 2: expected 'Field: value', or such a line above one that begins with a space, found ': b'",
        "Package: a\\nSome words: b|line 2: expected 'Field: value', or such a line above one that begins with a space, found 'Some words: b'",
        "Package: a\\n\\n more|line 3: expected 'Field: value', or such a line above one that begins with a space, found ' more'",
        "Package: a\\n\\n\\nSection: net\\nSize: 1\\n|line 4: expected a field Package in the stanza, found none",
        "\\n|expected packages, found none; 'apt-get update' gets the lists again",
        "Package:\\nSize: 1\\n|line 1: expected a field Package in the stanza, found none",
        "X: y\\n\\nPackage: a\\nSize: big|line 1: expected a field Package in the stanza, found none",
        "\\nPackage: a\\nSize: big|line 2: package a: field size: expected a whole number, found 'big'",
        "Package: a\\nInstalled-Size: -1|line 1: package a: field installed-size: expected a whole number, found '-1'"
      })
  void aDamagedStanzaIsRefusedWithItsLine(String text, String message) throws IOException {
    Path file = list("x_Packages", text.replace("\\n", "\n"));
    Path tables = folder.resolve("tables");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> new DebianPackages(folder).writeTables(tables, Progress.SILENT))
        .withMessage("%s: %s".formatted(file, message));
    assertThat(tables).doesNotExist();
  }

  @Test
  void damagedPackingIsRefused() throws IOException {
    Path file = list("x_Packages.gz", "not gzip");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> new DebianPackages(folder).build(Progress.SILENT))
        .withMessage("%s: cannot read: Not in GZIP format".formatted(file));
  }

  @Tag("slow")
  @Test
  void whatUnpacksWithoutEndIsRefused() throws IOException {
    Path file = folder.resolve("x_Packages.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      byte[] line =
          ("Package: a" + "\n more".repeat(1 << 16) + "\n\n").getBytes(StandardCharsets.UTF_8);
      for (int written = 0; written < (128 << 20); written += line.length) {
        out.write(line);
      }
    }
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> new DebianPackages(folder).build(Progress.SILENT))
        .withMessageStartingWith("%s: expected at most ".formatted(file))
        .withMessageEndingWith("found more; store it unpacked");
  }

  @Test
  void withoutListsTheRemedyIsSaid() {
    for (Path none : List.of(folder, folder.resolve("nowhere"))) {
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> new DebianPackages(none).version())
          .withMessage(
              "%s: expected apt's lists of packages (*_Packages), found none; on Debian, Ubuntu and the like, 'apt-get update' gets them"
                  .formatted(none));
    }
  }

  @Test
  void isFoundAsAService() {
    assertThat(BuiltIn.named("Debian-Packages"))
        .containsInstanceOf(DebianPackages.class)
        .map(BuiltIn::key)
        .contains("debian-packages");
    assertThat(BuiltIn.names()).isEqualTo("jdk-classes, debian-packages");
  }

  /// What another program of the machine says about the same lists.
  @Tag("endurance")
  @Test
  void theListsOfThisMachineHaveThePackagesThatAptCacheShows() throws IOException {
    assumeThat(aptHasLists()).as("apt lists, from apt-get update").isTrue();
    Map<String, String> sections = shownByApt();
    try (GraphData d = new DebianPackages().build(Progress.SILENT)) {
      List<String> names = Objects.requireNonNull(d.vertexNames());
      assertThat(names).doesNotHaveDuplicates().containsAll(sections.keySet());
      long same =
          IntStream.range(0, d.vertices())
              .filter(v ->
                  d.labels()[v] >= 0
                      && d.info()
                          .classNames()
                          .get(d.labels()[v])
                          .equals(sections.get(names.get(v))))
              .count();
      assertThat(same)
          .as("packages in the section that apt shows")
          .isGreaterThan(names.size() * 9L / 10);
      assertThat(d.edges()).isGreaterThan(d.vertices());
      assertThat(Arrays.stream(d.labels()).filter(label -> label >= 0).count())
          .isGreaterThan(d.vertices() / 2);
      Path tables = tables(new DebianPackages());
      SchemaProposal proposal =
          Tables.propose("d", tables, List.of("packages.csv"), List.of("depends.csv"));
      assertThat(proposal.schema().vertices().getFirst().id()).isEqualTo("name");
      assertThat(proposal.schema().vertices().getFirst().label()).isEqualTo("section");
    }
  }

  private static boolean aptHasLists() {
    try {
      PackageLists.ofMachine();
      return Files.isExecutable(Path.of("/usr/bin/apt-cache"));
    } catch (InvalidInputException e) {
      return false;
    }
  }

  /// The section of each package of which it shows one version.
  private static Map<String, String> shownByApt() throws IOException {
    Process process =
        new ProcessBuilder("apt-cache", "dumpavail")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Map<String, String> sections = new HashMap<>();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String name = "";
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        if (line.startsWith("Package: ")) {
          name = line.substring(9);
          sections.put(name, "");
        } else if (line.startsWith("Section: ")) {
          sections.put(name, line.substring(9).replaceFirst(".*/", ""));
        }
      }
    }
    return sections;
  }
}
