package dev.gossamer.spark.ranks;

import dev.gossamer.cli.Main;
import dev.gossamer.comm.net.Gathering;
import dev.gossamer.comm.net.NetOptions;
import dev.gossamer.run.RankLaunch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// A process that runs a command of `gossamer` as one of the ranks of a barrier stage, or alone.
///
/// It speaks with the task that started it ([RankChild]) in lines: what begins with [#GATHER] on
/// its standard output asks for the lines of all ranks, which come back on its standard input; what
/// begins with [#OUTPUT] is the output of the command. When its standard input ends, the task is
/// gone, and the process ends at once.
final class RankProcess {
  /// Begins a line that all ranks are to get.
  static final char GATHER = '>';

  /// Begins a line of the command's output.
  static final char OUTPUT = ' ';

  /// Number of this rank.
  static final String RANK = "GOSSAMER_RANK";

  /// Number of ranks; without it, the command runs alone.
  static final String RANKS = "GOSSAMER_RANKS";

  /// Number of ranks on this machine.
  static final String RANKS_HERE = "GOSSAMER_RANKS_HERE";

  /// Address at which other ranks reach this one.
  static final String HOST = "GOSSAMER_RANK_HOST";

  /// Whether ranks encrypt what they say to each other.
  static final String ENCRYPTED = "GOSSAMER_RANKS_ENCRYPTED";

  /// Status of a process whose task is gone: that of one ended by SIGTERM.
  private static final int ABANDONED = 143;

  private RankProcess() {}

  /// Runs a command and ends the process with its status.
  ///
  /// @param command with its flags
  public static void main(String[] command) {
    PrintStream wire = System.out;
    System.setOut(new PrintStream(new Lines(wire), true, StandardCharsets.UTF_8));
    BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    Thread reader = new Thread(() -> read(replies), "task");
    reader.setDaemon(true);
    reader.start();
    String ranks = System.getenv(RANKS);
    if (ranks == null) {
      Main.main(command);
      return;
    }
    RankLaunch.Connected rank =
        new RankLaunch.Connected(
            number(RANK),
            Integer.parseInt(ranks),
            number(RANKS_HERE),
            gathering(wire, replies, Integer.parseInt(ranks)),
            options());
    rank.call(() -> {
      Main.main(command);
      return Optional.empty();
    });
  }

  private static NetOptions options() {
    NetOptions options = NetOptions.DEFAULT.withHost(System.getenv(HOST));
    return Boolean.parseBoolean(System.getenv(ENCRYPTED)) ? options.withEncryption() : options;
  }

  private static int number(String name) {
    return Integer.parseInt(System.getenv(name));
  }

  private static Gathering gathering(PrintStream wire, BlockingQueue<String> replies, int ranks) {
    return own -> {
      synchronized (wire) {
        wire.print(GATHER + own + "\n");
        wire.flush();
      }
      List<String> all = new ArrayList<>();
      while (all.size() < ranks) {
        all.add(replies.take());
      }
      return all;
    };
  }

  private static void read(BlockingQueue<String> replies) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        replies.add(line);
      }
    } catch (IOException e) {
      // The same as the end.
    }
    Runtime.getRuntime().halt(ABANDONED);
  }

  /// Marks each line as output.
  private static final class Lines extends OutputStream {
    private final PrintStream wire;
    private boolean begun;

    Lines(PrintStream wire) {
      this.wire = wire;
    }

    @Override
    public void write(int b) {
      synchronized (wire) {
        if (!begun) {
          wire.write(OUTPUT);
        }
        wire.write(b);
        begun = b != '\n';
      }
    }

    @Override
    public void flush() {
      wire.flush();
    }
  }
}
