"""Builds an iOS app as Xcode leaves it, with Python's own property lists and zip files and OpenSSL's CMS.

    ios_app.py SPECIFICATION.json FOLDER    prints the path of the .ipa or .app that it made

The specification: "form" (ipa or app), "lists" (binary or xml), "info", "strings" (keys and texts by language), "table" (the
same as one .loctable), "profile" (its content; null for an App Store build), "tampered" (a byte of the profile is changed
after signing), "category" (of a notification content extension).
"""

import datetime
import json
import plistlib
import subprocess
import sys
import zipfile
from pathlib import Path


def signed(content, folder):
    key, certificate, plain, message = (folder / name for name in ("key.pem", "certificate.pem", "plain", "message"))
    plain.write_bytes(content)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
         "-subj", "/CN=Test Provisioning Profile Signing", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    subprocess.run(
        ["openssl", "cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-signer", certificate, "-inkey", key,
         "-in", plain, "-out", message],
        check=True, capture_output=True)
    return message.read_bytes()


def main():
    specification = json.loads(Path(sys.argv[1]).read_text())
    folder = Path(sys.argv[2])
    form = plistlib.FMT_BINARY if specification["lists"] == "binary" else plistlib.FMT_XML
    files = {"Info.plist": plistlib.dumps(specification["info"], fmt=form), "Sample": b"\xcf\xfa\xed\xfe"}
    for language, texts in specification["strings"].items():
        files[f"{language}.lproj/Localizable.strings"] = plistlib.dumps(texts, fmt=form)
    if specification.get("table"):
        files["Localizable.loctable"] = plistlib.dumps(specification["table"], fmt=form)
    if specification.get("text"):
        files["nl.lproj/Localizable.strings"] = specification["text"].encode("utf-16")
    if specification.get("category"):
        files["PlugIns/Content.appex/Info.plist"] = plistlib.dumps(
            {"NSExtension": {"NSExtensionPointIdentifier": "com.apple.usernotifications.content-extension",
                             "NSExtensionAttributes": {"UNNotificationExtensionCategory": specification["category"]}}},
            fmt=form)
    profile = specification.get("profile")
    if profile is not None:
        profile["ExpirationDate"] = datetime.datetime.fromtimestamp(profile["ExpirationDate"], datetime.timezone.utc)\
            .replace(tzinfo=None)
        message = signed(plistlib.dumps(profile), folder)
        if specification.get("tampered"):
            message = message.replace(b"production", b"development"[:10])
        files["embedded.mobileprovision"] = message
    if specification["form"] == "app":
        for name, content in files.items():
            path = folder / "Sample.app" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        print(folder / "Sample.app")
    else:
        with zipfile.ZipFile(folder / "Sample.ipa", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("Payload/", b"")
            for name, content in files.items():
                archive.writestr(f"Payload/Sample.app/{name}", content)
        print(folder / "Sample.ipa")


main()
