/// Who needs which rows of a matrix that is spread over ranks, and the sparse products that move no
/// others (SA; MG).
///
/// Start with [dev.gossamer.exchange.RowExchange], the one object that moves rows, and
/// [dev.gossamer.exchange.DistributedSpmm], its first client; [dev.gossamer.exchange.CsrRowFetch]
/// moves rows of sparse matrices. [dev.gossamer.exchange.Placement] says which rank owns which
/// vertex, [dev.gossamer.exchange.ExchangeVolume] what a placement will cost before a rank exists.
/// Imports graph, nn, comm and what lies below them, and no trainer.
@NullMarked
package dev.gossamer.exchange;

import org.jspecify.annotations.NullMarked;
