package dev.gossamer.cli.page;

import java.util.List;

/// An HTML page of headings, sentences, tables and drawings: one file without scripts that loads
/// nothing.
public final class Page {
  private final StringBuilder body = new StringBuilder();
  private final String title;
  private final String remark;

  /// Begins a page.
  ///
  /// @param title its heading, too
  /// @param remark which program made it, as a comment on the second line
  public Page(String title, String remark) {
    this.title = title;
    this.remark = remark;
    body.append("<h1>%s</h1>%n".formatted(SvgPlot.escaped(title)));
  }

  /// Adds a heading.
  public Page section(String heading) {
    body.append("<h2>%s</h2>%n".formatted(SvgPlot.escaped(heading)));
    return this;
  }

  /// Adds a paragraph.
  public Page sentence(String text) {
    body.append("<p>%s</p>%n".formatted(SvgPlot.escaped(text)));
    return this;
  }

  /// Adds a table, whose first cells name the rows.
  ///
  /// @param head names of the columns; empty for none
  /// @param rows cells of each row
  public Page table(List<String> head, List<List<String>> rows) {
    body.append("<div class=\"wide\"><table>\n");
    if (!head.isEmpty()) {
      body.append("<thead><tr>");
      head.forEach(cell -> cell("th scope=\"col\"", cell));
      body.append("</tr></thead>\n");
    }
    body.append("<tbody>\n");
    for (List<String> row : rows) {
      body.append("<tr>");
      cell("th scope=\"row\"", row.getFirst());
      row.subList(1, row.size()).forEach(cell -> cell("td", cell));
      body.append("</tr>\n");
    }
    body.append("</tbody>\n</table></div>\n");
    return this;
  }

  private void cell(String tag, String text) {
    body.append("<%s>%s</%s>".formatted(tag, SvgPlot.escaped(text), tag.replaceFirst(" .*", "")));
  }

  /// Adds a table that is shown when the reader asks for it.
  ///
  /// @param summary what it has
  /// @param head names of the columns; empty for none
  /// @param rows cells of each row
  public Page folded(String summary, List<String> head, List<List<String>> rows) {
    body.append("<details><summary>%s</summary>%n".formatted(SvgPlot.escaped(summary)));
    table(head, rows);
    body.append("</details>\n");
    return this;
  }

  /// Adds a drawing, beside the last one where both have room. One that is wider than a narrow page
  /// moves sideways there, with keys, too.
  public Page figure(SvgPlot plot) {
    boolean sideways = plot.width() > SvgPlot.WIDTH;
    body.append(sideways ? "<figure class=\"sideways\" tabindex=\"0\">\n" : "<figure>\n");
    body.append(plot.svg()).append("</figure>\n");
    return this;
  }

  /// Returns the text of the page.
  public String html() {
    String name = SvgPlot.escaped(title);
    return """
    <!DOCTYPE html>
    <!-- %s -->
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s</title>
    <style>
    %s</style>
    </head>
    <body>
    %s</body>
    </html>
    """
        .formatted(remark, name, Style.PAGE, body);
  }
}
