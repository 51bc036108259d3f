#pragma once
// What the Glibc module of the toolchain does not show. No feature macro here: it would change structures that the
// Glibc module has already defined.
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// `epoll_event` holds a C union, which Swift can only set with effort.
static inline int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = descriptor};
    return epoll_ctl(epoll, operation, descriptor, &event);
}
static inline int clinux_epoll_descriptor(const struct epoll_event *event) { return event->data.fd; }
static inline int clinux_errno(void) { return errno; }
/// At most 15 bytes.
void clinux_name_thread(const char *name);
/// A descriptor that becomes readable when the process ends, whoever started it; -1 if there is no such process.
int clinux_open_process(int process);
/// The child closes every descriptor from `first` on.
int clinux_close_from(posix_spawn_file_actions_t *actions, int first);
