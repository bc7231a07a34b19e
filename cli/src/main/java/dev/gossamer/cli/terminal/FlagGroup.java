package dev.gossamer.cli.terminal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The heading of a mixin's flags in the help of a command with `modelTransformer =
/// GroupedHelp.class`. Mixins with the same heading form one group; a mixin of a mixin may have its
/// own heading.
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface FlagGroup {
  /// The heading: `Pruning`.
  String value();

  /// One sentence below it, where one is needed.
  String sentence() default "";
}
