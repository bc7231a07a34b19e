package dev.gossamer.cli.terminal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Names other flags that a flag, or each flag of a class, needs to be read; commands refuse it
/// without them.
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.TYPE})
public @interface ReadWith {
  /// Flags with their values: `--mode minibatch --remote historical`.
  String value();
}
