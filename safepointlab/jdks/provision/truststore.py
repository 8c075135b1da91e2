"""The machine's bundle of CA certificates (PEM) -> the key store that Java reads, so that unpacked JDKs can use https.

Debian's JDKs link to a store that another package's installation script makes; in an unpacked JDK the link dangles. The
format is Sun's JKS, version 2, described only by sun.security.provider.JavaKeyStore; every JDK from 8 on reads it.
"""

import hashlib
import os
import re
import ssl
import struct
from pathlib import Path

MAGIC, VERSION, TRUSTED = 0xFEEDFEED, 2, 2
PASSWORD = "changeit"  # every JDK's password for its own CAs; it protects integrity, not secrecy


def give_certificates(java_home: Path) -> bool:
    """Write the JDK's lib/security/cacerts if it has none; false if this machine has no bundle to make it from."""
    store = next(iter(java_home.glob("jre/lib/security")), java_home / "lib" / "security") / "cacerts"
    bundle = Path(os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile or "/etc/ssl/cert.pem")
    if not store.exists() and bundle.is_file():
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_bytes(key_store(bundle.read_text("ascii", "replace")))
    return store.exists()


def key_store(bundle: str) -> bytes:
    """The certificates of a PEM bundle as a JKS of trusted entries, named ca1, ca2, ..."""
    pattern = "-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----"
    certificates = [ssl.PEM_cert_to_DER_cert(text) for text in re.findall(pattern, bundle, re.DOTALL)]
    entries = b"".join(_entry(f"ca{number}", der) for number, der in enumerate(certificates, 1))
    body = struct.pack(">III", MAGIC, VERSION, len(certificates)) + entries
    return body + hashlib.sha1(PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite" + body).digest()


def _entry(alias: str, der: bytes) -> bytes:
    epoch = struct.pack(">Q", 0)  # the date of the entry, which nothing reads
    return struct.pack(">I", TRUSTED) + _utf(alias) + epoch + _utf("X.509") + struct.pack(">I", len(der)) + der


def _utf(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")
