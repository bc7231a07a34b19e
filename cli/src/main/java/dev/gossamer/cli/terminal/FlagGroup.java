package dev.gossamer.cli.terminal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The heading under which a mixin's flags stand in the help of a command with `modelTransformer =
/// GroupedHelp.class`. Mixins with the same heading stand together; a mixin of a mixin may have a
/// heading of its own.
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface FlagGroup {
  /// The heading: `Pruning`.
  String value();

  /// One sentence below it, where one is needed.
  String sentence() default "";
}
