/// What a machine and its network do a second ([Cluster], [Rates], [ClusterFile]), and what each
/// way to train would cost there.
@NullMarked
package dev.gossamer.planner;

import org.jspecify.annotations.NullMarked;
