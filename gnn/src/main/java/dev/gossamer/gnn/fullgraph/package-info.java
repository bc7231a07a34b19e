/// Full-graph training: every epoch is one step over all vertices (MG; SA section 2). Start with
/// [dev.gossamer.gnn.fullgraph.FullGraphTrainer].
@NullMarked
package dev.gossamer.gnn.fullgraph;

import org.jspecify.annotations.NullMarked;
