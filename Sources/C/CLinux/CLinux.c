#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>
#include <sys/pidfd.h>

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int clinux_open_process(int process) { return pidfd_open(process, 0); }

int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
