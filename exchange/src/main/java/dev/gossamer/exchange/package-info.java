/// Determines which ranks need which rows of a distributed matrix, and computes sparse products
/// that send only these rows (SA; MG).
///
/// Start with [dev.gossamer.exchange.RowExchange], which exchanges rows, and
/// [dev.gossamer.exchange.DistributedSpmm], its main user; [dev.gossamer.exchange.CsrRowFetch]
/// fetches rows of sparse matrices. [dev.gossamer.exchange.Placement] defines which rank owns which
/// vertex, [dev.gossamer.exchange.ExchangeVolume] computes the cost of a placement before ranks are
/// started. Imports graph, nn, comm and the floors below them, and no trainer.
@NullMarked
package dev.gossamer.exchange;

import org.jspecify.annotations.NullMarked;
