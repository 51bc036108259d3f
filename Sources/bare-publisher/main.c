// The bare librabbitmq loop that `bench relay` compares the relay with: one connection, one channel, persistent mandatory
// messages with the headers of a hint, confirms counted, at most WINDOW of them outstanding. Nothing else happens here.
//
// usage: bare-publisher HOST PORT VHOST USER EXCHANGE KEY MESSAGES WINDOW BODY_FILE [QUEUE]   (password: AMQP_PASSWORD)
// Prints one JSON object: what became of the messages, and the time from the first publish to the last confirm. With QUEUE,
// `bench pipeline` compares the whole pipeline with it: a second process takes the messages from there at the same time,
// WINDOW of them unacknowledged at most, and the time ends when it has acknowledged the last.
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what, const char *why) {
    fprintf(stderr, "bare-publisher: %s: %s\n", what, why);
    exit(1);
}

static void check(amqp_rpc_reply_t reply, const char *what) {
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) fail(what, amqp_error_string2(reply.library_error));
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail(what, "refused by the broker");
}

static double now(void) {
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    return (double)clock.tv_sec + (double)clock.tv_nsec / 1e9;
}

static amqp_bytes_t read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read the body", path);
    amqp_bytes_t body = amqp_bytes_malloc(1 << 18);
    body.len = fread(body.bytes, 1, 1 << 18, file);
    fclose(file);
    return body;
}

static amqp_connection_state_t log_in(const char *host, int port, const char *vhost, const char *user) {
    const char *password = getenv("AMQP_PASSWORD");
    if (!password) fail("no password", "set AMQP_PASSWORD");
    amqp_connection_state_t connection = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(connection);
    struct timeval limit = {5, 0};
    if (!socket || amqp_socket_open_noblock(socket, host, port, &limit)) fail("cannot connect to", host);
    check(amqp_login(connection, vhost, 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, user, password), "log-in");
    amqp_channel_open(connection, 1);
    check(amqp_get_rpc_reply(connection), "opening a channel");
    amqp_confirm_select(connection, 1);
    check(amqp_get_rpc_reply(connection), "asking for confirms");
    return connection;
}

struct tally {
    long published, acked, nacked, returned;
    long lowest;         // every tag below it is settled
    unsigned char *done; // by tag
};

static void settle(struct tally *tally, long tag, int multiple, long *count) {
    for (long each = multiple ? tally->lowest : tag; each <= tag; each++) {
        if (!tally->done[each]) *count += 1;
        tally->done[each] = 1;
    }
    while (tally->lowest <= tally->published && tally->done[tally->lowest]) tally->lowest++;
}

// Reads one frame, at most 20 s long.
static void read_frame(amqp_connection_state_t connection, struct tally *tally) {
    amqp_frame_t frame;
    struct timeval limit = {20, 0};
    int status = amqp_simple_wait_frame_noblock(connection, &frame, &limit);
    if (status != AMQP_STATUS_OK) fail("waiting for confirms", amqp_error_string2(status));
    if (frame.frame_type != AMQP_FRAME_METHOD) return;
    if (frame.payload.method.id == AMQP_BASIC_ACK_METHOD) {
        amqp_basic_ack_t *ack = frame.payload.method.decoded;
        settle(tally, (long)ack->delivery_tag, ack->multiple, &tally->acked);
    } else if (frame.payload.method.id == AMQP_BASIC_NACK_METHOD) {
        amqp_basic_nack_t *nack = frame.payload.method.decoded;
        settle(tally, (long)nack->delivery_tag, nack->multiple, &tally->nacked);
    } else if (frame.payload.method.id == AMQP_BASIC_RETURN_METHOD) {
        tally->returned++;
    } else if (frame.payload.method.id == AMQP_CHANNEL_CLOSE_METHOD ||
               frame.payload.method.id == AMQP_CONNECTION_CLOSE_METHOD) {
        fail("publishing", "closed by the broker");
    }
    amqp_maybe_release_buffers(connection);
}

static void publish(amqp_connection_state_t connection, const char *exchange, const char *key, amqp_bytes_t body,
                    long number) {
    char identifier[40];
    snprintf(identifier, sizeof identifier, "%08lx-0000-4000-8000-%012lx", number, number);
    amqp_table_entry_t headers[2] = {
        {amqp_cstring_bytes("md-seq"), {AMQP_FIELD_KIND_I64, {.i64 = 1}}},
        {amqp_cstring_bytes("md-life"), {AMQP_FIELD_KIND_I64, {.i64 = 1}}},
    };
    amqp_basic_properties_t properties = {
        ._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_TYPE_FLAG |
                  AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_APP_ID_FLAG | AMQP_BASIC_TIMESTAMP_FLAG |
                  AMQP_BASIC_HEADERS_FLAG,
        .delivery_mode = 2,
        .message_id = amqp_cstring_bytes(identifier),
        .type = amqp_cstring_bytes("hint.v1"),
        .content_type = amqp_cstring_bytes("application/json"),
        .app_id = amqp_cstring_bytes("mobile-delivery"),
        .timestamp = (uint64_t)time(NULL),
        .headers = {2, headers},
    };
    int status = amqp_basic_publish(connection, 1, amqp_cstring_bytes(exchange), amqp_cstring_bytes(key), 1, 0,
                                    &properties, body);
    if (status != AMQP_STATUS_OK) fail("publishing", amqp_error_string2(status));
}

// Takes that many messages and acknowledges them in groups.
static void consume(amqp_connection_state_t connection, const char *queue, long messages, long window) {
    amqp_basic_qos(connection, 1, 0, (uint16_t)window, 0);
    check(amqp_get_rpc_reply(connection), "setting the prefetch");
    amqp_basic_consume(connection, 1, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
    check(amqp_get_rpc_reply(connection), "consuming");
    for (long taken = 0; taken < messages;) {
        amqp_envelope_t envelope;
        struct timeval limit = {20, 0};
        amqp_maybe_release_buffers(connection);
        check(amqp_consume_message(connection, &envelope, &limit, 0), "waiting for messages");
        taken++;
        if ((taken % (window / 2 + 1) == 0 || taken == messages) &&
            amqp_basic_ack(connection, 1, envelope.delivery_tag, 1) != AMQP_STATUS_OK)
            fail("acknowledging", queue);
        amqp_destroy_envelope(&envelope);
    }
    // An answer to this is one to everything before it.
    amqp_basic_qos(connection, 1, 0, 1, 0);
    check(amqp_get_rpc_reply(connection), "acknowledging");
}

int main(int count, char **arguments) {
    if (count != 10 && count != 11) fail("usage", "HOST PORT VHOST USER EXCHANGE KEY MESSAGES WINDOW BODY_FILE [QUEUE]");
    pid_t consumer = count == 11 ? fork() : 0;
    if (consumer < 0) fail("cannot start", "the consumer");
    amqp_connection_state_t connection = log_in(arguments[1], atoi(arguments[2]), arguments[3], arguments[4]);
    if (count == 11 && consumer == 0) {
        consume(connection, arguments[10], atol(arguments[7]), atol(arguments[8]));
        return 0;
    }
    const char *exchange = arguments[5], *key = arguments[6];
    long messages = atol(arguments[7]), window = atol(arguments[8]);
    amqp_bytes_t body = read_file(arguments[9]);
    struct tally tally = {.lowest = 1, .done = calloc((size_t)messages + 2, 1)};
    if (messages < 1 || window < 1 || !tally.done) fail("usage", "MESSAGES and WINDOW are numbers from 1");

    double began = now();
    while (tally.acked + tally.nacked < messages) {
        if (tally.published < messages && tally.published - tally.acked - tally.nacked < window) {
            publish(connection, exchange, key, body, ++tally.published);
        } else {
            read_frame(connection, &tally);
        }
    }
    int status = 0;
    if (consumer > 0 && (waitpid(consumer, &status, 0) != consumer || status != 0)) fail("the consumer", "failed");
    printf("{\"confirmed\":%ld,\"nacked\":%ld,\"returned\":%ld,\"microseconds\":%.0f,\"bytes\":%zu}\n", tally.acked,
           tally.nacked, tally.returned, (now() - began) * 1e6, body.len);
    amqp_connection_close(connection, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(connection);
    return 0;
}
