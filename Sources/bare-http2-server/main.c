// The peer of `bench http2`: nghttp2 and OpenSSL and nothing around them. It answers every POST with 200 and echoes the
// `apns-id`, as APNs does; one thread, any number of connections.
//
// usage: bare-http2-server CERTIFICATE_FILE KEY_FILE CONCURRENT_STREAMS
// Prints one line, the port it listens on at 127.0.0.1, and serves until it is killed.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { RECORD = 16384, ID = 36 };

struct connection {
    int descriptor;
    SSL *ssl;
    nghttp2_session *session;
    // Frames that TLS did not take yet.
    uint8_t pending[4 * RECORD];
    size_t start, end;
};

struct request {
    uint8_t id[ID];
    int has_id;
};

static int epoll;
static long concurrent_streams;

static void fail(const char *what) {
    fprintf(stderr, "bare-http2-server: %s: %s\n", what, errno ? strerror(errno) : "OpenSSL refused it");
    exit(1);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    (void)user;
    struct request *request = calloc(1, sizeof *request);
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, request);
}

static int on_header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length, const uint8_t *value,
    size_t value_length, uint8_t flags, void *user) {
    (void)flags, (void)user;
    if (name_length != 7 || value_length != ID || memcmp(name, "apns-id", 7)) return 0;
    struct request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!request) return 0;
    memcpy(request->id, value, ID);
    request->has_id = 1;
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
    (void)user;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    struct request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!request) return 0;
    nghttp2_nv fields[] = {
        {(uint8_t *)":status", (uint8_t *)"200", 7, 3, NGHTTP2_NV_FLAG_NONE},
        {(uint8_t *)"apns-id", request->id, 7, ID, NGHTTP2_NV_FLAG_NO_INDEX},
    };
    return nghttp2_submit_response(session, frame->hd.stream_id, fields, request->has_id ? 2 : 1, NULL);
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    (void)code, (void)user;
    free(nghttp2_session_get_stream_user_data(session, stream));
    return 0;
}

static int choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered, unsigned int count,
    void *user) {
    (void)ssl, (void)user;
    return nghttp2_select_next_protocol((unsigned char **)chosen, length, offered, count) == 1 ? SSL_TLSEXT_ERR_OK
                                                                                               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static void start_session(struct connection *connection) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_server_new(&connection->session, callbacks, connection);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_settings_entry streams = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)concurrent_streams};
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, &streams, 1);
    nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, 1 << 28);
}

static void watch(struct connection *connection, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    epoll_ctl(epoll, operation, connection->descriptor, &event);
}

static void finish(struct connection *connection) {
    if (connection->session) nghttp2_session_del(connection->session);
    SSL_free(connection->ssl);
    close(connection->descriptor);
    free(connection);
}

// 1: all is written; 0: the socket is full; -1: it is over.
static int write_pending(struct connection *connection) {
    while (connection->start < connection->end) {
        size_t size = connection->end - connection->start;
        ERR_clear_error();  // another connection's
        int written = SSL_write(connection->ssl, connection->pending + connection->start, size < RECORD ? size : RECORD);
        if (written <= 0) return SSL_get_error(connection->ssl, written) == SSL_ERROR_WANT_WRITE ? 0 : -1;
        connection->start += written;
    }
    connection->start = connection->end = 0;
    return 1;
}

static int write_frames(struct connection *connection) {
    while (1) {
        int state = write_pending(connection);
        if (state != 1) return state;
        // Frames are small; a whole one always fits behind two full records.
        while (connection->end < 2 * RECORD) {
            const uint8_t *frames;
            ssize_t count = nghttp2_session_mem_send(connection->session, &frames);
            if (count < 0) return -1;
            if (count == 0) break;
            memcpy(connection->pending + connection->end, frames, count);
            connection->end += count;
        }
        if (connection->end == 0) return 1;
    }
}

static int serve(struct connection *connection) {
    if (!connection->session) {
        ERR_clear_error();
        int result = SSL_do_handshake(connection->ssl);
        if (result != 1) return SSL_get_error(connection->ssl, result) == SSL_ERROR_WANT_READ ? 1 : -1;
        start_session(connection);
    }
    static uint8_t plain[4 * RECORD];
    // Bounded, so that every connection gets its turn; what TLS still holds is read before the next wait.
    for (int round = 0; round < 64 || SSL_pending(connection->ssl) > 0; round++) {
        ERR_clear_error();
        int count = SSL_read(connection->ssl, plain, sizeof plain);
        if (count <= 0) {
            if (SSL_get_error(connection->ssl, count) != SSL_ERROR_WANT_READ) return -1;
            break;
        }
        if (nghttp2_session_mem_recv(connection->session, plain, count) < 0) return -1;
    }
    return write_frames(connection);
}

static int listen_locally(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 128)) fail("listening");
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

static void accept_all(int listener, SSL_CTX *context) {
    int descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        int on = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = calloc(1, sizeof *connection);
        connection->descriptor = descriptor;
        connection->ssl = SSL_new(context);
        SSL_set_fd(connection->ssl, descriptor);
        SSL_set_accept_state(connection->ssl);
        watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    }
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: bare-http2-server CERTIFICATE_FILE KEY_FILE CONCURRENT_STREAMS\n");
        return 64;
    }
    concurrent_streams = strtol(words[3], NULL, 10);
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context, words[1]) != 1) fail(words[1]);
    if (SSL_CTX_use_PrivateKey_file(context, words[2], SSL_FILETYPE_PEM) != 1) fail(words[2]);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    int listener = listen_locally();
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    while (1) {
        struct epoll_event ready[64];
        int number = epoll_wait(epoll, ready, 64, -1);
        for (int index = 0; index < number; index++) {
            struct connection *connection = ready[index].data.ptr;
            if (!connection) {
                accept_all(listener, context);
                continue;
            }
            int state = serve(connection);
            if (state < 0)
                finish(connection);
            else
                watch(connection, EPOLL_CTL_MOD, EPOLLIN | (state == 0 ? EPOLLOUT : 0));
        }
    }
}
