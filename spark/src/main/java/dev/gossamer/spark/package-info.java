/// Estimators and models of Spark ML that train graph networks on DataFrames. Spark reads, sorts,
/// places and restarts; the ranks train inside one barrier stage ([dev.gossamer.spark.ranks]).
@NullMarked
package dev.gossamer.spark;

import org.jspecify.annotations.NullMarked;
