// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of one Fortran interface that communicate. No include guard:
// wrap_fortran.c includes it once for each interface.

SENDS(SEND)
BLOCKING(sendrecv, SENDRECV_STATUS_PARAMS, CountSend)
BLOCKING(sendrecv_replace, REPLACE_STATUS_PARAMS, CountSend)
#ifdef HAVE_ISENDRECV
NONBLOCKING(isendrecv, SENDRECV_PARAMS, CountSend)
NONBLOCKING(isendrecv_replace, REPLACE_PARAMS, CountSend)
#endif
ONE_SIDED(WITH_REQUEST)
COLLECTIVES(COLLECTIVE)
#ifdef HAVE_PERSISTENT_COLLECTIVES
COLLECTIVES(PERSISTENT_COLLECTIVE)
#endif
