package dev.gossamer.cli.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Prints aligned columns: text to the left, numbers to the right.
public final class Table {
  private final List<List<String>> rows = new ArrayList<>();

  public Table row(Object... cells) {
    rows.add(Arrays.stream(cells).map(cell -> PlainText.of(String.valueOf(cell))).toList());
    return this;
  }

  public void print(PrintWriter out) {
    int columns = rows.stream().mapToInt(List::size).max().orElse(0);
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int c = 0; c < row.size(); c++) {
        widths[c] = Math.max(widths[c], row.get(c).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int c = 0; c < row.size(); c++) {
        String padding = " ".repeat(widths[c] - row.get(c).length());
        boolean right = isNumber(row.get(c));
        line.append(c == 0 ? "" : "  ").append(right ? padding + row.get(c) : row.get(c) + padding);
      }
      out.println(line.toString().stripTrailing());
    }
    out.flush();
  }

  private static boolean isNumber(String text) {
    return text.matches("-?[0-9][0-9,.]*( ?(%|s|ms|B|KiB|MiB|GiB|TiB))?");
  }
}
