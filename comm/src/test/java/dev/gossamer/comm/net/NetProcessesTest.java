package dev.gossamer.comm.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.CommunicatorContract;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Ranks that are processes, without any launcher.
@Tag("slow")
@Timeout(240)
class NetProcessesTest {
  private static final int SIZE = 3;

  private final RankProcesses ranks = new RankProcesses(SIZE);

  @AfterEach
  void endAll() {
    ranks.endAll();
  }

  private void start(String scenario) throws IOException {
    ranks.start(scenario, _ -> List.of(), _ -> "127.0.0.1");
  }

  @Test
  void keepTheContract() throws Exception {
    start("contract");
    for (int rank = 0; rank < SIZE; rank++) {
      assertThat(ranks.line(rank)).isEqualTo("checks " + CommunicatorContract.CHECKS);
      assertThat(ranks.process(rank).waitFor()).isZero();
    }
  }

  @Test
  void allNameTheOneThatIsKilled() throws Exception {
    start("work");
    for (int rank = 0; rank < SIZE; rank++) {
      assertThat(ranks.line(rank)).isEqualTo("works");
    }
    ranks.process(1).destroyForcibly();
    for (int rank : new int[] {0, 2}) {
      assertThat(ranks.line(rank))
          .startsWith("rank 1 of 3 failed: ")
          .contains("the connection to it has broken");
      assertThat(ranks.process(rank).waitFor()).isEqualTo(1);
    }
  }
}
