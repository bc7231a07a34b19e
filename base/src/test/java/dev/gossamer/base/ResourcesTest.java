package dev.gossamer.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourcesTest {
  private record Owner(Resources resources, Arena arena) {}

  @Test
  void whatAnOwnerHasOpenedIsClosedIfItsConstructionFails() {
    List<Arena> opened = new ArrayList<>();
    assertThatIllegalStateException()
        .isThrownBy(() ->
            Resources.owned(resources -> {
              opened.add(resources.add(Arena.ofShared()));
              opened.add(resources.add(Arena.ofShared()));
              throw new IllegalStateException("half-way");
            }))
        .withMessage("half-way");
    assertThat(opened).hasSize(2).noneMatch(arena -> arena.scope().isAlive());
  }

  @Test
  void anOwnerClosesWhatItOwns() {
    Owner owner =
        Resources.owned(resources -> new Owner(resources, resources.add(Arena.ofShared())));
    assertThat(owner.arena().scope().isAlive()).isTrue();
    owner.resources().close();
    assertThat(owner.arena().scope().isAlive()).isFalse();
  }

  @Test
  void theNewestIsClosedFirstAndAllAreTried() {
    List<Integer> closed = new ArrayList<>();
    Resources all = Resources.owned(resources -> resources);
    for (int i = 0; i < 3; i++) {
      int number = i;
      all.add(() -> {
        closed.add(number);
        if (number > 0) {
          throw new IllegalArgumentException("number " + number);
        }
      });
    }
    assertThatIllegalArgumentException().isThrownBy(all::close).withMessage("number 2");
    assertThat(closed).containsExactly(2, 1, 0);
  }
}
