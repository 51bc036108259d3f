#pragma once
#include <stddef.h>
#include <stdint.h>

/// The device kit for hosts that are not written in Swift, such as an Android app through JNI. `libDeviceKitC.so` has these
/// functions; they are written in Swift, and the compiler holds them against this header.
///
/// Every function may be called from any thread, and any number at a time. Those that work with the gateway or the store
/// block their caller until they are done or their time is over: call them from a worker, never from the thread that draws.
/// All text is UTF-8 and ends with a zero byte.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DeviceKitDevice DeviceKitDevice;
typedef struct DeviceKitExchange DeviceKitExchange;

/// How a call ended.
typedef enum {
    DeviceKitDone = 0,
    /// Something is left to do, at the time in `due`: run again then, or at the next hint, foreground or network.
    DeviceKitWaiting = 1,
    /// The time was over; go on from the stored state another time.
    DeviceKitStopped = 2,
    /// No network, or the gateway did not answer as it should; try again.
    DeviceKitFailed = 3,
    /// The gateway does not know this device any more: enrol anew, with a new store.
    DeviceKitRevoked = 4,
    /// The store is damaged, full or of a newer app; it is never reset here.
    DeviceKitStoreFailed = 5,
    /// An argument or the configuration cannot be used.
    DeviceKitInvalid = 6,
} DeviceKitStatus;

typedef struct {
    const char *method;
    /// Path and query. The host puts the scheme and `authority` of the configuration in front.
    const char *target;
    /// Header fields, `Name: value`, each ended by a line feed. To be sent exactly so: they are signed.
    const char *fields;
    /// `NULL` without a body.
    const uint8_t *body;
    size_t bodyLength;
} DeviceKitRequest;

/// What the host does for the kit. All of it has to stay valid until `deviceKitClose` has returned.
typedef struct {
    void *context;
    /// Begins one HTTP exchange and returns at once; nothing of the request is there after that. Every exchange is ended by
    /// exactly one `deviceKitAnswer` or `deviceKitNoAnswer`, from any thread, also from within this call.
    void (*send)(void *context, DeviceKitExchange *exchange, const DeviceKitRequest *request);
    /// One line about what happened, for a log; nothing in it is secret. May be `NULL`.
    void (*log)(void *context, const char *line);
} DeviceKitHost;

/// Opens or makes the store, and the device in it. `configuration` is a JSON object:
///
///     {"store": "/data/user/0/nl.cheqi.app/files/delivery.sqlite",
///      "platform": "android",                             or "ios"
///      "authority": "gateway.example.com",                as the Host header will say it
///      "app": "cheqi", "environment": "",                 of the apps file; the environment is for iOS alone
///      "authors": {"p1": "base64 of 32 bytes"}}           pinned keys of those who sign jobs
DeviceKitStatus deviceKitOpen(const char *configuration, const DeviceKitHost *host, DeviceKitDevice **device);

/// Forgets the device; no call of it may be under way.
void deviceKitClose(DeviceKitDevice *device);

/// Enrols this installation with a one-time ticket; repeat it with the same ticket until it is done.
DeviceKitStatus deviceKitEnrol(DeviceKitDevice *device, const char *ticket);

/// Tells the gateway the push token (or the Firebase installation id, with `isInstallation`), at every start and every change.
DeviceKitStatus deviceKitRegister(DeviceKitDevice *device, const char *token, int32_t isInstallation);

/// What to do with the data of a push, as one JSON object: nothing is fetched. `Done` with the job's id in `job` (37 bytes) for a
/// valid hint; `Waiting` for one of an unknown version, which calls for `deviceKitSync` with "opportunistic"; else `Invalid`.
DeviceKitStatus deviceKitReadHint(const uint8_t *payload, size_t length, char *job);

/// Works on the job that a hint named, and on no other. `milliseconds` is the time it may take; `due` (may be `NULL`) is when
/// to come back, epoch milliseconds.
DeviceKitStatus deviceKitProcess(DeviceKitDevice *device, const char *job, int64_t milliseconds, int64_t *due);

/// The authoritative sync, and all work that is due. `origin` is "foreground", "deletedMessages" or "opportunistic".
DeviceKitStatus deviceKitSync(DeviceKitDevice *device, const char *origin, int64_t milliseconds, int64_t *due);

/// Device, account, jobs and receipts as a JSON object, or `NULL` if the store cannot be read; to be given to `deviceKitFree`.
char *deviceKitState(DeviceKitDevice *device);

/// The receipt of a job, or `NULL`; to be given to `deviceKitFree`.
char *deviceKitReceipt(DeviceKitDevice *device, const char *job);

void deviceKitFree(char *text);

/// The gateway answered, whatever the status. `fields` as in the request; nothing is kept of the arguments.
void deviceKitAnswer(
    DeviceKitExchange *exchange, int32_t status, const char *fields, const uint8_t *body, size_t bodyLength);

/// There was no answer. `isOffline`: nothing left the phone.
void deviceKitNoAnswer(DeviceKitExchange *exchange, int32_t isOffline, const char *reason);

#ifdef __cplusplus
}
#endif
