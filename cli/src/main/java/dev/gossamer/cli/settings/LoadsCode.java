package dev.gossamer.cli.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a flag whose value says which code the process loads: a native library, a driver, a
/// plug-in.
///
/// Write access to a file of settings must not allow running code: such a flag takes a path from
/// the command line alone. In a [ConfigFile], be it one of a run, it takes plain names, which the
/// system looks for where its libraries are.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface LoadsCode {}
