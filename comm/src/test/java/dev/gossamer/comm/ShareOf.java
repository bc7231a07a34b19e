package dev.gossamer.comm;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.junit.platform.commons.support.ReflectionSupport;

/// Gives a test whose cases are many and long a fixed share of them: a quarter, or one of
/// `-Dcases.every=N`. `.ci/endurance` takes all.
///
/// Tests of the same cases begin at different ones, so that most cases are in the share of some
/// test, and steps from one to the next vary, so that a share of all combinations has each value of
/// what is combined.
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("share")
@ArgumentsSource(ShareOf.Cases.class)
public @interface ShareOf {
  /// Static methods of the test's class that return streams of arguments.
  String[] value();

  /// The cases that are taken.
  final class Cases implements ArgumentsProvider, AnnotationConsumer<ShareOf> {
    private static final int EVERY = Integer.getInteger("cases.every", 4);

    /// `2^32` times the golden section, whose multiples are spread most evenly.
    private static final int GOLDEN = 0x9E3779B9;

    private List<String> methods = List.of();

    @Override
    public void accept(ShareOf share) {
      methods = List.of(share.value());
    }

    @Override
    public Stream<Arguments> provideArguments(
        ParameterDeclarations parameters, ExtensionContext test) {
      Class<?> type = test.getRequiredTestClass();
      List<Object> all = new ArrayList<>();
      for (String name : methods) {
        Method cases = ReflectionSupport.findMethod(type, name).orElseThrow();
        Object found = Objects.requireNonNull(ReflectionSupport.invokeMethod(cases, null));
        ((BaseStream<?, ?>) found).iterator().forEachRemaining(all::add);
      }
      int first = Math.floorMod(test.getRequiredTestMethod().getName().hashCode(), all.size());
      return IntStream.range(0, all.size())
          .filter(i -> (Integer.toUnsignedLong(i * GOLDEN) * EVERY) >>> 32 == 0)
          .map(i -> (first + i) % all.size())
          .sorted()
          .mapToObj(all::get)
          .map(each -> each instanceof Arguments given ? given : Arguments.of(each));
    }
  }
}
