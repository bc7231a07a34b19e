/// What is about no matrix: the threads that work, and the one-line errors for bad input and bad
/// settings.
///
/// Imports only `memory`. Start with [dev.gossamer.base.Workers] and
/// [dev.gossamer.base.InvalidSettingException].
@NullMarked
package dev.gossamer.base;

import org.jspecify.annotations.NullMarked;
