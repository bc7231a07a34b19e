package dev.gossamer.graph.format;

import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Recognises the format of a file or folder by its content.
final class FormatProbe {
  private static final int HEAD = 512;

  private FormatProbe() {}

  static Format ofFolder(Path folder) {
    if (DatasetFolder.isDatasetFolder(folder)) {
      return Format.DATASET;
    }
    List<String> names =
        Datasets.filesIn(folder).stream().map(file -> String.valueOf(file.getFileName())).toList();
    if (names.stream().anyMatch(name -> name.matches("ind\\..+\\..+"))) {
      return Format.PLANETOID;
    }
    if (names.stream().anyMatch(name -> name.endsWith("_target.csv"))
        || names.stream().anyMatch(name -> name.endsWith("_features.json"))) {
      return Format.MUSAE;
    }
    if (names.stream().anyMatch(name -> name.endsWith(".content") || name.endsWith(".cites"))) {
      return Format.CORA_TEXT;
    }
    throw new InvalidInputException(
        "%s: expected a data set (dataset.json, ind.NAME.*, NAME.content and NAME.cites, or"
                .formatted(folder)
            + " NAME_edges.csv, NAME_features.json and NAME_target.csv), found %d other files"
                .formatted(names.size()));
  }

  static Format ofFile(Path file) {
    byte[] head = head(file);
    String start = new String(head, StandardCharsets.ISO_8859_1);
    if (head.length == 0) {
      throw new InvalidInputException("%s: expected a graph, found an empty file".formatted(file));
    }
    if (start.startsWith("PK\003\004") || start.startsWith("PK\005\006")) {
      return Format.NPZ;
    }
    if (start.startsWith("MATLAB 5.0 MAT-file")) {
      return Format.FACEBOOK100;
    }
    refuse(file, start);
    return text(file);
  }

  private static byte[] head(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(HEAD);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Says what is the matter with what people give by mistake.
  private static void refuse(Path file, String start) {
    String name = String.valueOf(file.getFileName());
    String found = null;
    if (start.startsWith("MATLAB 7.3") || start.startsWith("\211HDF")) {
      found = "HDF5 (MATLAB 7.3); save with save(..., '-v7')";
    } else if (start.startsWith("\050\265\057\375")) {
      found = "zstd data; unpack it with zstd -d";
    } else if (start.startsWith("\200\002") || name.startsWith("ind.")) {
      found = "one file of a Planetoid set; give its folder";
    } else if (name.endsWith(".content") || name.endsWith(".cites")) {
      found = "one file of a set; give its folder";
    } else if (name.equals(DatasetJson.FILE) || start.startsWith("\223NUMPY")) {
      found = "one file of a data set; give its folder";
    }
    if (found != null) {
      throw new InvalidInputException(
          "%s: expected a graph in one file, found %s".formatted(file, found));
    }
  }

  private static Format text(Path file) {
    try (FieldScanner in = new FieldScanner(file)) {
      if (!in.nextLine()) {
        throw in.wrong("a graph", "an empty file");
      }
      String line = in.lineText();
      if (line.startsWith("%%MatrixMarket")) {
        return Format.MATRIX_MARKET;
      }
      if (line.indexOf('\0') >= 0 || line.indexOf('\ufffd') >= 0) {
        throw new InvalidInputException(
            "%s: line 1: expected text, an .npz archive or a MATLAB 5 file, found other bytes;"
                    .formatted(file)
                + " name the format with --format (%s)".formatted(Format.options()));
      }
      if (line.equals("c") || line.startsWith("c ") || line.startsWith("p sp ")) {
        return Format.DIMACS;
      }
    }
    return isMetis(file) ? Format.METIS : Format.EDGE_LIST;
  }

  /// Whether the first line `n m [fmt [ncon]]` speaks of the lines that follow: `n` of them, with
  /// `2 m` neighbours if there are no weights. A file called `.graph` need only have such a line.
  private static boolean isMetis(Path file) {
    try (FieldScanner in = new FieldScanner(file)) {
      if (!in.nextLineWithout("%")) {
        return false;
      }
      in.rewind();
      long[] header = new long[4];
      int count = 0;
      while (in.nextField()) {
        if (count == 4 || !in.fieldIsInteger() || in.fieldText().length() > 18) {
          return false;
        }
        header[count++] = in.fieldLong("an integer");
      }
      if (count < 2) {
        return false;
      }
      if (String.valueOf(file.getFileName()).matches("(?i).*\\.(graph|metis)(\\.gz)?")) {
        return true;
      }
      return followedBy(in, header, count);
    }
  }

  private static boolean followedBy(FieldScanner in, long[] header, int count) {
    long lines = 0;
    long fields = 0;
    while (lines <= header[0] && in.nextLine()) {
      if (in.firstCharacter() != '%') {
        lines++;
        while (in.nextField()) {
          fields++;
        }
      }
    }
    boolean weights = count > 2 && header[2] != 0;
    return lines == header[0] && (weights ? fields >= 2 * header[1] : fields == 2 * header[1]);
  }
}
