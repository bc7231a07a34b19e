package dev.gossamer.cli.terminal;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/// Text for a terminal. Names of vertices, classes, data sets and files come from files, so that
/// characters that could control a terminal are escaped as in JSON (`\u001b`): control characters,
/// and those that change the direction of text.
public final class PlainText extends FilterWriter {
  private static final String LAYOUT = "\n\t";

  /// Whether the last character was a carriage return, which is written once the next is known.
  private boolean returned;

  private PlainText(Writer out) {
    super(out);
  }

  /// Returns a writer that escapes all control characters except line ends and tabs. A carriage
  /// return with which no line ends would let text write over what stands before it.
  public static PrintWriter writer(Writer out) {
    return new PrintWriter(new PlainText(out), true);
  }

  /// Returns a name as part of a line.
  public static String of(String name) {
    return escaped(name, "");
  }

  private static String escaped(String text, String kept) {
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean endsLine = c == '\r' && text.startsWith("\n", i + 1);
      if (steers(c) && kept.indexOf(endsLine ? '\n' : c) < 0) {
        plain.append("\\u%04x".formatted((int) c));
      } else {
        plain.append(c);
      }
    }
    return plain.toString();
  }

  private static boolean steers(char c) {
    return Character.isISOControl(c)
        || (c >= 0x2028 && c <= 0x202e)
        || (c >= 0x2066 && c <= 0x2069);
  }

  @Override
  public void write(int c) throws IOException {
    write(String.valueOf((char) c), 0, 1);
  }

  @Override
  public void write(char[] buffer, int offset, int length) throws IOException {
    write(new String(buffer, offset, length), 0, length);
  }

  @Override
  public void write(String text, int offset, int length) throws IOException {
    String known = (returned ? "\r" : "") + text.substring(offset, offset + length);
    returned = known.endsWith("\r");
    out.write(escaped(returned ? known.substring(0, known.length() - 1) : known, LAYOUT));
  }

  @Override
  public void close() throws IOException {
    if (returned) {
      out.write(of("\r"));
    }
    super.close();
  }
}
