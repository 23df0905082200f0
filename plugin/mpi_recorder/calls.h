// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the communication calls of MPI: name, parameters, how to count.
// A file that defines functions of these names gives meaning to a row by four
// macros, and to a parameter by macros of one prefix.
#ifndef COOLSPAN_PLUGIN_MPI_RECORDER_CALLS_H_
#define COOLSPAN_PLUGIN_MPI_RECORDER_CALLS_H_

// Prefix P: P##SBUF and so on make a parameter of its kind. SBUF: the buffer to
// send, BUF: one that is also written, RBUF: the one to receive; N an integer,
// A an array of integers, D one of displacements.
#define SEND_PARAMS(P)                                               \
  P##SBUF(buf), P##SCOUNT(count), P##STYPE(datatype), P##PEER(dest), \
      P##N(tag), P##COMM(comm)
#define PSEND_PARAMS(P)                                      \
  P##SBUF(buf), P##PARTITIONS(partitions), P##PCOUNT(count), \
      P##STYPE(datatype), P##PEER(dest), P##N(tag), P##COMM(comm)
#define SENDRECV_PARAMS(P)                                                   \
  P##SBUF(sendbuf), P##SCOUNT(sendcount), P##STYPE(sendtype), P##PEER(dest), \
      P##N(sendtag), P##RBUF(recvbuf), P##RCOUNT(recvcount),                 \
      P##RTYPE(recvtype), P##N(source), P##N(recvtag), P##COMM(comm)
#define SENDRECV_STATUS_PARAMS(P) SENDRECV_PARAMS(P), P##STATUS(status)
#define REPLACE_PARAMS(P)                                           \
  P##BUF(buf), P##SCOUNT(count), P##STYPE(datatype), P##PEER(dest), \
      P##N(sendtag), P##N(source), P##N(recvtag), P##COMM(comm)
#define REPLACE_STATUS_PARAMS(P) REPLACE_PARAMS(P), P##STATUS(status)

#define ORIGIN_PARAMS(P) P##SCOUNT(count), P##STYPE(datatype)
#define TARGET_PARAMS(P)                                           \
  P##PEER(target), P##DISP(displacement), P##TCOUNT(target_count), \
      P##TTYPE(target_datatype)
#define PUT_PARAMS(P) \
  P##SBUF(origin), ORIGIN_PARAMS(P), TARGET_PARAMS(P), P##WIN(win)
#define GET_PARAMS(P) \
  P##BUF(origin), ORIGIN_PARAMS(P), TARGET_PARAMS(P), P##WIN(win)
#define ACCUMULATE_PARAMS(P) \
  P##SBUF(origin), ORIGIN_PARAMS(P), TARGET_PARAMS(P), P##OP(op), P##WIN(win)
#define GET_ACCUMULATE_PARAMS(P)                                              \
  P##SBUF(origin), ORIGIN_PARAMS(P), P##RBUF(fetched),                        \
      P##RCOUNT(fetched_count), P##RTYPE(fetched_datatype), TARGET_PARAMS(P), \
      P##OP(op), P##WIN(win)
#define FETCH_AND_OP_PARAMS(P)                                            \
  P##SBUF(origin), P##RBUF(fetched), P##STYPE(datatype), P##PEER(target), \
      P##DISP(displacement), P##OP(op), P##WIN(win)
#define COMPARE_AND_SWAP_PARAMS(P)                                          \
  P##SBUF(origin), P##SBUF2(compare), P##RBUF(fetched), P##STYPE(datatype), \
      P##PEER(target), P##DISP(displacement), P##WIN(win)

#define BLOCK_PARAMS(P) \
  P##SBUF(sendbuf), P##SCOUNT(sendcount), P##STYPE(sendtype), P##RBUF(recvbuf)
#define BLOCKS_PARAMS(P)                                                       \
  P##SBUF(sendbuf), P##SCOUNTS(sendcounts), P##D(sdispls), P##STYPE(sendtype), \
      P##RBUF(recvbuf)
#define BCAST_PARAMS(P)                                                \
  P##BUF(buffer), P##SCOUNT(count), P##STYPE(datatype), P##PEER(root), \
      P##COMM(comm)
#define GATHER_PARAMS(P)                                                    \
  BLOCK_PARAMS(P), P##RCOUNT(recvcount), P##RTYPE(recvtype), P##PEER(root), \
      P##COMM(comm)
#define GATHERV_PARAMS(P)                                                    \
  BLOCK_PARAMS(P), P##RCOUNTS(recvcounts), P##D(displs), P##RTYPE(recvtype), \
      P##PEER(root), P##COMM(comm)
#define SCATTERV_PARAMS(P)                                                   \
  BLOCKS_PARAMS(P), P##RCOUNT(recvcount), P##RTYPE(recvtype), P##PEER(root), \
      P##COMM(comm)
#define ALLGATHER_PARAMS(P) \
  BLOCK_PARAMS(P), P##RCOUNT(recvcount), P##RTYPE(recvtype), P##COMM(comm)
#define ALLGATHERV_PARAMS(P)                                                 \
  BLOCK_PARAMS(P), P##RCOUNTS(recvcounts), P##D(displs), P##RTYPE(recvtype), \
      P##COMM(comm)
#define ALLTOALLV_PARAMS(P)                                                    \
  BLOCKS_PARAMS(P), P##RCOUNTS(recvcounts), P##D(rdispls), P##RTYPE(recvtype), \
      P##COMM(comm)
#define ALLTOALLW_PARAMS(P)                                           \
  P##SBUF(sendbuf), P##SCOUNTS(sendcounts), P##D(sdispls),            \
      P##STYPES(sendtypes), P##RBUF(recvbuf), P##RCOUNTS(recvcounts), \
      P##D(rdispls), P##RTYPES(recvtypes), P##COMM(comm)
// Displacements are MPI_Aint.
#define NEIGHBOUR_ALLTOALLW_PARAMS(P)                                 \
  P##SBUF(sendbuf), P##SCOUNTS(sendcounts), P##AINTS(sdispls),        \
      P##STYPES(sendtypes), P##RBUF(recvbuf), P##RCOUNTS(recvcounts), \
      P##AINTS(rdispls), P##RTYPES(recvtypes), P##COMM(comm)
#define REDUCE_PARAMS(P)                                                    \
  P##SBUF(sendbuf), P##RBUF(recvbuf), P##SCOUNT(count), P##STYPE(datatype), \
      P##OP(op), P##PEER(root), P##COMM(comm)
#define ALLREDUCE_PARAMS(P)                                                 \
  P##SBUF(sendbuf), P##RBUF(recvbuf), P##SCOUNT(count), P##STYPE(datatype), \
      P##OP(op), P##COMM(comm)
#define REDUCE_SCATTER_PARAMS(P)                                              \
  P##SBUF(sendbuf), P##RBUF(recvbuf), P##RCOUNTS(counts), P##STYPE(datatype), \
      P##OP(op), P##COMM(comm)
#define REDUCE_SCATTER_BLOCK_PARAMS(P)                                      \
  P##SBUF(sendbuf), P##RBUF(recvbuf), P##RCOUNT(count), P##STYPE(datatype), \
      P##OP(op), P##COMM(comm)

// Rows: the name, in lower case, the parameters, how to count.
#define SENDS(ROW)                          \
  ROW(Send, send, SEND_PARAMS, CountSend)   \
  ROW(Bsend, bsend, SEND_PARAMS, CountSend) \
  ROW(Ssend, ssend, SEND_PARAMS, CountSend) \
  ROW(Rsend, rsend, SEND_PARAMS, CountSend)

#define ONE_SIDED(ROW)                                     \
  ROW(Put, put, PUT_PARAMS, CountPut)                      \
  ROW(Get, get, GET_PARAMS, CountGet)                      \
  ROW(Accumulate, accumulate, ACCUMULATE_PARAMS, CountPut) \
  ROW(Get_accumulate, get_accumulate, GET_ACCUMULATE_PARAMS, CountGetAccumulate)

#define COLLECTIVES(ROW)                                                       \
  ROW(Bcast, bcast, BCAST_PARAMS, CountBcast)                                  \
  ROW(Reduce, reduce, REDUCE_PARAMS, CountReduce)                              \
  ROW(Gather, gather, GATHER_PARAMS, CountGather)                              \
  ROW(Gatherv, gatherv, GATHERV_PARAMS, CountGather)                           \
  ROW(Scatter, scatter, GATHER_PARAMS, CountScatter)                           \
  ROW(Scatterv, scatterv, SCATTERV_PARAMS, CountScatterv)                      \
  ROW(Allgather, allgather, ALLGATHER_PARAMS, CountAllgather)                  \
  ROW(Allgatherv, allgatherv, ALLGATHERV_PARAMS, CountAllgatherv)              \
  ROW(Alltoall, alltoall, ALLGATHER_PARAMS, CountAlltoall)                     \
  ROW(Alltoallv, alltoallv, ALLTOALLV_PARAMS, CountAlltoallv)                  \
  ROW(Alltoallw, alltoallw, ALLTOALLW_PARAMS, CountAlltoallw)                  \
  ROW(Allreduce, allreduce, ALLREDUCE_PARAMS, CountAllreduce)                  \
  ROW(Reduce_scatter, reduce_scatter, REDUCE_SCATTER_PARAMS,                   \
      CountReduceScatter)                                                      \
  ROW(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK_PARAMS, \
      CountReduceScatterBlock)                                                 \
  ROW(Scan, scan, ALLREDUCE_PARAMS, CountScan)                                 \
  ROW(Exscan, exscan, ALLREDUCE_PARAMS, CountScan)                             \
  ROW(Neighbor_allgather, neighbor_allgather, ALLGATHER_PARAMS,                \
      CountNeighbourAllgather)                                                 \
  ROW(Neighbor_allgatherv, neighbor_allgatherv, ALLGATHERV_PARAMS,             \
      CountNeighbourAllgather)                                                 \
  ROW(Neighbor_alltoall, neighbor_alltoall, ALLGATHER_PARAMS,                  \
      CountNeighbourAllgather)                                                 \
  ROW(Neighbor_alltoallv, neighbor_alltoallv, ALLTOALLV_PARAMS,                \
      CountNeighbourAlltoallv)                                                 \
  ROW(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOUR_ALLTOALLW_PARAMS,      \
      CountNeighbourAlltoallw)

#endif  // COOLSPAN_PLUGIN_MPI_RECORDER_CALLS_H_
