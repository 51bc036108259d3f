#include <microhttpd.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <netdb.h>

/// What a daemon is started with; every number is already checked.
struct mhd_shim_settings {
    /// A listening socket that the daemon takes over, or -1: connections arrive by `MHD_add_connection`.
    int descriptor;
    unsigned connections;
    unsigned connections_per_address;
    unsigned idle_seconds;
    size_t connection_memory;
    const char *certificate;
    const char *key;
};

/// `MHD_start_daemon` is variadic, which Swift cannot call.
static inline struct MHD_Daemon *mhd_shim_start(
    const struct mhd_shim_settings *settings, void *context, MHD_AccessHandlerCallback handler,
    void *(*begin)(void *context, const char *uri, struct MHD_Connection *connection),
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connections) {
    struct MHD_OptionItem options[8];
    size_t count = 0;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    if (settings->descriptor >= 0)
        options[count++] = (struct MHD_OptionItem){MHD_OPTION_LISTEN_SOCKET, settings->descriptor, NULL};
    else
        flags |= MHD_USE_NO_LISTEN_SOCKET;
    if (settings->connections_per_address > 0)
        options[count++] = (struct MHD_OptionItem){
            MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings->connections_per_address, NULL};
    if (settings->certificate) {
        flags |= MHD_USE_TLS;
        options[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate};
        options[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key};
        // GnuTLS: nothing below TLS 1.2.
        options[count++] = (struct MHD_OptionItem){
            MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"};
    }
    options[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_CONNECTION, connections, context,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
        MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/// A connection that came from elsewhere has no address of its own; the library wants one.
static inline enum MHD_Result mhd_shim_add_connection(struct MHD_Daemon *daemon, int descriptor) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_add_connection(daemon, descriptor, (struct sockaddr *)&address, sizeof address);
}

/// Its socket.
static inline int mhd_shim_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// What the notification of its opening left there.
static inline void *mhd_shim_own(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/// The peer's numeric address, empty when there is none.
static inline void mhd_shim_peer(struct MHD_Connection *connection, char *text, size_t capacity) {
    text[0] = 0;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info || !info->client_addr) return;
    socklen_t length = info->client_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    if (getnameinfo(info->client_addr, length, text, (socklen_t)capacity, NULL, 0, NI_NUMERICHOST) != 0) text[0] = 0;
}
