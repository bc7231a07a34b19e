package dev.gossamer.cli.machine;

import dev.gossamer.PlanningSpace;
import dev.gossamer.base.InvalidInputException;
import java.util.ArrayList;
import java.util.List;

/// Parses numbers of ranks: `1,2,6`, and `4..1024` for 4, 8, 16 and so on to 1024.
public final class RankNumbers {
  private RankNumbers() {}

  /// @throws InvalidInputException if the text is something else
  public static List<Integer> parse(String text) {
    List<Integer> numbers = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String[] ends = part.strip().split("\\.\\.", -1);
      int from = number(text, ends[0]);
      int to = ends.length == 2 ? number(text, ends[1]) : from;
      if (ends.length > 2 || to < from) {
        throw refusal(text);
      }
      for (long p = from; p < to; p *= 2) {
        numbers.add((int) p);
      }
      numbers.add(to);
    }
    return numbers;
  }

  private static int number(String text, String part) {
    if (!part.matches("[0-9]{1,6}")) {
      throw refusal(text);
    }
    int number = Integer.parseInt(part);
    if (number < 1 || number > PlanningSpace.MOST_RANKS) {
      throw refusal(text);
    }
    return number;
  }

  private static InvalidInputException refusal(String text) {
    return new InvalidInputException(
        "--ranks: expected numbers from 1 to %d, as 1,2,6 or 1..64, found %s"
            .formatted(PlanningSpace.MOST_RANKS, text));
  }
}
