"""Runs schemathesis against a gateway, with requests signed as phones sign them, and says what each operation came to.

Standard input is a JSON object: `url` of the gateway, `documents` (paths of the OpenAPI documents of the device and of the
producer API), `credential` of a producer with every scope, `author` (name of its key), `examples` of an operation at most,
`seed`. Standard output ends with one JSON object an operation: its name and how often each status was answered. The status
is 0 when schemathesis found nothing. What an operation must have reached is judged by the caller.

Whatever was answered 2xx for the first time is sent again without a signature or credential, and with a wrong one, and has to
be refused; that takes the place of schemathesis's own checks of authentication, which cannot know a signature.

One in three well-formed requests is aimed at something that exists (a job just committed, a lease just granted), because
nobody guesses a job's id. The others stay as schemathesis made them.
"""

import base64
import collections
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid

import requests
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TAG = "cheqi-device-v1"

SETTINGS = """
hooks = "api_conformance"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "401", "404", "409", "410", "412", "422"]
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "404", "405", "409", "410", "412", "413", "415", "422"]
# What no schema can say: a key that is no point of the curve, a digest that is not that of the body, a range that ends
# before it begins.
[[operations]]
include-operation-id = ["enrol", "producer_commit", "producer_cancel_range"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "404", "409", "422"]
"""


def text(value):
    return base64.b64encode(value).decode()


class Signer(requests.auth.AuthBase):
    """The profile of docs/device-api.md, over the bytes that are about to be sent."""

    def __init__(self, device, key):
        self.device, self.key = device, key

    def __call__(self, request):
        url = urllib.parse.urlsplit(request.url)
        host = request.headers.get("Host") or url.netloc
        request.headers["Host"] = host
        # The bytes of the request line, nothing decoded.
        path, _, query = request.path_url.partition("?")
        lines = [f'"@method": {request.method}', f'"@authority": {host.lower()}', f'"@path": {path}',
                 f'"@query": ?{query}']
        names = ["@method", "@authority", "@path", "@query"]
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        if body:
            digest = f"sha-256=:{text(hashlib.sha256(body).digest())}:"
            request.headers["Content-Digest"] = digest
            if "Content-Type" not in request.headers:
                request.headers["Content-Type"] = "application/json"
            kind = request.headers["Content-Type"]
            kind = kind.decode() if isinstance(kind, bytes) else kind
            lines += [f'"content-digest": {digest}', f'"content-type": {kind.strip()}']
            names += ["content-digest", "content-type"]
        listed = " ".join(f'"{name}"' for name in names)
        parameters = f'({listed});created={int(time.time())};keyid="{self.device}";tag="{TAG}"'
        lines.append(f'"@signature-params": {parameters}')
        signature = self.key.sign("\n".join(lines).encode("utf-8", "surrogateescape"))
        request.headers["Signature-Input"] = f"sig1={parameters}"
        request.headers["Signature"] = f"sig1=:{text(signature)}:"
        return request


class Site:
    """A gateway, and what its phones and producers do to have something there."""

    def __init__(self, orders):
        self.url, self.credential, self.author = orders["url"], orders["credential"], orders["author"]
        self.session = requests.Session()
        self.account = f"account-{uuid.uuid4().hex[:12]}"
        self.registration = 0
        self.device, self.key = self.enrol()
        self.signer = Signer(self.device, self.key)

    def produce(self, method, path, **rest):
        answer = self.session.request(
            method, f"{self.url}/v1/producer/{path}", headers={"Authorization": f"Bearer {self.credential}"},
            timeout=30, **rest)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def ask(self, method, path, **rest):
        answer = self.session.request(method, f"{self.url}/v1/{path}", auth=self.signer, timeout=30, **rest)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def bearer(self, request):
        request.headers["Authorization"] = f"Bearer {self.credential}"
        return request

    def unbelieved(self, request):
        """How the same request is answered by somebody whom nobody knows."""
        def other(headers):
            again = request.copy()
            for name in ("Signature", "Signature-Input", "Authorization"):
                again.headers.pop(name, None)
            again.headers.update(headers)
            return self.session.send(again, timeout=30).status_code

        yield other({})
        if "Signature" in request.headers:
            wrong = Signer(self.device, Ed25519PrivateKey.generate())(request.copy()).headers
            yield other({name: wrong[name] for name in ("Signature", "Signature-Input")})
        else:
            yield other({"Authorization": "Bearer nobody"})

    def ticket(self, account=None):
        return self.produce("POST", f"accounts/{account or self.account}/enrolment-tickets")["ticket"]

    def enrolment(self, account=None):
        key, device = Ed25519PrivateKey.generate(), str(uuid.uuid4())
        public = key.public_key().public_bytes_raw()
        return key, {"ticket": self.ticket(account), "device": device, "platform": "ios", "signingAlgorithm": "ed25519",
                     "signingKey": text(public), "keyId": "k1", "publicKey": text(os.urandom(32))}

    def enrol(self, account=None):
        key, wish = self.enrolment(account)
        answer = self.session.post(f"{self.url}/v1/devices", json=wish, auth=Signer(wish["device"], key), timeout=30)
        assert answer.status_code == 201, answer.text
        return wish["device"], key

    def commitment(self, account=None):
        """A body of a commit that the gateway takes."""
        account = account or self.account
        known = self.produce("GET", f"accounts/{account}/devices")
        body = os.urandom(64)
        return {
            "account": account, "documentType": "RECEIPT", "body": text(body), "bodyFormat": 1,
            "bodyDigest": text(hashlib.blake2b(body, digest_size=32).digest()), "commitment": text(os.urandom(32)),
            "signature": text(os.urandom(64)), "signingKeyId": self.author,
            "deviceSetVersion": known["deviceSetVersion"], "recipients": ["shop"],
            "sealedKeys": [{"device": each["device"], "keyId": each["keyId"], "sealed": text(os.urandom(80))}
                           for each in known["devices"]]}

    def another(self):
        """An account with a device: schemathesis remembers ids that it saw, and may have revoked or erased ours."""
        account = f"other-{uuid.uuid4().hex[:12]}"
        return account, self.enrol(account)[0]

    def job(self, account=None):
        job = str(uuid.uuid4())
        self.produce("PUT", f"jobs/{job}", json=self.commitment(account))
        return job

    def claimed(self):
        job = self.job()
        self.ask("POST", f"jobs/{job}/claim")
        return job

    def leased(self):
        job = self.claimed()
        return job, self.ask("POST", f"jobs/{job}/fanout-lease", json={"attemptId": str(uuid.uuid4())})

    def aim(self, case):
        """Changes a well-formed case so that it meets something; by operation."""
        name = case.operation.definition.raw["operationId"]
        path, body = case.path_parameters, case.body
        if name in ("fetch", "claim", "ack", "nack"):
            path["jobId"] = self.job()
        elif name in ("producer_status", "producer_cancel"):
            path["jobId"] = self.job(self.another()[0])
        elif name == "acquire_lease":
            path["jobId"] = self.claimed()
        elif name == "stage_part":
            path["jobId"], lease = self.leased()
            path["epoch"], path["recipient"] = lease["epoch"], "shop"
            body.update({"nonce": lease["nonce"], "ciphertext": text(os.urandom(100))})
        elif name in ("renew_lease", "release_lease", "submit"):
            path["jobId"], lease = self.leased()
            path["epoch"] = lease["epoch"]
            body["nonce"] = lease["nonce"]
            if name == "submit":
                cipher = os.urandom(100)
                body["ciphertexts"] = {"shop": text(cipher)}
                body["digest"] = text(hashlib.blake2b(
                    b"\x00\x04shop" + len(cipher).to_bytes(4, "big") + cipher, digest_size=32).digest())
        elif name in ("register_token", "remove_token"):
            self.registration += 1
            body["registration"] = self.registration
            if name == "register_token":
                body.update(provider="apns", environment="production", app="cheqi", kind="token",
                            token=os.urandom(32).hex())
        elif name == "put_key":
            path["keyId"] = f"k{uuid.uuid4().hex[:12]}"
        elif name in ("sync", "wait"):
            case.query.pop("after", None)
            if name == "wait":
                case.query["timeout"] = 0
        elif name == "enrol":
            key, wish = self.enrolment(f"other-{uuid.uuid4().hex[:12]}")
            body.clear()
            body.update(wish)
            return Signer(wish["device"], key)
        elif name in ("producer_devices", "producer_erase_account"):
            path["account"] = self.another()[0]
        elif name == "producer_commit":
            path["jobId"] = str(uuid.uuid4())
            body.clear()
            body.update(self.commitment(self.another()[0]))
        elif name == "producer_cancel_range":
            now = int(time.time() * 1000)
            body.update({"signingKeyId": "another-author", "from": now - 1000, "until": now})
        elif name in ("producer_revoke", "producer_erase_device"):
            path["device"] = self.another()[1]
        return None


class Tally:
    def __init__(self, path):
        self.path, self.lock = path, threading.Lock()
        self.statuses = collections.defaultdict(collections.Counter)

    def is_first(self, name):
        with self.lock:
            return sum(count for status, count in self.statuses[name].items() if status.startswith("2")) == 1

    def count(self, name, status):
        with self.lock:
            self.statuses[name][str(status)] += 1

    def write(self):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.statuses, file)


def install(orders):
    """The part that runs inside schemathesis, which loads this file for its hooks."""
    import atexit

    import schemathesis

    site, tally, lock = Site(orders), Tally(orders["tally"]), threading.Lock()
    chance = random.Random(orders["seed"])
    atexit.register(tally.write)

    @schemathesis.hook
    def before_load_schema(context, raw_schema):
        raw_schema.pop("security", None)
        raw_schema["components"].pop("securitySchemes", None)

    @schemathesis.hook
    def before_call(context, case, kwargs):
        authentication = site.signer if orders["api"] == "device" else site.bearer
        if case.meta is None or case.meta.generation.mode.is_positive:
            if chance.random() < 1 / 3:
                with lock:
                    authentication = site.aim(case) or authentication
        kwargs["auth"] = authentication

    @schemathesis.hook
    def filter_failure(context, failure, case, response):
        # Unknown parameters are ignored, as the page says.
        return "unexpected properties" not in str(getattr(failure, "message", failure))

    @schemathesis.hook
    def after_call(context, case, response):
        name = case.operation.definition.raw["operationId"]
        tally.count(name, response.status_code)
        if 200 <= response.status_code < 300 and tally.is_first(name):
            for answer in site.unbelieved(response.request):
                tally.count(name, f"unbelieved {answer}")


def run(orders, api, document):
    """One document; returns the statuses of its operations and whether schemathesis was content."""
    with tempfile.TemporaryDirectory() as folder:
        own = {**orders, "api": api, "tally": f"{folder}/tally.json"}
        with open(f"{folder}/orders.json", "w", encoding="utf-8") as file:
            json.dump(own, file)
        with open(f"{folder}/schemathesis.toml", "w", encoding="utf-8") as file:
            # A well-formed request may meet something in another state, or nothing.
            file.write(SETTINGS)
        command = [
            sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "--config-file", f"{folder}/schemathesis.toml", "run", document,
            "--url", own["url"], "--max-examples", str(own["examples"]), "--seed", str(own["seed"]),
            "--phases", "examples,coverage,fuzzing", "--checks", "all", "--continue-on-failure",
            "--exclude-checks", "use_after_free,ensure_resource_availability,object_level_authorization,ignored_auth",
            "--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "20"]
        environment = {**os.environ, "API_CONFORMANCE_ORDERS": f"{folder}/orders.json", "NO_COLOR": "1",
                       "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}
        result = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        print(result.stdout, file=sys.stderr)
        try:
            with open(own["tally"], encoding="utf-8") as file:
                return json.load(file), result.returncode
        except FileNotFoundError:
            return {}, result.returncode or 1


def main():
    orders = json.load(sys.stdin)
    worst = 0
    for api, document in orders["documents"].items():
        statuses, status = run(orders, api, document)
        worst = worst or status
        for name, counts in sorted(statuses.items()):
            print(json.dumps({"operation": name, "statuses": counts}))
    sys.exit(worst)


if __name__ == "__main__":
    main()
elif "API_CONFORMANCE_ORDERS" in os.environ:
    with open(os.environ["API_CONFORMANCE_ORDERS"], encoding="utf-8") as file:
        install(json.load(file))
