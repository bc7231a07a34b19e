package dev.gossamer.tables.debian;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.base.io.Sha256;
import dev.gossamer.graph.Progress;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/// apt's lists of packages. Of packages that several lists have, the first list counts.
///
/// @param files in the order of their names
record PackageLists(List<Path> files) {
  /// Where apt keeps its lists unless it is configured otherwise.
  static final Path FOLDER = Path.of("/var/lib/apt/lists");

  private static final Pattern NAME = Pattern.compile(".*_Packages(\\.(gz|lz4|xz|zst|bz2|lzma))?");

  /// `HOST_dists_SUITE_COMPONENT_binary-ARCHITECTURE_Packages`.
  private static final Pattern PARTS =
      Pattern.compile(".*_dists_(.+)_([^_]+)_binary-([^_]+)_Packages.*");

  private static final String PLAIN = "_Packages";
  private static final String GZIP = ".gz";
  private static final Path HELPER = Path.of("/usr/lib/apt/apt-helper");

  PackageLists {
    files = files.stream().sorted().toList();
  }

  /// The lists that apt uses, as apt says it; without apt, those in [#FOLDER].
  ///
  /// @throws InvalidInputException if there is none
  static PackageLists ofMachine() {
    List<Path> files = new ArrayList<>();
    try {
      run(
          List.of("apt-get", "indextargets", "--format", "$(FILENAME)", "Created-By: Packages"),
          out ->
              text(out).lines().filter(line -> !line.isBlank()).map(Path::of).forEach(files::add));
      return files.isEmpty() ? in(FOLDER) : new PackageLists(files);
    } catch (IOException e) {
      return in(FOLDER);
    }
  }

  /// The lists in a folder.
  ///
  /// @throws InvalidInputException if there is none
  static PackageLists in(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      List<Path> files =
          entries
              .filter(file -> NAME.matcher(String.valueOf(file.getFileName())).matches())
              .toList();
      if (files.isEmpty()) {
        throw none(folder);
      }
      return new PackageLists(files);
    } catch (NoSuchFileException e) {
      throw none(folder);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(folder, e);
    }
  }

  private static InvalidInputException none(Path folder) {
    return new InvalidInputException(
        "%s: expected apt's lists of packages (*_Packages), found none; on Debian, Ubuntu and the like, 'apt-get update' gets them"
            .formatted(folder));
  }

  /// A key that changes when a list may have changed: it depends on names, sizes and modification
  /// times.
  ///
  /// @return 16 hexadecimal digits
  String key() {
    StringBuilder text = new StringBuilder();
    for (Path file : files) {
      try {
        text.append(file).append(' ').append(Files.size(file)).append(' ');
        text.append(Files.getLastModifiedTime(file).toInstant()).append('\n');
      } catch (IOException e) {
        throw InvalidInputException.unreadable(file, e);
      }
    }
    byte[] digest = Sha256.digest().digest(text.toString().getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest, 0, 8);
  }

  /// The lists as people call them: `bookworm main amd64`, comma-separated.
  String description() {
    return files.stream()
        .map(file -> String.valueOf(file.getFileName()))
        .map(name -> {
          Matcher parts = PARTS.matcher(name);
          return parts.matches()
              ? "%s %s %s".formatted(parts.group(1), parts.group(2), parts.group(3))
              : name;
        })
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /// Reads all stanzas.
  ///
  /// @param wanted names of fields, as [Stanza#forEach] takes them
  /// @param label of the progress
  /// @param sink receives each stanza
  /// @throws InvalidInputException naming file and line
  void forEach(Set<String> wanted, String label, Progress progress, Consumer<Stanza> sink) {
    for (int i = 0; i < files.size(); i++) {
      progress.at(label, i, files.size());
      Path file = files.get(i);
      try {
        read(file, in -> Stanza.forEach(file, in, wanted, sink));
      } catch (IOException e) {
        throw InvalidInputException.unreadable(file, e);
      }
    }
    progress.at(label, files.size(), files.size());
  }

  /// Texts and gzip are read here; apt unpacks what else it packs.
  private static void read(Path file, Reading reading) throws IOException {
    InputFile input = InputFile.of(file);
    String name = String.valueOf(file.getFileName());
    if (name.endsWith(PLAIN) || name.endsWith(GZIP)) {
      try (InputStream in = input.stream();
          BufferedReader text =
              text(name.endsWith(GZIP) ? new Unpacked(input, new GZIPInputStream(in)) : in)) {
        reading.read(text);
      }
      return;
    }
    if (!Files.isExecutable(HELPER)) {
      throw new InvalidInputException(
          "%s: expected a text, or %s to unpack it, found neither; unpack it, or run this where apt is"
              .formatted(file, HELPER));
    }
    run(
        List.of(HELPER.toString(), "cat-file", file.toString()),
        out -> reading.read(text(new Unpacked(input, out))));
  }

  private static void run(List<String> command, Streaming streaming) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (InputStream out = process.getInputStream()) {
      streaming.read(out);
      int status = process.onExit().join().exitValue();
      if (status != 0) {
        throw new IOException("%s ended with status %d".formatted(command.getFirst(), status));
      }
    } finally {
      process.destroy();
    }
  }

  /// Bytes that are not UTF-8 are replaced: a maintainer's name is no reason to refuse a list.
  private static BufferedReader text(InputStream in) {
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
  }

  /// Reads a text.
  @FunctionalInterface
  private interface Reading {
    void read(BufferedReader in) throws IOException;
  }

  /// Reads what a program prints.
  @FunctionalInterface
  private interface Streaming {
    void read(InputStream in) throws IOException;
  }

  /// Unpacked data, up to the limit of the file.
  private static final class Unpacked extends FilterInputStream {
    private final InputFile input;
    private long left;

    Unpacked(InputFile input, InputStream in) {
      super(in);
      this.input = input;
      left = input.mostUnpacked();
    }

    @Override
    public int read() throws IOException {
      int found = in.read();
      count(found < 0 ? 0 : 1);
      return found;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int found = in.read(target, offset, length);
      count(Math.max(0, found));
      return found;
    }

    private void count(int bytes) {
      left -= bytes;
      if (left < 0) {
        throw input.unpacksTooFar(input.path().toString());
      }
    }
  }
}
