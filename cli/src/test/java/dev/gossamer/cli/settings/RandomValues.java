package dev.gossamer.cli.settings;

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

  final <T> @Nullable T maybe(T value) {
    return coin() ? value : null;
  }
}
