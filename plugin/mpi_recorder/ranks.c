// SPDX-License-Identifier: GPL-3.0-or-later
// Lock order: make_mutex, then MPI's own locks, then list_mutex. No MPI call is
// made under list_mutex, which MPI's calls of Forget take.
#include "ranks.h"

#include <pthread.h>
#include <stdlib.h>

struct Ranks world_ranks;
_Atomic uint32_t ranks_generation;

static int comm_key = MPI_KEYVAL_INVALID;
static int win_key = MPI_KEYVAL_INVALID;
static MPI_Group world_group = MPI_GROUP_NULL;
static pthread_mutex_t make_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Ranks* list;

static void Link(struct Ranks* ranks) {
  pthread_mutex_lock(&list_mutex);
  ranks->next = list;
  if (list != NULL) list->previous = ranks;
  list = ranks;
  pthread_mutex_unlock(&list_mutex);
}

static void Unlink(struct Ranks* ranks) {
  pthread_mutex_lock(&list_mutex);
  if (ranks->next != NULL) ranks->next->previous = ranks->previous;
  if (ranks->previous != NULL) {
    ranks->previous->next = ranks->next;
  } else {
    list = ranks->next;
  }
  pthread_mutex_unlock(&list_mutex);
}

void AddToEach(const struct Ranks* ranks, int first, struct Volume volume,
               struct Traffic* sum) {
  if (volume.messages == 0) return;
  for (int rank = first; rank < ranks->size; ++rank) {
    if (!ranks->inter && rank == ranks->my_rank) continue;
    AddSent(sum, WorldRank(ranks, rank), volume);
  }
}

static void AddCounters(const struct Ranks* ranks, struct Traffic* sum) {
  AddToEach(ranks, 0, ReadCounter(&ranks->to_each), sum);
  AddToEach(ranks, ranks->my_rank + 1, ReadCounter(&ranks->to_each_higher),
            sum);
}

void AddLiveRanks(struct Traffic* sum) {
  pthread_mutex_lock(&list_mutex);
  for (const struct Ranks* ranks = list; ranks != NULL; ranks = ranks->next) {
    AddCounters(ranks, sum);
  }
  pthread_mutex_unlock(&list_mutex);
}

static void FreeRanks(struct Ranks* ranks) {
  free(atomic_load(&ranks->neighbours));
  free(ranks->world);
  free(ranks);
}

// The communicator or window ends.
static void Forget(struct Ranks* ranks) {
  // In MPI_Finalize after the counters were written.
  if (!atomic_load(&recording) || ranks == &world_ranks) return;
  atomic_fetch_add(&ranks_generation, 1);
  Unlink(ranks);
  AddCounters(ranks, ThreadTraffic());
  FreeRanks(ranks);
}

static int ForgetComm(MPI_Comm comm, int key, void* ranks, void* unused) {
  (void)comm, (void)key, (void)unused;
  Forget(ranks);
  return MPI_SUCCESS;
}

static int ForgetWin(MPI_Win win, int key, void* ranks, void* unused) {
  (void)win, (void)key, (void)unused;
  Forget(ranks);
  return MPI_SUCCESS;
}

int StartRanks(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_ranks.my_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world_ranks.size);
  int error = PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  if (error == MPI_SUCCESS) {
    error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ForgetComm,
                                    &comm_key, NULL);
  }
  if (error == MPI_SUCCESS) {
    error =
        PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, ForgetWin, &win_key, NULL);
  }
  if (error == MPI_SUCCESS) Link(&world_ranks);
  return error;
}

void EndRanks(void) {
  PMPI_Comm_free_keyval(&comm_key);
  PMPI_Win_free_keyval(&win_key);
  PMPI_Group_free(&world_group);
}

// Sets size and world from the group; false: no memory or an error of MPI.
static bool TranslateGroup(MPI_Group group, struct Ranks* ranks) {
  PMPI_Group_size(group, &ranks->size);
  if (ranks->size == 0) return true;
  const size_t bytes = (size_t)ranks->size * sizeof(int);
  int* const own = malloc(bytes);
  ranks->world = malloc(bytes);
  if (own == NULL || ranks->world == NULL) {
    free(own);
    return false;
  }
  for (int i = 0; i < ranks->size; ++i) own[i] = i;
  const int error = PMPI_Group_translate_ranks(group, ranks->size, own,
                                               world_group, ranks->world);
  bool same = true;
  for (int i = 0; i < ranks->size; ++i) {
    if (ranks->world[i] == MPI_UNDEFINED) ranks->world[i] = kOutsideWorld;
    same = same && ranks->world[i] == i;
  }
  free(own);
  if (same) {
    free(ranks->world);
    ranks->world = NULL;
  }
  return error == MPI_SUCCESS;
}

static bool FillFromComm(MPI_Comm comm, struct Ranks* ranks) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  ranks->inter = inter != 0;
  PMPI_Comm_rank(comm, &ranks->my_rank);
  MPI_Group group = MPI_GROUP_NULL;
  const int error = ranks->inter ? PMPI_Comm_remote_group(comm, &group)
                                 : PMPI_Comm_group(comm, &group);
  if (error != MPI_SUCCESS) return false;
  const bool filled = TranslateGroup(group, ranks);
  PMPI_Group_free(&group);
  return filled;
}

static struct Ranks* MakeCommRanks(MPI_Comm comm) {
  struct Ranks* const ranks = calloc(1, sizeof *ranks);
  if (ranks == NULL) return NULL;
  if (!FillFromComm(comm, ranks)) {
    FreeRanks(ranks);
    return NULL;
  }
  Link(ranks);
  if (PMPI_Comm_set_attr(comm, comm_key, ranks) == MPI_SUCCESS) return ranks;
  Unlink(ranks);
  FreeRanks(ranks);
  return NULL;
}

static struct Ranks* LostRanks(struct Ranks* ranks) {
  if (ranks == NULL) {
    atomic_fetch_add_explicit(&lost_messages, 1, memory_order_relaxed);
  }
  return ranks;
}

struct Ranks* FindCommRanks(MPI_Comm comm) {
  struct ThreadState* const state = &thread_state;
  const uint32_t generation = atomic_load(&ranks_generation);
  struct Ranks* ranks = NULL;
  int found = 0;
  PMPI_Comm_get_attr(comm, comm_key, &ranks, &found);
  if (!found) {
    pthread_mutex_lock(&make_mutex);
    PMPI_Comm_get_attr(comm, comm_key, &ranks, &found);
    if (!found) ranks = MakeCommRanks(comm);
    pthread_mutex_unlock(&make_mutex);
  }
  state->comm = comm;
  state->ranks = ranks;
  state->generation = generation;
  return LostRanks(ranks);
}

static struct Ranks* MakeWinRanks(MPI_Win win) {
  struct Ranks* const ranks = calloc(1, sizeof *ranks);
  if (ranks == NULL) return NULL;
  MPI_Group group = MPI_GROUP_NULL;
  bool made = PMPI_Win_get_group(win, &group) == MPI_SUCCESS;
  if (made) {
    PMPI_Group_rank(group, &ranks->my_rank);
    made = TranslateGroup(group, ranks);
    PMPI_Group_free(&group);
  }
  if (made) {
    Link(ranks);
    if (PMPI_Win_set_attr(win, win_key, ranks) == MPI_SUCCESS) return ranks;
    Unlink(ranks);
  }
  FreeRanks(ranks);
  return NULL;
}

struct Ranks* WinRanks(MPI_Win win) {
  struct Ranks* ranks = NULL;
  int found = 0;
  PMPI_Win_get_attr(win, win_key, &ranks, &found);
  if (found) return ranks;
  pthread_mutex_lock(&make_mutex);
  PMPI_Win_get_attr(win, win_key, &ranks, &found);
  if (!found) ranks = MakeWinRanks(win);
  pthread_mutex_unlock(&make_mutex);
  return LostRanks(ranks);
}
