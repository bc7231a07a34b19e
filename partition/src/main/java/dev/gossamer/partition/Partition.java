package dev.gossamer.partition;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The part of each vertex. Immutable. Memory: an int per vertex.
///
/// Files have the format of METIS (manual, section 4.2.1): a line for each vertex with the number
/// of its part, counted from 0.
public final class Partition {
  /// A number of nine digits, the end of the line, and blanks that some programs write.
  private static final long LONGEST_LINE = 64;

  private final int[] part;
  private final int parts;

  private Partition(int[] part, int parts) {
    this.part = part;
    this.parts = parts;
  }

  /// {@return a partition from the part of each vertex}
  ///
  /// @param part the part of each vertex, `0..parts-1`; copied. Parts may be empty
  /// @param parts `k`
  /// @throws IllegalArgumentException if a part is out of range or there are none
  public static Partition of(int[] part, int parts) {
    Objects.requireNonNull(part, "part");
    if (parts < 1) {
      throw new IllegalArgumentException("parts: expected at least 1, found " + parts);
    }
    for (int v = 0; v < part.length; v++) {
      if (part[v] < 0 || part[v] >= parts) {
        throw new IllegalArgumentException(
            "partition: vertex %d is in part %d; expected a part in 0..%d"
                .formatted(v, part[v], parts - 1));
      }
    }
    return new Partition(part.clone(), parts);
  }

  /// Vertex `v` of `n` in part `floor(v k / n)`.
  static Partition blocks(int vertices, int parts) {
    int[] part = new int[vertices];
    for (int v = 0; v < vertices; v++) {
      part[v] = (int) ((long) v * parts / vertices);
    }
    return new Partition(part, parts);
  }

  /// {@return `n`}
  public int vertices() {
    return part.length;
  }

  /// {@return `k`, including empty parts}
  public int parts() {
    return parts;
  }

  /// {@return the part of a vertex}
  ///
  /// @param vertex in `0..n-1`
  public int part(int vertex) {
    return part[vertex];
  }

  /// {@return a copy of the part of each vertex}
  public int[] toArray() {
    return part.clone();
  }

  /// Reads a part file with any number of parts, which is one more than the largest number in it.
  ///
  /// @param file the part file
  /// @param vertices expected number of lines
  /// @return the part of each vertex
  /// @throws InvalidInputException if the file cannot be read, has another number of lines, or a
  ///   line is not a part number
  public static Partition read(Path file, int vertices) {
    Partition read = read(file, vertices, PartitionRequest.MOST_PARTS);
    return new Partition(read.part, 1 + Arrays.stream(read.part).max().orElse(0));
  }

  /// Reads a part file.
  ///
  /// @param file the part file
  /// @param vertices expected number of lines
  /// @param parts upper bound of the numbers in the file
  /// @return the part of each vertex
  /// @throws InvalidInputException if the file cannot be read, has another number of lines, or a
  ///   line is not a part number
  public static Partition read(Path file, int vertices, int parts) {
    InputFile input = InputFile.of(file);
    long most = LONGEST_LINE * (vertices + 1L);
    if (input.size() > most) {
      throw new InvalidInputException(
          "%s: expected at most %d bytes, a part number for each of %d vertices, found %d"
              .formatted(file, most, vertices, input.size()));
    }
    int[] part = new int[vertices];
    try (BufferedReader in = input.reader()) {
      int v = 0;
      String line = in.readLine();
      for (; line != null && v < vertices; v++) {
        part[v] = number(file, v + 1, line.strip(), parts);
        line = in.readLine();
      }
      requireEnd(file, vertices, v, line);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
    return new Partition(part, parts);
  }

  private static int number(Path file, int line, String text, int parts) {
    if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) >= parts) {
      throw new InvalidInputException(
          "%s: line %d: expected a part number from 0 to %d, found '%s'"
              .formatted(file, line, parts - 1, text));
    }
    return Integer.parseInt(text);
  }

  private static void requireEnd(Path file, int vertices, int found, @Nullable String next) {
    if (found < vertices || next != null) {
      throw new InvalidInputException(
          "%s: expected a part number for each of %d vertices, found %s lines"
              .formatted(file, vertices, next == null ? found : "more"));
    }
  }

  /// Writes a part file atomically.
  ///
  /// @param file the part file
  /// @throws InvalidInputException if it cannot be written
  public void write(Path file) {
    AtomicOutput.file(
        file,
        temporary -> {
          try (Writer out = Files.newBufferedWriter(temporary)) {
            for (int p : part) {
              out.write(Integer.toString(p));
              out.write('\n');
            }
          }
        });
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Partition that && parts == that.parts && Arrays.equals(part, that.part);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(part) + parts;
  }
}
