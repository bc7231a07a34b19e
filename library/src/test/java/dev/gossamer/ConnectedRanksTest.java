package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.comm.net.Gathering;
import dev.gossamer.comm.net.NetOptions;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.run.RankLaunch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Ranks that another program has started and that are connected by sockets.
@Timeout(120)
class ConnectedRanksTest {
  private static final int RANKS = 2;

  private static final NetOptions OPTIONS = NetOptions.DEFAULT.withPatience(Duration.ofMinutes(2));

  @TempDir private Path folder;

  private static GraphTraining training() {
    return ExampleGraphs.training(ExampleGraphs.dense(60, 1)).epochs(3).threads(1);
  }

  /// What each rank writes: its model and its predictions, of data that it has opened itself.
  private List<byte[]> connected(NetOptions options, UnaryOperator<GraphTraining> way)
      throws Exception {
    String[] lines = new String[RANKS];
    CyclicBarrier all = new CyclicBarrier(RANKS);
    List<Future<byte[]>> ranks = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(RANKS)) {
      for (int rank = 0; rank < RANKS; rank++) {
        int number = rank;
        Gathering gathering =
            line -> {
              lines[number] = line;
              all.await();
              List<String> gathered = List.of(lines.clone());
              all.await();
              return gathered;
            };
        var place = new RankLaunch.Connected(number, RANKS, RANKS, gathering, options);
        ranks.add(
            threads.submit(() -> place.call(() -> written(way.apply(training()).run(), number))));
      }
      return List.of(ranks.get(0).get(), ranks.get(1).get());
    }
  }

  private byte[] written(GraphModel model, int number) throws Exception {
    Path file = folder.resolve("model-" + number);
    model.write(file);
    return Files.readAllBytes(file);
  }

  private void assertSameBits(UnaryOperator<GraphTraining> way) throws Exception {
    byte[] threads = written(way.apply(training()).ranks(RANKS).run(), RANKS);
    assertThat(connected(OPTIONS, way)).containsExactly(threads, threads);
    assertThat(connected(OPTIONS.withEncryption(), way)).containsExactly(threads, threads);
  }

  @Test
  void aWholeGraphGivesTheBitsOfThreads() throws Exception {
    assertSameBits(training -> training.gcn(4));
  }

  @Test
  void minibatchesGiveTheBitsOfThreads() throws Exception {
    MinibatchSettings batches = MinibatchSettings.of(Sampler.sage(3, 3)).withBatchSize(8);
    assertSameBits(training -> training.sage(4).minibatches(batches));
  }

  @Test
  void theirNumberIsNotASetting() {
    var place = new RankLaunch.Connected(1, RANKS, 1, List::of, OPTIONS);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> place.call(() -> training().ranks(3).run()))
        .withMessage("ranks: expected none under a launcher that has started 2 processes, found 3");
  }
}
