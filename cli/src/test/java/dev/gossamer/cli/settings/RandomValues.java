package dev.gossamer.cli.settings;

import dev.gossamer.comm.Link;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.run.LaunchSettings;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Values of settings at random.
class RandomValues {
  final Random random;

  RandomValues(int seed) {
    // The first numbers of small seeds are alike.
    random = new Random(seed * 0x9e3779b97f4a7c15L);
  }

  final boolean coin() {
    return random.nextBoolean();
  }

  final <T> T one(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  final LaunchSettings launch(int count) {
    return new LaunchSettings(
        count,
        new ThreadOptions(
            Duration.ofSeconds(1 + random.nextInt(9999)),
            maybe(new Link(random.nextInt(99) / 1e6, random.nextInt(9) / 1e10))),
        coin() ? MpiOptions.DEFAULT : MpiOptions.DEFAULT.withLibrary("libmpi.so.40"));
  }

  final <T> @Nullable T maybe(T value) {
    return coin() ? value : null;
  }
}
