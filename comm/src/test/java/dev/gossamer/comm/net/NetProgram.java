package dev.gossamer.comm.net;

import dev.gossamer.comm.CommunicatorContract;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.Reduction;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A rank that [NetProcessesTest] and [NetHostsTest] start: tells its address in its first line,
/// reads those of all ranks, and keeps the contract or works until it is killed.
final class NetProgram {
  private NetProgram() {}

  /// `contract|work RANK SIZE HOST`
  public static void main(String[] arguments) {
    int rank = Integer.parseInt(arguments[1]);
    int size = Integer.parseInt(arguments[2]);
    try {
      NetRanks.run(
          rank,
          size,
          line -> gathered(line, size),
          NetOptions.DEFAULT.withHost(arguments[3]),
          world -> {
            if (arguments[0].equals("contract")) {
              System.out.println("checks " + CommunicatorContract.check(world));
              return;
            }
            world.barrier();
            System.out.println("works");
            while (true) {
              world.allReduce(Arena.ofAuto().allocate(1 << 20), Element.FLOAT, Reduction.SUM);
            }
          });
    } catch (RankFailedException e) {
      System.out.println(e.getMessage());
      System.exit(1);
    }
  }

  private static List<String> gathered(String line, int size) throws IOException {
    System.out.println(line);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      lines.add(in.readLine());
    }
    return lines;
  }
}
