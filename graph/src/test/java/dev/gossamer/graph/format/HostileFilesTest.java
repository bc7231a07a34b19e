package dev.gossamer.graph.format;

import static dev.gossamer.graph.format.SmallFiles.bytes;
import static dev.gossamer.graph.format.SmallFiles.concat;
import static dev.gossamer.graph.format.SmallFiles.gzip;
import static dev.gossamer.graph.format.SmallFiles.npy;
import static dev.gossamer.graph.format.SmallFiles.npyHeader;
import static dev.gossamer.graph.format.SmallFiles.read;
import static dev.gossamer.graph.format.SmallFiles.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Files that were made to hang, to fill memory or to speak to the terminal.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileFilesTest {
  @TempDir Path folder;

  private static String message(Path data) {
    Throwable thrown = catchThrowable(() -> Datasets.open(data).close());
    assertThat(thrown).isInstanceOf(InvalidInputException.class);
    assertThat(thrown.getMessage()).doesNotContain("\n");
    return String.valueOf(thrown.getMessage());
  }

  private static void pipe(Path at) throws Exception {
    Files.deleteIfExists(at);
    try {
      Process made = new ProcessBuilder("mkfifo", at.toString()).start();
      assertThat(made.waitFor()).isZero();
    } catch (IOException e) {
      assumeTrue(false, "no mkfifo here");
    }
  }

  @Test
  void aPipeInPlaceOfAFileIsRefused() throws Exception {
    String expected = ": expected a regular file, found a pipe, socket or device";
    Path pipe = folder.resolve("pipe");
    pipe(pipe);
    assertThat(message(pipe)).startsWith(pipe + expected);
    for (GraphFormat format : GraphFormat.all()) {
      Throwable thrown =
          catchThrowable(() -> Datasets.open(pipe, ReadOptions.DEFAULT.withFormat(format)).close());
      assertThat(thrown).isInstanceOf(InvalidInputException.class);
      assertThat(thrown.getMessage())
          .startsWith(pipe + (format.isFolder() ? ": expected a folder" : expected));
    }
    Path planetoid = SmallFiles.planetoid(Files.createDirectory(folder.resolve("planetoid")));
    for (String suffix : List.of("allx", "test.index")) {
      Path file = planetoid.resolve("ind.tiny." + suffix);
      byte[] content = read(file);
      pipe(file);
      assertThat(message(planetoid)).startsWith(file + expected);
      Files.delete(file);
      bytes(file, content);
    }
    Path musae = SmallFiles.musae(Files.createDirectory(folder.resolve("musae")));
    pipe(musae.resolve("tiny_edges.csv"));
    assertThat(message(musae)).contains("expected one file *_edges.csv, found none");
  }

  @Test
  void aPipeOrALinkToNowhereInADataSetFolderIsRefused() throws Exception {
    Path source = SmallFiles.citations(Files.createDirectory(folder.resolve("cora")));
    Path target = folder.resolve("data");
    try (var d = Datasets.open(source)) {
      DatasetFolder.write(target, d);
    }
    Files.delete(target.resolve("SHA256SUMS"));
    for (String name : List.of("labels.npy", "vertices.txt", "row_ptr.npy")) {
      byte[] content = read(target.resolve(name));
      pipe(target.resolve(name));
      assertThat(message(target))
          .startsWith(target.resolve(name) + ": expected a regular file, found a pipe");
      Files.delete(target.resolve(name));
      Files.createSymbolicLink(target.resolve(name), folder.resolve("nowhere"));
      assertThat(message(target)).startsWith(target.resolve(name) + ": cannot read: no such file");
      Files.delete(target.resolve(name));
      bytes(target.resolve(name), content);
    }
    pipe(target.resolve("dataset.json"));
    Throwable thrown = catchThrowable(() -> DatasetFolder.open(target).close());
    assertThat(thrown).hasMessageContaining("expected a regular file");
  }

  /// Members of a gzip file follow each other: a few bytes, many times.
  private static byte[] repeated(byte[] member, int times) {
    return concat(Collections.nCopies(times, member).toArray(byte[][]::new));
  }

  @Test
  void aLineWithoutAnEndIsRefused() {
    byte[] packed = concat(gzip("0 1\n"), repeated(gzip("1".repeat(1 << 20)), 130));
    Path file = bytes(folder.resolve("g.gz"), packed);
    assertThat(packed).hasSizeLessThan(1 << 18);
    assertThat(message(file))
        .isEqualTo(file + ": line 2: expected at most 67108864 bytes in a line, found more");
  }

  @Test
  void aTextThatUnpacksWithoutAnEndIsRefused() {
    byte[] packed = repeated(gzip("#" + "x".repeat(1 << 20) + "\n"), 270);
    Path file = bytes(folder.resolve("g.txt.gz"), packed);
    assertThat(message(file))
        .startsWith(file + ": line ")
        .contains(
            "unpacked bytes in a file of " + packed.length + ", found more; store it unpacked");
  }

  @Test
  void anArrayThatUnpacksWithoutAnEndIsRefusedBeforeMemoryIsTaken() throws Exception {
    // Two million bytes that do not shrink, and a directory that claims that they become 2 GB.
    byte[] noise = new byte[2 << 20];
    new Random(1).nextBytes(noise);
    byte[] array =
        npyHeader("{'descr': '|i1', 'fortran_order': False, 'shape': (2147483520,), }", noise);
    Path file = SmallFiles.npz(folder.resolve("g.npz"), Map.of("x", array), true);
    byte[] zip = read(file);
    ByteBuffer.wrap(zip).order(ByteOrder.LITTLE_ENDIAN).putInt(centralSize(zip), Integer.MAX_VALUE);
    bytes(file, zip);
    try (NpzFile npz = NpzFile.open(file)) {
      assertThatThrownBy(() -> npz.array("x"))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(file + ": x.npy: expected at most 16")
          .hasMessageContaining("unpacked bytes in a file of " + zip.length);
    }
    assertThat(ReaderMemory.ofRefused("archive", file).most()).isLessThan(1 << 20);
  }

  /// Where the central directory says the size of the first member.
  private static int centralSize(byte[] zip) {
    for (int i = zip.length - 4; i >= 0; i--) {
      if (zip[i] == 'P' && zip[i + 1] == 'K' && zip[i + 2] == 1 && zip[i + 3] == 2) {
        return i + 24;
      }
    }
    throw new AssertionError("no central directory");
  }

  @Tag("slow")
  @Test
  void manyArraysTogetherMayNotUnpackFurtherThanOne() {
    byte[] zeros = npy("|i1", "(100000000,)", new byte[100_000_000]);
    Path file = SmallFiles.npz(folder.resolve("g.npz"), Map.of("x", zeros), true);
    try (NpzFile npz = NpzFile.open(file)) {
      assertThat(npz.array("x").size()).isEqualTo(100_000_000);
      assertThatThrownBy(() -> npz.array("x"))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("found more; store it unpacked");
    }
  }

  @Test
  void classesWithoutNumberAreRefused() {
    Path planetoid = SmallFiles.planetoid(folder);
    Path text = text(folder.resolve("ids.txt"), "0 4200000\n1 4300000\n");
    assertThat(message(text))
        .isEqualTo(
            text
                + ": line 2: expected at most 4194344 vertices in a file of 20 bytes, found 4300001;"
                + " number them without gaps");
    assertThatThrownBy(() -> DatasetDraft.numbered(planetoid.toString(), Integer.MAX_VALUE))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(planetoid + ": expected at most 1048576 classes, found 2147483647");
  }

  /// A number, and a place in the memo for it, again and again.
  @Test
  void aPickleOfManyObjectsIsStopped() {
    byte[] pickle = "K\1q\0".repeat(10 << 20).getBytes(UTF_8);
    assertThatThrownBy(() -> Unpickler.load("p", pickle))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessageMatching("the objects of a pickle need more than [0-9]+ bytes of Java heap");
  }

  @Tag("slow")
  @Test
  void readersThatFailFreeWhatTheyHaveRead() throws Exception {
    int bytes = 8 << 20;
    byte[] edges = new byte[bytes];
    edges[0] = 9;
    Map<String, byte[]> members = SmallFiles.edgesAndMasks();
    members.put("edges", npy("|i1", "(%d, 2)".formatted(bytes / 2), edges));
    Path file = SmallFiles.npz(folder.resolve("g.npz"), members, true);
    Path cut = bytes(folder.resolve("cut.npy"), npy("|i1", "(" + bytes + ",)", edges));
    bytes(cut, Arrays.copyOf(read(cut), bytes));
    assertThat(message(file)).endsWith("found 9");
    ReaderMemory edgesRead = ReaderMemory.ofRefused("data set", file);
    assertThat(edgesRead.left()).isZero();
    assertThat(edgesRead.most()).isLessThan(1 << 20);
    assertThat(ReaderMemory.ofRefused("array", cut)).isEqualTo(new ReaderMemory(0, 0));
    // Read, and put into the order of rows, before the byte that is too much is seen.
    byte[] columnsFirst =
        npyHeader(
            "{'descr': '|i1', 'fortran_order': True, 'shape': (%d, 2), }".formatted(bytes / 2),
            Arrays.copyOf(edges, bytes + 1));
    Path longer = bytes(folder.resolve("longer.npy"), columnsFirst);
    ReaderMemory turned = ReaderMemory.ofRefused("array", longer);
    assertThat(turned.left()).isZero();
    assertThat(turned.most()).isBetween(2L * bytes, 3L * bytes);
  }
}
