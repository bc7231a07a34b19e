package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.net.NetOptions;
import dev.gossamer.comm.threads.ThreadOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RankLaunchTest {
  private static final LaunchEnvironment ALONE = LaunchEnvironment.detect(Map.of());
  private static final LaunchEnvironment TWO =
      LaunchEnvironment.detect(Map.of("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "2"));

  private static RankLaunch of(LaunchEnvironment environment, int ranks, ThreadOptions threads) {
    return RankLaunch.of(environment, ranks, threads, MpiOptions.DEFAULT);
  }

  @Test
  void ranksAreThreadsOrWhatALauncherHasStarted() {
    assertThat(of(ALONE, 3, ThreadOptions.DEFAULT).ranks()).isEqualTo(3);
    RankLaunch processes = of(TWO, 1, ThreadOptions.DEFAULT);
    assertThat(processes.ranks()).isEqualTo(2);
    assertThat(processes.isFirstProcess()).isFalse();
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> of(TWO, 3, ThreadOptions.DEFAULT))
        .withMessage("ranks: expected none under a launcher that has started 2 processes, found 3");
  }

  /// Ignored, it would leave timings that are none of that network.
  @Test
  void noNetworkIsImitatedUnderALauncher() {
    ThreadOptions slow = new ThreadOptions(ThreadOptions.DEFAULT.timeout(), new Link(3e-5, 8e-10));
    assertThat(of(ALONE, 2, slow).link()).isEqualTo(slow.link());
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> of(TWO, 1, slow))
        .withMessage(
            "link: expected none under a launcher, whose processes have a real network, found 30us,0.8ns");
  }

  @Test
  void ranksMayHaveBeenStartedByAnotherProgram() {
    NetOptions options = NetOptions.DEFAULT;
    RankLaunch.Connected second = new RankLaunch.Connected(1, 3, 2, List::of, options);
    Duration patience = Duration.ofMinutes(7);
    RankLaunch launch =
        second.call(() ->
            RankLaunch.of(1, ThreadOptions.DEFAULT.withTimeout(patience), MpiOptions.DEFAULT));
    assertThat(launch)
        .isEqualTo(
            new RankLaunch.Connected(1, 3, 2, second.gathering(), options.withTimeout(patience)));
    assertThat(launch.underLauncher()).isTrue();
    assertThat(launch.isFirstProcess()).isFalse();
    assertThat(launch.ranksOfProcess()).isEqualTo(1);
    assertThat(launch.link()).isNull();
    assertThat(RankLaunch.of(1)).isInstanceOf(RankLaunch.Threads.class);
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> second.call(() -> RankLaunch.of(2)))
        .withMessage("ranks: expected none under a launcher that has started 3 processes, found 2");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> new RankLaunch.Connected(3, 3, 1, List::of, options))
        .withMessageContaining("found rank 3 and 1");
  }

  private static RuntimeException thrown(RuntimeException byTheSecondRank) {
    RankLaunch two = of(ALONE, 2, ThreadOptions.DEFAULT);
    return catchThrowableOfType(
        RuntimeException.class,
        () ->
            two.run(world -> {
              if (world.rank() == 1) {
                throw byTheSecondRank;
              }
              world.barrier();
            }));
  }

  @Test
  void whatIsWrongWithTheInputOrTheTrainingIsNotTheFailureOfARank() {
    InvalidSettingException setting = new InvalidSettingException("{ranks}: too many");
    TrainingFailedException training = new TrainingFailedException("epoch 2: the loss is NaN");
    IllegalStateException bug = new IllegalStateException("no more rows");
    assertThat(thrown(setting)).isSameAs(setting);
    assertThat(thrown(training)).isSameAs(training);
    assertThat(thrown(bug))
        .isInstanceOf(RankFailedException.class)
        .hasMessage("rank 1 of 2 failed: java.lang.IllegalStateException: no more rows")
        .hasCause(bug);
  }
}
