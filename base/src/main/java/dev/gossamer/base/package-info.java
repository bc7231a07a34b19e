/// Worker threads, and one-line errors for invalid input and settings.
///
/// Imports only `memory`. Start with [dev.gossamer.base.Workers] and
/// [dev.gossamer.base.InvalidSettingException].
@NullMarked
package dev.gossamer.base;

import org.jspecify.annotations.NullMarked;
