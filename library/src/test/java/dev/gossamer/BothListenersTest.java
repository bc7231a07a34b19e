package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BothListenersTest {
  /// All that a listener is notified of.
  static Stream<Method> notifications() {
    return Arrays.stream(TrainingListener.class.getDeclaredMethods())
        .filter(method -> !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic())
        .filter(method -> method.getReturnType() == void.class);
  }

  private static TrainingListener noting(String name, List<String> calls) {
    return (TrainingListener)
        Proxy.newProxyInstance(
            TrainingListener.class.getClassLoader(),
            new Class<?>[] {TrainingListener.class},
            (_, method, arguments) -> {
              calls.add("%s %s %s".formatted(name, method.getName(), Arrays.toString(arguments)));
              return null;
            });
  }

  @ParameterizedTest
  @MethodSource("notifications")
  void bothAreNotifiedInOrder(Method method) throws ReflectiveOperationException {
    List<String> calls = new ArrayList<>();
    Object[] arguments =
        Arrays.stream(method.getParameterTypes())
            .map(type -> type == int.class ? (Object) 7 : type == long.class ? (Object) 9L : null)
            .toArray();
    method.invoke(new BothListeners(noting("one", calls), noting("other", calls)), arguments);
    String said = method.getName() + " " + Arrays.toString(arguments);
    assertThat(calls).containsExactly("one " + said, "other " + said);
  }
}
