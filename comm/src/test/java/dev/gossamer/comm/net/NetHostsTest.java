package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.comm.CommunicatorContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Ranks on hosts of their own: network namespaces of this machine, which links with little room
/// connect to a bridge. Needs the right to make them; elsewhere it is skipped.
@Tag("endurance")
@Timeout(240)
class NetHostsTest {
  private static final int SIZE = 3;

  /// In the namespace of the bridge; so that no network of the machine is touched.
  private static final String HUB = "gossamer-hub";

  /// 100 Mbit/s, and a queue of 20 ms: whatever comes faster is lost and sent again.
  private static final String LINK = "tbf rate 100mbit burst 16kb latency 20ms";

  private final RankProcesses ranks = new RankProcesses(SIZE);

  private static String host(int rank) {
    return "gossamer-host-" + rank;
  }

  private static String address(int rank) {
    return "10.77.0." + (rank + 1);
  }

  private static boolean runs(String command) throws IOException, InterruptedException {
    try {
      return new ProcessBuilder(command.split(" ", -1))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false; // No such program.
    }
  }

  private static void run(String command) throws IOException, InterruptedException {
    assertThat(runs(command)).as(command).isTrue();
  }

  @BeforeEach
  void connectHosts() throws Exception {
    assumeTrue(runs("ip netns add " + HUB), "expected the right to make network namespaces");
    run("ip -n %s link add bridge type bridge".formatted(HUB));
    run("ip -n %s link set bridge up".formatted(HUB));
    for (int rank = 0; rank < SIZE; rank++) {
      String host = host(rank);
      run("ip netns add " + host);
      run("ip -n %s link add port%d type veth peer name eth0 netns %s".formatted(HUB, rank, host));
      run("ip -n %s link set port%d master bridge up".formatted(HUB, rank));
      run("ip -n %s address add %s/24 dev eth0".formatted(host, address(rank)));
      run("ip -n %s link set eth0 up".formatted(host));
      run("ip -n %s link set lo up".formatted(host));
      run("ip netns exec %s tc qdisc add dev eth0 root %s".formatted(host, LINK));
      run("ip netns exec %s tc qdisc add dev port%d root %s".formatted(HUB, rank, LINK));
    }
  }

  @AfterEach
  void disconnectHosts() throws Exception {
    ranks.endAll();
    for (int rank = 0; rank < SIZE; rank++) {
      runs("ip netns del " + host(rank));
    }
    runs("ip netns del " + HUB);
  }

  private void start(String scenario) throws IOException {
    ranks.start(
        scenario, rank -> List.of("ip", "netns", "exec", host(rank)), NetHostsTest::address);
  }

  @Test
  void theContractHoldsOverLinksThatLoseWhatIsTooMuch() throws Exception {
    start("contract");

    for (int rank = 0; rank < SIZE; rank++) {
      assertThat(ranks.line(rank)).isEqualTo("checks " + CommunicatorContract.CHECKS);
      assertThat(ranks.process(rank).waitFor()).isZero();
    }
    assertThat(lost()).as("packets that links have lost").isPositive();
  }

  private static long lost() throws IOException {
    long lost = 0;
    for (int rank = 0; rank < SIZE; rank++) {
      Process counts =
          new ProcessBuilder(
                  "ip", "netns", "exec", HUB, "tc", "-s", "qdisc", "show", "dev", "port" + rank)
              .start();
      Matcher dropped =
          Pattern.compile("dropped (\\d+)")
              .matcher(new String(counts.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      assertThat(dropped.find()).isTrue();
      lost += Long.parseLong(dropped.group(1));
    }
    return lost;
  }

  @Test
  void theOthersNameAHostThatVanishes() throws Exception {
    start("work");
    for (int rank = 0; rank < SIZE; rank++) {
      assertThat(ranks.line(rank)).isEqualTo("works");
    }

    run("ip -n %s link set port1 down".formatted(HUB));

    for (int rank : new int[] {0, 2}) {
      assertThat(ranks.line(rank))
          .startsWith("rank 1 of 3 failed: ")
          .contains("no sign of life from it for");
      assertThat(ranks.process(rank).waitFor()).isEqualTo(1);
    }
  }
}
