/// Predicts what training strategies cost, from the measured rates of a machine and its network
/// ([Cluster], [Rates], [ClusterFile]).
@NullMarked
package dev.gossamer.planner;

import org.jspecify.annotations.NullMarked;
