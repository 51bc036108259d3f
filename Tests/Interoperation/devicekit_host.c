// A host in C for libDeviceKitC: HTTP by libcurl, a thread for each exchange.
//
//     devicekit_host GATEWAY CONFIGURATION.json enrol TICKET | register TOKEN | hint PAYLOAD.json | sync ORIGIN | state
//
// Prints the status of the call and then the device's state; log lines go to standard error.
#define _GNU_SOURCE
#include "devicekit.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct text { char *bytes; size_t length; };

struct call {
    DeviceKitExchange *exchange;
    char *method, *url, *fields;
    uint8_t *body;
    size_t bodyLength;
    struct text answer, answerFields;
};

static size_t append(char *bytes, size_t size, size_t count, void *to) {
    struct text *text = to;
    size_t length = size * count;
    text->bytes = realloc(text->bytes, text->length + length + 1);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
    return length;
}

static void *perform(void *argument) {
    struct call *call = argument;
    CURL *curl = curl_easy_init();
    struct curl_slist *headers = NULL;
    for (char *line = strtok(call->fields, "\n"); line; line = strtok(NULL, "\n")) headers = curl_slist_append(headers, line);
    curl_easy_setopt(curl, CURLOPT_URL, call->url);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 20L);
    if (call->body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)call->bodyLength);
    }
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &call->answer);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, append);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &call->answerFields);
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OK) {
        long status = 0;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        deviceKitAnswer(
            call->exchange, (int32_t)status, call->answerFields.bytes, (const uint8_t *)call->answer.bytes,
            call->answer.length);
    } else {
        deviceKitNoAnswer(call->exchange, code == CURLE_COULDNT_CONNECT, curl_easy_strerror(code));
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    free(call->method), free(call->url), free(call->fields), free(call->body);
    free(call->answer.bytes), free(call->answerFields.bytes), free(call);
    return NULL;
}

static void begin(void *context, DeviceKitExchange *exchange, const DeviceKitRequest *request) {
    struct call *call = calloc(1, sizeof *call);
    call->exchange = exchange;
    call->method = strdup(request->method);
    call->fields = strdup(request->fields);
    if (asprintf(&call->url, "%s%s", (const char *)context, request->target) < 0) abort();
    if (request->body) {
        call->body = malloc(request->bodyLength + 1);
        memcpy(call->body, request->body, request->bodyLength);
        call->bodyLength = request->bodyLength;
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, perform, call)) {
        deviceKitNoAnswer(exchange, 1, "no thread");
        return;
    }
    pthread_detach(thread);
}

static void note(void *context, const char *line) {
    (void)context;
    fprintf(stderr, "%s\n", line);
}

static char *content(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *bytes = calloc(1, 65536);
    *length = fread(bytes, 1, 65535, file);
    fclose(file);
    return bytes;
}

int main(int count, char **words) {
    if (count < 4) return 64;
    size_t length = 0;
    char *configuration = content(words[2], &length);
    DeviceKitHost host = {.context = words[1], .send = begin, .log = note};
    DeviceKitDevice *device = NULL;
    DeviceKitStatus status = deviceKitOpen(configuration, &host, &device);
    free(configuration);
    if (status != DeviceKitDone) return printf("open %d\n", status), 1;
    int64_t due = 0;
    const char *what = words[3], *argument = count > 4 ? words[4] : "";
    if (!strcmp(what, "enrol")) status = deviceKitEnrol(device, argument);
    if (!strcmp(what, "register")) status = deviceKitRegister(device, argument, 0);
    if (!strcmp(what, "sync")) status = deviceKitSync(device, argument, 20000, &due);
    if (!strcmp(what, "hint")) {
        char job[37];
        char *payload = content(argument, &length);
        status = deviceKitReadHint((const uint8_t *)payload, length, job);
        if (status == DeviceKitDone) status = deviceKitProcess(device, job, 20000, &due);
        free(payload);
    }
    char *state = deviceKitState(device);
    printf("%d\n%s\n", status, state ? state : "");
    deviceKitFree(state);
    deviceKitClose(device);
    return 0;
}
