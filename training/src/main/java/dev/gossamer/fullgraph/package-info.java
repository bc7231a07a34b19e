/// Full-graph training: every epoch is one step over all vertices (MG; SA section 2). Start with
/// [dev.gossamer.fullgraph.FullGraphTrainer].
@NullMarked
package dev.gossamer.fullgraph;

import org.jspecify.annotations.NullMarked;
