// The libcurl multi loop that `bench http2` compares the client with: WINDOW easy handles on one HTTP/2 connection, each
// with a device path and an `apns-id` of its own for every request, as a sender would use libcurl.
//
// usage: bare-http2-client HOST PORT AUTHORITY_FILE REQUESTS WINDOW PATHS_FILE BODY_FILE
// PATHS_FILE has one path a line. Prints one JSON object: what became of the requests, and the time from the first to the
// last answer; a first request, outside the time, makes the connection. libcurl 7.88 loses a few requests in ten thousand
// ("error in the HTTP2 framing layer"): they are counted, not repeated.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *host, *authorities;
static int port;
static char **paths;
static size_t path_count;
static char body[4096];
static size_t body_length;
static long started, answered, failed;

struct exchange {
    CURL *easy;
    struct curl_slist *headers;
    char id[64], url[512];
};

static void fail(const char *what, const char *why) {
    fprintf(stderr, "bare-http2-client: %s: %s\n", what, why);
    exit(1);
}

static double now(void) {
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    return (double)clock.tv_sec + (double)clock.tv_nsec / 1e9;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *user) {
    (void)bytes, (void)user;
    return size * count;
}

static void read_files(const char *paths_file, const char *body_file) {
    FILE *file = fopen(body_file, "rb");
    if (!file) fail("cannot read", body_file);
    body_length = fread(body, 1, sizeof body, file);
    fclose(file);
    file = fopen(paths_file, "r");
    if (!file) fail("cannot read", paths_file);
    char *line = NULL;
    size_t space = 0;
    while (getline(&line, &space, file) > 0) {
        line[strcspn(line, "\n")] = 0;
        paths = realloc(paths, (path_count + 1) * sizeof *paths);
        paths[path_count++] = strdup(line);
    }
    free(line);
    fclose(file);
    if (!path_count) fail("no path in", paths_file);
}

static void start(CURLM *multi, struct exchange *exchange) {
    snprintf(exchange->url, sizeof exchange->url, "https://%s:%d%s", host, port, paths[started % path_count]);
    snprintf(exchange->id, sizeof exchange->id, "apns-id: 6f9619ff-8b86-4011-b42d-%012lx", started);
    curl_slist_free_all(exchange->headers);
    exchange->headers = curl_slist_append(NULL, exchange->id);
    const char *fixed[] = {"apns-topic: com.example.app", "apns-push-type: alert", "apns-priority: 10",
                           "content-type:", "expect:", "accept:"};
    for (size_t index = 0; index < sizeof fixed / sizeof *fixed; index++)
        exchange->headers = curl_slist_append(exchange->headers, fixed[index]);
    curl_easy_setopt(exchange->easy, CURLOPT_URL, exchange->url);
    curl_easy_setopt(exchange->easy, CURLOPT_HTTPHEADER, exchange->headers);
    curl_multi_add_handle(multi, exchange->easy);
    started++;
}

static struct exchange *new_exchange(void) {
    struct exchange *exchange = calloc(1, sizeof *exchange);
    exchange->easy = curl_easy_init();
    curl_easy_setopt(exchange->easy, CURLOPT_PRIVATE, exchange);
    curl_easy_setopt(exchange->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(exchange->easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(exchange->easy, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(exchange->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(exchange->easy, CURLOPT_POSTFIELDSIZE, (long)body_length);
    curl_easy_setopt(exchange->easy, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(exchange->easy, CURLOPT_TIMEOUT_MS, 15000L);
    return exchange;
}

// Runs until `requests` in all are answered, with those exchanges.
static void run(CURLM *multi, struct exchange **exchanges, long window, long requests) {
    for (long index = 0; index < window && started < requests; index++) start(multi, exchanges[index]);
    while (answered + failed < requests) {
        int running, left;
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            struct exchange *exchange;
            long status = 0;
            CURLcode result = message->data.result;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&exchange);
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
            if (result == CURLE_OK && status == 200) {
                answered++;
            } else if (!failed++) {
                fprintf(stderr, "bare-http2-client: %s, status %ld\n", curl_easy_strerror(result), status);
            }
            curl_multi_remove_handle(multi, exchange->easy);
            if (started < requests) start(multi, exchange);
        }
        curl_multi_poll(multi, NULL, 0, 100, NULL);
    }
}

int main(int count, char **words) {
    if (count != 8) {
        fprintf(stderr, "usage: bare-http2-client HOST PORT AUTHORITY_FILE REQUESTS WINDOW PATHS_FILE BODY_FILE\n");
        return 64;
    }
    host = words[1];
    port = atoi(words[2]);
    authorities = words[3];
    long requests = strtol(words[4], NULL, 10), window = strtol(words[5], NULL, 10);
    read_files(words[6], words[7]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
    struct exchange **exchanges = calloc((size_t)window, sizeof *exchanges);
    for (long index = 0; index < window; index++) exchanges[index] = new_exchange();
    run(multi, exchanges, 1, 1);
    double begun = now();
    run(multi, exchanges, window, requests + 1);
    double took = now() - begun;
    printf("{\"answered\":%ld,\"failed\":%ld,\"microseconds\":%.0f}\n", answered - 1, failed, took * 1e6);
    return 0;
}
