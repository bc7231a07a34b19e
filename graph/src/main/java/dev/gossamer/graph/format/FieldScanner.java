package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.graph.Progress;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// Reads a text file, gzipped or not, line by line and field by field without creating strings. Not
/// thread-safe.
final class FieldScanner implements AutoCloseable {
  /// Fields are separated by runs of blanks and tabs.
  static final char BLANKS = ' ';

  /// The most bytes that one byte of deflated data can become.
  private static final long EXPANSION = 1032;

  /// Progress is reported when this number of bytes has been read.
  private static final long STEP = 1 << 20;

  /// The most bytes of a line: the neighbours of a vertex of ten million, or the features of one.
  private static final int LONGEST_LINE = 1 << 26;

  private final Path file;
  private final InputFile input;
  private final Progress progress;
  private final Counted raw;
  private final InputStream in;
  private long reported;
  private long read;
  private boolean ended;
  private final boolean packed;
  private final long fileBytes;
  private final byte[] buffer = new byte[1 << 16];
  private int bufferAt;
  private int bufferEnd;

  private byte[] line = new byte[256];
  private int lineEnd;
  private long lineNumber;
  private char separator = BLANKS;
  private int at;
  private int fieldStart;
  private int fieldEnd;

  FieldScanner(Path file) {
    this(file, Progress.SILENT);
  }

  /// @param progress notified of the number of bytes of the file that have been read
  FieldScanner(Path file, Progress progress) {
    this.file = file;
    this.progress = progress;
    input = InputFile.of(file);
    fileBytes = input.size();
    try {
      raw = new Counted(input.stream());
      boolean opened = false;
      try {
        InputStream bytes = new BufferedInputStream(raw, 1 << 16);
        bytes.mark(4);
        packed = bytes.read() == 0x1f && bytes.read() == 0x8b;
        bytes.reset();
        in = packed ? gunzip(bytes) : bytes;
        opened = true;
      } finally {
        if (!opened) {
          raw.close();
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private InputStream gunzip(InputStream bytes) throws IOException {
    try {
      return new GZIPInputStream(bytes, 1 << 16);
    } catch (EOFException | ZipException e) {
      throw new InvalidInputException(
          "%s: byte 0: expected gzip data, found a damaged or truncated header".formatted(file), e);
    }
  }

  /// Counts the bytes that were read of a file.
  private static final class Counted extends FilterInputStream {
    private long count;

    private Counted(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int found = super.read();
      count += found < 0 ? 0 : 1;
      return found;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int found = super.read(target, offset, length);
      count += Math.max(0, found);
      return found;
    }
  }

  /// The bytes of text; of packed text an upper bound, until its end has been read.
  long bytes() {
    if (!packed) {
      return fileBytes;
    }
    return ended ? read : Math.min(input.mostUnpacked(), EXPANSION * fileBytes);
  }

  /// From here on fields end at this character, blanks around them are dropped, and a field may
  /// stand in double quotes; or [#BLANKS].
  void separator(char c) {
    separator = c;
  }

  /// Goes to the next line.
  ///
  /// @return false at the end of the file
  boolean nextLine() {
    return nextLine(Integer.MAX_VALUE);
  }

  /// Goes to the next line, of which no more is read once there are `most` bytes of it.
  ///
  /// @return false at the end of the file
  boolean nextLine(int most) {
    lineEnd = 0;
    at = 0;
    boolean any = false;
    while (bufferAt < bufferEnd || fill()) {
      any = true;
      int end = bufferAt;
      while (end < bufferEnd && buffer[end] != '\n') {
        end++;
      }
      append(end);
      boolean found = end < bufferEnd;
      bufferAt = found ? end + 1 : end;
      if (found || lineEnd >= most) {
        break;
      }
    }
    if (lineEnd > 0 && line[lineEnd - 1] == '\r') {
      lineEnd--;
    }
    lineNumber += any ? 1 : 0;
    if (lineNumber == 1 && startsWithByteOrderMark()) {
      at = 3;
      Arrays.fill(line, 0, 3, (byte) ' ');
    }
    return any;
  }

  /// Some programs start UTF-8 text with the bytes EF BB BF.
  private boolean startsWithByteOrderMark() {
    return lineEnd >= 3
        && line[0] == (byte) 0xef
        && line[1] == (byte) 0xbb
        && line[2] == (byte) 0xbf;
  }

  /// Goes to the next line that is not empty and does not start with one of these characters.
  boolean nextLineWithout(String commentMarks) {
    while (nextLine()) {
      skipBlanks();
      if (at < lineEnd && commentMarks.indexOf(line[at]) < 0) {
        return true;
      }
    }
    return false;
  }

  private boolean fill() {
    try {
      bufferAt = 0;
      bufferEnd = Math.max(0, in.read(buffer));
      read += bufferEnd;
      ended = bufferEnd == 0;
      if (packed && read > input.mostUnpacked()) {
        throw input.unpacksTooFar(place());
      }
      if (raw.count - reported >= STEP) {
        reported = raw.count;
        progress.at("reading " + file.getFileName(), reported, Math.max(reported, fileBytes));
      }
      return bufferEnd > 0;
    } catch (EOFException e) {
      throw new InvalidInputException(
          "%s: after line %d: expected more gzip data, found the end of the file; it is truncated"
              .formatted(file, lineNumber),
          e);
    } catch (ZipException e) {
      throw new InvalidInputException(
          "%s: after line %d: expected gzip data, found damage: %s"
              .formatted(file, lineNumber, e.getMessage()),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private void append(int end) {
    int length = end - bufferAt;
    if (lineEnd > LONGEST_LINE - length) {
      throw new InvalidInputException(
          "%s: line %d: expected at most %d bytes in a line, found more"
              .formatted(file, lineNumber + 1, LONGEST_LINE));
    }
    if (line.length < lineEnd + length) {
      line = Arrays.copyOf(line, Math.max(2 * line.length, lineEnd + length));
    }
    System.arraycopy(buffer, bufferAt, line, lineEnd, length);
    lineEnd += length;
  }

  private void skipBlanks() {
    while (at < lineEnd && isBlank(line[at])) {
      at++;
    }
  }

  private static boolean isBlank(byte c) {
    return c == ' ' || c == '\t' || c == '\r';
  }

  Path file() {
    return file;
  }

  long lineNumber() {
    return lineNumber;
  }

  /// The first byte of the line that is not blank, or 0.
  char firstCharacter() {
    for (int i = 0; i < lineEnd; i++) {
      if (!isBlank(line[i])) {
        return (char) line[i];
      }
    }
    return 0;
  }

  /// The whole line, for messages and to recognise formats: bytes that are not UTF-8 become U+FFFD.
  String lineText() {
    return new String(line, 0, lineEnd, StandardCharsets.UTF_8);
  }

  /// Whether an ASCII character stands in the line, blanks at its ends apart.
  boolean lineHas(char c) {
    int end = lineEnd;
    while (end > 0 && isBlank(line[end - 1])) {
      end--;
    }
    int i = 0;
    while (i < end && isBlank(line[i])) {
      i++;
    }
    while (i < end && line[i] != c) {
      i++;
    }
    return i < end;
  }

  /// Back to the first field of the line.
  void rewind() {
    at = 0;
  }

  /// Goes to the next field of the line.
  ///
  /// @return false if there is none; the last field is then still the current one
  boolean nextField() {
    if (separator == BLANKS) {
      skipBlanks();
      int start = at;
      while (at < lineEnd && !isBlank(line[at])) {
        at++;
      }
      if (at == start) {
        return false;
      }
      fieldStart = start;
      fieldEnd = at;
      return true;
    }
    if (at > lineEnd) {
      return false;
    }
    skipPadding();
    if (at < lineEnd && line[at] == '"') {
      quoted();
    } else {
      fieldStart = at;
      while (at < lineEnd && line[at] != separator) {
        at++;
      }
      fieldEnd = at;
      while (fieldEnd > fieldStart && isBlank(line[fieldEnd - 1])) {
        fieldEnd--;
      }
    }
    at++;
    return true;
  }

  private void skipPadding() {
    while (at < lineEnd && isBlank(line[at]) && line[at] != separator) {
      at++;
    }
  }

  private void quoted() {
    at++;
    fieldStart = at;
    while (at < lineEnd && (line[at] != '"' || (at + 1 < lineEnd && line[at + 1] == '"'))) {
      at += line[at] == '"' ? 2 : 1;
    }
    if (at >= lineEnd) {
      throw wrong("a closing double quote", "the end of the line");
    }
    fieldEnd = at;
    at++;
    skipPadding();
    if (at < lineEnd && line[at] != separator) {
      throw wrong("'" + separator + "' after a quoted field", "'" + (char) line[at] + "'");
    }
  }

  /// Whether the field is an integer.
  boolean fieldIsInteger() {
    int i = fieldStart;
    if (i < fieldEnd && (line[i] == '-' || line[i] == '+')) {
      i++;
    }
    if (i == fieldEnd) {
      return false;
    }
    while (i < fieldEnd && line[i] >= '0' && line[i] <= '9') {
      i++;
    }
    return i == fieldEnd;
  }

  boolean fieldIsEmpty() {
    return fieldEnd == fieldStart;
  }

  /// Whether the field is the one character `0`.
  boolean fieldIsZero() {
    return fieldEnd == fieldStart + 1 && line[fieldStart] == '0';
  }

  /// The text of the field.
  ///
  /// @throws InvalidInputException if it is not UTF-8
  String fieldText() {
    String text = new String(line, fieldStart, fieldEnd - fieldStart, StandardCharsets.UTF_8);
    // Bytes that are not UTF-8 all become this character, and different names the same.
    if (text.indexOf('\ufffd') >= 0 && !fieldIs(text.getBytes(StandardCharsets.UTF_8))) {
      throw wrong("UTF-8 text", "other bytes; convert it with iconv -t utf-8");
    }
    return separator == BLANKS ? text : text.replace("\"\"", "\"");
  }

  private boolean fieldIs(byte[] bytes) {
    return Arrays.equals(bytes, 0, bytes.length, line, fieldStart, fieldEnd);
  }

  /// The field as an integer.
  ///
  /// @param what what it should be, for the message
  long fieldLong(String what) {
    boolean negative = fieldStart < fieldEnd && line[fieldStart] == '-';
    if (!fieldIsInteger() || fieldEnd - fieldStart > 18) {
      throw wrong(what, fieldEnd == fieldStart ? "nothing" : "'" + fieldText() + "'");
    }
    long value = 0;
    for (int i = fieldStart; i < fieldEnd; i++) {
      if (line[i] >= '0') {
        value = value * 10 + line[i] - '0';
      }
    }
    return negative ? -value : value;
  }

  /// The field as a finite number.
  float fieldReal(String what) {
    if (fieldEnd - fieldStart < 8 && fieldIsInteger()) {
      return (float) fieldLong(what);
    }
    float value = Float.NaN;
    try {
      value = Float.parseFloat(fieldText());
    } catch (NumberFormatException e) {
      throw wrong(what, "'" + fieldText() + "'");
    }
    if (!Float.isFinite(value)) {
      throw wrong(what, "'" + fieldText() + "'");
    }
    return value;
  }

  /// The next field as an integer.
  long nextLong(String what) {
    requireField(what);
    return fieldLong(what);
  }

  /// The next field as an integer in a range.
  long nextLong(String what, long least, long most) {
    long value = nextLong(what);
    if (value < least || value > most) {
      throw wrong("%s in %d..%d".formatted(what, least, most), Long.toString(value));
    }
    return value;
  }

  /// The next field as a finite number.
  float nextReal(String what) {
    requireField(what);
    return fieldReal(what);
  }

  private void requireField(String what) {
    if (!nextField()) {
      throw wrong(what, "the end of the line");
    }
  }

  /// Checks that the line has no more fields.
  void requireEndOfLine() {
    if (nextField()) {
      throw wrong("the end of the line", "'" + fieldText() + "'");
    }
  }

  /// Checks that only empty lines follow.
  void requireEndOfFile() {
    if (nextLineWithout("")) {
      throw wrong("the end of the file", "another line");
    }
  }

  /// File and line, the start of a message.
  String place() {
    return "%s: line %d".formatted(file, lineNumber);
  }

  InvalidInputException wrong(String expected, String found) {
    String shown = found.length() <= 80 ? found : found.substring(0, 80) + "...";
    return new InvalidInputException(
        "%s: expected %s, found %s".formatted(place(), expected, shown));
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }
}
