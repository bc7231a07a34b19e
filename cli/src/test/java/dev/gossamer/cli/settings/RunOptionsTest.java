package dev.gossamer.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.RunOutput;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RunOptionsTest {
  /// With `--resume auto`, too: [Restart] has found no run there.
  @Test
  void aRunThatBeginsInANamedFolderIsNotResumed() {
    RunOptions options = new RunOptions();
    options.folder = Path.of("run");
    for (Path resume : new Path[] {null, Path.of(Restart.AUTO)}) {
      options.resume = resume;
      RunOutput output = options.output((_, _) -> {});
      assertThat(output.named()).isEqualTo(options.folder);
      assertThat(output.resumable()).isFalse();
    }
  }
}
