! SPDX-License-Identifier: GPL-3.0-or-later
program fortran_use_mpi
  use mpi
  implicit none
  integer :: rank, ranks, next, previous, error, i
  integer, asynchronous :: sent(1000), got(1000)
  integer :: counts(64), places(64)
  integer(kind=MPI_ADDRESS_KIND) :: extent, place
  integer :: request, receive, types(64), win
  include 'fortran_exchange.inc'
end program
