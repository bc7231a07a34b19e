package dev.gossamer.cli.page;

import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The look of pages and drawings: light or dark as the reader's system is, and light on paper.
public final class Style {
  /// Colours that are told apart by those who see fewer, too (after M. Okabe and K. Ito, *Color
  /// universal design*, 2008).
  private static final int COLOURS = 7;

  /// Colours of points besides grey: those of lines, and a few that fewer people tell apart, which
  /// are drawn as squares.
  public static final int MOST_DOTS = 10;

  private static final int ROUND = 6;

  private static final String LIGHT =
      """
      svg { --text: #333; --axis: #ccc; --mark: #b03a2e; --bar: #3b75af;
        --c0: #0072b2; --c1: #d55e00; --c2: #00825f; --c3: #b8578f; --c4: #b87f00; --c5: #3a97cf; --c6: #666;
        --c7: #6f4bb0; --c8: #7f9a1c; --c9: #8c5432; --c10: #c23a63; }
      """;

  private static final Pattern COLOUR = Pattern.compile("--(\\w+): #(\\w+)");

  private static final Map<String, Integer> LIGHT_COLOURS =
      COLOUR
          .matcher(LIGHT)
          .results()
          .collect(
              Collectors.toUnmodifiableMap(found -> found.group(1), found -> rgb(found.group(2))));

  /// Of drawings alone.
  static final String DRAWINGS =
      LIGHT
          + """
          @media screen and (prefers-color-scheme: dark) { svg { --text: #ccc; --axis: #444; --mark: #ef8a7f; --bar: #6ea6dd;
            --c0: #5aaee6; --c1: #f58a42; --c2: #3cc79c; --c3: #e39cc6; --c4: #e8b43c; --c5: #9ad0f5; --c6: #aaa;
            --c7: #b39bf0; --c8: #bcd65a; --c9: #cf9a76; --c10: #ff8fae; } }
          svg text { font: 12px sans-serif; fill: var(--text); }
          svg text.title { font-weight: bold; }
          .bar { fill: var(--bar); }
          .axis { stroke: var(--axis); }
          .mark { stroke: var(--mark); stroke-width: 2; }
          .s0, .s1, .s2, .s3, .s4, .s5, .s6 { fill: none; stroke-width: 1.8; }
          .s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); } .s2 { stroke: var(--c2); } .s3 { stroke: var(--c3); }
          .s4 { stroke: var(--c4); } .s5 { stroke: var(--c5); } .s6 { stroke: var(--c6); }
          .f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); }
          .f4 { fill: var(--c4); } .f5 { fill: var(--c5); } .f6 { fill: var(--c6); }
          .dashed { stroke-dasharray: 6 3; }
          .d { fill: none; stroke-width: 3.4; stroke-linecap: round; stroke-opacity: 0.75; }
          .square { stroke-linecap: square; stroke-width: 3; }
          .d.key { stroke-width: 9; stroke-opacity: 1; }
          .o0 { stroke: var(--c0); } .o1 { stroke: var(--c1); } .o2 { stroke: var(--c2); } .o3 { stroke: var(--c3); }
          .o4 { stroke: var(--c4); } .o5 { stroke: var(--c5); } .o6 { stroke: var(--c7); } .o7 { stroke: var(--c8); }
          .o8 { stroke: var(--c9); } .o9 { stroke: var(--c10); } .other { stroke: var(--c6); stroke-opacity: 0.4; }
          """;

  /// Of a page with drawings.
  static final String PAGE =
      """
      :root { color-scheme: light dark; }
      body { font: 15px/1.4 sans-serif; max-width: 800px; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
      table { border-collapse: collapse; }
      .wide, figure { overflow-x: auto; }
      figure { display: inline-block; vertical-align: top; max-width: 100%; margin: 0.5em 12px 0.5em 0; }
      td, th { padding: 1px 1.5em 1px 0; vertical-align: top; text-align: left; font-weight: normal; overflow-wrap: break-word; }
      thead th { font-weight: bold; }
      tbody th { color: #666; white-space: nowrap; }
      summary { cursor: pointer; }
      svg { max-width: 100%; height: auto; }
      .sideways svg { max-width: none; }
      @media screen and (max-width: 640px) { td, th { padding-right: 0.8em; } }
      @media screen and (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } tbody th { color: #aaa; } }
      @media print { body { max-width: none; margin: 0; } figure, tr { break-inside: avoid; } }
      """
          + DRAWINGS;

  private Style() {}

  /// @param digits three or six of base 16
  private static int rgb(String digits) {
    return Integer.parseInt(digits.length() == 3 ? digits.replaceAll("(.)", "$1$1") : digits, 16);
  }

  /// Returns the colour of an element on a light background, `0xRRGGBB`.
  ///
  /// @param style as elements have it: `bar`, `axis`, `mark`, `text`, or one of those below; of
  ///   points the second word
  static int light(String style) {
    String word = style.split(" ", 2)[0];
    String variable =
        switch (word.charAt(0)) {
          case 's', 'f' -> "c" + word.substring(1);
          case 'o' ->
              word.equals("other") ? "c6" : "c" + dotColour(Integer.parseInt(word.substring(1)));
          default -> word;
        };
    return Objects.requireNonNull(LIGHT_COLOURS.get(variable));
  }

  /// Points leave out the grey of lines.
  private static int dotColour(int number) {
    return number < ROUND ? number : number + 1;
  }

  /// Returns the style of a line.
  ///
  /// @param number of the line in its drawing, from 0 on; from the eighth on, lines are dashed
  public static String stroke(int number) {
    return "s" + number % COLOURS + (number / COLOURS % 2 == 1 ? " dashed" : "");
  }

  /// Returns the style of an area.
  ///
  /// @param number of the area's kind in its drawing, from 0 on
  public static String fill(int number) {
    return "f" + number % COLOURS;
  }

  /// Returns the style of points.
  ///
  /// @param number of their kind in the drawing, from 0 on; from [#MOST_DOTS] on, they are grey
  public static String dots(int number) {
    if (number >= MOST_DOTS) {
      return "d other";
    }
    return "d o" + number + (number < ROUND ? "" : " square");
  }
}
