"""Sends one message a case through the client libraries of the providers, and says what each call came to.

Standard input is a JSON object: addresses of the simulated providers, files with credentials, and cases (see
Tests/ProviderSimulatorTests/Interoperation). Standard output has one JSON object a case, in their order. A case only
describes a message and what is wrong with it; nothing is judged here.
"""

import asyncio
import json
import logging
import ssl
import sys
import time

import firebase_admin
import google.auth.credentials
import jwt
from aioapns import APNs, NotificationRequest
from aioapns import connection as apns_connection
from firebase_admin import _http_client, credentials, messaging

PATIENCE = 30


class RawValue:
    """Stands for a member of an enumeration that the library does not have."""

    def __init__(self, value):
        self.value = value


class ProviderToken(apns_connection.AuthorizationHeaderProvider):
    def __init__(self, signing, now):
        claims = {"iss": signing["team"], "iat": now - signing.get("age", 0)}
        with open(signing["keyFile"], encoding="ascii") as file:
            token = jwt.encode(claims, file.read(), algorithm="ES256", headers={"kid": signing["keyId"]})
        self.header = f"bearer {token}"

    def get_header(self):
        return self.header


def spoil(connection, case):
    """Makes a connection of the library send what the library never would."""
    changes = case.get("fields", {})
    twice = case.get("twice")
    send_headers, send_data = connection.conn.send_headers, connection.conn.send_data

    def spoiled_headers(stream_id, headers, **rest):
        fields = [(name, changes.get(name, value)) for name, value in headers]
        fields = [(name, value) for name, value in fields if value is not None]
        fields += [(name, value) for name, value in fields if name == twice]
        return send_headers(stream_id=stream_id, headers=fields, **rest)

    def spoiled_data(stream_id, data, end_stream):
        if case.get("withholdsBody"):
            return None
        return send_data(stream_id=stream_id, data=case.get("body", data.decode()).encode(), end_stream=end_stream)

    connection.conn.send_headers, connection.conn.send_data = spoiled_headers, spoiled_data


def notification(case):
    parts = dict(case["notification"])
    if "push_type" in parts:
        parts["push_type"] = RawValue(parts["push_type"])
    return NotificationRequest(**parts)


async def send_apns(case, setting):
    server = apns_connection.APNsDevelopmentClientProtocol if case.get("sandbox") else (
        apns_connection.APNsProductionClientProtocol)
    server.APNS_SERVER = "localhost"
    server.APNS_PORT = setting["apnsSandboxPort" if case.get("sandbox") else "apnsProductionPort"]
    client = APNs(
        key="replaced below", key_id="-", team_id="-", topic=setting["topic"], use_sandbox=case.get("sandbox", False),
        max_connection_attempts=1, ssl_context=ssl.create_default_context(cafile=setting["caFile"]))
    now = int(time.time())
    signing = {"team": setting["team"], "keyId": setting["keyId"], "keyFile": setting["keyFile"]}
    pool = client.pool
    connection = await pool.create_connection()
    pool.connections.append(connection)
    try:
        if "before" in case:
            # An honest request that binds the connection to its key.
            connection.auth_provider = ProviderToken({**signing, **case["before"]}, now - 1)
            await asyncio.wait_for(client.send_notification(notification(case)), PATIENCE)
        connection.auth_provider = ProviderToken({**signing, **case.get("signing", {})}, now)
        spoil(connection, case)
        for _ in range(case.get("repeats", 1)):
            result = await asyncio.wait_for(client.send_notification(notification(case)), PATIENCE)
        return {"status": int(result.status), "reason": result.description, "timestamp": result.timestamp}
    finally:
        pool.close()


def fcm_message(case):
    parts = dict(case["message"])
    if "android" in parts:
        parts["android"] = messaging.AndroidConfig(**parts["android"])
    return messaging.Message(**parts)


def failure(error):
    """What a caller of firebase-admin can learn from an exception."""
    seen = {"exception": type(error).__name__, "code": getattr(error, "code", None)}
    response = getattr(error, "http_response", None)
    if response is None:
        return seen
    seen["status"] = response.status_code
    try:
        details = response.json()["error"].get("details", [])
    except (ValueError, KeyError):
        return seen
    for detail in details:
        seen["errorCode"] = detail.get("errorCode", seen.get("errorCode"))
        for violation in detail.get("fieldViolations", []):
            seen["field"] = violation["field"]
    return seen


class MadeUpToken(credentials.Base):
    """A credential whose access tokens nobody gave out."""

    class Token(google.auth.credentials.Credentials):
        def refresh(self, request):
            self.token = "made-up"

    def get_credential(self):
        return self.Token()


async def send_each(messages, dry_run, app):
    try:
        return await messaging.send_each_async(messages, dry_run, app)
    finally:
        # In the loop that made it; the library would close it in another, which fails.
        await messaging._get_messaging_service(app)._async_client.aclose()


def send_fcm(case, setting, number):
    account = {**setting["serviceAccount"], **case.get("account", {})}
    credential = MadeUpToken() if case.get("madeUpToken") else credentials.Certificate(account)
    options = {"projectId": case.get("project", account["project_id"])}
    app = firebase_admin.initialize_app(credential, options, name=f"case-{number}")
    raw = case.get("raw")
    encode = messaging._MessagingService.encode_message
    if raw is not None:
        messaging._MessagingService.encode_message = classmethod(lambda cls, message: raw)
    try:
        dry_run = case.get("dryRun", False)
        if case["http2"]:
            messages = [fcm_message(case)] * case.get("repeats", 1)
            batch = asyncio.run(send_each(messages, dry_run, app))
            last = next((response for response in batch.responses if not response.success), batch.responses[-1])
            return {"name": last.message_id} if last.success else failure(last.exception)
        for _ in range(case.get("repeats", 1)):
            name = messaging.send(fcm_message(case), dry_run, app)
        return {"name": name}
    except Exception as error:  # every exception is a result here
        return failure(error)
    finally:
        messaging._MessagingService.encode_message = encode
        firebase_admin.delete_app(app)


def main():
    logging.disable(logging.CRITICAL)
    setting = json.load(sys.stdin)
    messaging._MessagingService.FCM_URL = setting["fcm"] + "/v1/projects/{0}/messages:send"
    # As many tries as usual, but without their pauses, also without those that the server asks for.
    _http_client.DEFAULT_RETRY_CONFIG.backoff_factor = 0
    _http_client.DEFAULT_RETRY_CONFIG.respect_retry_after_header = False
    _http_client.DEFAULT_HTTPX_RETRY_CONFIG.backoff_factor = 0
    for number, case in enumerate(setting["cases"]):
        if case["provider"] == "fcm":
            seen = send_fcm(case, setting, number)
        else:
            try:
                seen = asyncio.run(send_apns(case, setting))
            except Exception as error:  # every exception is a result here
                seen = {"exception": type(error).__name__}
        print(json.dumps({"case": case["name"], **seen}), flush=True)


if __name__ == "__main__":
    main()
